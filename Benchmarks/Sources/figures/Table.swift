import Foundation

/// Figures as a Markdown table, with the ratio that counts and the target that it is to keep.
struct Table: CustomStringConvertible {
    struct Row {
        /// What is measured, over what.
        var what: String
        var ours: Figure
        var other: Figure
        /// The most that the ratio may be; `nil` for a row that only informs.
        var target: Double?
    }

    var rows: [Row] = []

    var description: String {
        let titles = ["what", "ours", "other", "ratio", "middle half", "at most", "reached"]
        let lines = [titles] + rows.map(cells)
        let widths = titles.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        var texts = lines.map { line in
            let cells = zip(line, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            return "| \(cells.joined(separator: " | ")) |"
        }
        texts.insert("|\(widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|"))|", at: 1)
        return texts.joined(separator: "\n")
    }

    private func cells(_ row: Row) -> [String] {
        let ratios = zip(row.ours.values, row.other.values).map { $0 / $1 }
        let ratio = ratios.median
        let half = ratios.middleHalf
        let range = "\(half.lowerBound.ratioText) to \(half.upperBound.ratioText)"
        let target = row.target.map { ($0.ratioText, ratio <= $0 ? "yes" : "no") } ?? ("", "")
        return [row.what, row.ours.text, row.other.text, ratio.ratioText, range, target.0, target.1]
    }
}

/// A quantity as it was measured in each round.
struct Figure {
    enum Unit { case seconds, bytes }

    var values: [Double]
    var unit: Unit

    var text: String {
        let value = values.median
        switch unit {
        case .seconds where value < 0.001: return String(format: "%.1f µs", value * 1_000_000)
        case .seconds: return String(format: "%.1f ms", value * 1_000)
        case .bytes: return String(format: "%.2f MB", value / 1_000_000)
        }
    }
}

extension [Double] {
    /// The median of the values, or 0 if there are none.
    ///
    /// For an even number of values, it is between the middle two.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }

    /// Where the middle half of the values lies: how much the machine disturbs them.
    var middleHalf: ClosedRange<Double> {
        guard !isEmpty else { return 0...0 }
        let sorted = sorted()
        return sorted[count / 4]...sorted[count - 1 - count / 4]
    }
}

extension Double {
    fileprivate var ratioText: String { String(format: "%.2f", self) }
}
