import Foundation

/// The values of a new exchange with the server next to those that the older one has at the same places: ids, times, placeholders.
///
/// A value counts wherever it is if nothing else can be the same by chance. A short number counts only where ids are written.
struct RenamedValues {
    /// The older values by the new ones.
    private var old: [String: String] = [:]
    /// The new values by the older ones.
    private var new: [String: String] = [:]

    var isEmpty: Bool { old.isEmpty }

    /// Adds a value that differs between the two recordings of an exchange, unless it contradicts an earlier one.
    mutating func add(_ value: StubChange.Value) {
        let pair = value.pair
        guard pair.isTelling || value.isReference && !pair.old.isEmpty && !pair.new.isEmpty else { return }
        guard old[pair.new] == nil, new[pair.old] == nil else { return }
        old[pair.new] = pair.old
        new[pair.old] = pair.new
    }

    /// Returns a new request with the older values; `nil` if it has no value that is known.
    func recorded(_ request: StubRequest) -> StubRequest? {
        guard !isEmpty else { return nil }
        var result = request
        result.changeTexts { replacingNew(in: $0) }
        return result == request ? nil : result
    }

    /// Returns a new response with the older values.
    func recorded(_ response: StubResponse) -> StubResponse {
        guard !isEmpty else { return response }
        var result = response
        result.changeTexts { replacingNew(in: $0) }
        return result
    }

    /// Returns an older request with the new values.
    func live(_ request: StubRequest) -> StubRequest {
        guard !isEmpty else { return request }
        var result = request
        result.changeTexts { text in
            text.replacingWords { word, isReference in
                new[word].flatMap { isReference || TextWords.Pair(old: word, new: $0).countsAnywhere ? $0 : nil }
            }
        }
        return result
    }

    private func replacingNew(in text: StubText) -> Data? {
        text.replacingWords { word, isReference in
            old[word].flatMap { isReference || TextWords.Pair(old: $0, new: word).countsAnywhere ? $0 : nil }
        }
    }

    /// Returns the older values in a request that are known.
    func oldValues(in request: StubRequest) -> Set<String> {
        request.tellingWords.filter { new[$0] != nil }
    }

    /// Returns a Boolean value that indicates whether both values of a pair are known as each other's.
    func contains(_ pair: TextWords.Pair) -> Bool { old[pair.new] == pair.old }
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
    fileprivate func replacingWords(_ new: (_ word: String, _ isReference: Bool) -> String?) -> Data? {
        guard data.count <= StubChange.maximumByteCount else { return nil }
        return data.withBytes { bytes in
            guard isPercentEncoded else { return TextWords.replacing(in: bytes, new).map { Data($0) } }
            let edits = TextWords.encodedParts(in: bytes).compactMap { range -> Edit? in
                let isReference = TextWords.isReference(range, in: bytes)
                let text = PercentEncoding.decoded(bytes.part(range)).withUnsafeBufferPointer { part in
                    TextWords.replacing(in: part) { new($0, $1 || isReference) }
                }
                let encoded = text.flatMap {
                    String(decoding: $0, as: UTF8.self).addingPercentEncoding(withAllowedCharacters: .unreserved)
                }
                return encoded.map { Edit(range: range, text: Array($0.utf8)) }
            }
            return Edit.apply(edits, to: bytes).map { Data($0) }
        }
    }

    private var isPercentEncoded: Bool {
        if case .url = place { return true }
        guard case .body = place else { return false }
        return ContentType(fields["Content-Type"] ?? "").isForm
    }
}

extension CharacterSet {
    /// The characters that need no encoding anywhere in a URL (RFC 3986, section 2.3).
    fileprivate static let unreserved = alphanumerics.union(CharacterSet(charactersIn: "-._~"))
}

extension StubRequest {
    /// The words that tell one value from another.
    var tellingWords: Set<String> { texts.reduce(into: []) { $0.formUnion($1.tellingWords) } }
}

extension StubResponse {
    /// The words that tell one value from another.
    var tellingWords: Set<String> { texts.reduce(into: []) { $0.formUnion($1.tellingWords) } }
}

extension TextWords.Pair {
    /// A Boolean value that indicates whether neither word can be there by chance, as a name or a count can: both have letters
    /// and digits, are long numbers, change between small letters and capitals, or are placeholders, of which the older one is
    /// enough.
    var isTelling: Bool {
        [old, new].allSatisfy { word in
            word.withBytes { bytes in
                let changes = zip(bytes, bytes.dropFirst()).filter { $0.isUppercase != $1.isUppercase }.count
                return bytes.count >= 6 && bytes.isMixed || bytes.count >= 8 && changes >= 3
                    || bytes.count >= 10 && bytes.allSatisfy { $0.isDigit || $0 == .dot }
            }
        } || arePlaceholders || old.withBytes(Placeholder.isIn)
    }

    /// A Boolean value that indicates whether the words count wherever they are, once they are known: a number of one to three
    /// digits is often a count too.
    var countsAnywhere: Bool { isTelling || old.utf8.count >= 4 && new.utf8.count >= 4 }

    var isAlikeAndRandom: Bool {
        arePlaceholders || old.withBytes { old in new.withBytes { TextWords.areAlikeAndRandom(old, $0) } }
    }

    private var arePlaceholders: Bool { old.withBytes { old in new.withBytes { Placeholder.areAlike(old, $0) } } }
}

extension Placeholder {
    /// Returns a Boolean value that indicates whether two words at the same place are placeholders, whatever their names are.
    fileprivate static func areAlike(_ old: Bytes, _ new: Bytes) -> Bool {
        if !matches(in: old).isEmpty, !matches(in: new).isEmpty { return true }
        return old.count >= 4 && old.count == new.count && index(ofDigits: Array(old)) != nil
            && index(ofDigits: Array(new)) != nil
    }
}
