import Foundation

/// Where all of a stub file's text is, as UTF-8 and without a byte-order mark.
enum StubFileOrigin: Sendable {
    case memory(Data)
    /// The text begins at `start`, behind a byte-order mark.
    case file(FileReader, start: Int)

    var count: Int {
        switch self {
        case .memory(let text): text.count
        case .file(let reader, let start): Int(clamping: reader.fingerprint.size) - start
        }
    }

    func bytes(_ range: Range<Int>) throws(SystemError) -> Data {
        switch self {
        case .memory(let text): text[text.startIndex + range.lowerBound..<text.startIndex + range.upperBound]
        case .file(let reader, let start): try reader.read(start + range.lowerBound..<start + range.upperBound)
        }
    }

    /// What an element is written again as: a part of the file, which stays there, or of the text in memory.
    func source(_ range: Range<Int>) -> StubFileSource {
        switch self {
        case .memory(let text):
            StubFileSource(text[text.startIndex + range.lowerBound..<text.startIndex + range.upperBound])
        case .file(let reader, let start):
            StubFileSource(reader, start + range.lowerBound..<start + range.upperBound)
        }
    }

    /// Line and column of a byte. Both begin at 1; columns count characters (Unicode scalars), not bytes.
    func lineAndColumn(of offset: Int) throws(SystemError) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        let end = min(max(offset, 0), count)
        for start in stride(from: 0, to: end, by: Self.windowByteCount) {
            try bytes(start..<min(start + Self.windowByteCount, end)).withUnsafeBytes { bytes in
                var position = 0
                while let lineBreak = bytes.firstIndex(of: 0x0A, from: position, to: bytes.count) {
                    line += 1
                    column = 1
                    position = lineBreak + 1
                }
                column += bytes[position...].reduce(0) { $1 & 0b1100_0000 == 0b1000_0000 ? $0 : $0 + 1 }
            }
        }
        return (line, column)
    }

    private static let windowByteCount = 128 << 10
}

/// Where a stub stands in its file.
struct StubFilePlace: Sendable {
    let origin: StubFileOrigin
    let offset: Int

    /// Counted from 1, when it is asked for; `nil` when the file is not what it was.
    var line: Int? { try? origin.lineAndColumn(of: offset).line }
}
