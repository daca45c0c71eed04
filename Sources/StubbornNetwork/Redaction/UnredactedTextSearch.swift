import Foundation

/// A search for text that looks random, in all parts of a stub that is about to be stored.
///
/// It knows no formats, but splits each text into words: values, names, comments and binary data alike. A word that
/// resembles the name of a secret, before a colon, an equals sign or the end of a tag, makes the words after it
/// suspicious.
struct UnredactedTextSearch {
    /// A text that looks random.
    struct Found {
        /// The field of a report with this text only; its beginning is too short to reveal the value.
        let entry: RedactionReport.Unredacted
        /// A number that distinguishes two values.
        let identity: Int
        /// A number that is high for texts that are probably not ids or checksums.
        let suspicion: Int
    }

    private let request: StubRequest
    /// The name of the request in the report, which few stubs need.
    private lazy var requestName = request.nameInReports
    private(set) var found: [Found] = []

    /// The part that is being searched: `response body`.
    private var part = ""
    private var isRequest = false

    /// Returns the words that look random in a stub.
    static func found(in stub: Stub) -> [Found] {
        var search = UnredactedTextSearch(request: stub.request)
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
        case .url, .body: searchWords(of: bytes)
        case .field(let name) where Self.unsearched.contains(name): break
        case .field(let name): name.withBytes { searchWords(of: bytes, field: $0) }
        case .error: break
        }
    }

    /// The header fields that are not searched: those that differ each time, and the one that may contain a multipart boundary.
    private static let unsearched = VolatileHeaderFields.standard.including("Content-Type")

    // MARK: Words

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
        while let word = Self.word(in: bytes, from: last.upperBound) {
            let gap = bytes.part(last.upperBound..<word.lowerBound)
            // Not the scheme of a URL.
            if !bytes.has("//", at: word.lowerBound), gap.contains(where: { !$0.isOne(of: " \t\n\r,\"'[]\\") }) {
                nearest = Self.isBehindName(gap) ? last : nil
            }
            // The padding of base64 ends a word.
            last = word.lowerBound..<bytes.end(from: word.upperBound) { $0 == .equals }
            let text = bytes.part(last)
            // Most words are short and have only letters, which is never suspicious.
            if text.count <= 8, text.allSatisfy({ $0.isLetter }) { continue }
            if depth < BodyFormat.maximumDepth, Base64.isText(text), let decoded = Base64.decoded(text) {
                decoded.withUnsafeBufferPointer { searchWords(of: $0, name: shown(nearest), depth: depth + 1) }
                continue
            }
            let title = nearest.map { bytes.part($0) } ?? field
            // The segments of an address are words of their own.
            guard text.contains(.slash), text[0] == .slash || SecretValues.isPath(text) else {
                if isListed(text, named: title) { add(text, shown(nearest)) }
                continue
            }
            var segment = nearest
            for range in bytes.parts(of: word, separatedBy: .slash) {
                if isRequest, isListed(bytes.part(range), named: title) {
                    add(bytes.part(range), shown(segment), isAddress: true)
                } else if nearest == nil, !range.isEmpty {
                    // In a path without a name, the previous segment is the name.
                    segment = range
                }
            }
        }
    }

    /// Returns the range of the next word; `nil` at the end.
    private static func word(in bytes: Bytes, from offset: Int) -> Range<Int>? {
        var start = bytes.end(from: offset) { !isPartOfWord($0) }
        guard start < bytes.count else { return nil }
        // An escape is not part of the next word: `\n`, `\u0026`, `%3D`.
        if bytes.at(start - 1) == .backslash { start += bytes.at(start) == .u ? 5 : 1 }
        if bytes.at(start - 1) == .percent { start += 2 }
        var end = bytes.end(from: start, while: isPartOfWord)
        // A URL with a port is one word, as one without.
        if bytes.has("//", at: start), bytes.at(end) == .colon {
            end = bytes.end(from: bytes.end(from: end + 1) { $0.isDigit }, while: isPartOfWord)
        }
        // JSON may escape a slash.
        while bytes.has("\\/", at: end) { end = bytes.end(from: end + 2, while: isPartOfWord) }
        return Swift.min(start, end)..<end
    }

    /// Returns a Boolean value that indicates whether the gap before a word shows that the word before the gap is its
    /// name.
    private static func isBehindName(_ gap: Bytes) -> Bool {
        gap.contains { $0.isOne(of: "=:") } || gap.at(gap.count - 1) == .greaterThan
    }

    // MARK: Suspicion

    /// Returns a Boolean value that indicates whether a word is listed.
    ///
    /// In a request, any word is listed that looks random or may be a password. In a response, which contains many ids, only a long
    /// word is listed, and only if its name does not denote an id or a checksum. In both, a value is listed if its name resembles
    /// the name of a secret.
    private func isListed(_ word: Bytes, named name: Bytes) -> Bool {
        if Self.isSuspicious(word, name) { return true }
        if isRequest { return RandomText.looksRandom(word) || Self.mayBePassword(word) }
        guard 16...512 ~= word.count, !RandomText.isIdentifier(word), !SecretValues.hasPrefixOfID(word),
            !Self.namesID(name)
        else { return false }
        return RandomText.looksRandom(word)
    }

    /// Returns a Boolean value that indicates whether a value may be a secret because its name resembles the name of a
    /// secret, although the value does not look random: `"recoveryCodes": ["84314-8fba1"]`.
    private static func isSuspicious(_ value: Bytes, _ name: Bytes) -> Bool {
        guard 5...64 ~= value.count, Redaction.resemblesSecret(name), !namesID(name),
            !RandomText.isTime(value), !SecretValues.publicForms.contains(where: { $0(value) })
        else { return false }
        return value.isMixed || RandomText.hasRareLetters(value) || SecretValues.isGroups(value)
    }

    /// Returns a Boolean value that indicates whether a word resembles a password: with lower-case and upper-case
    /// letters, and digits.
    private static func mayBePassword(_ word: Bytes) -> Bool {
        8...64 ~= word.count && word.hasBothCases && word.contains(where: { $0.isDigit })
    }

    /// Returns a Boolean value that indicates whether a name shows that its value is an id, a checksum or a position in
    /// a list.
    private static func namesID(_ name: Bytes) -> Bool {
        let words = FieldName(name).words(from: 0)
        guard let last = words.last else { return false }
        return SecretWords.unlisted.contains(last) || ["id", "ids"].contains(where: last.hasSuffix)
    }

    private mutating func add(_ word: Bytes, _ name: String, isAddress: Bool = false) {
        guard !Placeholder.isIn(word), Placeholder.finder.hits(in: word).isEmpty else { return }
        let suspicion = (isRequest ? 2 : 0) - (isAddress ? 9 : name.withBytes(Self.namesID) ? 3 : 0)
        let (part, start) = (part + (name.isEmpty ? "" : ", \(name)"), word.part(0..<4).text)
        let entry = RedactionReport.Unredacted(request: requestName, part: part, beginning: start, length: word.count)
        found.append(Found(entry: entry, identity: Array(word).hashValue, suspicion: suspicion))
    }

    /// Returns a name for a report; it is shortened, because a name may be a secret too.
    private static func shown(_ name: Bytes) -> String {
        RandomText.looksRandom(name) ? name.part(0..<4).text + "…" : name.part(0..<60).text
    }

    /// Returns a Boolean value that indicates whether the byte may be in a word: a character of base64 or of passwords.
    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte.isOne(of: "-._~+/!$@#^*")
    }
}

