// The names of fields that carry secrets.
extension Redaction {
    /// Returns the meaning of a name for its value; `nil` if the value is not a secret.
    func field(_ name: Bytes, in place: NamePlace) -> SecretField? {
        guard 1...128 ~= name.count, !included.isEmpty || Self.mayMatch(name) else { return nil }
        let whole = FieldName(name)
        // The rules name the last part of `user[pin]`.
        let last = name.lastIndex(of: .openingBracket).map { FieldName(name.part($0..<name.count)) } ?? whole
        if [last, whole].contains(where: { Self.contains(included, $0, in: place) }) {
            return SecretField(label: Placeholder.label(name), rule: .included, kind: .named)
        }
        // A path is the name of a file, as in the lock files of package managers.
        guard usesStandardRules, !name.contains(.slash), var field = Self.standardField(whole, in: place),
            has(field.rule), !Self.contains(excluded, last, in: place)
        else { return nil }
        if field.label.isEmpty { field.label = Placeholder.label(name) }
        return field
    }

    /// Returns the meaning of a name in a request that denotes neither an id nor content; `nil` for any other name.
    func unknownField(_ name: Bytes, in place: NamePlace) -> SecretField? {
        let (compact, rule) = (FieldName(name), place == .header ? Redaction.Rule.headers : .sessionFields)
        // A path is the name of a file.
        guard has(rule), !name.contains(.slash), !Self.contains(excluded, compact, in: place),
            !compact.words(from: 0).contains(where: Self.saysContent), Self.standardField(compact, in: place) == nil
        else { return nil }
        return SecretField(label: Placeholder.label(name), rule: rule, kind: .unknown)
    }

    private static func saysContent(_ word: String) -> Bool {
        if ["id", "ids"].contains(where: word.hasSuffix) { return true }
        // `files`, `hashes`.
        let words = [word] + ["s", "es"].filter { word.hasSuffix($0) }.map { String(word.dropLast($0.count)) }
        return [SecretWords.identifiers, SecretWords.harmlessBefore].contains { !$0.isDisjoint(with: words) }
    }

    /// Returns the meaning that a name has for random values nested below it.
    func nestedField(_ name: Bytes, in place: NamePlace) -> SecretField? {
        guard var field = field(name, in: place), field.describesNested else { return nil }
        (field.kind, field.form) = (.related, .value)
        return field
    }

    private static func contains(_ rules: Set<Redaction.Rule>, _ name: FieldName, in place: NamePlace) -> Bool {
        guard !rules.isEmpty else { return false }
        return place.rules.contains { rules.contains($0(name.text)) }
    }

    /// Returns the meaning of a name: the strongest one of the stems in it.
    private static func standardField(_ name: FieldName, in place: NamePlace) -> SecretField? {
        if name.words(from: 0).last == "pw" { return SecretField(label: "", rule: .passwordFields) }
        return stems(in: name).compactMap { field($0.stem, at: $0.start, of: name, in: place) }
            .min { $0.kind.rawValue < $1.kind.rawValue }
    }

    /// Returns the meaning of a name because of one stem in it; `nil` if the words around it say that it is harmless.
    ///
    /// A strong stem may be followed only by words that specify the secret: `password_confirm`. Otherwise the name is
    /// weak: `password_policy`. A plural is weak, too, except of passwords.
    private static func field(
        _ stem: SecretStem,
        at start: Int,
        of name: FieldName,
        in place: NamePlace
    ) -> SecretField? {
        let end = start + stem.text.count
        let isPlural = name.isPlural(at: end)
        let (before, behind) = (name.words(from: 0, to: start), name.words(from: isPlural ? end + 1 : end))
        if isHarmless(stem, before, behind) { return nil }
        var field = stem.field
        field.describesNested = field.kind == .strong || field.rule == .secretFields
        if isRelated(field, isPlural, behind) { field.kind = .related }
        return placed(field, in: place, name)
    }

    /// Returns a Boolean value that indicates whether the words behind a stem say that the value is only about a secret.
    private static func isRelated(_ field: SecretField, _ isPlural: Bool, _ behind: [String]) -> Bool {
        switch field.kind {
        case .strong where isPlural && field.rule != .passwordFields: true
        case .strong, .typed: !behind.allSatisfy { $0.first?.isNumber == true || SecretWords.qualifiers.contains($0) }
        case .named, .related, .code, .weak, .parameter, .unknown: false
        }
    }

