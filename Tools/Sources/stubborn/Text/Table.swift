import Foundation
@preconcurrency import Rainbow

/// Rows of text in columns that are as wide as their longest cell.
struct Table {
    enum Alignment { case left, right }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns
    }

    mutating func append(_ row: [String]) {
        rows.append(row)
    }

    /// Returns the titles and the rows, a line for each and without spaces at the end.
    ///
    /// If they do not fit into a width, each row is its first cell, and a line with the title for each of the others.
    func lines(fitting width: Int? = nil) -> [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        if let width, widths.reduce(0, +) + 2 * (widths.count - 1) > width {
            return rows.flatMap { row in
                let others = zip(columns, row).dropFirst().filter { !$1.isEmpty }
                return [row[0].bold] + others.map { "  \($0.title.lowercased()): \($1)" }
            }
        }
        return all.enumerated().map { number, row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return columns[column].alignment == .right ? space + cell : cell + space
            }
            let line = cells.joined(separator: "  ")
            let end = line.lastIndex { $0 != " " }.map { line[...$0] } ?? ""
            return number == 0 ? String(end).bold : String(end)
        }
    }
}
