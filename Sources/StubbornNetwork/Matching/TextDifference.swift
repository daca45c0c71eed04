/// Two long texts as a report shows them: what differs, with some of the text around it, and the number of words that differ.
struct TextDifference {
    let old: String
    let new: String
    /// The number of words that differ, as in `3 of 412 words differ`; `nil` for texts of a single word.
    let count: String?

    private static let surroundingCharacterCount = 48
    private static let maximumWordCount = 20_000

    init(_ old: String, _ new: String) {
        let (oldCharacters, newCharacters) = (Array(old), Array(new))
        let start = zip(oldCharacters, newCharacters).prefix { $0 == $1 }.count
        let end = zip(oldCharacters.dropFirst(start).reversed(), newCharacters.dropFirst(start).reversed())
            .prefix { $0 == $1 }.count
        self.old = Self.shown(oldCharacters, start, end)
        self.new = Self.shown(newCharacters, start, end)
        count = Self.count(old.split(whereSeparator: \.isWhitespace), new.split(whereSeparator: \.isWhitespace))
    }

    /// Returns a text without most of the equal characters at its start and its end.
    private static func shown(_ text: [Character], _ start: Int, _ end: Int) -> String {
        let first = max(0, start - surroundingCharacterCount)
        let last = min(text.count, text.count - end + surroundingCharacterCount)
        return (first > 0 ? "…" : "") + String(text[first..<last]) + (last < text.count ? "…" : "")
    }

    private static func count(_ old: [Substring], _ new: [Substring]) -> String? {
        let total = max(old.count, new.count)
        guard total > 1, total <= maximumWordCount else { return nil }
        let changes = new.difference(from: old)
        let count = max(changes.insertions.count, changes.removals.count)
        return "\(count) of \(total) words \(count == 1 ? "differs" : "differ")"
    }
}
