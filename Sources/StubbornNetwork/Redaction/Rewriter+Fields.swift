import Foundation

/// A text while its fields are visited, and the edits so far.
struct FieldText {
    let bytes: Bytes
    let place: NamePlace
    /// The number of formats around the text.
    let depth: Int
    /// The content type of a body, in lower case.
    var type = ""

    /// A Boolean value that indicates whether values are read by themselves, as texts of other formats.
    var readsValues = true

    var edits: [Edit] = []

    /// The method that a remote call has named: `login` in `{"method": "login", "params": […]}`.
    var method: Range<Int>?

    /// A Boolean value that indicates whether the text is compared as JSON, and not as text.
    lazy var isJSON = JSONValue(body: Data(bytes), of: type.isEmpty ? nil : ContentType(type)) != nil

    /// A Boolean value that indicates whether the text names a JSON Web Key (RFC 7517, section 4.1).
    lazy var hasWebKey = bytes.hasWord("\"kty\"")

    /// A Boolean value that indicates whether the text names a signature or a nonce.
    lazy var isSigned = SecretList.signatureNames.contains(where: bytes.hasWord)
}

// The fields of texts, and the parts of URLs.
extension Rewriter {
    /// Rewrites the settings in a text without a format, or with another format than it claims.
    mutating func settings(_ bytes: Bytes) -> [UInt8]? {
        var text = FieldText(bytes: bytes, place: .json, depth: 0, readsValues: false)
        let names = names
        SettingFields(bytes: bytes) { names.field($0, in: .json)?.isStrong }.read { visit($0, in: &text) }
        let code = SecretField(label: "code", rule: .pinFields, follows: false)
        for range in redaction.usesStandardRules && redaction.has(.pinFields) ? MessageCodes.ranges(in: bytes) : [] {
            text.edits.append(Edit(range: range, text: vault.text(for: bytes.part(range), code)))
        }
        return Edit.apply(fitting(text.edits, bytes), to: bytes)
    }

    /// Visits a field, and adds its replacement to the edits of the text; returns `false` where the field stays.
    mutating func visit(_ field: TextField, in text: inout FieldText) -> Bool {
        let raw = text.bytes.part(field.value)
        if let name = field.names.first, text.bytes.part(name).isOne(of: ["method", "methodname"]) {
            text.method = field.value
        }
        let volatile = volatile(field, in: &text)
        if let volatile {
            let value = field.spelling.decoded(raw)
            let new = value.withUnsafeBufferPointer { vault.text(for: $0, volatile) }
            guard new != value else { return false }
            // Nobody reads a number from a recorded request.
            let written = field.isNumber && text.isJSON ? [.quote] + new + [.quote] : new
            text.edits.append(Edit(range: field.value, text: written))
            return true
        }
        var secret = secret(of: field, in: &text)
        // A key by itself is what a thing is known by.
        if isPublic, text.place != .query, let field = secret, !field.isStrong, !field.isInherited,
            field.label.count < 7 || !["key", "cookie"].contains(where: field.label.hasSuffix)
        {
            secret = nil
        }
        if let field = secret, field.label == "key", field.rule != .included, text.place != .query,
            SecretValues.isKnownBy(key: raw) || isResponse && asksForPublicKey
        {
            secret = nil
        }
        if !isResponse, secret?.rule == .passwordFields { answersPassword = true }
        if field.isNumber, vault.namesPart(of: raw) { secret = SecretField(label: "value", rule: .included) }
        if field.isNumber {
            // Numbers of few digits are counts and flags: `"pass": 1204` counts tests.
            let isCount = secret?.rule == .tokenFields || isResponse && secret?.rule == .passwordFields
            // A number with a fraction is a price or a measure.
            let mayBeSecret = raw.count >= (isCount ? 6 : 3) && raw.allSatisfy(\.isDigit)
            guard let secret, secret.takesNumbers, secret.rule == .included || mayBeSecret,
                secret.accepts(raw, isResponse: isResponse)
            else { return false }
            // Nobody parses a recorded request, and its digits would not show that they stand for any value.
            let new = isResponse ? vault.number(for: raw, secret) : vault.text(for: raw, secret)
            guard !new.elementsEqual(raw) else { return false }
            text.edits.append(
                Edit(range: field.value, text: !isResponse && text.isJSON ? [.quote] + new + [.quote] : new)
            )
            return true
        }
        let isKnown = vault.knowsShort(raw)
        let isText = text.readsValues && TextFormat.isLikely(in: raw, field.spelling)
        guard secret != nil || isKnown || isText else { return false }
        let value = field.spelling.decoded(raw)
        let depth = text.depth + 1
        let isResponse = isResponse
        let changed = value.withUnsafeBufferPointer { value -> [UInt8]? in
            if isKnown { return self.text(for: value, SecretField(label: "value", rule: .included)) }
            if let secret, secret.accepts(value, isResponse: isResponse) {
                return replacement(for: value, of: secret, depth: depth)
            }
            let first = isText ? content(value, depth: depth) : nil
            guard let secret else { return first }
            return then(first, value) { $0.randomWords(in: $1, secret, atLeast: 16) }
        }
        guard let changed, changed != value else { return false }
        // Where the text around the secret would be spelled anew, only the secret is replaced, which is known from here on.
        let isWhole = isKnown || value.withUnsafeBufferPointer { secret?.accepts($0, isResponse: isResponse) == true }
        if !isWhole, text.place == .xml, field.spelling.encoded(value, inPlaceOf: raw) != Array(raw) { return false }
        text.edits.append(Edit(range: field.value, text: field.spelling.encoded(changed, inPlaceOf: raw)))
        return true
    }

