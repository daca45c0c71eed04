import Foundation

/// The values that a server makes anew in each conversation, in two recordings of one: ids, times, placeholders.
///
/// Values that differ at the same place are values of a server if one of the following is so:
/// - A later request carries the value after a response has given it, or it is the `id` of what a response says was created.
/// - Both look random, and are as long as each other; or both are long numbers, also in hexadecimal, where ids are written.
/// - It is made of such values, with punctuation between them.
///
/// Prices, counts, names and switches are none of these.
struct ServerMadeValues {
    typealias Value = StubChange.Value

    /// The older values by the new ones.
    private var old: [String: String] = [:]
    /// The new values by the older ones.
    private var new: [String: String] = [:]
    /// The things that the values are ids of.
    private var kinds: [TextWords.Pair: Set<String>] = [:]
    /// The values that responses have given.
    private var given: Set<TextWords.Pair> = []
    /// The values that a server has made.
    private var made: Set<TextWords.Pair> = []
    /// The values that are also where none is drawn: times and checksums.
    private var fixed: Set<TextWords.Pair> = []
    /// The values that look as if a server had drawn them.
    private var drawn: Set<TextWords.Pair> = []

    /// Adds the values of the next exchange, without those that contradict an earlier one.
    mutating func add(_ values: [Value]) {
        for value in values {
            let pair = value.pair
            guard value.isWord else { continue }
            if !value.mayBeDrawn { fixed.insert(pair) }
            if value.mayBeDrawn, pair.areDrawn || value.isReference && pair.areLongNumbers { drawn.insert(pair) }
            if pair.isTelling || value.isReference && !pair.old.isEmpty && !pair.new.isEmpty,
                old[pair.new] == nil, new[pair.old] == nil
            {
                old[pair.new] = pair.old
                new[pair.old] = pair.new
            }
            guard old[pair.new] == pair.old else { continue }
            if let kind = value.kind { kinds[pair, default: []].insert(kind) }
            let isCarried = !value.isInResponse && given.contains(pair)
            if isCarried || value.isNewID || value.isVolatile && pair.isTelling { made.insert(pair) }
            // A year, a state and a small number are parts of ids too.
            if isCarried { made.formUnion((pair.parts ?? []).filter { $0.isTelling || $0.areLongNumbers }) }
        }
        given.formUnion(values.filter(\.isInResponse).map(\.pair))
    }

    /// Returns a Boolean value that indicates whether a server has made a value that differs.
    func contains(_ value: Value) -> Bool {
        let pair = value.pair
        if value.isVolatile { return true }
        guard value.isWord else { return false }
        if pair.arePlaceholders { return true }
        return value.mayBeDrawn ? isMade(pair, isReference: value.isReference) : made.contains(pair)
    }

    /// Returns a Boolean value that indicates whether two words, or all of their parts that differ, are values of a server.
    private func isMade(_ pair: TextWords.Pair, isReference: Bool) -> Bool {
        // A short number is an id only where ids are written.
        if isMade(pair), isReference || pair.countsAnywhere { return true }
        if pair.areDrawn, isNew(pair) { return true }
        guard let parts = pair.parts, !parts.isEmpty else { return false }
        return parts.allSatisfy { isMade($0, isReference: isReference) }
    }

    private func isMade(_ pair: TextWords.Pair) -> Bool {
        made.contains(pair) || drawn.contains(pair) && isNew(pair)
    }

    /// Returns a Boolean value that indicates whether each value is in only one recording and has no other partner there: a
    /// list in another order is a change.
    private func isNew(_ pair: TextWords.Pair) -> Bool {
        guard old[pair.old] == nil, new[pair.new] == nil else { return false }
        return old[pair.new].map { $0 == pair.old || new[pair.old] == nil } ?? true
    }

    // MARK: The same request in the other recording

    /// Returns new texts with the older values.
    func recorded<Texts: StubTexts>(_ texts: Texts) -> Texts {
        old.isEmpty
            ? texts : Self.replacing(in: texts) { word, kind in old[word].flatMap { has($0, word, kind) ? $0 : nil } }
    }

