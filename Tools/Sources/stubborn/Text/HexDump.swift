import Foundation

/// The head of a body that is not text, as `hexdump -C` writes it.
enum HexDump {
    /// Returns 16 bytes a line, and a line with the number of bytes that are left out.
    ///
    ///     00000000  89 50 4e 47 0d 0a 1a 0a  00 00 00 0d 49 48 44 52  |.PNG........IHDR|
    static func lines(of data: Data, upTo maximumCount: Int = 256) -> [String] {
        let head = Array(data.prefix(maximumCount))
        var lines = stride(from: 0, to: head.count, by: 16).map { offset in
            let row = head[offset..<min(offset + 16, head.count)]
            let digits = row.map { String(format: "%02x", $0) }
            let halves = [digits.prefix(8), digits.dropFirst(8)].map { $0.joined(separator: " ") }
            let text = row.map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "." }
            let columns = halves.joined(separator: "  ").padding(toLength: 49, withPad: " ", startingAt: 0)
            return String(format: "%08x  ", offset) + columns + " |\(String(text))|"
        }
        if data.count > head.count { lines.append("… \(data.count - head.count) more bytes") }
        return lines
    }
}
