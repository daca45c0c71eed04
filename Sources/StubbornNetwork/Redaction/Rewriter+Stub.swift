import Foundation

// Stubs, and the parts of them.
extension Rewriter {
    init(_ redaction: Redaction, mode: SecretVault.Mode) {
        self.init(
            redaction: redaction,
            names: SecretNames(redaction: redaction),
            shapes: SecretShapes(redaction: redaction),
            vault: SecretVault(mode: mode)
        )
        for known in redaction.knownValues {
            let field =
                known.isOfEnvironment
                ? SecretField(label: "environment", rule: .environmentValues)
                : SecretField(label: "value", rule: .included)
            known.value.withBytes { vault.know($0, field) }
        }
    }

    mutating func rewrite(_ stub: Stub) -> Stub {
        var result = stub
        repeatedly { rewriter in
            result.request = rewriter.request(result.request)
            rewriter.isResponse = true
            rewriter.unnamed = rewriter.meaning(ofPath: result.request.url)
            result.response = rewriter.response(result.response)
            (rewriter.isResponse, rewriter.unnamed) = (false, nil)
        }
        return result
    }

    mutating func rewrite(_ request: StubRequest) -> StubRequest {
        var result = request
        repeatedly { result = $0.request(result) }
        return result
    }

    /// Calls `body` again as long as a value was recognised that may stand in what was searched before.
    private mutating func repeatedly(_ body: (inout Self) -> Void) {
        for _ in 0..<4 {
            let count = vault.followedCount
            body(&self)
            if vault.followedCount == count { return }
        }
    }

    /// Returns the meaning of a body without names: what the last part of the path says, as in `/csrf-token`.
    private func meaning(ofPath url: URL) -> SecretField? {
        url.lastPathComponent.withBytes { names.field($0, in: .query) }?.spread
    }

    private mutating func request(_ request: StubRequest) -> StubRequest {
        var result = request
        vault.part = ("request URL", "")
        if let url = url(request.url) { result.url = url }
        if let fields = fields(request.headerFields) { result.headerFields = fields }
        guard let body = request.body else { return result }
        vault.part = ("request body", "")
        let type = request.headerFields["Content-Type"]
        let coding = request.headerFields["Content-Encoding"]
        if let new = coding.flatMap({ compressedBody(body, type: type, coding: $0) }) ?? self.body(body, type: type) {
            result.body = new
        }
        return result
    }

    private mutating func response(_ response: StubResponse) -> StubResponse {
        var result = response
        if let head = response.head {
            if let fields = fields(head.headerFields) { result.head?.headerFields = fields }
            vault.part = ("response URL", "")
            if let url = head.url.flatMap({ url($0) }) { result.head?.url = url }
        }
        vault.part = ("response body", "")
        if let body = try? response.body, let new = self.body(body, type: response.head?.headerFields["Content-Type"]) {
            result.content = .data(new)
        }
        vault.part = ("error", "")
        if let description = response.failure?.description, let text = description.withBytes({ message($0) }) {
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

    private mutating func header(_ field: HeaderFields.Field) -> [UInt8]? {
        let secret = field.name.withBytes { names.field($0, in: .header) }
        vault.part = (isResponse ? "response header " : "request header ", field.name)
        return field.value.withBytes { value in
            if let secret, secret.test != .randomLooking, secret.form != .credentials || secret.accepts(value) {
                let result = replacement(for: value, of: secret)
                return result.elementsEqual(value) ? nil : result
            }
            var first = Self.references.contains { field.name.isSameFieldName(as: $0) } ? reference(value) : nil
            if let secret, secret.test == .randomLooking {
                first = then(first, value) { $0.runs(in: $1, secret, atLeast: 8) }
            }
            return then(first, value) { $0.free($1, depth: 0) }
        }
    }

    private static let references = ["location", "content-location", "referer", "refresh", "link"]

    /// Rewrites a URL, with or without scheme and host, such as `/callback?code=…` and `com.example.app:/cb?code=…` (RFC
    /// 8252, section 7.1).
    ///
    /// There may be several, as in `</items?page=2>; rel="next", …` (RFC 8288, section 3).
    private mutating func reference(_ value: Bytes) -> [UInt8]? {
        guard value.contains(.questionMark) || value.contains(.numberSign) else { return nil }
        guard value.contains(.lessThan) else { return url(value, depth: 0) }
        var edits: [Edit] = []
        var next = 0
        while let open = value.position(of: .lessThan, from: next) {
            next = value.position(of: .greaterThan, from: open) ?? value.count
            if let text = url(value.part(open + 1..<next), depth: 0) {
                edits.append(Edit(range: open + 1..<next, text: text))
            }
        }
        return Edit.apply(edits, to: value)
    }

    // MARK: Bodies

    /// Rewrites a body by what it is, rather than by what it claims to be where the two differ.
    ///
    /// A body with a NUL byte is UTF-16 or binary; the latter is searched for known values and shapes alone.
    private mutating func body(_ body: Data, type: String?) -> Data? {
        let type = type?.lowercased() ?? ""
        return body.withBytes { bytes -> [UInt8]? in
            guard bytes.contains(0), !type.hasPrefix("multipart/") else { return content(bytes, depth: 0, type: type) }
            guard let text = WideText(bytes) else {
                // Of a short binary message, the names in it count too.
                let first = bytes.count < 65_536 ? settings(bytes, .likely) : nil
                return then(first, bytes) { $0.free($1, depth: 0, searchesEscapes: false) }
            }
            let changed = text.narrow.withUnsafeBufferPointer { content($0, depth: 0, type: type) }
            return changed.map(text.widened)
        }.map { Data($0) }
    }

    /// Rewrites the body of a request that an app has compressed: decompressed if there is a secret in it, and as it
    /// was if not.
    private mutating func compressedBody(_ body: Data, type: String?, coding: String) -> Data? {
        let coding = coding.lowercased()
        guard coding.contains("gzip") || coding.contains("deflate"),
            let plain = body.withBytes({ Inflation.inflate($0) })
        else { return nil }
        // Compared decompressed, because two compressions of the same differ.
        return self.body(Data(plain), type: type) ?? (vault.mode == .unnumbered ? Data(plain) : nil)
    }
}
