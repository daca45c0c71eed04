import Foundation

/// A rewriter that replaces the secrets of stubs and texts, by rules and by what the vault has seen.
///
/// The functions that return an optional return `nil` where nothing changes.
struct Rewriter {
    let redaction: Redaction
    let names: SecretNames
    let shapes: SecretShapes
    var vault: SecretVault

    /// A Boolean value that indicates whether the text is part of a response, where `password` may be a label.
    var isResponse = false

    /// The meaning of a body without names, by the URL's path: `GET /csrf-token`.
    var pathField: SecretField?

    /// A Boolean value that indicates whether the header fields of the request have a signature.
    var isSigned = false

    /// The number of known values at which the final scan runs; `nil` if it runs with any number.
    private var countBeforeFinalScan: Int?

    /// The values that differ each time, in a request that was stored before.
    var volatileValues: [String] = []

    init(_ redaction: Redaction, mode: SecretVault.Mode) {
        self.redaction = redaction
        names = SecretNames(redaction: redaction)
        shapes = SecretShapes(redaction: redaction)
        vault = SecretVault(mode: mode)
        for (value, rule) in redaction.knownValues {
            let field = SecretField(label: rule == .included ? "value" : "environment", rule: rule)
            value.withBytes { vault.know($0, field) }
        }
    }

    /// Returns the result of a step on the result of the steps before it, or on the bytes if those changed nothing.
    mutating func then(
        _ current: [UInt8]?,
        _ bytes: Bytes,
        _ step: (inout Self, Bytes) -> [UInt8]?
    ) -> [UInt8]? {
        guard let current else { return step(&self, bytes) }
        return current.withUnsafeBufferPointer { step(&self, $0) } ?? current
    }

    // MARK: Stubs

    /// The placeholders in the last request that look like ordinary digits.
    private(set) var hiddenPlaceholders: [String] = []

    mutating func rewrite(_ stub: Stub) -> Stub {
        var result = stub
        hiddenPlaceholders = []
        repeatedly { rewriter in
            result.request = rewriter.request(result.request)
            rewriter.isResponse = true
            let name = result.request.url.lastPathComponent
            rewriter.pathField = name.withBytes { rewriter.names.field($0, in: .query) }?.inherited
            result.response = rewriter.response(result.response)
            (rewriter.isResponse, rewriter.pathField) = (false, nil)
        }
        return result
    }

    mutating func rewrite(_ request: StubRequest) -> StubRequest {
        var result = request
        hiddenPlaceholders = []
        repeatedly { result = $0.request(result) }
        return result
    }

    /// Calls `body` again, up to three times, while it recognises values that may be in the text searched before.
    private mutating func repeatedly(_ body: (inout Self) -> Void) {
        for round in 0..<4 {
            let count = vault.followedCount
            countBeforeFinalScan = round < 3 ? count : nil
            body(&self)
            if vault.followedCount == count { return }
        }
    }

    private mutating func request(_ request: StubRequest) -> StubRequest {
        var result = request
        isSigned = VolatileNames.isSigned(request)
        vault.hidden = []
        defer {
            hiddenPlaceholders += (vault.hidden ?? []).map { String(decoding: $0, as: UTF8.self) }
            vault.hidden = nil
        }
        vault.part = ("request URL", "")
        if let url = url(request.url) { result.url = url }
        if let fields = fields(request.headerFields) { result.headerFields = fields }
        vault.part = ("request body", "")
        let coding = request.headerFields["Content-Encoding"]
        if let body = request.body.flatMap({ body($0, request.headerFields, coding: coding) }) { result.body = body }
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
        if let body = try? response.body, let new = self.body(body, response.head?.headerFields ?? [:]) {
            result.content = .data(new)
        }
        vault.part = ("error", "")
        let text = response.failure?.description?.withBytes { bytes in
            then(message(bytes), bytes) { $0.finalScan(at: $1) }
        }
        if let text {
            result.failure?.description = String(decoding: text, as: UTF8.self)
        }
        return result
    }

