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
            result.response.changeTexts { rewriter.changed($0) }
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
        result.changeTexts { changed($0) }
        return result
    }

    /// Returns a text of a stub without its secrets; `nil` where it has none.
    ///
    /// A compressed body of a request becomes the plain text if there is a secret in it.
    private mutating func changed(_ text: StubText) -> Data? {
        vault.part = text.part
        return text.data.withBytes { bytes in
            let result: [UInt8]?
            switch text.place {
            case .url:
                result = then(url(bytes, depth: 0), bytes) { $0.freeText($1, depth: 0, searchesURLs: false) }
            case .field(let name): result = header(name, bytes)
            case .error: result = message(bytes)
            case .body:
                let type = text.fields["Content-Type"]?.lowercased() ?? ""
                let coding = text.isRequest ? text.fields["Content-Encoding"] : nil
                if let coding, WrappedText.isUnreadable(bytes, coding: coding), redaction.has(.compressedBodies) {
                    let field = SecretField(label: "body", rule: .compressedBodies, follows: false)
                    return Data(vault.text(for: bytes, field))
                }
                result = content(bytes, depth: 0, type: type, coding: coding)
            }
            return then(result, bytes) { $0.finalScan(at: $1) }.map { Data($0) }
        }
    }

    private mutating func header(_ name: String, _ value: Bytes) -> [UInt8]? {
        let secret = name.withBytes { names.field($0, in: .header) }
        if !isResponse, let volatile = name.withBytes({ self.volatile($0, value, isSigned: isSigned) }) {
            if vault.mode == .learning { volatileValues.append(value.text) }
            let result = vault.text(for: value, volatile)
            return result.elementsEqual(value) ? nil : result
        }
        if let secret,
            secret.rule == .included || secret.form == .cookies || secret.form == .setCookie
                || secret.accepts(value, isResponse: isResponse)
        {
            let result = replacement(for: value, of: secret)
            return result.elementsEqual(value) ? nil : result
        }
        let words = secret.flatMap { randomWords(in: value, $0, atLeast: 8) }
        // Depth 0 is that of a body.
        return then(words, value) { $0.content($1, depth: 1) }
    }

    /// Returns the meaning of a replaced value that is still in a stub, and the part that it is in; `nil` where none is.
    func leftover(in stub: Stub) -> (field: SecretField, part: String)? {
        for text in stub.texts {
            guard let value = text.data.withBytes({ value(in: $0, depth: 0) }) else { continue }
            return (vault.field(of: value), text.part)
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

}