    // MARK: Names

    /// Returns the meaning of the nearest name that carries a secret, a strong one before a weak one: the field's own, or one
    /// around it.
    private func secret(of field: TextField, in text: inout FieldText) -> SecretField? {
        let place = text.place
        let isEncoded = field.spelling == .form || (field.spelling == .query && place != .json)
        let names = names
        let value = text.bytes.part(field.value)
        if SecretValues.isPhrase(value), redaction.has(.passwordFields) {
            return SecretField(label: "phrase", rule: .passwordFields)
        }
        if !isResponse, isPassword(field, in: text) { return SecretField(label: "password", rule: .passwordFields) }
        if place == .json, let name = field.names.first, text.bytes.part(name).isOne(of: SecretList.privateMembers),
            redaction.has(.privateKeys), text.hasWebKey
        {
            return SecretField(label: "private_key", rule: .privateKeys, test: .randomLooking, isInherited: true)
        }
        var weak: SecretField?
        for range in field.names {
            let raw = text.bytes.part(range)
            func meaning(_ name: Bytes) -> SecretField? { names.field(name, in: place) }
            let isEscaped = raw.contains(isEncoded ? .percent : .backslash)
            let secret =
                isEscaped
                ? (isEncoded ? Spelling.form : .json).decoded(raw).withUnsafeBufferPointer(meaning) : meaning(raw)
            if secret?.isStrong == true { return secret }
            weak = weak ?? secret
        }
        if let weak { return weak }
        if let outerName = field.outerName { return names.inheritedField(text.bytes.part(outerName), in: place) }
        let name = text.bytes.part(field.names.first ?? 0..<0)
        if text.depth == 0, let pathField {
            if name.isEmpty { return pathField.inherited }
            if place == .json, name.isOne(of: ["value", "data"]) {
                return pathField.rule == .secretFields ? pathField : pathField.inherited
            }
        }
        guard text.depth == 0, isResponse ? answersPassword : !name.isEmpty, !field.isNumber,
            SecretValues.isOpaque(value)
        else {
            return nil
        }
        return names.opaqueField(name, in: place)
    }

    /// Returns a Boolean value that indicates whether a field is the last text among the arguments of a call that logs in or
    /// unlocks, in JSON-RPC 2.0 (section 4.2) or XML-RPC: `{"method": "login", "params": ["ann", "…"]}`.
    private func isPassword(_ field: TextField, in text: FieldText) -> Bool {
        guard let method = text.method, redaction.has(.passwordFields), !field.isNumber, let name = field.names.first,
            text.bytes.part(name).isOne(of: text.place == .xml ? ["value", "string"] : ["params", "args"])
        else { return false }
        let end = text.bytes.end(from: field.value.upperBound + 1) { $0 != .quote && $0 != .closingBracket }
        let isLast =
            text.place == .xml
            ? text.bytes.position(of: "<value", from: field.value.upperBound) == nil
            : text.bytes.at(end) == .closingBracket
        let words = FieldName(text.bytes.part(method)).words(from: 0)
        return isLast
            && (words.contains(where: SecretList.logins.contains)
                || names.field(text.bytes.part(method), in: .json)?.rule == .passwordFields)
    }

