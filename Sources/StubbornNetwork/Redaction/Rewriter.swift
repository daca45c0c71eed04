import Foundation

/// A rewriter that replaces the secrets of stubs and texts.
///
/// A stub is read twice. First its secrets are recognised and replaced, by names, settings and forms. Then every value that is
/// known by now is replaced, wherever it is. When a value is recognised later, only the second part is repeated.
///
/// The functions that return an optional return `nil` where nothing changes.
struct Rewriter {
    let redaction: Redaction
    let names: SecretNames
    let shapes: SecretShapes
    var vault = SecretVault()

    /// A Boolean value that indicates whether the text is part of a response, where `password` may be a label.
    var isResponse = false

    /// The meaning of a response without names, or with the name `value`, by the URL's path: `GET /csrf-token`.
    var pathField: SecretField?

    /// A Boolean value that indicates whether the header fields of the request have a signature.
    var isSigned = false

    init(_ redaction: Redaction) {
        self.redaction = redaction
        names = SecretNames(redaction: redaction)
        shapes = SecretShapes(redaction: redaction)
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

    mutating func rewrite(_ stub: Stub) -> Stub {
        var result = stub
        recognise(in: &result.request)
        pathField =
            result.request.url.pathComponents.suffix(2).reversed().lazy
            .compactMap { [names] in $0.withBytes { names.field($0, in: .query) }?.inherited }.first
        result.response.changeTexts { changed($0) }
        pathField = nil
        replaceKnownValues(in: &result)
        return result
    }

    mutating func rewrite(_ request: StubRequest) -> StubRequest {
        var result = request
        recognise(in: &result)
        replaceKnownValues(in: &result)
        return result
    }

    /// Replaces the values that are known, wherever they are.
    mutating func replaceKnownValues(in texts: inout some StubTexts) {
        texts.changeTexts { text in
            (vault.part, vault.isRequest) = (text.part, text.isRequest)
            return text.data.withBytes { knownValues(in: $0, depth: 0, coding: text.coding).map { Data($0) } }
        }
    }

    private mutating func recognise(in request: inout StubRequest) {
        isSigned = VolatileNames.isSigned(request)
        request.changeTexts { changed($0) }
    }

    /// Returns a text of a stub without the secrets in it that are recognised; `nil` where there are none.
    ///
    /// A compressed body of a request becomes the plain text if there is a secret in it.
    private mutating func changed(_ text: StubText) -> Data? {
        (vault.part, vault.isRequest, isResponse) = (text.part, text.isRequest, !text.isRequest)
        return text.data.withBytes { bytes in
            let result: [UInt8]?
            switch text.place {
            case .url:
                result = then(url(bytes, depth: 0), bytes) { $0.freeText($1, depth: 0, searchesURLs: false) }
            case .field(let name): result = header(name, bytes)
            case .error: result = message(bytes)
            case .body:
                let type = text.fields["Content-Type"]?.lowercased() ?? ""
                if let coding = text.coding, WrappedText.isUnreadable(bytes, coding: coding),
                    redaction.has(.compressedBodies)
                {
                    let field = SecretField(label: "body", rule: .compressedBodies, follows: false)
                    return Data(vault.text(for: bytes, field))
                }
                result = content(bytes, depth: 0, type: type, coding: text.coding)
            }
            return result.map { Data($0) }
        }
    }

    private mutating func header(_ name: String, _ value: Bytes) -> [UInt8]? {
        let secret = name.withBytes {
            names.field($0, in: .header) ?? (isResponse ? nil : opaque($0, value))
        }
        if let volatile = name.withBytes({ self.volatile($0, value, isSigned: isSigned) }) {
            return vault.text(for: value, volatile)
        }
        if let secret,
            secret.rule == .included || secret.form == .cookies || secret.form == .setCookie
                || secret.accepts(value, isResponse: isResponse)
        {
            return replacement(for: value, of: secret)
        }
        let words = secret.flatMap { randomWords(in: value, $0, atLeast: 8) }
        // Depth 0 is that of a body.
        return then(words, value) { $0.content($1, depth: 1) }
    }

    /// Returns the first known value that is still in a stub, and would be replaced; `nil` where none is.
    func leftover(in stub: Stub) -> SecretVault.Note? {
        var (search, copy) = (self, stub)
        search.vault.notes = []
        search.replaceKnownValues(in: &copy)
        return search.vault.notes.first
    }
}
