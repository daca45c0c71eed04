/// A value that differs between two JSON values, or is in only one of them.
struct JSONDifference {
    let part: String
    /// The keys of the path, without the indices of arrays.
    let keys: [String]
    let old: JSONValue?
    let new: JSONValue?
    static let maximumCount = 64

    /// Returns the differences between two values, in the order of the keys, 64 at most.
    ///
    /// Arrays of different lengths are one difference; with `entersAllArrays`, their elements are compared too. `isEqual`
    /// indicates whether two values are equal.
    static func all(
        _ old: JSONValue,
        _ new: JSONValue,
        in part: String = "body",
        entersAllArrays: Bool = false,
        isEqual: (JSONValue, JSONValue) -> Bool = { $0 == $1 }
    ) -> [JSONDifference] {
        var differences: [JSONDifference] = []
        // The values that have not been compared yet, the next one last.
        var pending = [JSONDifference(part: part, keys: [], old: old, new: new)]
        while let next = pending.popLast(), differences.count < maximumCount {
            if let old = next.old, let new = next.new, isEqual(old, new) { continue }
            switch (next.old?.content, next.new?.content) {
            case (.object(let old)?, .object(let new)?):
                pending += JSONValue.pairs(old, new).reversed().map { key, old, new in
                    let part = "\(next.part).\(JSONKeyPath.shown(key))"
                    return JSONDifference(part: part, keys: next.keys + [key], old: old, new: new)
                }
            case (.array(let old)?, .array(let new)?):
                if old.count != new.count { differences.append(next) }
                guard old.count == new.count || entersAllArrays else { continue }
                pending += zip(old, new).enumerated().reversed().map { index, values in
                    JSONDifference(part: "\(next.part)[\(index)]", keys: next.keys, old: values.0, new: values.1)
                }
            default: differences.append(next)
            }
        }
        return differences
    }

    /// The difference between long strings; `nil` for anything else.
    var ofTexts: TextDifference? {
        guard case (.string(let old)?, .string(let new)?) = (old?.content, new?.content),
            max(old.utf8.count, new.utf8.count) > 256, !old.isEmpty, !new.isEmpty
        else { return nil }
        return TextDifference(old, new)
    }

    /// Both values as text; `nil` for a value that is missing.
    var texts: (old: String?, new: String?) {
        let texts = (old.map { Self.text($0, beside: new) }, new.map { Self.text($0, beside: old) })
        guard let old = ofTexts?.old.quoted() ?? texts.0, let new = ofTexts?.new.quoted() ?? texts.1 else {
            return texts
        }
        return LookAlikes.escaped(old, new) ?? (old, new)
    }

    private static func text(_ value: JSONValue, beside other: JSONValue?) -> String {
        switch (value.content, other?.content) {
        case (.array(let elements), .array(let others)) where elements.count != others.count:
            elements.count.counting("element")
        case (.string(let text), _): text.quoted()
        default: value.text(upTo: 256).cut()
        }
    }
}

/// Two long strings as a report shows them: the difference, with some context, and the number of words that differ.
struct TextDifference {
    let old: String
    let new: String
    /// The number of words that differ, as in `3 of 412 words differ`; `nil` for strings of a single word.
    let count: String?

    private static let surroundingCharacterCount = 48

    init(_ old: String, _ new: String) {
        // Not by characters, because composed and decomposed letters are equal characters.
        let (oldCharacters, newCharacters) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
        let (start, end) = oldCharacters.commonCounts(with: newCharacters)
        self.old = Self.shown(oldCharacters, start, end)
        self.new = Self.shown(newCharacters, start, end)
        count = Self.count(old.split(whereSeparator: \.isWhitespace), new.split(whereSeparator: \.isWhitespace))
    }

    /// Returns a text without most of the equal characters at its start and its end.
    private static func shown(_ text: [Unicode.Scalar], _ start: Int, _ end: Int) -> String {
        let first = max(0, start - surroundingCharacterCount)
        let last = min(text.count, text.count - end + surroundingCharacterCount)
        return (first > 0 ? "…" : "") + String(String.UnicodeScalarView(text[first..<last]))
            + (last < text.count ? "…" : "")
    }

    /// Returns the number of words that are in only one of two texts, in any order.
    ///
    /// The shortest edit, which knows the order, takes quadratic time and memory.
    private static func count(_ old: [Substring], _ new: [Substring]) -> String? {
        let total = max(old.count, new.count)
        guard total > 1 else { return nil }
        let count = max(old.removing(new).count, new.removing(old).count)
        return "\(count) of \(total) words \(count == 1 ? "differs" : "differ")"
    }
}

extension String {
    /// Returns two different texts in quotation marks, so that a reader sees the difference.
    ///
    /// They are cut at their ends or, if they begin alike, around the difference. If they look alike, they have escapes.
    package static func quoted(_ old: String, _ new: String) -> (old: String, new: String) {
        var (shownOld, shownNew) = (old.quoted(), new.quoted())
        if shownOld == shownNew {
            let difference = TextDifference(old, new)
            (shownOld, shownNew) = (difference.old.quoted(), difference.new.quoted())
        }
        return LookAlikes.escaped(shownOld, shownNew) ?? (shownOld, shownNew)
    }
}
