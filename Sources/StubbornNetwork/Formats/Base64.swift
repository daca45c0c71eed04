import Foundation

/// Base64 (RFC 4648): in the standard alphabet and in the one for URLs.
enum Base64 {
    /// The value of each byte that is a digit in either alphabet; 255 for other bytes.
    private static let values: [UInt8] = {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        var result = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { result[Int(digit)] = UInt8(value) }
        (result[Int(UInt8.hyphen)], result[Int(UInt8.underscore)]) = (62, 63)
        return result
    }()

    /// Returns the decoded bytes of base64 in either alphabet, padded or not, in one line or several (RFC 2045, section
    /// 6.8); `nil` if it is not base64.
    static func decoded(_ bytes: Bytes) -> [UInt8]? {
        var text = bytes.filter { !$0.isLineBreak }.map { $0 == .hyphen ? .plus : $0 == .underscore ? .slash : $0 }
        while text.last == .equals { text.removeLast() }
        guard text.count % 4 != 1 else { return nil }
        text += Array(repeating: .equals, count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: Data(text)).map { Array($0) }
    }

    /// Returns a Boolean value that indicates whether a value is base64, in either alphabet, whose first bytes are
    /// printable characters of ASCII.
    static func isText(_ value: Bytes) -> Bool {
        guard value.count >= 16, value.part(0..<16).allSatisfy({ $0.isBase64 }),
            [0, 4, 8, 12].allSatisfy({ isPrintable(value, at: $0) })
        else { return false }
        let end = value.end(from: 16) { $0.isBase64 || $0.isLineBreak }
        return value.end(from: end) { $0.isOne(of: "=\n\r") } == value.count
    }

    /// Returns a Boolean value that indicates whether four digits stand for printable characters of ASCII.
    private static func isPrintable(_ digits: Bytes, at start: Int) -> Bool {
        let group = digits[start..<start + 4].reduce(0) { $0 << 6 | UInt32(values[Int($1)]) }
        func isPrintable(_ byte: UInt32) -> Bool { 0x20..<0x7F ~= byte || 0x09...0x0D ~= byte }
        return isPrintable(group >> 16) && isPrintable(group >> 8 & 0xFF) && isPrintable(group & 0xFF)
    }

    /// Returns the bytes in base64.
    static func encoded(_ bytes: [UInt8], urlSafe: Bool = false, padded: Bool = true) -> [UInt8] {
        var text = [UInt8](Data(bytes).base64EncodedData())
        if urlSafe { text = text.map { $0 == .plus ? .hyphen : $0 == .slash ? .underscore : $0 } }
        while !padded, text.last == .equals { text.removeLast() }
        return text
    }

    /// Returns the bytes in the alphabet of other digits, padded if the other digits are padded or need no padding.
    static func encoded(_ bytes: [UInt8], like digits: Bytes, isPadded: Bool = true) -> [UInt8] {
        let urlSafe = digits.contains { $0.isOne(of: "-_") }
        return encoded(bytes, urlSafe: urlSafe, padded: isPadded && digits.count % 4 == 0)
    }
}