    /// Rewrites a body; one that is compressed becomes the plain text if there is a secret in it.
    private mutating func body(_ body: Data, _ fields: HeaderFields, coding: String? = nil) -> Data? {
        let type = fields["Content-Type"]?.lowercased() ?? ""
        return body.withBytes { bytes in
            if let coding, WrappedText.isUnreadable(bytes, coding: coding), redaction.has(.compressedBodies) {
                let field = SecretField(label: "body", rule: .compressedBodies, follows: false)
                return Data(vault.text(for: bytes, field))
            }
            let result = content(bytes, depth: 0, type: type, coding: coding)
            return then(result, bytes) { $0.finalScan(at: $1) }.map { Data($0) }
        }
    }

    private mutating func url(_ url: URL) -> URL? {
        let changed = url.absoluteString.withBytes { bytes in
            let result = then(self.url(bytes, depth: 0), bytes) { $0.freeText($1, depth: 0, searchesURLs: false) }
            return then(result, bytes) { $0.finalScan(at: $1) }
        }
        guard let changed else { return nil }
        if let result = URL(encodingOnlyInvalid: String(decoding: changed, as: UTF8.self)) { return result }
        // What cannot be written as a URL must not be stored as it was.
        var components = URLComponents()
        (components.scheme, components.host, components.path) = (url.scheme, url.host, "/REDACTED")
        return components.url
    }

    private mutating func fields(_ fields: HeaderFields) -> HeaderFields? {
        var result: [HeaderFields.Field]?
        for (index, field) in fields.enumerated() {
            let value = field.value.withBytes { bytes in then(header(field), bytes) { $0.finalScan(at: $1) } }
            guard let value else { continue }
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
            if !isResponse, let volatile = field.name.withBytes({ self.volatile($0, value, isSigned: isSigned) }) {
                if vault.mode == .learning { volatileValues.append(value.text) }
                let result = vault.text(for: value, volatile)
                return result.elementsEqual(value) ? nil : result
            }
            if let secret, secret.test != .randomLooking, secret.form != .credentials || secret.accepts(value) {
                let result = replacement(for: value, of: secret)
                return result.elementsEqual(value) ? nil : result
            }
            var first = Self.references.contains { field.name.isSameFieldName(as: $0) } ? reference(value) : nil
            if let secret, secret.test == .randomLooking {
                first = then(first, value) { $0.randomWords(in: $1, secret, atLeast: 8) }
            }
            return then(first, value) { $0.freeText($1, depth: 0) }
        }
    }

    /// Returns the meaning of a replaced value that is still in a stub, and the part that it is in; `nil` where none is.
    func leftover(in stub: Stub) -> (field: SecretField, part: String)? {
        let (request, head) = (stub.request, stub.response.head)
        func fields(_ fields: HeaderFields, _ message: String) -> [(String, Data)] {
            fields.map { ("\(message) header \($0.name)", Data($0.value.utf8)) }
        }
        let parts =
            [("request URL", Data(request.url.absoluteString.utf8)), ("request body", request.body ?? Data())]
            + fields(request.headerFields, "request") + fields(head?.headerFields ?? [:], "response")
            + [
                ("response URL", Data((head?.url?.absoluteString ?? "").utf8)),
                ("response body", ((try? stub.response.body) ?? nil) ?? Data()),
                ("error", Data((stub.response.failure?.description ?? "").utf8)),
            ]
        for (part, data) in parts {
            guard let value = data.withBytes({ value(in: $0, depth: 0) }) else { continue }
            return (vault.field(of: value), part)
        }
        return nil
    }

    /// Returns a replaced value in bytes, also in gzip, which has to be read before it is searched.
    private func value(in bytes: Bytes, depth: Int) -> [UInt8]? {
        if let finding = vault.finalScan.cleaned(bytes)?.findings.first { return finding.value }
        guard depth < 3, let wrapped = WrappedText(bytes), wrapped.isCompressed else { return nil }
        return wrapped.text.withUnsafeBufferPointer { value(in: $0, depth: depth + 1) }
    }

    /// Replaces values that were replaced elsewhere and are still there.
    ///
    /// If a value was recognised in this round, another round follows, which is soon enough.
    private mutating func finalScan(at bytes: Bytes) -> [UInt8]? {
        guard vault.mode == .numbered, (countBeforeFinalScan ?? vault.followedCount) == vault.followedCount,
            let (cleaned, findings) = vault.finalScan.cleaned(bytes)
        else { return nil }
        for finding in findings { vault.note(finding) }
        return cleaned
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
}
