import Foundation

/// A rewriter that replaces the secrets of stubs and texts.
///
/// A stub is read twice. First its secrets are recognized and replaced, by names and forms. Then every value that is
/// known by now is replaced, wherever it is. If a value is recognized later, only the second part is repeated.
///
/// The functions that return an optional return `nil` if nothing changes.
struct Rewriter {
    let redaction: Redaction
    var vault = SecretVault()

    /// A Boolean value that indicates whether the text is part of a response, where `password` may be a label.
    var isResponse = false

    /// A Boolean value that indicates whether the text is the body of a public response: the request only reads, and contains no
    /// secret.
    var isPublic = false

    /// The name of a secret in the path of the request, which also applies to its body, or to the `value` in it:
    /// `/secrets/db`, `POST /tokens`.
    var pathField: SecretField?

    /// A Boolean value that indicates whether the header fields of the request have a signature.
    var isSigned = false

    init(_ redaction: Redaction) {
        self.redaction = redaction
        for (value, rule) in redaction.knownValues {
            let field = SecretField(label: rule == .included ? "value" : "environment", rule: rule, kind: .named)
            value.withBytes { vault.know($0, field) }
        }
    }

    /// Returns the result of a step, applied to the result of the steps before it, or to the bytes if those changed
    /// nothing.
    mutating func then(_ current: [UInt8]?, _ bytes: Bytes, _ step: (inout Self, Bytes) -> [UInt8]?) -> [UInt8]? {
        guard let current else { return step(&self, bytes) }
        return current.withUnsafeBufferPointer { step(&self, $0) } ?? current
    }

    // MARK: Stubs