    /// Returns older texts with the new values.
    func live<Texts: StubTexts>(_ texts: Texts) -> Texts {
        new.isEmpty
            ? texts : Self.replacing(in: texts) { word, kind in new[word].flatMap { has(word, $0, kind) ? $0 : nil } }
    }

    /// Returns a Boolean value that indicates whether an older value stands for the new one at a place: as the id of anything, or as
    /// a word that is there by no chance.
    private func has(_ old: String, _ new: String, _ kind: String?) -> Bool {
        kind != nil || TextWords.Pair(old: old, new: new).countsAnywhere
    }

    /// Returns a Boolean value that indicates whether an older request has a value that may now be the id of another thing: a
    /// number that is known only as the id of another kind of thing, or one of a list in another order.
    func isAmbiguous(_ request: StubRequest) -> Bool {
        let owner = request.url.lastName
        var result = false
        _ = Self.replacing(in: request) { word, kind in
            guard let value = new[word], has(word, value, kind) else { return nil }
            let pair = TextWords.Pair(old: word, new: value)
            let kind = kind == "" ? owner : kind
            let isKnown = pair.isTelling || kind.map { kinds[pair]?.contains($0) } == true
            if !isKnown || old[word] != nil || new[value] != nil { result = true }
            return nil
        }
        return result
    }

    /// The values that a server has made, without checksums, those in which something else may differ, and those that are redacted
    /// in only one recording.
    var certain: Self {
        var result = Self()
        result.old = old.filter {
            let pair = TextWords.Pair(old: $0.value, new: $0.key)
            return isMade(pair) && !fixed.contains(pair) && pair.inBase64 == nil
                && pair.old.withBytes(Placeholder.isIn) == pair.new.withBytes(Placeholder.isIn)
        }
        return result
    }

    /// The values in the places of placeholders.
    var secrets: Self {
        var result = Self()
        result.new = new.filter { $0.key.withBytes(Placeholder.isIn) }
        return result
    }

    private static func replacing<Texts: StubTexts>(
        in texts: Texts,
        by new: (_ word: String, _ kind: String?) -> String?
    ) -> Texts {
        var result = texts
        result.changeTexts { $0.replacingWords(new) }
        return result
    }

    /// Returns a Boolean value that indicates whether two requests have the same values of those that are known: a request of
    /// one user is not that of another.
    func agree(_ request: StubRequest, _ other: StubRequest) -> Bool {
        new.isEmpty || request.tellingWords.filter { new[$0] != nil } == other.tellingWords.filter { new[$0] != nil }
    }
}

extension StubText {
    /// The words that tell one value from another; none of a long text.
    var tellingWords: Set<String> {
        guard data.count <= StubChange.maximumByteCount else { return [] }
        return data.withBytes { bytes in
            var words = TextWords.tellingWords(in: bytes)
            for range in isPercentEncoded ? TextWords.encodedParts(in: bytes) : [] {
                words.formUnion(
                    PercentEncoding.decoded(bytes.part(range)).withUnsafeBufferPointer(TextWords.tellingWords)
                )
            }
            return words
        }
    }

    /// Returns the text with words replaced; `nil` if none is.
    fileprivate func replacingWords(_ new: (_ word: String, _ kind: String?) -> String?) -> Data? {
        guard data.count <= StubChange.maximumByteCount else { return nil }
        return data.withBytes { bytes in
            guard isPercentEncoded else { return TextWords.replacing(in: bytes, new).map { Data($0) } }
            let edits = TextWords.encodedParts(in: bytes).compactMap { range -> Edit? in
                let (kind, part) = (TextWords.kind(of: range, in: bytes), bytes.part(range))
                let decoded = PercentEncoding.decoded(part, plusAsSpace: isForm)
                let text = decoded.withUnsafeBufferPointer { TextWords.replacing(in: $0) { new($0, kind ?? $1) } }
                // What is not escaped stays so.
                var kept = Set(part.filter { !$0.isUnreserved && $0 != .percent })
                kept.subtract(part.indices.compactMap { PercentEncoding.byte(in: part, at: $0) })
                if isForm { kept.remove(.plus) }
                let spaceAsPlus = isForm && part.contains(.plus)
                return text.map {
                    Edit(range: range, text: PercentEncoding.encoded($0, keeping: kept, spaceAsPlus: spaceAsPlus))
                }
            }
            return Edit.apply(edits, to: bytes).map { Data($0) }
        }
    }

