/// The names of fields that carry secrets, by the rules of a redaction.
struct SecretNames {
    let redaction: Redaction

    /// Returns the meaning of a name for its value; `nil` if the value is not a secret.
    func field(_ name: Bytes, in place: NamePlace) -> SecretField? {
        // A path is the name of a file, as in the lock files of package managers.
        guard !name.isEmpty, name.count <= 128, !name.contains(.slash) || !redaction.included.isEmpty,
            !redaction.included.isEmpty || Self.mayMatch(name)
        else { return nil }
        let compact = FieldName(name)
        // The rules name the last part of `user[pin]`.
        let bracket = name.lastIndex(of: .openingBracket)
        let last = bracket.map { FieldName(name.part($0..<name.count)) } ?? compact
        if Self.contains(redaction.included, last, in: place) || Self.contains(redaction.included, compact, in: place) {
            return SecretField(label: Placeholder.label(name), rule: .included)
        }
        guard redaction.usesStandardRules, var field = Self.standardField(compact, in: place),
            redaction.has(field.rule), !Self.contains(redaction.excluded, last, in: place)
        else { return nil }
        if field.label.isEmpty { field.label = Placeholder.label(name) }
        return field
    }

    /// Returns the meaning of a name that says neither id nor content: a value under it that looks random is a credential in a
    /// request; `nil` for any other name.
    func opaqueField(_ name: Bytes, in place: NamePlace) -> SecretField? {
        let (compact, rule) = (FieldName(name), place == .header ? Redaction.Rule.headers : .sessionFields)
        guard redaction.has(rule), !Self.contains(redaction.excluded, compact, in: place),
            place != .header || !VolatileHeaderFields.standard.contains(name.text),
            !compact.words(from: 0).contains(where: {
                SecretList.identifiers.contains($0) || SecretList.harmlessBefore.contains($0) || $0.hasPrefix("pub")
                    || $0.hasSuffix("id") || $0.hasSuffix("ids")
            }),
            Self.standardField(compact, in: place) == nil
        else { return nil }
        return SecretField(label: Placeholder.label(name), rule: rule, test: .randomLooking)
    }

    /// Returns the meaning that a name has for values nested below it.
    func inheritedField(_ name: Bytes, in place: NamePlace) -> SecretField? {
        guard Self.mayMatch(name), let field = field(name, in: place),
            field.isInherited
        else { return nil }
        return field.inherited
    }

    private static func contains(_ rules: Set<Redaction.Rule>, _ name: FieldName, in place: NamePlace) -> Bool {
        guard !rules.isEmpty else { return false }
        let name = name.text
        return (place == .header && rules.contains(.header(name)))
            || (place == .query && rules.contains(.queryItem(name)))
            || (place == .json || place == .xml) && rules.contains(.jsonKey(name))
            || (place == .form || place == .xml) && rules.contains(.formField(name))
    }

    /// Returns the meaning of a name: the strongest one of the stems in it.
    ///
    /// Behind a strong stem, only words that say which one is meant may follow: `password_confirm`. Otherwise it is a weak one:
    /// `password_policy`.
    private static func standardField(_ name: FieldName, in place: NamePlace) -> SecretField? {
        var result: SecretField?
        for (stem, start) in stems(in: name) {
            var end = start + stem.text.count
            var field = stem.field
            if field.test == .code, field.rule == .pinFields, start > 0 || place == .query {
                let kind = String(decoding: name.compact.prefix(start), as: UTF8.self)
                // A code of another kind is content, as in `stock_code`.
                if [SecretList.codeKinds, SecretList.actions].joined().contains(where: kind.hasSuffix) {
                    field.test = .pin
                } else if stem.match == .part {
                    field.test = .randomLooking
                }
            }
            let isStrong = field.isStrong
            let isPlural = end < name.compact.count && name.compact[end] == UInt8(ascii: "s") && !name.beginsWord[end]
            if isPlural {
                // The plural.
                end += 1
                field.takesNumbers = field.rule == .pinFields
                if field.rule != .passwordFields, field.test == .notShortWord { field.test = .pin }
            }
            let behind = name.words(from: end)
            let before = name.words(from: 0, to: start)
            let isHarmless =
                before.contains(where: SecretList.harmlessBefore.contains)
                || !isStrong && before.contains(where: SecretList.contentBefore.contains)
                || behind.contains { SecretList.harmlessBehind.contains($0) || stem.field.isPublicByID && $0 == "id" }
            if stem.hasNeighbours, isHarmless || before.suffix(2) == ["public", "key"] { continue }
            let isAll = behind.allSatisfy { $0.first?.isNumber == true || SecretList.qualifiers.contains($0) }
            if field.isStrong, !isAll { field = field.inherited }
            if field.form == .value, place == .header {
                // `num_tokens: 103` is a count.
                (field.rule, field.takesNumbers) = (.headers, field.takesNumbers || !isPlural && field.isStrong)
                if field.isStrong { field.form = .credentials }
            } else if place == .query, !field.isStrong {
                let isSignature = field.test == .sentRandomLooking && stem.text[0] == UInt8(ascii: "s")
                field.rule = .queryItems
                // `?sig=` is a signature of any length; `?sign=leo` is not one.
                if isSignature { field.test = name.text == "sig" || name.text == "signature" ? .any : .randomLooking }
            }
            field.isInherited = isStrong || stem.field.rule == .secretFields
            if result.map({ !$0.isStrong && (field.isStrong || field.test == .code) }) ?? true { result = field }
        }
        if result == nil, name.has(Array("pw".utf8), at: name.compact.count - 2),
            name.beginsWord[name.compact.count - 2]
        {
            result = SecretField(label: "", rule: .passwordFields, test: .notShortWord)
        }
        return result
    }

