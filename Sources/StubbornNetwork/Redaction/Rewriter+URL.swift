// URLs, and the secrets in their parts.
extension Rewriter {
    /// Rewrites a URL, absolute or not.
    mutating func url(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        let url = URLFields(bytes)
        var edits: [Edit] = []
        if let user = url.userInfo, redaction.has(.userInfo) {
            edits.append(Edit(range: user, text: userInfo(bytes.part(user), .userInfo, spelling: .query)))
        }
        edits += path(bytes, url, depth: depth)
        let isLogin = Self.isLoginPath(bytes.part(url.path))
        edits += pairs(bytes, url.query, in: .query, isLogin: isLogin, depth: depth)
        edits += pairs(bytes, url.fragment, in: .query, isLogin: isLogin, depth: depth)
        return Edit.apply(edits, to: bytes)
    }

    private static func isLoginPath(_ path: Bytes) -> Bool {
        path.indices.contains {
            path.hasIgnoringCase("oauth", at: $0) || path.hasIgnoringCase("callback", at: $0)
                || path.hasIgnoringCase("/authorize", at: $0)
        }
    }

    private mutating func path(_ bytes: Bytes, _ url: URLFields, depth: Int) -> [Edit] {
        let path = bytes.part(url.path)
        if redaction.has(.slackTokens), path.has("/services/", at: 0),
            bytes.part(url.host).hasIgnoringCase("hooks.slack.com", at: 0)
        {
            let secret = url.path.lowerBound + 10..<url.path.upperBound
            return secret.isEmpty
                ? []
                : [
                    Edit(
                        range: secret,
                        text: text(for: bytes.part(secret), SecretField(label: "slack_webhook", rule: .slackTokens))
                    )
                ]
        }
        let edits = segments(bytes, url.path, depth: depth)
        guard edits.isEmpty, path.contains(.percent) else { return edits }
        let decoded = PercentEncoding.decoded(path)
        guard let changed = decoded.withUnsafeBufferPointer({ free($0, depth: depth + 1) }) else { return [] }
        return [Edit(range: url.path, text: PercentEncoding.encoded(changed, keeping: "/:@!$&'()*+,;="))]
    }

    /// Rewrites the segments behind `token/` and the like, those behind `webhooks/`, and parameters (`;jsessionid=…`).
    private mutating func segments(_ bytes: Bytes, _ path: Range<Int>, depth: Int) -> [Edit] {
        var edits: [Edit] = []
        // What the last two segments say.
        var (field, before): (SecretField?, SecretField?)
        var isWebhook = false
        for range in bytes.parts(of: path, separatedBy: .slash) {
            let segment = bytes.part(range)
            if let semicolon = bytes.position(of: .semicolon, from: range.lowerBound, to: range.upperBound) {
                for parameter in bytes.parts(of: semicolon..<range.upperBound, separatedBy: .semicolon) {
                    edits += pairs(bytes, parameter, in: .query, depth: depth)
                }
            } else if RandomText.looksRandom(segment) || Placeholder.isWhole(segment), !segment.contains(.percent) {
                let isSecret = isWebhook && segment.count >= 24 && !RandomText.isIdentifier(segment)
                if let field = field ?? before {
                    edits.append(Edit(range: range, text: text(for: segment, field)))
                } else if isSecret, redaction.has(.providerKeys) {
                    edits.append(
                        Edit(range: range, text: text(for: segment, SecretField(label: "webhook", rule: .providerKeys)))
                    )
                }
            }
            (field, before) = (names.field(segment, in: .json).flatMap { $0.test == .randomLooking ? nil : $0 }, field)
            isWebhook =
                isWebhook || segment.hasIgnoringCase("webhook", at: 0) || segment.hasIgnoringCase("hooks", at: 0)
        }
        return edits
    }

    /// Rewrites the URLs in a text: scheme, `://`, and what can belong to it up to a space, a quotation mark or a
    /// bracket.
    mutating func urls(in bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        var edits: [Edit] = []
        var next = 0
        while let colon = bytes.position(of: "://", from: next) {
            let start = bytes.start(before: colon) { $0.isAlphanumeric || $0 == .plus }
            let end = bytes.end(from: colon) { $0 > .space && $0 != .delete && !"\"<>\\`()".utf8.contains($0) }
            if start < colon, let changed = url(bytes.part(start..<end), depth: depth + 1) {
                edits.append(Edit(range: start..<end, text: changed))
            }
            next = Swift.max(end, colon + 3)
        }
        return Edit.apply(edits, to: bytes)
    }
}
