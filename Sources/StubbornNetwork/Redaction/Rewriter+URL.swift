extension Rewriter {
    /// A URL, absolute or not, without the secrets in its user info, path, query and fragment.
    mutating func url(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        var edits: [Edit] = []
        var pathStart = 0
        var host = 0..<0
        if let colon = bytes.position(of: "://", from: 0) {
            let authority = colon + 3
            pathStart = bytes.end(from: authority) { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
            host = authority..<pathStart
            if let at = bytes.part(authority..<pathStart).lastIndex(of: 0x40), redaction.has(.userInfo) {
                host = authority + at + 1..<pathStart
                edits.append(
                    Edit(
                        range: authority..<authority + at,
                        text: userInfo(bytes.part(authority..<authority + at), decodes: true)
                    )
                )
            }
        }
        let hash = bytes.position(of: 0x23, from: pathStart) ?? bytes.count
        let query = bytes.position(of: 0x3F, from: pathStart, to: hash) ?? hash
        edits += path(bytes, pathStart..<query, host: bytes.part(host), depth: depth)
        let isLogin = isLoginPath(bytes.part(pathStart..<query))
        if query < hash {
            edits += pairs(bytes, query + 1..<hash, in: .query, isLogin: isLogin, depth: depth)
        }
        if hash < bytes.count {
            let start = bytes.position(of: 0x3F, from: hash).map { $0 + 1 } ?? hash + 1
            edits += pairs(bytes, start..<bytes.count, in: .query, isLogin: isLogin, depth: depth)
        }
        return Edit.apply(edits, to: bytes)
    }

    private mutating func path(_ bytes: Bytes, _ range: Range<Int>, host: Bytes, depth: Int) -> [Edit] {
        let path = bytes.part(range)
        if redaction.has(.slackTokens), host.hasIgnoringCase("hooks.slack.com", at: 0), path.has("/services/", at: 0) {
            let secret = range.lowerBound + 10..<range.upperBound
            guard !secret.isEmpty else { return [] }
            return [Edit(range: secret, text: text(for: bytes.part(secret), label: "slack_webhook"))]
        }
        let named = segments(bytes, range, depth: depth)
        guard named.isEmpty else { return named }
        guard path.contains(0x25) else { return [] }
        let decoded = TextEncodings.percentDecoded(path)
        guard let changed = decoded.withUnsafeBufferPointer({ free($0, depth: depth + 1) }) else { return [] }
        return [Edit(range: range, text: TextEncodings.percentEncoded(changed, keeping: Array("/:@!$&'()*+,;=".utf8)))]
    }

    /// The segments behind `token/` and the like, those behind `webhooks/`, and parameters (`;jsessionid=…`).
    private mutating func segments(_ bytes: Bytes, _ range: Range<Int>, depth: Int) -> [Edit] {
        var edits: [Edit] = []
        var field: SecretField?
        var isWebhook = false
        for part in parts(of: bytes, in: range, separator: 0x2F) {
            let segment = bytes.part(part)
            if let semicolon = bytes.position(of: 0x3B, from: part.lowerBound, to: part.upperBound) {
                for parameter in parts(of: bytes, in: semicolon..<part.upperBound, separator: 0x3B) {
                    edits += pairs(bytes, parameter, in: .query, isLogin: false, depth: depth)
                }
            } else if let field, SecretValues.looksRandom(segment), !segment.has("0x", at: 0), !segment.contains(0x25) {
                edits.append(Edit(range: part, text: text(for: segment, label: field.label)))
            } else if isWebhook, segment.count >= 24, SecretValues.looksRandom(segment), !segment.contains(0x25),
                !Placeholder.isIdentifier(segment), redaction.has(.providerKeys)
            {
                edits.append(Edit(range: part, text: text(for: segment, label: "webhook")))
            }
            field = names.field(segment, in: .query).flatMap { $0.test == .randomLooking ? nil : $0 }
            isWebhook =
                isWebhook || segment.hasIgnoringCase("webhook", at: 0) || segment.hasIgnoringCase("hooks", at: 0)
        }
        return edits
    }

    private func isLoginPath(_ path: Bytes) -> Bool {
        path.indices.contains {
            path.hasIgnoringCase("oauth", at: $0) || path.hasIgnoringCase("callback", at: $0)
                || path.hasIgnoringCase("/authorize", at: $0)
        }
    }

    /// Whether something beside `code` says that it is OAuth's.
    func speaksOfLogin(_ bytes: Bytes) -> Bool {
        bytes.position(of: "grant_type", from: 0) != nil || bytes.position(of: "client_id", from: 0) != nil
            || bytes.position(of: "redirect_uri", from: 0) != nil || bytes.position(of: "code_verifier", from: 0) != nil
            || bytes.position(of: "state=", from: 0) != nil
    }

    /// The pairs of a query or a form (`a=1&b=2`).
    mutating func pairs(
        _ bytes: Bytes,
        _ range: Range<Int>,
        in place: SecretNames.Place,
        isLogin: Bool,
        depth: Int
    ) -> [Edit] {
        var edits: [Edit] = []
        let isForm = place == .form
        var isLogin = isLogin
        for part in parts(of: bytes, in: range, separator: 0x26) {
            guard let equals = bytes.position(of: 0x3D, from: part.lowerBound, to: part.upperBound) else { continue }
            var nameStart = part.lowerBound
            // A URL in XML or HTML separates its items by `&amp;`.
            if bytes.has("amp;", at: nameStart) { nameStart += 4 }
            let name = TextEncodings.percentDecoded(bytes.part(nameStart..<equals), plusAsSpace: true)
            let raw = bytes.part(equals + 1..<part.upperBound)
            guard !raw.isEmpty else { continue }
            if !isLogin, name.elementsEqual("code".utf8) { isLogin = speaksOfLogin(bytes.part(range)) }
            let field = name.withUnsafeBufferPointer { names.field(lastName($0), in: place, isLogin: isLogin) }
            let isEncoded = raw.contains(0x25) || (isForm && raw.contains(0x2B))
            if field == nil, !isEncoded, raw.position(of: "://", from: 0) == nil, raw[0] != UInt8(ascii: "{"),
                !raw.has("eyJ", at: 0)
            {
                continue
            }
            let value = TextEncodings.percentDecoded(raw, plusAsSpace: isForm)
            let changed = value.withUnsafeBufferPointer { value -> [UInt8]? in
                if let field, field.accepts(value) { return replaced(value, of: field, depth: depth + 1) }
                return content(value, depth: depth + 1)
            }
            guard let changed, changed != value else { continue }
            let text =
                isEncoded
                ? TextEncodings.percentEncoded(changed, spaceAsPlus: isForm && raw.contains(0x2B))
                : encodeIfNeeded(changed)
            edits.append(Edit(range: equals + 1..<part.upperBound, text: text))
        }
        return edits
    }

    /// `password` for `user[password]` and `user.password`.
    private func lastName(_ name: Bytes) -> Bytes {
        var end = name.count
        while end > 0, name[end - 1] == UInt8(ascii: "]") || name[end - 1] == UInt8(ascii: "[") { end -= 1 }
        let start = name.part(0..<end).start(before: end) { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: ".") }
        return end > start ? name.part(start..<end) : name
    }

    private func encodeIfNeeded(_ bytes: [UInt8]) -> [UInt8] {
        TextEncodings.percentEncoded(bytes, keeping: Array("/:@!$'()*+,;=?&{}[]\"%#".utf8))
    }

    /// The URLs within a text: scheme, `://`, and what can belong to it up to a space, a quotation mark or a bracket.
    mutating func urls(in bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        var edits: [Edit] = []
        var next = 0
        while let colon = bytes.position(of: "://", from: next) {
            let start = bytes.start(before: colon) { $0.isAlphanumeric || $0 == 0x2B }
            let end = bytes.end(from: colon) { $0 > 0x20 && $0 != 0x7F && !"\"<>\\`()".utf8.contains($0) }
            if start < colon, let changed = url(bytes.part(start..<end), depth: depth + 1) {
                edits.append(Edit(range: start..<end, text: changed))
            }
            next = Swift.max(end, colon + 3)
        }
        return Edit.apply(edits, to: bytes)
    }
}