    /// A Boolean value that indicates whether names and values in the text are percent-encoded: in a URL or a form.
    var isPercentEncoded: Bool {
        switch place {
        case .url: true
        case .body: isForm
        case .field, .error: false
        }
    }

    private var isForm: Bool {
        if case .body = place { ContentType(fields["Content-Type"] ?? "").isForm } else { false }
    }
}

extension URL {
    /// The last segment of the path that is no id, in the singular: `order` for `/v1/orders/17`.
    var lastName: String {
        TextWords.singular(path.split(separator: "/").last { !$0.contains(where: \.isNumber) }.map(String.init) ?? "")
    }
}

extension StubTexts {
    /// The words that tell one value from another.
    var tellingWords: Set<String> { texts.reduce(into: []) { $0.formUnion($1.tellingWords) } }
}

extension TextWords.Pair {
    /// A Boolean value that indicates whether neither word can be there by chance, as a name or a count can: both have letters
    /// and digits or look random, or one is a placeholder.
    var isTelling: Bool {
        let words = [old, new]
        return words.contains { $0.withBytes(Placeholder.isIn) } || arePlaceholders
            || words.allSatisfy { word in
                word.withBytes { bytes in
                    bytes.count >= 6 && bytes.isMixed || RandomText.looksRandom(bytes)
                }
            }
    }

    /// A Boolean value that indicates whether the words count wherever they are, once they are known: a number of one or two
    /// digits is often a count too.
    var countsAnywhere: Bool { isTelling || old.utf8.count >= 3 && new.utf8.count >= 3 }

    /// A Boolean value that indicates whether both are numbers of seven digits or more, or of sixteen in hexadecimal.
    fileprivate var areLongNumbers: Bool {
        [old, new].allSatisfy { word in
            word.utf8.count >= 7 && word.utf8.allSatisfy(\.isDigit)
                || word.utf8.count >= 16 && word.utf8.allSatisfy { $0.hexValue != nil }
        }
    }

    /// The parts that differ, which are the words between punctuation; `nil` if there are no such parts, or the rest differs too.
    fileprivate var parts: [TextWords.Pair]? {
        func isPunctuation(_ character: Character) -> Bool { !character.isLetter && !character.isNumber }
        let (oldParts, newParts) = (old.split(whereSeparator: isPunctuation), new.split(whereSeparator: isPunctuation))
        guard old.filter(isPunctuation) == new.filter(isPunctuation), oldParts.count == newParts.count else {
            return nil
        }
        let parts = zip(oldParts, newParts).filter { $0 != $1 }.map { Self(old: String($0), new: String($1)) }
        return parts == [self] ? nil : parts
    }

    /// The texts that the words, or their parts between dots that differ, are in base64; `nil` if these are not text.
    ///
    /// A JSON Web Token has its claims in such a part (RFC 7519, section 3).
    var inBase64: (old: String, new: String)? {
        func text(_ word: Substring) -> String? {
            guard word.utf8.count >= 8, let bytes = String(word).withBytes(Base64.decoded) else { return nil }
            return bytes.allSatisfy { $0 >= .space && $0 < .delete } ? String(decoding: bytes, as: UTF8.self) : nil
        }
        let (olds, news) = (old.split(separator: "."), new.split(separator: "."))
        guard olds.count == news.count else { return nil }
        let texts = zip(olds, news).filter { $0 != $1 }.map { [text($0), text($1)].compactMap(\.self) }
        guard texts.allSatisfy({ $0.count == 2 }) else { return nil }
        return (texts.map { $0[0] }.joined(separator: "."), texts.map { $0[1] }.joined(separator: "."))
    }

    /// A Boolean value that indicates whether both are placeholders, whatever their names are.
    fileprivate var arePlaceholders: Bool {
        if [old, new].allSatisfy({ !$0.withBytes(Placeholder.matches).isEmpty }) { return true }
        return old.utf8.count >= 4 && old.utf8.count == new.utf8.count
            && [old, new].allSatisfy { $0.withBytes(Placeholder.index) != nil }
    }
}