    mutating func rewrite(_ stub: inout Stub) {
        recognise(in: &stub.request)
        let isForAnybody = stub.request.isReadOnly && PlaceholderSearch.placeholder(in: stub.request) == nil
        stub.response.changeTexts { text in
            // A redirection contains codes for a user who signs in.
            if case .body = text.place { isPublic = isForAnybody }
            return changed(text)
        }
        isPublic = false
        replaceKnownValues(in: &stub)
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
            return text.data.withBytes { knownValues(in: $0).map { Data($0) } }
        }
    }

    /// Returns the first known value that is still in a stub and should be replaced; `nil` if there is none.
    func leftover(in stub: Stub) -> SecretVault.Note? {
        var (search, copy) = (self, stub)
        search.vault.notes = []
        search.replaceKnownValues(in: &copy)
        return search.vault.notes.first
    }

    private mutating func recognise(in request: inout StubRequest) {
        isSigned = VolatileNames.isSigned(request)
        var segments = request.url.pathComponents
        // The answer to `POST /tokens` shows the new token.
        if let last = segments.last, last.hasSuffix("s"), !request.isReadOnly {
            segments.append(String(last.dropLast()))
        }
        pathField =
            segments.lazy.compactMap { [redaction] segment in
                segment.withBytes { redaction.field($0, in: .json) }.flatMap {
                    $0.kind == .strong || segment.lowercased() == "secrets" ? $0 : nil
                }
            }.first
        request.changeTexts { changed($0) }
    }

    /// Returns a text of a stub without the secrets in it that are recognized; `nil` if there are none.
    private mutating func changed(_ text: StubText) -> Data? {
        (vault.part, vault.isRequest, isResponse) = (text.part, text.isRequest, !text.isRequest)
        return text.data.withBytes { bytes in
            let result: [UInt8]?
            switch text.place {
            case .url: result = then(url(bytes, depth: 0), bytes) { $0.freeText($1, depth: 0, searchesURLs: false) }
            case .field(let name): result = header(name, bytes)
            case .error: result = content(bytes, depth: 1)
            case .body where text.isCompressed && redaction.has(.compressedBodies):
                result = vault.text(for: bytes, SecretField(label: "body", rule: .compressedBodies, follows: false))
            case .body: result = content(bytes, depth: 0, type: text.fields.contentType)
            }
            return result.map { Data($0) }
        }
    }

    private mutating func header(_ name: String, _ value: Bytes) -> [UInt8]? {
        if let volatile = name.withBytes({ self.volatile($0, value, isSigned: isSigned) }) {
            return vault.text(for: value, volatile)
        }
        let field = name.withBytes { name in
            redaction.field(name, in: .header) ?? (isResponse ? nil : redaction.unknownField(name, in: .header))
        }
        if let field, isSecret(value, field) { return replacement(for: value, of: field) }
        // Depth 0 is the depth of a body.
        return content(value, depth: 1)
    }

    /// Returns a Boolean value that indicates whether the value of a field is a secret, by the rules.
    func isSecret(_ value: Bytes, _ field: SecretField, isNumber: Bool = false) -> Bool {
        switch field.form {
        // Each cookie is examined separately.
        case .cookies, .setCookie: true
        case .value, .credentials, .basic, .encoded:
            SecretRule.isSecret(
                FieldValue(bytes: value, field: field, isNumber: isNumber, isResponse: isResponse, isPublic: isPublic)
            )
        }
    }

    // MARK: Formats

    /// Visits a text in any format, with the formats inside it, and then as text.
    mutating func content(_ bytes: Bytes, depth: Int, type: ContentType? = nil) -> [UInt8]? {
        guard depth < BodyFormat.maximumDepth else { return nil }
        if depth < BodyFormat.maximumDepth - 1, Base64.isText(bytes), let changed = base64(bytes) { return changed }
        let edits = fields(of: bytes, depth: depth, type: type)
        return then(Edit.apply(edits, to: bytes), bytes) { $0.freeText($1, depth: depth) }
    }

    /// Visits the content of base64, which is the last level of nested texts.
    mutating func base64(_ bytes: Bytes) -> [UInt8]? {
        Base64.decoded(bytes)?.withUnsafeBufferPointer { content($0, depth: BodyFormat.maximumDepth - 1) }
            .map { Base64.encoded($0, like: bytes) }
    }

    /// Returns the edits in the fields of a text.
    private mutating func fields(of bytes: Bytes, depth: Int, type: ContentType?) -> [Edit] {
        var text = FieldText(bytes: bytes, place: .json, depth: depth, type: type)
        let format = BodyFormat(bytes, type: type)
        switch format.kind {
        case .json, .jsonLines:
            let isOuter = { [redaction] (name: Range<Int>) in
                redaction.nestedField(bytes.part(name), in: .json) != nil
            }
            let isJSON = JSONFields.read(bytes, from: format.start, describesNested: isOuter) {
                _ = visit($0, in: &text)
            }
            // JSON that is cut off, or that is something else.
            if !isJSON { readTextFields(in: &text) }
        case .multipart(let boundary):
            guard let parts = Multipart.parts(of: bytes, boundary: boundary) ?? Multipart.parts(of: bytes) else {
                readTextFields(in: &text)
                break
            }
            text.place = .part
            Multipart.read(parts, of: bytes) { _ = visit($0, in: &text) }
        case .binary: break
        case .form:
            text.place = .form
            readTextFields(in: &text)
        case .jsonScalar, .events, .markup, .text: readTextFields(in: &text)
        }
        return fitting(text.edits, bytes)
    }

    /// Visits the fields of text, and of a form; a body whose type is a form may have other text in its values.
    private mutating func readTextFields(in text: inout FieldText) {
        let bytes = text.bytes
        let isForm = FormFields.isForm(bytes)
        if isForm || text.place == .form {
            text.place = .form
            FormFields.read(bytes, in: bytes.trimmed(0..<bytes.count), as: .form) { _ = visit($0, in: &text) }
            if isForm { return }
        }
        text.place = .text
        let before = text.edits.reduce(into: IndexSet()) { $0.insert(integersIn: $1.range) }
        let isAsked = { [isResponse, redaction] (name: Bytes) in
            redaction.field(name, in: .text) != nil || !isResponse && VolatileNames.isOne(name)
        }
        TextFields.read(bytes, isAsked: isAsked) { field in
            if before.intersects(integersIn: field.value) { return false }
            return visit(field, in: &text)
        }
        guard text.depth == 0, pathField != nil, text.edits.isEmpty else { return }
        var whole = bytes.trimmed(0..<bytes.count)
        if whole.count > 2, bytes[whole.lowerBound] == .quote { whole = whole.lowerBound + 1..<whole.upperBound - 1 }
        _ = visit(TextField(value: whole), in: &text)
    }

    /// Visits the parts of a URL, absolute or not.
    mutating func url(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < BodyFormat.maximumDepth else { return nil }
        var text = FieldText(bytes: bytes, place: .query, depth: depth)
        let url = URLFields(bytes)
        if let user = url.userInfo, redaction.has(.userInfo) {
            let result = userInfo(bytes.part(user), .userInfo, spelling: .query)
            text.edits.append(Edit(range: user, text: result))
        }
        visitSegments(of: url, in: &text)
        for range in [url.query, url.fragment] { readPairs(range, in: &text) }
        return Edit.apply(text.edits, to: bytes)
    }

    /// Visits the pairs in a part of a URL: `a=1&b=2`.
    mutating func readPairs(_ range: Range<Int>, in text: inout FieldText) {
        FormFields.read(text.bytes, in: range, as: .query) { _ = visit($0, in: &text) }
    }
}

extension StubText {
    /// A Boolean value that indicates whether a body has an encoding, so that nothing in it can be found.
    ///
    /// The client decodes the body of a response.
    var isCompressed: Bool {
        guard isRequest, let coding = fields["Content-Encoding"]?.lowercased() else { return false }
        return coding != "identity" && data.withBytes(\.isBinary)
    }
}
