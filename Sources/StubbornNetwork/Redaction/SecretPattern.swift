import Foundation

/// A regular expression of the user's; an invalid one finds nothing.
struct SecretPattern: Sendable {
    let source: String
    let expression: NSRegularExpression?

    init(_ source: String) {
        self.source = source
        expression = try? NSRegularExpression(pattern: source)
    }

    /// Returns the ranges of the secrets in a text: of the expression's first group, or of all that it matches.
    func ranges(in text: String) -> [Range<String.Index>] {
        let matches = expression?.matches(in: text, range: NSRange(text.startIndex..., in: text)) ?? []
        return matches.compactMap { Range($0.numberOfRanges > 1 ? $0.range(at: 1) : $0.range, in: text) }
    }
}
