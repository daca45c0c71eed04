import Foundation

/// A text while its fields are visited, and the edits so far.
struct FieldText {
    let bytes: Bytes
    var place: NamePlace
    /// The number of formats around the text.
    let depth: Int
    /// The content type of a body.
    var type: ContentType?
    var edits: [Edit] = []

    /// A Boolean value that indicates whether the text is compared as JSON, and not as text.
    lazy var isJSON = JSONValue(body: Data(bytes), of: type) != nil

    /// A Boolean value that indicates whether the text has a JSON Web Key (RFC 7517, section 4.1).
    lazy var isWebKey = bytes.hasWord("\"kty\"")

    /// A Boolean value that indicates whether the text contains the name of a signature or a nonce.
    lazy var isSigned = SecretWords.signatureNames.contains(where: bytes.hasWord)
}

// The fields of texts, and the parts of URLs.
extension Rewriter {
    /// Visits a field, and adds its replacement to the edits of the text; returns `false` if the field is unchanged.
    mutating func visit(_ field: TextField, in text: inout FieldText) -> Bool {
        let raw = text.bytes.part(field.value)
        guard let new = replacement(of: field, raw, in: &text), !new.elementsEqual(raw) else { return false }
        text.edits.append(Edit(range: field.value, text: new))
        return true
    }

    /// Returns the replacement of a field's value, as it is written in the text; `nil` if the value is unchanged.
    private mutating func replacement(of field: TextField, _ raw: Bytes, in text: inout FieldText) -> [UInt8]? {
        if let volatile = volatile(field, raw, in: &text) {
            let new = field.spelling.decoded(raw).withUnsafeBufferPointer { vault.text(for: $0, volatile) }
            return written(new, number: field.isNumber, in: &text)
        }
        let secret = secret(of: field, raw, in: &text)
        if field.isNumber {
            guard let known = vault.namesPart(of: raw) ? SecretField.listed : secret,
                isSecret(raw, known, isNumber: true)
            else { return nil }
            if isResponse { return vault.number(for: raw, known) }
            // Nobody reads the numbers of a request, so they become text.
            return written(vault.text(for: raw, known), number: true, in: &text)
        }
        let isNamed = vault.knowsShort(raw)
        let mayHaveFields = field.spelling.mayHaveFields(raw)
        guard secret != nil || isNamed || mayHaveFields else { return nil }
        let (value, depth) = (field.spelling.decoded(raw), text.depth + 1)
        let changed = value.withUnsafeBufferPointer { value -> [UInt8]? in
            if isNamed { return self.text(for: value, .listed) }
            if let secret, isSecret(value, secret) { return replacement(for: value, of: secret, depth: depth) }
            return mayHaveFields ? content(value, depth: depth) : nil
        }
        return changed.flatMap { $0 == value ? nil : field.spelling.encoded($0, inPlaceOf: raw) }
    }

    private func written(_ new: [UInt8], number: Bool, in text: inout FieldText) -> [UInt8] {
        number && text.isJSON ? [.quote] + new + [.quote] : new
    }

    // MARK: Names

    /// Returns the meaning of the nearest name of a secret, a strong one before a weak one: the field's own name, or
    /// one around it; `nil` if there is none.
    private func secret(of field: TextField, _ raw: Bytes, in text: inout FieldText) -> SecretField? {
        let meanings = field.names.compactMap { meaning(of: $0, in: text) }
        if let meaning = meanings.min(by: { $0.kind.rawValue < $1.kind.rawValue }) { return meaning }
        if let name = field.outerName { return redaction.nestedField(text.bytes.part(name), in: text.place) }
        let name = text.bytes.part(field.names.first ?? 0..<0)
        if name.isOne(of: SecretWords.privateMembers), text.isWebKey, redaction.has(.privateKeys) {
            return SecretField(label: "private_key", rule: .privateKeys, kind: .related)
        }
        if text.depth == 0, var pathField, name.isOne(of: Self.namesOfContent(text.place, pathField.rule)) {
            pathField.kind = name.isEmpty || pathField.rule != .secretFields ? .related : .strong
            return pathField
        }
        // Only a long value can be a secret.
        guard !isResponse, text.depth == 0, !name.isEmpty, raw.count >= 16 else { return nil }
        return redaction.unknownField(name, in: text.place)
    }

    /// Returns the names of the values that a name in the path of a request describes.
    private static func namesOfContent(_ place: NamePlace, _ rule: Redaction.Rule) -> [StaticString] {
        switch (place, rule) {
        case (.json, .keyFields): ["", "value", "data", "key"]
        case (.json, _): ["", "value", "data"]
        default: [""]
        }
    }

    private func meaning(of range: Range<Int>, in text: FieldText) -> SecretField? {
        let (raw, place) = (text.bytes.part(range), text.place)
        switch place {
        case .query, .form: guard raw.contains(.percent) else { return redaction.field(raw, in: place) }
        case .json: guard raw.contains(.backslash) else { return redaction.field(raw, in: place) }
        case .header, .part, .text: return redaction.field(raw, in: place)
        }
        return (place == .json ? Spelling.json : .form).decoded(raw).withUnsafeBufferPointer {
            redaction.field($0, in: place)
        }
    }