/// The replacements of a recording, and the values that look random in it, field by field.
struct RedactionList {
    /// A line of a list: one field, with the number of requests that have it.
    private struct Line<Entry> {
        let entry: Entry
        let position: Int
        var suspicion = Int.min
        var count = 0
        var requests: Set<Int> = []
        var values: Set<Int> = []

        mutating func add(_ value: Int, of request: StubRequest, suspicion: Int = 0) {
            self.suspicion = max(self.suspicion, suspicion)
            count += 1
            requests.insert(request.identity)
            values.insert(value)
        }
    }

    private var replaced: [String: Line<RedactionReport.Replacement>] = [:]
    private var left: [String: Line<RedactionReport.Unredacted>] = [:]

    /// The stubs to search for text that looks random, by the numbers of their requests.
    ///
    /// They are searched when the list is shown, because a client waits while a stub is stored.
    var unsearched: [Int: Stub] = [:]

    /// Adds the replacements in a request and its response.
    mutating func add(_ notes: [SecretVault.Note], of request: StubRequest) {
        let name = request.nameInReports
        for note in notes {
            let part = note.part + (note.field.label.isEmpty ? "" : ", \(note.field.label)")
            let (rule, text, position) = (note.field.rule.name, note.placeholder, replaced.count)
            let entry = RedactionReport.Replacement(request: name, part: part, rule: rule, placeholder: text)
            replaced["\(part)|\(rule)", default: Line(entry: entry, position: position)]
                .add(text.hashValue, of: request)
        }
    }

    /// Adds the values that look random in a stub.
    mutating func add(_ found: [UnredactedTextSearch.Found], of request: StubRequest) {
        for text in found {
            let position = left.count
            left[text.entry.part, default: Line(entry: text.entry, position: position)]
                .add(text.identity, of: request, suspicion: text.suspicion)
        }
    }

    /// The lists in the order for reports: among the values that were kept, the most suspicious field comes first.
    var report: RedactionReport {
        var report = RedactionReport()
        report.replacements = replaced.values.sorted { $0.position < $1.position }.map { line in
            var entry = line.entry
            (entry.count, entry.requestCount, entry.valueCount) = (line.count, line.requests.count, line.values.count)
            return entry
        }
        let lines = left.values.sorted { ($1.suspicion, $0.position) < ($0.suspicion, $1.position) }
        report.unlistedCount = Swift.max(0, lines.count - RedactionReport.longestList)
        report.unredacted = lines.prefix(RedactionReport.longestList).map { line in
            var entry = line.entry
            (entry.requestCount, entry.valueCount) = (line.requests.count, line.values.count)
            return entry
        }
        return report
    }
}

extension StubRequest {
    /// The method and the URL without query, and without segments of the path that may be secrets.
    fileprivate var nameInReports: String {
        let address = url.absoluteString.prefix { !"?#".contains($0) }
        let shown = address.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            String(segment).withBytes(RandomText.looksRandom) ? "\(segment.prefix(4))…" : "\(segment)"
        }
        return "\(method) \(shown.joined(separator: "/"))".cut(to: 500)
    }

    /// A number that distinguishes two requests in this process.
    fileprivate var identity: Int { [Data(method.utf8), Data(url.absoluteString.utf8), body].hashValue }
}
