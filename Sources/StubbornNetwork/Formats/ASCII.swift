import Foundation

// The bytes with a meaning in formats, by name. `UInt8(ascii:)` is a slow call in a debug build; these are not.
extension UInt8 {
    static var tab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var space: UInt8 { 0x20 }
    static var quote: UInt8 { 0x22 }
    static var numberSign: UInt8 { 0x23 }
    static var percent: UInt8 { 0x25 }
    static var ampersand: UInt8 { 0x26 }
    static var apostrophe: UInt8 { 0x27 }
    static var plus: UInt8 { 0x2B }
    static var comma: UInt8 { 0x2C }
    static var hyphen: UInt8 { 0x2D }
    static var dot: UInt8 { 0x2E }
    static var slash: UInt8 { 0x2F }
    static var zero: UInt8 { 0x30 }
    static var colon: UInt8 { 0x3A }
    static var semicolon: UInt8 { 0x3B }
    static var lessThan: UInt8 { 0x3C }
    static var equals: UInt8 { 0x3D }
    static var greaterThan: UInt8 { 0x3E }
    static var questionMark: UInt8 { 0x3F }
    static var at: UInt8 { 0x40 }
    static var openingBracket: UInt8 { 0x5B }
    static var backslash: UInt8 { 0x5C }
    static var closingBracket: UInt8 { 0x5D }
    static var underscore: UInt8 { 0x5F }
    static var openingBrace: UInt8 { 0x7B }
    static var closingBrace: UInt8 { 0x7D }

    static var b: UInt8 { 0x62 }
    static var e: UInt8 { 0x65 }
    static var f: UInt8 { 0x66 }
    static var n: UInt8 { 0x6E }
    static var r: UInt8 { 0x72 }
    static var t: UInt8 { 0x74 }
    static var u: UInt8 { 0x75 }
    static var x: UInt8 { 0x78 }

    // MARK: Classes of bytes

    // The most common ones are comparisons, because a call for each byte takes time.

    var isDigit: Bool { self &- 0x30 < 10 }
    var isUppercase: Bool { self &- 0x41 < 26 }
    var isLowercase: Bool { self &- 0x61 < 26 }
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    var isAlphanumeric: Bool { isDigit || isLetter }
    /// A Boolean value that indicates whether the byte is a letter or a digit, or belongs to a character outside ASCII.
    var isLetterOrDigit: Bool { isAlphanumeric || self >= 0x80 }
    /// A Boolean value that indicates whether the byte is a space, a tab, or one of the four bytes of line breaks in ASCII: LF, VT, FF and CR.
    var isSpace: Bool { self == 0x20 || self &- 0x09 < 5 }
    /// A Boolean value that indicates whether JSON allows the byte between its parts (RFC 8259, section 2).
    var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// A Boolean value that indicates whether the byte is CR or LF, which end a line in HTTP and in text formats.
    var isLineBreak: Bool { self == 0x0A || self == 0x0D }
    var isControl: Bool { self < 0x20 || self == 0x7F }
    var isWordPart: Bool { isAlphanumeric || self == 0x5F || self == 0x2D }
    /// A Boolean value that indicates whether a URL never needs to encode the byte (RFC 3986, section 2.3).
    var isUnreserved: Bool { isWordPart || self == 0x2E || self == 0x7E }
    /// A Boolean value that indicates whether the byte may be in a token of credentials (`token68`, RFC 9110, section 11.2).
    var isTokenPart: Bool { isUnreserved || self == 0x2B || self == 0x2F || self == 0x3D }
    /// A Boolean value that indicates whether the byte is a digit of base64, in either alphabet.
    var isBase64: Bool { isWordPart || self == 0x2B || self == 0x2F }

    /// Returns a Boolean value that indicates whether the byte is one of the characters of ASCII.
    ///
    /// Unlike a search in a string, it is fast.
    func isOne(of characters: StaticString) -> Bool {
        memchr(characters.utf8Start, Int32(self), characters.utf8CodeUnitCount) != nil
    }

    /// The byte, in lower case if it is a letter.
    var lowercased: UInt8 { isUppercase ? self | 0x20 : self }

    // MARK: Hexadecimal digits

    /// The value of a hexadecimal digit of either case; `nil` for any other byte.
    var hexValue: UInt8? {
        if isDigit { return self - 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// The byte as two hexadecimal digits in upper case, as text.
    var hexText: String { String(decoding: hexDigits(), as: UTF8.self) }

    /// Returns the byte as two hexadecimal digits, in upper case by default.
    func hexDigits(lowercase: Bool = false) -> [UInt8] {
        let letter: UInt8 = lowercase ? 0x61 - 10 : 0x41 - 10
        return [self >> 4, self & 15].map { $0 + ($0 < 10 ? 0x30 : letter) }
    }
}
