import Foundation

/// The encodings of a stub file: UTF-8, and UTF-16 or UTF-32 if an editor has saved it so.
///
/// All three may begin with a byte-order mark. Without one, the zeros around the first character tell them apart, because
/// the first two characters of JSON are ASCII (RFC 4627, section 3).
enum StubFileEncoding {
    /// Returns the text as UTF-8, without a byte-order mark.
    static func utf8(_ data: Data) throws(JSONSyntaxError) -> Data {
        let start = Array(data.prefix(4))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return data.dropFirst(3) }
        if start.starts(with: [0x00, 0x00, 0xFE, 0xFF]) {
            return try convert(data.dropFirst(4), .utf32BigEndian, "UTF-32")
        }
        if start == [0xFF, 0xFE, 0x00, 0x00] { return try convert(data.dropFirst(4), .utf32LittleEndian, "UTF-32") }
        if start.starts(with: [0xFE, 0xFF]) { return try convert(data.dropFirst(2), .utf16BigEndian, "UTF-16") }
        if start.starts(with: [0xFF, 0xFE]) { return try convert(data.dropFirst(2), .utf16LittleEndian, "UTF-16") }
        switch start.map({ $0 == 0 }) {
        case [true, true, true, false]: return try convert(data, .utf32BigEndian, "UTF-32")
        case [false, true, true, true]: return try convert(data, .utf32LittleEndian, "UTF-32")
        case [true, false, true, false]: return try convert(data, .utf16BigEndian, "UTF-16")
        case [false, true, false, true]: return try convert(data, .utf16LittleEndian, "UTF-16")
        default: return data
        }
    }

    /// Returns the offset at which UTF-8 text begins, after a byte-order mark.
    ///
    /// - Parameter start: The first four bytes of the file.
    /// - Returns: The offset; `nil` for another encoding.
    static func startOfUTF8(_ start: Data) -> Int? {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return 3 }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return nil }
        return start.contains(0) ? nil : 0
    }

    private static func convert(
        _ data: Data,
        _ encoding: String.Encoding,
        _ name: String
    ) throws(JSONSyntaxError) -> Data {
        guard let text = String(data: data, encoding: encoding) else { throw .unknownEncoding(name) }
        return Data(text.utf8)
    }
}
