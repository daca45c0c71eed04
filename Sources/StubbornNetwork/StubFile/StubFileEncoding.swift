import Foundation

/// The encodings of a stub file: UTF-8, or the UTF-16 or UTF-32 of an editor.
///
/// All three may begin with a byte-order mark. Without one, the zeros around the first character tell them apart, because
/// the first two characters of JSON are ASCII (RFC 4627, section 3).
enum StubFileEncoding {
    /// The encodings but UTF-8, each with its mark and the zeros of a text without it.
    private static let others: [(mark: [UInt8], zeros: [Bool], encoding: String.Encoding, name: String)] = [
        ([0x00, 0x00, 0xFE, 0xFF], [true, true, true, false], .utf32BigEndian, "UTF-32"),
        ([0xFF, 0xFE, 0x00, 0x00], [false, true, true, true], .utf32LittleEndian, "UTF-32"),
        ([0xFE, 0xFF], [true, false, true, false], .utf16BigEndian, "UTF-16"),
        ([0xFF, 0xFE], [false, true, false, true], .utf16LittleEndian, "UTF-16"),
    ]

    /// Returns the text as UTF-8, without a byte-order mark.
    static func utf8(_ data: Data) throws(JSONSyntaxError) -> Data {
        let start = Array(data.prefix(4))
        let zeros = start.map { $0 == 0 }
        guard let other = others.first(where: { start.starts(with: $0.mark) || zeros == $0.zeros }) else {
            return data.dropFirst(startOfUTF8(data.prefix(4)) ?? 0)
        }
        let content = data.dropFirst(start.starts(with: other.mark) ? other.mark.count : 0)
        guard let text = String(data: content, encoding: other.encoding) else {
            let found = "bytes that look like \(other.name), and are not"
            throw JSONSyntaxError(at: 0, expected: "UTF-8 text", found: found)
        }
        return Data(text.utf8)
    }

    /// Returns the offset at which UTF-8 text begins, after a byte-order mark, from the first four bytes of a file; `nil`
    /// for another encoding.
    static func startOfUTF8(_ start: Data) -> Int? {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return 3 }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return nil }
        return start.contains(0) ? nil : 0
    }
}
