import Foundation

/// Replaces the secrets of stubs and texts, by rules and by what the vault has seen.
///
/// Every function returns `nil` where nothing changes. Formats inside formats (a URL in a JSON string in a form field) are
/// followed to a depth of `maximumDepth`; what lies deeper is searched as text.
struct Rewriter {
    static let maximumDepth = 5

    let redaction: Redaction
    let names: SecretNames
    let shapes: SecretShapes
    var vault: SecretVault

    init(_ redaction: Redaction, mode: SecretVault.Mode) {
        self.redaction = redaction
        names = SecretNames(redaction: redaction)
        shapes = SecretShapes(redaction: redaction)
        vault = SecretVault(mode: mode)
        for value in redaction.environmentValues {
            _ = value.withBytes { text(for: $0, label: "environment") }
        }
    }

    mutating func rewrite(_ stub: Stub) -> Stub {
        guard !redaction.isNothing else { return stub }
        var result = stub
        repeatedly { rewriter in
            result.request = rewriter.request(result.request)
            result.response = rewriter.response(result.response)
        }
        return result
    }

    mutating func rewrite(_ request: StubRequest) -> StubRequest {
        guard !redaction.isNothing else { return request }
        var result = request
        repeatedly { result = $0.request(result) }
        return result
    }

    /// Once more as long as a value was recognised that may stand in what was searched before.
    private mutating func repeatedly(_ body: (inout Self) -> Void) {
        for _ in 0..<4 {
            let followed = vault.followed
            body(&self)
            if vault.followed == followed { return }
        }
    }

    private mutating func request(_ request: StubRequest) -> StubRequest {
        var result = request
        if let url = url(request.url) { result.url = url }
        if let fields = fields(request.headerFields) { result.headerFields = fields }
        let type = request.headerFields["Content-Type"]
        if let coding = request.headerFields["Content-Encoding"], let body = request.body,
            let new = compressedBody(body, type: type, coding: coding)
        {
            result.body = new
        } else if let body = request.body, let new = self.body(body, type: type) {
            result.body = new
        }
        return result
    }

    private mutating func response(_ response: StubResponse) -> StubResponse {
        var result = response
        if let head = response.head {
            if let fields = fields(head.headerFields) { result.head?.headerFields = fields }
            if let url = head.url.flatMap({ url($0) }) { result.head?.url = url }
        }
        if let body = try? response.body, let new = self.body(body, type: response.head?.headerFields["Content-Type"]) {
            result.content = .data(new)
        }
        if let description = response.failure?.description,
            let text = description.withBytes({ self.message($0) })
        {
            result.failure?.description = String(decoding: text, as: UTF8.self)
        }
        return result
    }

    private mutating func url(_ url: URL) -> URL? {
        let changed = url.absoluteString.withBytes { bytes -> [UInt8]? in
            let first = self.url(bytes, depth: 0)
            return then(first, bytes) { $0.free($1, depth: 0, searchesURLs: false) }
        }
        guard let changed else { return nil }
        if let result = URL(string: String(decoding: changed, as: UTF8.self)) { return result }
        // What cannot be written as a URL must not be stored as it was.
        var components = URLComponents()
        components.scheme = url.scheme
        components.host = url.host
        components.path = "/REDACTED"
        return components.url
    }

    private mutating func fields(_ fields: HeaderFields) -> HeaderFields? {
        var result: [HeaderFields.Field]?
        for (index, field) in fields.enumerated() {
            guard let value = header(field) else { continue }
            var changed = result ?? fields.fields
            changed[index].value = String(decoding: value, as: UTF8.self)
            result = changed
        }
        return result.map { HeaderFields($0) }
    }

    // MARK: Values

    mutating func text(
        for value: Bytes,
        label: String,
        following: SecretVault.Following = .always,
        depth: Int = 0
    ) -> [UInt8] {
        if value.has("eyJ", at: 0), SecretValues.isJWT(value) {
            return webToken(value, label: label, following: following, depth: depth)
        }
        if value.has("-----BEGIN ", at: 0),
            let key = shapes.matches(in: value).first(where: { $0.form == .privateKey })
        {
            let inner = text(for: value.part(key.range), label: label, following: following)
            if vault.mode == .unnumbered { return Placeholder.unnumbered }
            return Array(value[..<key.range.lowerBound]) + inner + Array(value[key.range.upperBound...])
        }
        return vault.text(for: value, label: label, following: following)
    }

    /// The token with its signature replaced, and the secrets among its claims; a token of another form, as a whole.
    private mutating func webToken(
        _ value: Bytes,
        label: String,
        following: SecretVault.Following,
        depth: Int
    ) -> [UInt8] {
        let parts = value.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.count == 3, depth < Self.maximumDepth,
            let claims = TextEncodings.base64Decoded(Bytes(rebasing: parts[1])), claims.first == UInt8(ascii: "{")
        else { return vault.text(for: value, label: label, following: following) }
        let signature = Bytes(rebasing: parts[2])
        if Placeholder.isWhole(signature) {
            let signature = vault.text(for: signature, label: label, following: .never)
            if vault.mode != .nameless { return vault.mode == .unnumbered ? Placeholder.unnumbered : Array(value) }
            let payload = claims.withUnsafeBufferPointer { self.content($0, depth: depth + 1) } ?? claims
            let middle = TextEncodings.base64Encoded(payload, urlSafe: true, padded: false)
            return Array(parts[0]) + [0x2E] + middle + [0x2E] + signature
        }
        let payload = claims.withUnsafeBufferPointer { self.content($0, depth: depth + 1) }
        let middle = payload.map { TextEncodings.base64Encoded($0, urlSafe: true, padded: false) } ?? Array(parts[1])
        return vault.remember(Array(value), following: following) { vault in
            let number = vault.next(label)
            return Array(parts[0]) + [0x2E] + middle + [0x2E] + Placeholder.text(label: label, number: number)
        }
    }

    /// `user:password` in base64, the user's name replaced but not followed.
    mutating func basic(_ value: Bytes) -> [UInt8] {
        guard !Placeholder.isWhole(value), let decoded = TextEncodings.base64Decoded(value), decoded.contains(0x3A)
        else {
            return text(for: value, label: "authorization")
        }
        let result = decoded.withUnsafeBufferPointer { userInfo($0, decodes: false) }
        return vault.mode == .unnumbered ? Placeholder.unnumbered : TextEncodings.base64Encoded(result)
    }

    /// `user:password`; a user without a password is followed, because it is a key then.
    mutating func userInfo(_ bytes: Bytes, decodes: Bool) -> [UInt8] {
        let colon = bytes.position(of: 0x3A, from: 0) ?? bytes.count
        let user = decodes ? TextEncodings.percentDecoded(bytes.part(0..<colon)) : Array(bytes.part(0..<colon))
        let rest = bytes.part(Swift.min(colon + 1, bytes.count)..<bytes.count)
        let password = decodes ? TextEncodings.percentDecoded(rest) : Array(rest)
        var result = user.withUnsafeBufferPointer {
            text(for: $0, label: "user", following: password.isEmpty ? .ifMixed : .never)
        }
        if colon < bytes.count {
            result.append(0x3A)
            result += password.withUnsafeBufferPointer { text(for: $0, label: "password") }
        }
        return result
    }

    /// The result of a further step on what the steps before it made.
    mutating func then(
        _ current: [UInt8]?,
        _ bytes: Bytes,
        _ step: (inout Self, Bytes) -> [UInt8]?
    ) -> [UInt8]? {
        guard let current else { return step(&self, bytes) }
        return current.withUnsafeBufferPointer { step(&self, $0) } ?? current
    }
}