    /// Returns the meaning of a value in a request that differs each time, such as a signature; `nil` for any other value.
    func volatile(_ name: Bytes, _ value: Bytes, isSigned: Bool) -> SecretField? {
        guard !isResponse, redaction.has(.queryItems), VolatileNames.isVolatile(name, value, isSigned: isSigned)
        else { return nil }
        let isTime = name.isOne(of: SecretList.signatureTimes)
        return SecretField(
            label: Placeholder.label(name),
            rule: .queryItems,
            follows: !isTime && value.count >= 16,
            isVolatile: true
        )
    }

    private mutating func volatile(_ field: TextField, in text: inout FieldText) -> SecretField? {
        guard !isResponse, let name = field.names.first.map({ text.bytes.part($0) }) else { return nil }
        let isSigned = isSigned || name.isOne(of: SecretList.signatureTimes) && text.isSigned
        return volatile(name, text.bytes.part(field.value), isSigned: isSigned)
    }

    /// Replaces the words of a value that look random, by what its name says.
    mutating func randomWords(in value: Bytes, _ secret: SecretField, atLeast minimum: Int) -> [UInt8]? {
        guard !secret.isStrong, secret.test != .sentRandomLooking || !isResponse, value.count <= 65_536,
            value.position(of: "://", from: 0) == nil, !SecretValues.isPath(value), !SecretValues.isOrdinary(value)
        else { return nil }
        let edits = RandomText.words(in: value, atLeast: minimum).compactMap { range -> Edit? in
            let word = value.part(range)
            return Placeholder.isIn(word) ? nil : Edit(range: range, text: text(for: word, secret))
        }
        return Edit.apply(edits, to: value)
    }

    // MARK: URLs

    /// Visits user info and path of a URL.
    mutating func visit(_ url: URLFields, in text: inout FieldText) {
        if let user = url.userInfo, redaction.has(.userInfo) {
            let result = userInfo(text.bytes.part(user), .userInfo, spelling: .query)
            text.edits.append(Edit(range: user, text: result))
        }
        visitSegments(of: url, in: &text)
    }

    /// Rewrites the segments behind `token/`, `reset/` and the like, or in the place of a resource (`/v3/…`, `/bot1:…`), and
    /// parameters (`;jsessionid=…`).
    private mutating func visitSegments(of url: URLFields, in text: inout FieldText) {
        let bytes = text.bytes
        var last = bytes.part(0..<0)
        // Behind a word for an action, up to the segment.
        func isLink(_ segment: Range<Int>) -> Bool {
            bytes.part(url.host).position(of: "hook", from: 0) != nil
                || bytes.parts(of: url.path.lowerBound..<segment.lowerBound, separatedBy: .slash).contains {
                    FieldName(bytes.part($0)).words(from: 0).contains(where: SecretList.actions.contains)
                }
        }
        // Nothing but `api` and a version is before it, where the name of a resource would be.
        var isFirst = !isResponse && text.depth == 0
        for range in bytes.parts(of: url.path, separatedBy: .slash) {
            let segment = bytes.part(range)
            if segment.contains(.equals) {
                for parameter in bytes.parts(of: range, separatedBy: .semicolon) {
                    readPairs(parameter, in: &text)
                }
            } else if RandomText.looksRandom(segment), !segment.contains(.percent) {
                var secret = names.field(last, in: .json)
                // Behind a name in the plural, as in `/sessions/…`, what is short, hexadecimal or has a prefix is an id: `ak_…`.
                let isPlural = last.at(last.count - 1) | 0x20 == UInt8(ascii: "s")
                let isPrefixed = isPlural && SecretValues.hasPrefixOfID(segment)
                if isPrefixed
                    || isPlural && (segment.count < 20 || segment.allSatisfy { $0.hexValue != nil || $0 == .hyphen })
                {
                    secret = nil
                }
                if secret == nil, !isPrefixed, segment.count >= 12, !RandomText.isIdentifier(segment),
                    redaction.has(.providerKeys),
                    isLink(range) || isFirst && segment.count >= 20 && SecretValues.isOpaque(segment)
                {
                    secret = SecretField(label: "link", rule: .providerKeys)
                }
                if let secret { text.edits.append(Edit(range: range, text: self.text(for: segment, secret))) }
            }
            last = segment
            isFirst = isFirst && (segment.count < 4 && segment.isMixed || segment.isEmpty || segment.isOne(of: ["api"]))
        }
    }
}
