import Foundation

/// Base64 (RFC 4648): in the standard alphabet and in the one for URLs.
enum Base64 {
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
            decoded(value.part(0..<16))?.allSatisfy({ 0x20..<0x7F ~= $0 || 0x09...0x0D ~= $0 }) == true
        else { return false }
        let end = value.end(from: 16) { $0.isBase64 || $0.isLineBreak }
        return value.end(from: end) { $0.isOne(of: "=\n\r") } == value.count
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
