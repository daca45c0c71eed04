/// The cells of a table in CSV or TSV whose first line names the columns (RFC 4180).
enum TableFields {
    /// Visits the cells of a text with as many separators in its second line as in its first.
    static func read(_ bytes: Bytes, visit: (TextField) -> Void) {
        let lines = bytes.part(0..<bytes.count).parts(of: 0..<bytes.count, separatedBy: .lineFeed)
        guard lines.count > 1, lines[0].count < 4_096, !bytes.part(lines[0]).contains(.openingBrace) else { return }
        for separator: UInt8 in [.comma, .semicolon, UInt8(ascii: "\t")] {
            let names = cells(of: lines[0], in: bytes, separatedBy: separator)
            guard names.count > 1, cells(of: lines[1], in: bytes, separatedBy: separator).count == names.count else {
                continue
            }
            for line in lines.dropFirst() {
                for (name, cell) in zip(names, cells(of: line, in: bytes, separatedBy: separator)) where !cell.isEmpty {
                    visit(TextField(value: cell, names: [name]))
                }
            }
            return
        }
    }

    /// Returns the ranges of the cells of a line, without quotation marks; none where text follows a quoted cell.
    private static func cells(of line: Range<Int>, in bytes: Bytes, separatedBy separator: UInt8) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = line.lowerBound
        while start <= line.upperBound {
            let isQuoted = bytes.at(start) == .quote && start < line.upperBound
            var closing = isQuoted ? bytes.position(of: .quote, from: start + 1, to: line.upperBound) : nil
            // Two quotation marks are one inside the cell.
            while let mark = closing, bytes.has("\"\"", at: mark) {
                closing = bytes.position(of: .quote, from: mark + 2, to: line.upperBound)
            }
            let end = bytes.position(of: separator, from: closing ?? start, to: line.upperBound) ?? line.upperBound
            if let closing, !bytes.part(closing + 1..<end).allSatisfy(\.isSpace) { return [] }
            result.append(closing.map { start + 1..<$0 } ?? bytes.trimmed(start..<end))
            start = end + 1
        }
        return result
    }
}
