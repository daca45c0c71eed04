import Foundation

/// A search for text that looks random, in all parts of a stub that is about to be stored.
///
/// It knows no formats, but splits each text into words: values, names, comments and binary data alike. A word that resembles
/// the name of a secret, before a colon, an equals sign or the end of a tag, makes the words behind it suspicious.
struct UnredactedTextSearch {
    /// A text that looks random.
    struct Found {
        /// The part of the exchange, and the field: `response body, sha`.
        let part: String
        /// The first characters, which are too few to be of use to anybody.
        let beginning: String
        let length: Int
        /// A number by which two values are told apart.
        let identity: Int
        /// A number that is high for texts that are hardly ids or checksums.
        let suspicion: Int
    }

    private(set) var found: [Found] = []

    /// The part that is being searched: `response body`.
    private var part = ""
    private var isRequest = false

    /// Returns what looks random in a stub.
    static func found(in stub: Stub) -> [Found] {
        var search = UnredactedTextSearch()
        let url = Data(stub.request.url.absoluteString.utf8)
        for text in stub.texts {
            if !text.isRequest, case .url = text.place, text.data == url { continue }
            (search.part, search.isRequest) = (text.part, text.isRequest)
            text.data.withBytes { search.search(text, $0) }
        }
        return search.found
    }

    private mutating func search(_ text: StubText, _ bytes: Bytes) {
        switch text.place {
        case .error: break
        case .url: searchWords(of: bytes)
        case .field(let name):
            // A content type names the boundary of the parts of a body.
            guard !VolatileHeaderFields.standard.contains(name), !name.isSameFieldName(as: "Content-Type") else {
                return
            }
            name.withBytes { searchWords(of: bytes, field: $0) }
        case .body:
            let coding = text.fields["Content-Encoding"]
            let isUnreadable = coding.map { WrappedText.isUnreadable(bytes, coding: $0) } ?? false
            if isUnreadable { addUnread(bytes) }
            searchContent(bytes, coding: isUnreadable ? nil : coding)
        }
    }

    // MARK: Words

    /// Searches a text, which may be compressed or in UTF-16.
    private mutating func searchContent(_ bytes: Bytes, name: String = "", depth: Int = 0, coding: String? = nil) {
        if let wrapped = WrappedText(bytes, coding: coding) {
            wrapped.text.withUnsafeBufferPointer { searchWords(of: $0, name: name, depth: depth) }
            if wrapped.isWhole { return }
            addUnread(bytes)
        }
        searchWords(of: bytes, name: name, depth: depth)
        for code in MessageCodes.ranges(in: bytes, atLeast: 4) { add(bytes.part(code), "") }
    }