    /// Returns the meaning of a name in its place: in a header field and in a query, other rules apply; a parameter has a
    /// meaning only there and in a form.
    private static func placed(_ field: SecretField, in place: NamePlace, _ name: FieldName) -> SecretField? {
        var field = field
        switch (place, field.kind) {
        case (.header, let kind) where field.form == .value:
            (field.rule, field.form) = (.headers, kind == .strong ? .credentials : .value)
        // A signature of any length: `?sig=`. Others are signatures in a response too, in the URL of a file.
        case (.query, .parameter) where ["sig", "signature"].contains(name.text):
            (field.rule, field.kind) = (.queryItems, .named)
        case (.query, .parameter) where name.text.hasSuffix("signature"):
            (field.rule, field.kind) = (.queryItems, .related)
        case (.query, .code): (field.rule, field.kind) = (.queryItems, .parameter)
        case (.query, .weak), (.query, .related), (.query, .parameter): field.rule = .queryItems
        // Not a parameter of a request.
        case (.json, .parameter), (.part, .parameter), (.text, .parameter): return nil
        default: break
        }
        return field
    }

    /// Returns a Boolean value that indicates whether the words around a stem say that it is not a secret.
    private static func isHarmless(_ stem: SecretStem, _ before: [String], _ behind: [String]) -> Bool {
        switch stem.field.rule {
        case .passwordFields, .secretFields, .headers: return false
        case .keyFields, .pinFields, .cookies, .tokenFields:
            if stem.field.kind != .strong, behind.contains("id") { return true }
        default: break
        }
        if before.suffix(2) == ["public", "key"] { return true }
        if before.contains(where: SecretWords.harmlessBefore.contains) { return true }
        if behind.contains(where: SecretWords.harmlessBehind.contains) { return true }
        if stem.field.kind == .strong { return false }
        return before.contains(where: SecretWords.contentBefore.contains)
    }

    /// Returns a Boolean value that indicates whether a name contains a stem of names of secrets.
    static func resemblesSecret(_ name: Bytes) -> Bool { mayMatch(name) && !stems(in: FieldName(name)).isEmpty }

    // MARK: Stems

    /// Returns the stems in a name, and their offsets.
    private static func stems(in name: FieldName) -> [(stem: SecretStem, start: Int)] {
        var result: [(stem: SecretStem, start: Int)] = []
        let compact = name.compact
        guard compact.count >= 3 else { return [] }
        for end in 3...compact.count {
            let bucket = buckets[anchor(compact[end - 3], compact[end - 2], compact[end - 1])]
            guard !bucket.isEmpty, name.endsStem(at: end) else { continue }
            for stem in bucket {
                let start = end - stem.text.count
                guard name.has(stem.text, at: start) else { continue }
                switch stem.match {
                case .word where !name.beginsWord[start]: continue
                case .whole where start > 0 || end < compact.count: continue
                case .tail where start == 0: continue
                default: result.append((stem, start))
                }
            }
        }
        return result
    }

    /// The stems by their last three letters.
    private static let buckets: [[SecretStem]] = {
        var result = [[SecretStem]](repeating: [], count: 1 << 15)
        for stem in SecretWords.stems {
            let letters = Array(stem.text.suffix(3))
            result[anchor(letters[0], letters[1], letters[2])].append(stem)
        }
        return result
    }()

    private static let isAnchor: [Bool] = buckets.map { !$0.isEmpty }

    /// Returns a number below 32768 for three letters.
    private static func anchor(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
        (Int(first & 31) << 5 | Int(second & 31)) << 5 | Int(third & 31)
    }

    /// Returns a Boolean value that indicates whether a name may contain any of the stems.
    ///
    /// Few names do.
    private static func mayMatch(_ name: Bytes) -> Bool {
        if name.count >= 2, name.hasIgnoringCase("pw", at: name.count - 2) { return true }
        var letters = 0
        let isAnchor = isAnchor
        for byte in name {
            // A capital outside ASCII has other bytes.
            if byte >= 0x80 { return true }
            guard byte.isAlphanumeric else { continue }
            letters = (letters << 5 | Int(byte & 31)) & 0x7FFF
            if isAnchor[letters] { return true }
        }
        return false
    }
}

extension FieldName {
    /// Returns a Boolean value that indicates whether the plural of a word ends at an offset: `tokens`.
    fileprivate func isPlural(at end: Int) -> Bool {
        guard end < compact.count, compact[end] == UInt8(ascii: "s"), !beginsWord[end] else { return false }
        return beginsWord[end + 1]
    }

    /// Returns a Boolean value that indicates whether a stem may end at an offset: a word or its plural ends there, or
    /// a word that specifies the secret is joined to it, as in `tokenvalue`.
    fileprivate func endsStem(at end: Int) -> Bool {
        if beginsWord[end] || isPlural(at: end) { return true }
        return compact.count - end > 3 && SecretWords.qualifiers.contains(words(from: end)[0])
    }

}

