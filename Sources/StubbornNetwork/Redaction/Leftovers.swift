import Foundation

/// A search for text that looks random, in all parts of a stub that is about to be stored.
///
/// It judges each text by its bytes: values, names, comments and binary data alike. Names are used only to describe findings.
struct Leftovers {
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
    private var names: [String] = []
    private var isRequest = false

    /// The fields of the texts around, by depth: where they are, what they are called, and whether they were searched by
    /// themselves.
    private var fields: [Int: [(range: Range<Int>, name: String, isDone: Bool)]] = [:]

    /// Returns what looks random in a stub.
    static func found(in stub: Stub) -> [Found] {
        var search = Leftovers()
        let url = Data(stub.request.url.absoluteString.utf8)
        for text in stub.texts {
            if !text.isRequest, case .url = text.place, text.data == url { continue }
            search.search(text)
        }
        return search.found
    }

    private mutating func search(_ text: StubText) {
        (part, isRequest) = (text.part, text.isRequest)
        text.data.withBytes { bytes in
            switch text.place {
            case .error: break
            case .url:
                _ = url(bytes, depth: 0)
                searchWords(of: bytes, at: 0, outside: "")
            case .field(let name):
                // A content type names the boundary of the parts of a body.
                guard !VolatileHeaderFields.standard.contains(name), !name.isSameFieldName(as: "Content-Type") else {
                    return
                }
                let isSuspicious = name.withBytes { Self.isSuspicious(bytes, named: $0) }
                if isSuspicious, !RandomText.looksDrawn(bytes) { add(bytes, "") }
                searchWords(of: bytes, at: 0, outside: "")
            case .body:
                let isCompressed = bytes.at(0) == 0x78 && bytes.count > 8 && (0x7800 + Int(bytes.at(1))) % 31 == 0
                let coding = text.fields["Content-Encoding"]
                let isUnreadable = coding.map { WrappedText.isUnreadable(bytes, coding: $0) } ?? false
                if isUnreadable || isCompressed && bytes.firstInvalidUTF8 != nil { addUnread(bytes) }
                let type = text.fields["Content-Type"]?.lowercased() ?? ""
                _ = content(bytes, depth: 0, type: type, coding: isUnreadable ? nil : coding)
            }
        }
    }

    // MARK: Words

    /// Searches a text, word by word.
    private mutating func searchWords(of bytes: Bytes, at depth: Int, outside: String) {
        let fields = (self.fields.removeValue(forKey: depth) ?? []).sorted { $0.range.lowerBound < $1.range.lowerBound }
        var index = 0
        var next = 0
        while next < bytes.count {
            let start = next
            while next < bytes.count, Self.isPartOfWord[Int(bytes[next])] { next += 1 }
            // The padding of base64 ends a word, and so does the name before a value.
            while bytes.at(next) == .equals { next += 1 }
            let range = start..<next
            next = Swift.max(next, start + 1)
            guard range.count >= RandomText.shortest else { continue }
            // The segments of an address are words of their own.
            let word = bytes.part(range)
            let isPath = word[0] == .slash || word.contains(.slash) && SecretValues.isPath(word)
            for range in isPath ? bytes.parts(of: range, separatedBy: .slash) : [range]
            where RandomText.looksDrawn(bytes.part(range)) {
                while index < fields.count, fields[index].range.upperBound <= range.lowerBound { index += 1 }
                let field = index < fields.count && fields[index].range.overlaps(range) ? fields[index] : nil
                if field?.isDone != true { add(bytes.part(range), field?.name ?? outside, isAddress: isPath) }
            }
        }
    }