    /// Searches a text, word by word.
    private mutating func searchWords(
        of bytes: Bytes,
        field: Bytes = Bytes(start: nil, count: 0),
        name: String = "",
        depth: Int = 0
    ) {
        var nearest: Range<Int>?
        func shown(_ range: Range<Int>?) -> String { range.map { Self.shown(bytes.part($0)) } ?? name }
        var last = 0..<0
        var end = 0
        while end < bytes.count {
            var start = bytes.end(from: end) { !Self.isPartOfWord($0) }
            // An escape is no part of the word behind it: `\n`, `\u0026`, `%3D`.
            if bytes.at(start - 1) == .backslash { start += bytes.at(start) == .u ? 5 : 1 }
            if bytes.at(start - 1) == .percent { start += 2 }
            end = bytes.end(from: start, while: Self.isPartOfWord)
            // JSON may escape a slash.
            while bytes.has("\\/", at: end) { end = bytes.end(from: end + 2, while: Self.isPartOfWord) }
            let gap = bytes.part(last.upperBound..<start)
            // Not the scheme of a URL.
            let isURL = bytes.has("//", at: start)
            if !isURL, gap.contains(where: { !$0.isSpace && !$0.isOne(of: ",\"'[]\\") }) {
                let isName = gap.contains(.equals) || gap.contains(.colon) || gap.at(gap.count - 1) == .greaterThan
                nearest = isName ? last : nil
            }
            last = start..<end
            // The padding of base64 ends a word.
            end = bytes.end(from: end) { $0 == .equals }
            let word = bytes.part(start..<end)
            // Most words are short and have only letters, which is never suspicious.
            guard word.count >= 3, word.count > 8 || !word.allSatisfy(\.isLetter) else { continue }
            if depth < TextFormat.maximumDepth, Base64.isText(word), let decoded = Base64.decoded(word),
                decoded.withUnsafeBufferPointer({ $0.firstInvalidUTF8 == nil || WrappedText($0) != nil })
            {
                decoded.withUnsafeBufferPointer { searchContent($0, name: shown(nearest), depth: depth + 1) }
                continue
            }
            // The segments of an address are words of their own.
            let isPath = word[0] == .slash || word.contains(.slash) && SecretValues.isPath(word)
            var segment = nearest
            for range in isPath ? bytes.parts(of: start..<end, separatedBy: .slash) : [start..<end] {
                let word = bytes.part(range)
                let isSuspicious = nearest.map { Self.isSuspicious(word, named: bytes.part($0)) } ?? false
                let mayBePassword = isRequest && field.isEmpty && Self.mayBePassword(word)
                if RandomText.looksDrawn(word) || isSuspicious || mayBePassword || Self.isSuspicious(word, named: field)
                {
                    add(word, shown(segment), isAddress: isPath)
                } else if isPath, nearest == nil, !range.isEmpty {
                    // In a path without a name, the segment before is it.
                    segment = range
                }
            }
        }
    }

    private mutating func add(_ word: Bytes, _ name: String, isAddress: Bool = false) {
        guard !Placeholder.isIn(word), Placeholder.finder.hits(in: word).isEmpty else { return }
        let label = name.withBytes(Placeholder.label)
        let isKnown = Self.known.contains(label.lastWord)
        let suspicion = (isRequest ? 2 : 0) - (isAddress ? 9 : isKnown ? 3 : 0)
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(word))
        found.append(
            Found(
                part: part + (name.isEmpty ? "" : ", \(name)"),
                beginning: word.part(0..<4).text,
                length: word.count,
                identity: hasher.finalize(),
                suspicion: suspicion
            )
        )
    }

    /// The last words of names for ids and checksums.
    private static let known: Set<Substring> = [
        "id", "sha", "hash", "digest", "etag", "integrity", "cursor", "checksum",
    ]

    private mutating func addUnread(_ bytes: Bytes) {
        found.append(
            Found(part: part + " (not read to its end)", beginning: "", length: bytes.count, identity: 0, suspicion: -1)
        )
    }

    /// Returns a Boolean value that indicates whether a value may be a secret because its name resembles one's, although it does
    /// not look random: `"recoveryCodes": ["84314-8fba1"]`.
    private static func isSuspicious(_ value: Bytes, named name: Bytes) -> Bool {
        3...64 ~= value.count
            && (value.contains(where: \.isDigit) || RandomText.hasRareLetters(value) || SecretValues.isGroups(value))
            && SecretNames.resemblesSecret(name) && !RandomText.isTime(value) && !SecretValues.isOrdinary(value)
    }

    /// Returns a Boolean value that indicates whether a word is as people make passwords: of small and capital letters, and
    /// digits.
    private static func mayBePassword(_ word: Bytes) -> Bool {
        8...64 ~= word.count && word.hasBothCases && word.contains(where: \.isDigit) && !RandomText.isTime(word)
    }

    /// Returns a name as it may be shown: a name may be a secret too.
    private static func shown(_ name: Bytes) -> String {
        RandomText.looksDrawn(name) ? name.part(0..<4).text + "…" : name.part(0..<60).text
    }

    /// Returns a Boolean value that indicates whether words consist of the byte: one of base64, or what passwords have.
    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte.isOne(of: "-._~+/!$@#^*")
    }
}
