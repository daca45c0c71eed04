import Foundation

// Text of any kind.
extension Rewriter {
    /// Rewrites text of any kind: the URLs in it, and the secrets that are known by their form.
    mutating func freeText(_ bytes: Bytes, depth: Int, searchesURLs: Bool = true) -> [UInt8]? {
        guard bytes.count >= 6, depth <= BodyFormat.maximumDepth else { return nil }
        var result = searchesURLs ? urls(in: bytes, depth: depth) : nil
        result = then(result, bytes) { Edit.apply($0.fitting($0.shapeEdits($1, depth: depth), $1), to: $1) }
        for pattern in redaction.patterns { result = then(result, bytes) { $0.matched($1, by: pattern) } }
        return result
    }

    /// Rewrites the URLs in a text.
    ///
    /// An absolute URL is a scheme, `://`, and the characters up to a space, a quotation mark or a bracket. A relative
    /// reference begins with `/` or `?` and has a query.
    private mutating func urls(in bytes: Bytes, depth: Int) -> [UInt8]? {
        var edits: [Edit] = []
        var next = 0
        while let colon = bytes.position(of: "://", from: next) {
            // `https`, `git+https`; in `a-https://` and `a.https://` the scheme begins after the sign.
            let word = bytes.start(before: colon) { $0.isAlphanumeric || $0 == .plus }
            // A digit in front of a scheme does not belong to it.
            let start = bytes.end(from: word) { !$0.isLetter }
            let end = bytes.end(from: colon) { !$0.isControl && !$0.isOne(of: " \"<>\\`()") }
            if start < colon, let changed = url(bytes.part(start..<end), depth: depth + 1) {
                edits.append(Edit(range: start..<end, text: changed))
            }
            next = Swift.max(end, colon + 3)
        }
        next = 0
        while let mark = bytes.position(of: .questionMark, from: next) {
            let word = bytes.start(before: mark) { $0.isUnreserved || $0.isOne(of: "/%@+!*") }
            // `**/a?b=c**` in Markdown.
            let start = bytes.end(from: word) { $0.isOne(of: "@+!*") }
            next = bytes.end(from: mark) { $0 > .space && !$0.isOne(of: "\"'<>\\`()") }
            // `https://…` was read above, and `f(x)?a=b:c` is a condition in a script; `{{host}}/a?b=c` is a URL.
            guard bytes.at(start).isOne(of: "/?"), !bytes.at(start - 1).isOne(of: start == mark ? ":)]" : ":"),
                let changed = url(bytes.part(start..<next), depth: depth + 1)
            else { continue }
            edits.append(Edit(range: start..<next, text: changed))
        }
        return Edit.apply(edits, to: bytes)
    }