    private mutating func add(_ word: Bytes, _ name: String, isAddress: Bool = false) {
        guard !Placeholder.isIn(word), Placeholder.finder.hits(in: word).isEmpty else { return }
        let names = names + (name.isEmpty ? [] : [name])
        let label = names.last.map { $0.withBytes(Placeholder.label) } ?? ""
        let isChecksum = [32, 40, 64, 96, 128].contains(word.count) && word.allSatisfy { $0.hexValue != nil }
        let isKnown = ["id", "sha", "hash", "digest", "etag", "integrity", "cursor", "checksum"].contains(
            label.lastWord
        )
        let suspicion =
            (isRequest ? 2 : 0) - (isAddress ? 9 : isKnown ? 3 : 0)
            - (isChecksum || RandomText.isIdentifier(word) ? 1 : 0)
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(word))
        found.append(
            Found(
                part: ([part] + names).joined(separator: ", "),
                beginning: word.part(0..<4).text,
                length: word.count,
                identity: hasher.finalize(),
                suspicion: suspicion
            )
        )
    }

    private mutating func addUnread(_ bytes: Bytes) {
        let part = part + (names.isEmpty ? "" : ", \(names.joined(separator: ", "))") + " (not read to its end)"
        found.append(Found(part: part, beginning: "", length: bytes.count, identity: 0, suspicion: -1))
    }

    /// The bytes of which words consist: those of base64, and what passwords have.
    private static let isPartOfWord: [Bool] = (0..<256).map {
        let byte = UInt8($0)
        return byte != .equals && byte.isTokenPart || "!$@#^*".utf8.contains(byte)
    }
}

extension Leftovers {
    /// Returns a Boolean value that indicates whether a value may be a secret because its name resembles one's, although it does
    /// not look random: `"recoveryCodes": ["84314-8fba1"]`.
    private static func isSuspicious(_ value: Bytes, named name: Bytes) -> Bool {
        3...64 ~= value.count && !value.contains(.space)
            && (value.contains(where: \.isDigit) || RandomText.hasRareLetters(value))
            && !RandomText.isTime(value) && !SecretValues.isOrdinary(value) && SecretNames.resemblesSecret(name)
    }
}

extension Leftovers: TextVisitor {
    var describesNested: (Bytes, NamePlace) -> Bool { { _, _ in false } }

    mutating func visit(_ wrapped: WrappedText, of bytes: Bytes) {
        if !wrapped.isWhole { addUnread(bytes) }
    }

    mutating func visit(_ field: TextField, in text: inout FieldText) -> Bool {
        let raw = text.bytes.part(field.value)
        let name = field.names.first.map { Self.shown(text.bytes.part($0)) } ?? ""
        if !RandomText.looksDrawn(raw),
            field.names.contains(where: { Self.isSuspicious(raw, named: text.bytes.part($0)) })
        {
            add(raw, name)
        }
        if raw.count < RandomText.shortest { return false }
        let isText = !field.isNumber && text.readsValues && TextFormat.isLikely(in: raw, field.spelling, codes: 4)
        if isText {
            let around = names
            defer { names = around }
            if !name.isEmpty { names.append(name) }
            field.spelling.decoded(raw).withUnsafeBufferPointer { _ = content($0, depth: text.depth + 1) }
        }
        fields[text.depth, default: []].append((field.value, name, isText))
        return false
    }

    mutating func visit(_ url: URLFields, in text: inout FieldText) {}

    mutating func finish(_ text: FieldText, _ format: TextFormat, isDecoded: Bool) -> [UInt8]? {
        let bytes = text.bytes
        // The content of base64 has been searched as a separate text.
        let isEncoded =
            Base64.isText(bytes) && Base64.decoded(bytes)?.withUnsafeBufferPointer { $0.firstInvalidUTF8 } == nil
        guard !isEncoded else { fields[text.depth] = nil; return nil }
        let outside =
            switch format.kind {
            case .json, .xml, .multipart: "a name or a comment"
            default: ""
            }
        if format.hasSettings, !isDecoded {
            for code in MessageCodes.ranges(in: bytes, atLeast: 4) { add(bytes.part(code), "") }
        }
        searchWords(of: bytes, at: text.depth, outside: outside)
        return nil
    }

    /// Returns a name as it may be shown: a name may be a secret too.
    private static func shown(_ name: Bytes) -> String {
        let isSecret = name.count >= RandomText.shortest && RandomText.looksDrawn(name)
        return isSecret ? name.part(0..<4).text + "…" : name.part(0..<60).text
    }
}
