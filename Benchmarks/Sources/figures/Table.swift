import Foundation

/// Figures as a Markdown table, each with its ratio and the target for it.
struct Table: CustomStringConvertible {
    struct Row {
        /// The two quantities that the ratio compares.
        var what: String
        var ours: Figure
        var other: Figure
        /// The upper limit of the ratio; `nil` for a row without a target.
        var target: Double?

        /// The ratio of each round.
        fileprivate var ratios: [Double] { zip(ours.values, other.values).map { $0 / $1 } }
    }

    var rows: [Row] = []

    /// The ratios of the last release.
    var last: Ratios?

    /// The ratio of each row.
    var ratios: [String: Double] {
        Dictionary(rows.map { ($0.what, $0.ratios.median) }) { first, _ in first }
    }

    var description: String {
        let titles = ["what", "ours", "other", "ratio", "middle half", last?.commit ?? "last", "at most", "reached"]
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
        let ratio = row.ratios.median
        let half = row.ratios.middleHalf
        let range = "\(half.lowerBound.ratioText) to \(half.upperBound.ratioText)"
        let target = row.target.map { ($0.ratioText, ratio <= $0 ? "yes" : "no") } ?? ("", "")
        let before = last?.ratios[row.what]?.ratioText ?? ""
        return [row.what, row.ours.text, row.other.text, ratio.ratioText, range, before, target.0, target.1]
    }
}

/// The ratios of a release, for comparison with later ones; committed as `Benchmarks/Ratios.json`.
struct Ratios: Codable {
    /// The commit that was measured.
    var commit: String
    /// The ratios by the name of the measurement.
    var ratios: [String: Double]

    static let file = URL(fileURLWithPath: "Benchmarks/Ratios.json")

    /// Returns the ratios of the last release; `nil` if the file does not exist.
    static func last() throws -> Ratios? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try JSONDecoder().decode(Ratios.self, from: Data(contentsOf: file))
    }

    func save() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: Self.file)
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
    /// For an even number of values, it is halfway between the two in the middle.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }

    /// The range of the middle half of the values, which shows how much the machine disturbs them.
    var middleHalf: ClosedRange<Double> {
        guard !isEmpty else { return 0...0 }
        let sorted = sorted()
        return sorted[count / 4]...sorted[count - 1 - count / 4]
    }
}

extension Double {
    fileprivate var ratioText: String { String(format: "%.2f", self) }
}