/// The names of values that differ each time: signatures, the times of signatures, and random values for a login.
enum VolatileNames {
    /// Returns a Boolean value that indicates whether a request is signed in its header fields.
    static func isSigned(_ request: StubRequest) -> Bool {
        request.headerFields.contains { field in
            if field.name.withBytes(Placeholder.label).isSignature { return true }
            return field.name.isSameFieldName(as: "Authorization") && field.value.withBytes(areSigned(credentials:))
        }
    }

    /// Returns a Boolean value that indicates whether credentials are a signature of the request:
    /// `AWS4-HMAC-SHA256 Credential=…, Signature=…`, and not `Bearer …`.
    static func areSigned(credentials: Bytes) -> Bool {
        if credentials.has("AWS4-", at: 0) { return true }
        return ["signature", "Signature", "hmac"].contains(where: credentials.hasWord)
    }

    /// Returns a Boolean value that indicates whether a name denotes such a value.
    static func isOne(_ name: Bytes) -> Bool { isNonce(name) || isTime(name) }

    private static func isNonce(_ name: Bytes) -> Bool {
        name.isOne(of: SecretWords.nonces) || Placeholder.label(name).isSignature
    }

    /// Returns a Boolean value that indicates whether a name denotes the time of a signature, or a nonce that may be such a time.
    private static func isTime(_ name: Bytes) -> Bool {
        name.isOne(of: SecretWords.signatureTimes) || Placeholder.label(name).hasSuffix("nonce")
    }

    /// Returns a Boolean value that indicates whether a field's value differs each time.
    ///
    /// This is true of a time next to a signature or a nonce, and of a nonce that is a time in a signed request. It is true of a
    /// state, a nonce and a challenge if they look random.
    static func isVolatile(_ name: Bytes, _ value: Bytes, isSigned: Bool) -> Bool {
        if isNonce(name), isRandomNonce(value) { return true }
        guard isSigned, isTime(name) else { return false }
        return value.contains(where: { $0.isDigit })
    }

    private static func isRandomNonce(_ value: Bytes) -> Bool {
        // In 16 bytes of base64url, `-` and `_` may divide the text into words that are too short to look random.
        if value.count >= 20, value.allSatisfy({ $0.isTokenPart }), value.hasBothCases { return true }
        return value.count >= 16 && RandomText.looksRandom(value)
    }
}

extension String {
    /// A Boolean value that indicates whether a placeholder's label denotes a signature.
    fileprivate var isSignature: Bool {
        // Not the version in `Signature-256` and `SignatureV1`.
        let word = split(separator: "_").last { !$0.drop(while: { $0 == "v" }).allSatisfy(\.isNumber) } ?? ""
        return word.hasSuffix("signature") || ["sig", "sign", "hmac"].contains(word)
    }
}

/// The meaning of a field's name for its value.
struct SecretField: Sendable {
    /// The form of the value, which its placeholder keeps; `basic` is `user:password` in base64, and `encoded` is base64 of a text
    /// that may contain secrets.
    enum Form: Sendable { case value, credentials, cookies, setCookie, basic, encoded }

    /// The kind of a name.
    ///
    /// `SecretRule.all` says which values are secrets under it.
    enum Kind: Int, Sendable {
        /// A name that the user has included, and `sig` in a query.
        case named
        /// `password`, `accessToken`, `api_key`.
        case strong
        /// A code that users type: `pin`, `user_code`.
        case typed
        /// A strong name with other words, and any name below a strong one: `tokenId`, `{"token":{"id":"…"}}`.
        case related
        /// `code`, and `doorPin`.
        case code
        /// `session`, `state`.
        case weak
        /// A word that marks a secret only among the parameters of a request: `?key=`.
        case parameter
        /// Any other name in a request that denotes neither an id nor content.
        case unknown

        /// A Boolean value that indicates whether the name has no word that only secrets have.
        var isWeak: Bool { rawValue > Kind.related.rawValue }
    }

    /// The meaning of a value that a user has listed.
    static let listed = SecretField(label: "value", rule: .included, kind: .named)

    /// The label of its placeholder.
    var label: String
    var rule: Redaction.Rule
    var kind = Kind.strong
    var form = Form.value

    /// A Boolean value that indicates whether the value is also searched for outside its field.
    var follows = true

    /// A Boolean value that indicates whether the value differs each time, which its placeholder shows.
    var isVolatile = false

    /// A Boolean value that indicates whether random values nested below the name are secrets too.
    var describesNested = false
}
