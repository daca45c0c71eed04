// The replacement of values, in the form of these values.
extension Rewriter {
    mutating func replacement(for value: Bytes, of field: SecretField, depth: Int = 0) -> [UInt8] {
        switch field.form {
        case .value: text(for: value, field, depth: depth)
        case .basic: basic(value, field.rule)
        case .encoded: base64(value) ?? Array(value)
        case .credentials: credentials(value, field)
        case .cookies: cookies(value, CookieFields.values(inCookie: value), field)
        case .setCookie: cookies(value, CookieFields.values(inSetCookie: value), field)
        }
    }

    mutating func text(for value: Bytes, _ field: SecretField, depth: Int = 0) -> [UInt8] {
        if SecretShapes.webTokenEnd(value, from: 0) == value.count { return webToken(value, field, depth: depth) }
        return vault.text(for: value, field)
    }

    /// Returns a token whose signature, and the secrets among its claims, are replaced; for a token of a different
    /// form, its placeholder.
    private mutating func webToken(_ value: Bytes, _ field: SecretField, depth: Int) -> [UInt8] {
        let parts = value.split(separator: .dot, omittingEmptySubsequences: false).map { Bytes(rebasing: $0) }
        guard parts.count == 3, let claims = Base64.decoded(parts[1]), claims.first == .openingBrace else {
            return vault.text(for: value, field)
        }
        if Placeholder.isWhole(parts[2]) { return Array(value) }
        let payload = claims.withUnsafeBufferPointer { content($0, depth: depth + 1) }
        let middle = payload.map { Base64.encoded($0, urlSafe: true, padded: false) } ?? Array(parts[1])
        let start = Array(parts[0]) + [.dot] + middle + [.dot]
        return vault.remember(Array(value), field) { vault in
            start + Placeholder.signature(count: parts[2].count, number: vault.next(Placeholder.unlabeled))
        }
    }

    /// Rewrites credentials such as `Bearer …` and `Basic …`.
    ///
    /// The scheme is kept (RFC 9110, section 11.4).
    private mutating func credentials(_ value: Bytes, _ field: SecretField) -> [UInt8] {
        let value = value.part(value.trimmed(0..<value.count))
        let schemeEnd = value.end(from: 0) { $0.isWordPart }
        guard value.at(schemeEnd) == .space, value.at(0).isLetter else { return text(for: value, field) }
        let start = value.end(from: schemeEnd) { $0 == .space }
        let (scheme, rest) = (value.part(0..<start), value.part(start..<value.count))
        if scheme.count == 6, scheme.hasIgnoringCase("basic", at: 0) { return Array(scheme) + basic(rest, field.rule) }
        let isSingle = !rest.contains { $0.isOne(of: " ,") }
        var token = field
        (token.label, token.follows) = (isSingle ? "token" : field.label, isSingle)
        token.isVolatile = VolatileNames.areSigned(credentials: value)
        guard isSingle, let quote = rest.position(of: .quote, from: 0), rest.at(quote - 1) == .equals,
            quote < rest.count - 2, rest.at(rest.count - 1) == .quote
        else { return Array(scheme) + text(for: rest, token) }
        // One parameter: `Token token="…"` (RFC 9110, section 11.2).
        return Array(scheme) + rest[...quote] + text(for: rest.part(quote + 1..<rest.count - 1), token) + [.quote]
    }

    /// Returns `user:password` in base64, with both replaced.
    mutating func basic(_ value: Bytes, _ rule: Redaction.Rule) -> [UInt8] {
        guard let decoded = Base64.decoded(value), decoded.contains(.colon) else {
            return text(for: value, SecretField(label: "authorization", rule: rule))
        }
        return Base64.encoded(decoded.withUnsafeBufferPointer { userInfo($0, rule, spelling: .plain) })
    }

    /// Returns `user:password` with both replaced.
    ///
    /// A user without a password is a key, so it is also searched for elsewhere.
    mutating func userInfo(_ bytes: Bytes, _ rule: Redaction.Rule, spelling: Spelling) -> [UInt8] {
        let colon = bytes.position(of: .colon, from: 0) ?? bytes.count
        let user = spelling.decoded(bytes.part(0..<colon))
        let password = spelling.decoded(bytes.part(Swift.min(colon + 1, bytes.count)..<bytes.count))
        let isKey = password.isEmpty && user.withUnsafeBufferPointer(\.isMixed)
        let name = SecretField(label: "user", rule: rule, follows: isKey)
        let result = user.withUnsafeBufferPointer { text(for: $0, name) }
        if colon == bytes.count { return result }
        let field = SecretField(label: "password", rule: rule)
        return result + [.colon] + password.withUnsafeBufferPointer { text(for: $0, field) }
    }

    /// Rewrites the values of cookies.
    ///
    /// Names and attributes are kept, and so are values that are words: `theme=dark`.
    private mutating func cookies(_ value: Bytes, _ ranges: [Range<Int>], _ field: SecretField) -> [UInt8] {
        let edits = ranges.filter { isSecretCookie(value.part($0)) }
            .map { Edit(range: $0, text: text(for: value.part($0), field)) }
        return Edit.apply(edits, to: value) ?? Array(value)
    }

    private func isSecretCookie(_ value: Bytes) -> Bool {
        guard !SecretValues.isTrivial(value), !CookieFields.isPlain(value) else { return false }
        return !SecretValues.publicForms.contains { $0(value) }
    }
}
