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

    /// The meaning of a body without names, or with the name `value` or `data`, by the URL's path: `GET /csrf-token`.
    var pathField: SecretField?

    /// A Boolean value that indicates whether the request only reads and has no secret, so that anybody gets the response.
    var isPublic = false

    /// A Boolean value that indicates whether the path says that the response has a public key: `GET /secrets/public-key`.
    var asksForPublicKey = false

    /// A Boolean value that indicates whether the request has a password, which its response answers with a credential.
    var answersPassword = false

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
        let isForAnybody =
            pathField == nil && result.request.isReadOnly
            && result.request.texts.allSatisfy { $0.data.withBytes { Placeholder.all(in: $0).isEmpty } }
        result.response.changeTexts { text in
            // A redirection has codes for somebody who signs in.
            if case .body = text.place { isPublic = isForAnybody }
            return changed(text)
        }
        isPublic = false
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
        (isSigned, answersPassword) = (VolatileNames.isSigned(request), false)
        asksForPublicKey = request.isReadOnly && request.url.pathComponents.contains { $0.withBytes(Self.isPublicKey) }
        // A weak name counts only near the end.
        let fields = request.url.pathComponents.reversed().lazy.map { [names] part in
            part.withBytes { names.field($0, in: .query) }
        }
        pathField = (fields.prefix(2).first { $0 != nil } ?? fields.first { $0?.isStrong == true }) ?? nil
        request.changeTexts { changed($0) }
    }

    private static func namesPermissions(_ name: Bytes) -> Bool {
        FieldName(name).words(from: 0).contains { ["permissions", "permission", "scopes", "scope"].contains($0) }
    }

    private static func isPublicKey(_ segment: Bytes) -> Bool {
        let words = FieldName(segment).words(from: 0)
        return words.contains("public") && (words.contains("key") || words.contains("keys"))
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
        // `X-Accepted-GitHub-Permissions: secrets=read`.
        if redaction.included.isEmpty, name.withBytes(Self.namesPermissions) { return nil }
        let secret = name.withBytes {
            names.field($0, in: .header)
                ?? (!isResponse && SecretValues.isOpaque(value) ? names.opaqueField($0, in: .header) : nil)
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

    // MARK: Formats

    /// Visits a text in any format, with the formats inside it, and then as text.
    mutating func content(_ bytes: Bytes, depth: Int, type: String = "", coding: String? = nil) -> [UInt8]? {
        guard depth < TextFormat.maximumDepth else { return nil }
        guard let wrapped = WrappedText(bytes, coding: coding) else {
            return plainContent(bytes, depth: depth, type: type)
        }
        // What is compressed may hold itself.
        let changed = wrapped.text.withUnsafeBufferPointer {
            content($0, depth: depth + (wrapped.isCompressed && coding == nil ? 1 : 0), type: type)
        }
        let result = changed.map(wrapped.wrapped)
        if wrapped.isWhole { return result }
        return (result ?? Array(bytes)).withUnsafeBufferPointer { plainContent($0, depth: depth, type: "") } ?? result
    }

    private mutating func plainContent(_ bytes: Bytes, depth: Int, type: String) -> [UInt8]? {
        if Base64.isText(bytes),
            let changed = Base64.decoded(bytes)?.withUnsafeBufferPointer({ decoded in
                then(content(decoded, depth: depth + 1), decoded) { $0.knownValues(in: $1, depth: depth + 1) }
            })
        {
            return Base64.encoded(changed, like: bytes)
        }
        let format = TextFormat(bytes, type: type)
        var text = FieldText(bytes: bytes, place: format.place, depth: depth, type: type)
        if case .other = format.kind { text.readsValues = false }
        let names = names
        let isDecoded = format.read(describesNested: { names.inheritedField(bytes.part($0), in: format.place) != nil })
        {
            _ = visit($0, in: &text)
        }
        var result = Edit.apply(text.edits, to: bytes)
        if !isDecoded, format.hasSettings { result = then(result, bytes) { $0.settings($1) } }
        return then(result, bytes) { $0.freeText($1, depth: depth) }
    }

    /// Visits the parts of a URL, absolute or not.
    mutating func url(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < TextFormat.maximumDepth else { return nil }
        var text = FieldText(bytes: bytes, place: .query, depth: depth)
        let url = URLFields(bytes)
        visit(url, in: &text)
        for range in [url.query, url.fragment] { readPairs(range, in: &text) }
        return Edit.apply(text.edits, to: bytes)
    }

    /// Visits the pairs in a part of a URL: `a=1&b=2`.
    mutating func readPairs(_ range: Range<Int>, in text: inout FieldText) {
        FormFields.read(text.bytes, in: range, as: .query) { _ = visit($0, in: &text) }
    }
}