    /// Rewrites the known values that are found only after escapes are decoded.
    private mutating func escapedValues(in bytes: Bytes, isDecoded: Bool) -> [UInt8]? {
        var edits: [Edit] = []
        for region in EscapedText.regions(in: bytes) {
            for plusAsSpace in bytes.part(region).contains(.plus) ? [false, true] : [false] {
                guard let text = EscapedText(bytes, in: region, plusAsSpace: plusAsSpace) else { continue }
                for edit in text.bytes.withUnsafeBufferPointer({ knownValueEdits($0, isDecoded: isDecoded) }) {
                    guard let range = text.original(edit.range) else { continue }
                    // Base64 contains characters that must be escaped.
                    let isPlain = edit.text.allSatisfy({ $0.isUnreserved })
                    edits.append(Edit(range: range, text: isPlain ? edit.text : PercentEncoding.encoded(edit.text)))
                }
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    /// Returns edits that keep all lengths in binary data, because many formats write the length of a value before the value.
    mutating func fitting(_ edits: [Edit], _ bytes: Bytes) -> [Edit] {
        guard edits.contains(where: { $0.text.count != $0.range.count }), bytes.isBinary else { return edits }
        return edits.map { edit in
            guard edit.text.count != edit.range.count else { return edit }
            return Edit(range: edit.range, text: vault.filler(for: Array(bytes.part(edit.range))))
        }
    }

    private mutating func shapeEdits(_ bytes: Bytes, depth: Int) -> [Edit] {
        SecretShapes.matches(in: bytes, redaction).compactMap { match in
            let value = bytes.part(match.range)
            let text = replacement(for: value, of: match.field, depth: depth)
            return text.elementsEqual(value) ? nil : Edit(range: match.range, text: text)
        }
    }

    private mutating func matched(_ bytes: Bytes, by pattern: SecretPattern) -> [UInt8]? {
        guard !bytes.contains(0) else { return nil }
        let isUTF8 = bytes.firstInvalidUTF8 == nil
        // In any other encoding, each byte is read as a character of Latin-1.
        let text = isUTF8 ? bytes.text : String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        let field = SecretField(label: "pattern", rule: .included, kind: .named)
        let found = pattern.ranges(in: text).filter { !$0.isEmpty }
        let placeholders = found.isEmpty ? [] : Placeholder.matches(in: bytes).map { $0.start..<$0.match.end }
        let edits = found.map { range in
            let ends = [range.lowerBound, range.upperBound].map { end in
                isUTF8
                    ? text.utf8.distance(from: text.startIndex, to: end)
                    : text.utf16.distance(from: text.startIndex, to: end)
            }
            // A placeholder is replaced whole or not at all.
            let whole = placeholders.filter { $0.overlaps(ends[0]..<ends[1]) }.reduce(ends[0]..<ends[1]) {
                range,
                other in
                Swift.min(range.lowerBound, other.lowerBound)..<Swift.max(range.upperBound, other.upperBound)
            }
            return Edit(range: whole, text: self.text(for: bytes.part(whole), field))
        }
        return Edit.apply(fitting(edits, bytes), to: bytes)
    }

    // MARK: Known values

    /// Replaces the known values in a text, both literal and encoded ones; in decoded text, no encoded ones.
    ///
    /// It does not use names and formats, so gaps in the rules for names and formats do not matter here.
    mutating func knownValues(in bytes: Bytes, isDecoded: Bool = false) -> [UInt8]? {
        guard vault.knowsValues else { return nil }
        let result = Edit.apply(fitting(knownValueEdits(bytes, isDecoded: isDecoded), bytes), to: bytes)
        return then(result, bytes) { $0.escapedValues(in: $1, isDecoded: isDecoded) }
    }

    private mutating func knownValueEdits(_ bytes: Bytes, isDecoded: Bool) -> [Edit] {
        var edits: [Edit] = []
        func isFree(_ start: Int) -> Bool { (edits.last?.range.upperBound ?? 0) <= start }
        for hit in vault.hits(in: bytes) where isFree(hit.range.lowerBound) {
            if hit.pattern.coding == .plain {
                if bytes.isMemberName(hit.range), !vault.namesPart(of: bytes.part(hit.range)) { continue }
                let text = vault.replacement(for: hit.pattern.value)
                let isQuoted = vault.isRequest && !text.areDigits && bytes.isJSONNumber(hit.range)
                edits.append(Edit(range: hit.range, text: isQuoted ? [.quote] + text + [.quote] : text))
            } else if !isDecoded, let encoded = EncodedText(bytes, around: hit), isFree(encoded.range.lowerBound),
                let changed = encoded.decoded.withUnsafeBufferPointer({ knownValues(in: $0, isDecoded: true) })
            {
                edits.append(encoded.edit(changed))
            }
        }
        return edits
    }
}

extension Bytes {
    /// Returns a Boolean value that indicates whether a range is the whole name of a JSON member: `{"8xjguc40cnrb1": …}`.
    fileprivate func isMemberName(_ range: Range<Int>) -> Bool {
        guard at(range.lowerBound - 1) == .quote, at(range.upperBound) == .quote else { return false }
        return at(end(from: range.upperBound + 1, while: { $0.isSpace })) == .colon
    }

    /// Returns a Boolean value that indicates whether a range is a number in JSON: `{"pin": 48291377}`.
    fileprivate func isJSONNumber(_ range: Range<Int>) -> Bool {
        guard at(end(from: 0, while: { $0.isSpace })).isOne(of: "{["), part(range).areDigits else { return false }
        let before = at(start(before: range.lowerBound, while: { $0.isSpace }) - 1)
        let after = at(end(from: range.upperBound, while: { $0.isSpace }))
        return before.isOne(of: ":[,") && after.isOne(of: ",]}")
    }
}

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
