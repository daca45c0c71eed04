// What takes the place of a secret, in the form that such values have.
extension Rewriter {
    mutating func replacement(for value: Bytes, of field: SecretField, depth: Int = 0) -> [UInt8] {
        switch field.form {
        case .value: text(for: value, label: field.label, follows: field.follows, depth: depth)
        case .credentials: credentials(value, label: field.label)
        case .cookies: cookies(value, CookieFields.values(inCookie: value), field)
        case .setCookie: cookies(value, CookieFields.values(inSetCookie: value), field)
        }
    }

    mutating func text(
        for value: Bytes,
        label: String,
        follows: SecretField.Following = .always,
        depth: Int = 0
    ) -> [UInt8] {
        if SecretShapes.webTokenEnd(value, from: 0) == value.count {
            return webToken(value, label: label, follows: follows, depth: depth)
        }
        if value.has("-----BEGIN ", at: 0),
            let key = shapes.matches(in: value).first(where: { $0.form == .privateKey })
        {
            let inner = text(for: value.part(key.range), label: label, follows: follows)
            if vault.mode == .unnumbered { return Placeholder.unnumbered }
            return Array(value[..<key.range.lowerBound]) + inner + Array(value[key.range.upperBound...])
        }
        return vault.text(for: value, label: label, follows: follows)
    }

    /// Returns a token with its signature replaced, and the secrets among its claims; for one of another form, its
    /// placeholder.
    private mutating func webToken(
        _ value: Bytes,
        label: String,
        follows: SecretField.Following,
        depth: Int
    ) -> [UInt8] {
        let parts = value.split(separator: .dot, omittingEmptySubsequences: false).map { Bytes(rebasing: $0) }
        guard parts.count == 3, depth < Self.maximumDepth, let claims = Base64.decoded(parts[1]),
            claims.first == .openingBrace
        else { return vault.text(for: value, label: label, follows: follows) }
        let isRedacted = Placeholder.isWhole(parts[2])
        if isRedacted, vault.mode != .nameless {
            _ = vault.text(for: parts[2], label: label, follows: .never)
            return vault.mode == .unnumbered ? Placeholder.unnumbered : Array(value)
        }
        let payload = claims.withUnsafeBufferPointer { content($0, depth: depth + 1) }
        let middle = payload.map { Base64.encoded($0, urlSafe: true, padded: false) } ?? Array(parts[1])
        let start = Array(parts[0]) + [.dot] + middle + [.dot]
        if isRedacted { return start + vault.text(for: parts[2], label: label, follows: .never) }
        return vault.remember(Array(value), follows: follows) { vault in
            start + Placeholder.text(label: label, number: vault.next(label))
        }
    }

    /// Rewrites credentials such as `Bearer …` and `Basic …`, whose scheme stays (RFC 9110, section 11.4).
    private mutating func credentials(_ value: Bytes, label: String) -> [UInt8] {
        let range = value.trimmed(0..<value.count)
        let schemeEnd = value.end(from: range.lowerBound) { $0.isWordPart }
        guard schemeEnd > range.lowerBound, schemeEnd < range.upperBound, value.at(schemeEnd) == .space,
            value.at(range.lowerBound).isLetter
        else { return text(for: value.part(range), label: label) }
        let start = value.end(from: schemeEnd) { $0 == .space }
        let rest = value.part(start..<range.upperBound)
        let scheme = value.part(range.lowerBound..<start)
        if scheme.count == 6, scheme.hasIgnoringCase("basic", at: 0) { return Array(scheme) + basic(rest) }
        let isSingle = !rest.contains(.space) && !rest.contains(.comma)
        return Array(scheme)
            + text(for: rest, label: isSingle ? "token" : label, follows: isSingle ? .always : .never)
    }

    /// Returns `user:password` in base64, without either.
    mutating func basic(_ value: Bytes) -> [UInt8] {
        guard !Placeholder.isWhole(value), let decoded = Base64.decoded(value), decoded.contains(.colon)
        else { return text(for: value, label: "authorization") }
        let result = decoded.withUnsafeBufferPointer { userInfo($0, spelling: .plain) }
        return vault.mode == .unnumbered ? Placeholder.unnumbered : Base64.encoded(result)
    }

    /// Returns `user:password` without either.
    ///
    /// A user without a password is looked for elsewhere too, because it is a key then.
    mutating func userInfo(_ bytes: Bytes, spelling: Spelling) -> [UInt8] {
        let colon = bytes.position(of: .colon, from: 0) ?? bytes.count
        let user = spelling.decoded(bytes.part(0..<colon))
        let password = spelling.decoded(bytes.part(Swift.min(colon + 1, bytes.count)..<bytes.count))
        var result = user.withUnsafeBufferPointer {
            text(for: $0, label: "user", follows: password.isEmpty ? .ifMixed : .never)
        }
        if colon < bytes.count {
            result.append(.colon)
            result += password.withUnsafeBufferPointer { text(for: $0, label: "password") }
        }
        return result
    }

    /// Rewrites the values of cookies, whose names and attributes stay.
    private mutating func cookies(_ value: Bytes, _ ranges: [Range<Int>], _ field: SecretField) -> [UInt8] {
        var edits: [Edit] = []
        for range in ranges where field.accepts(value.part(range)) {
            edits.append(
                Edit(range: range, text: text(for: value.part(range), label: "cookie", follows: field.follows))
            )
        }
        return Edit.apply(edits, to: value) ?? Array(value)
    }
}
