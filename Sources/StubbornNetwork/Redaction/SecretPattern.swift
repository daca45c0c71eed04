import Foundation

/// A regular expression of the user's, or literal text where it is none.
struct SecretPattern: Sendable {
    let source: String
    let expression: NSRegularExpression?

    init(_ source: String) {
        self.source = source
        expression = try? NSRegularExpression(pattern: source)
    }

    /// Returns the ranges of the secrets in a text: of the expression's first group, or of all that it matches.
    func ranges(in text: String) -> [Range<String.Index>] {
        if let expression {
            return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
                Range(match.numberOfRanges > 1 ? match.range(at: 1) : match.range, in: text)
            }
        }
        var ranges: [Range<String.Index>] = []
        while !source.isEmpty,
            let range = text.range(of: source, range: (ranges.last?.upperBound ?? text.startIndex)..<text.endIndex)
        {
            ranges.append(range)
        }
        return ranges
    }
}