    /// Returns a Boolean value that indicates whether a name has anything in it that names of secrets have.
    static func resemblesSecret(_ name: Bytes) -> Bool { mayMatch(name) && !stems(in: FieldName(name)).isEmpty }

    // MARK: Stems

    /// Returns the stems in a name, and where they begin.
    private static func stems(in name: FieldName) -> [(stem: SecretStem, start: Int)] {
        var result: [(stem: SecretStem, start: Int)] = []
        let compact = name.compact
        guard compact.count >= 3 else { return [] }
        for end in 3...compact.count {
            let isPlural = end < compact.count && compact[end] == UInt8(ascii: "s") && name.beginsWord[end + 1]
            for stem in buckets[anchor(compact[end - 3], compact[end - 2], compact[end - 1])] {
                let start = end - stem.text.count
                // Words may be joined: `tokenvalue`.
                guard name.has(stem.text, at: start),
                    name.beginsWord[end] || isPlural
                        || name.compact.count - end > 3 && SecretList.qualifiers.contains(name.words(from: end)[0])
                else { continue }
                switch stem.match {
                case .word where !name.beginsWord[start]: continue
                case .whole where start > 0 || end < compact.count: continue
                default: result.append((stem, start))
                }
            }
        }
        return result
    }

    /// The stems by their last three letters.
    private static let buckets: [[SecretStem]] = {
        var result = [[SecretStem]](repeating: [], count: 1 << 15)
        for stem in SecretList.stems {
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

    /// Returns a Boolean value that indicates whether a name may contain any of the stems, which few names do.
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

/// The names of values that differ each time: signatures, the times of signatures, and random values for a login.
enum VolatileNames {
    /// Returns a Boolean value that indicates whether a header field has a signature.
    static func isSignature(header name: String) -> Bool { name.withBytes(Placeholder.label).isSignature }

    /// Returns a Boolean value that indicates whether a request is signed in its header fields.
    static func isSigned(_ request: StubRequest) -> Bool {
        request.headerFields.contains { field in
            isSignature(header: field.name)
                || field.name.isSameFieldName(as: "Authorization")
                    && (field.value.hasPrefix("AWS4-")
                        || ["signature", "Signature", "hmac"].contains(where: field.value.hasWord))
        }
    }

    /// Returns a Boolean value that indicates whether a field's value differs each time.
    ///
    /// A time does next to a signature or a nonce, and so does a nonce that is a time in a signed request. A state, a nonce and
    /// a challenge do if they look random.
    static func isVolatile(_ name: Bytes, _ value: Bytes, isSigned: Bool) -> Bool {
        let label = Placeholder.label(name)
        if name.isOne(of: SecretList.nonces) || label.isSignature {
            // In 16 bytes of base64url, `-` and `_` may leave no word that is long enough to look random.
            let isLong = value.count >= 20 && value.allSatisfy(\.isTokenPart) && value.hasBothCases
            if isLong || value.count >= 16 && RandomText.looksRandom(value) { return true }
        }
        let isTime = name.isOne(of: SecretList.signatureTimes) || label.hasSuffix("nonce")
        return isSigned && isTime && value.contains(where: \.isDigit)
    }
}

extension String {
    /// The last word of a placeholder's label.
    var lastWord: Substring { split(separator: "_").last ?? "" }

    fileprivate func hasWord(_ word: StaticString) -> Bool { withBytes { $0.hasWord(word) } }

    /// A Boolean value that indicates whether a placeholder's label is that of a signature.
    fileprivate var isSignature: Bool { hasSuffix("signature") || ["sig", "sign", "hmac"].contains(lastWord) }
}