    /// Returns the meaning of a value in a request that differs each time, such as a signature; `nil` for any other value.
    func volatile(_ name: Bytes, _ value: Bytes, isSigned: Bool) -> SecretField? {
        guard !isResponse, redaction.has(.queryItems), VolatileNames.isVolatile(name, value, isSigned: isSigned) else {
            return nil
        }
        let follows = !name.isOne(of: SecretWords.signatureTimes) && value.count >= 16
        return SecretField(label: Placeholder.label(name), rule: .queryItems, follows: follows, isVolatile: true)
    }

    private func volatile(_ field: TextField, _ value: Bytes, in text: inout FieldText) -> SecretField? {
        guard !isResponse, let name = field.names.first.map({ text.bytes.part($0) }) else { return nil }
        // Next to a time, the text itself may contain the signature.
        let isSignedHere = !isSigned && name.isOne(of: SecretWords.signatureTimes) ? text.isSigned : isSigned
        return volatile(name, value, isSigned: isSignedHere)
    }

    // MARK: URLs

    /// Visits the segments of a path.
    ///
    /// These are pairs (`;jsessionid=…`), and random values
    /// - after the name of a secret: `/token/…`;
    /// - anywhere after a word for an action that a secret allows: `/reset/…`, `/hooks/T1/…`;
    /// - in a request, in place of the first name of a resource: `/bot12:…`, `/v3/…`.
    mutating func visitSegments(of url: URLFields, in text: inout FieldText) {
        let bytes = text.bytes
        var last = bytes.part(0..<0)
        var isFirst = !isResponse && text.depth == 0
        var isBehindAction = bytes.part(url.host).position(of: "hook", from: 0) != nil
        for range in bytes.parts(of: url.path, separatedBy: .slash) {
            let segment = bytes.part(range)
            if segment.contains(.equals) {
                for parameter in bytes.parts(of: range, separatedBy: .semicolon) { readPairs(parameter, in: &text) }
            } else if segment.count >= 12 {
                let edit = Spelling.query.decoded(segment).withUnsafeBufferPointer { value -> Edit? in
                    // An encoded URL, path or text is not a token.
                    guard !segment.contains(.percent) || SecretValues.looksRandom(value),
                        let secret = segmentField(value, behind: last, isBehindAction)
                            ?? (isFirst ? firstField(value) : nil)
                    else { return nil }
                    let new = self.text(for: value, secret)
                    return Edit(range: range, text: Spelling.query.encoded(new, inPlaceOf: segment))
                }
                if let edit { text.edits.append(edit) }
            }
            last = segment
            if !Self.isPrefix(segment) { isFirst = false }
            if FieldName(segment).words(from: 0).contains(where: SecretWords.actions.contains) { isBehindAction = true }
        }
    }

    /// Returns the meaning of a segment of a path; `nil` if it is not a secret.
    private func segmentField(_ segment: Bytes, behind last: Bytes, _ isBehindAction: Bool) -> SecretField? {
        guard segment.count >= 12, RandomText.looksRandom(segment) else { return nil }
        // After a name in the plural, a value with a prefix or of hexadecimal digits is an id: `/api_keys/ak_…`,
        // `/sessions/4f8a…`.
        let isPlural = last.at(last.count - 1) | 0x20 == UInt8(ascii: "s")
        if isPlural, SecretValues.hasPrefixOfID(segment) { return nil }
        let isHexadecimal = segment.allSatisfy { $0.hexValue != nil || $0 == .hyphen }
        // A weak name before an id is an ordinary word: `/register_oauth/ca_…`, `/RefreshStack/6f60c460-…`.
        let field = redaction.field(last, in: .json)
        if !isPlural || !isHexadecimal, let field, !field.kind.isWeak { return field }
        guard isBehindAction, !RandomText.isIdentifier(segment), redaction.has(.providerKeys) else { return nil }
        return SecretField(label: "link", rule: .providerKeys)
    }

    private func firstField(_ segment: Bytes) -> SecretField? {
        guard segment.count >= 20, redaction.has(.providerKeys), SecretValues.isOpaque(segment) else { return nil }
        return SecretField(label: "link", rule: .providerKeys)
    }

    /// Returns a Boolean value that indicates whether a segment comes before the names of resources: `api`, `v3`.
    private static func isPrefix(_ segment: Bytes) -> Bool {
        segment.count < 4 && segment.isMixed || segment.isOne(of: ["", "api", "rest"])
    }
}

extension Spelling {
    /// Returns a Boolean value that indicates whether a value may itself contain fields, so that it is read as a text.
    ///
    /// It has a character that a form, a URL, JSON or an escape needs, or it is base64 of a text.
    func mayHaveFields(_ raw: Bytes) -> Bool {
        switch self {
        case .query, .form: break
        case .plain: return !raw.contains(0)
        case .json, .xml: if raw.contains(where: { $0.isOne(of: "=<&%:\\{") }) { return true }
        }
        if raw.contains(where: { $0.isOne(of: "%+{") }) { return true }
        // In one line, or up to an escaped line end.
        return raw.position(of: "://", from: 0) != nil
            || Base64.isText(raw.part(0..<raw.end(from: 0) { $0 != .backslash }))
    }
}
