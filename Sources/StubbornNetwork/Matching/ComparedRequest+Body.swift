import Foundation

extension ComparedRequest {
    /// A part of a multipart body; `head` has its header fields.
    struct BodyPart: Hashable, Sendable {
        var head = BodyBytes(Data())
        let content: BodyBytes
    }

    /// Reads a request's body in its format; a body that is not valid in that format is compared as bytes.
    ///
    /// The fields are the value of JSON, or of each line of NDJSON; the fields of a form; the parts of a multipart body; or the
    /// bytes. The boundaries of a multipart body are left out, because clients generate them for each request. A compressed body is
    /// compared by its bytes. A missing body equals an empty one.
    init(bodyOf request: StubRequest) {
        let data = request.body ?? Data()
        if data.isEmpty {
            fields = [.init(Data())]
            return
        }
        let type = request.headerFields.contentType
        switch BodyFormat(data, type: type).kind {
        case .json, .jsonScalar, .jsonLines:
            fields = JSONValue(body: data, of: type).map { [.init(Self.comparable($0, data))] } ?? [.init(data)]
        case .form:
            // A form without fields is also a form.
            fields =
                [.init(.form, nil)] + Field.items(QueryItem.fields(ofForm: data), .formField)
        case .multipart(let boundary):
            fields = BodyPart.all(in: data, boundary).map { [.init($0)] } ?? [.init(data)]
        case .events, .markup, .text, .binary: fields = [.init(data)]
        }
    }

    /// Returns a JSON body in the form for comparison: the text of a GraphQL query without its white space.
    private static func comparable(_ value: JSONValue, _ data: Data) -> JSONValue {
        let mayBeGraphQL = data.withBytes { $0.position(of: "\"query\"", from: 0) != nil }
        return mayBeGraphQL ? GraphQLOperation.comparable(value) : value
    }

    /// Returns the body without the members and fields that are ignored.
    func removing(_ ignored: IgnoredParts.Spelled) -> Self {
        let names = ignored.bodyFields
        guard !names.isEmpty || !ignored.keyPaths.isEmpty else { return self }
        return Self(
            fields.compactMap { field in
                var field = field
                switch (field.name.part, field.value) {
                case (.json, .tokens(let tokens)):
                    field.value = .tokens(JSONValue(tokens).removing(ignored.keyPaths).tokens)
                case (.multipart, .bytes(let parts)):
                    field.value = .bytes(parts.filter { $0.name.map(names.contains) != true })
                case (.bytes, .bytes(let parts)):
                    field.value = .bytes(parts.map { BodyPart(content: $0.content.removingXMLTexts(names)) })
                case (.formField, _) where names.contains(PercentEncoding.decoded(field.name.key)): return nil
                default: break
                }
                return field
            }
        )
    }
}

extension ComparedRequest.BodyPart {
    /// Returns the parts of a multipart body; `nil` for a body without the boundary.
    static func all(in body: Data, _ boundary: String) -> [Self]? {
        body.withBytes { bytes in
            Multipart.parts(of: bytes, boundary: boundary)?.map { part in
                // Clients generate the boundaries of nested parts for each request, too.
                let boundaries = Multipart.innerBoundaries(of: part, in: bytes)
                let text = { BodyBytes(Data(bytes.part($0).replacing(boundaries, with: Array("boundary".utf8)))) }
                return Self(head: text(part.head), content: text(part.content))
            }
        }
    }

    /// The name of the part's field (RFC 7578, section 4.2); `nil` if it has none.
    var name: String? {
        head.data.withBytes { bytes in Multipart.name(in: bytes, 0..<bytes.count).map { bytes.part($0).text } }
    }

    /// The header fields and the content, as in the body.
    var text: Data { head.data.isEmpty ? content.data : head.data + Data("\r\n\r\n".utf8) + content.data }
}

/// Bytes that are hashed in full: `Data` hashes only its beginning, and bodies often begin alike.
struct BodyBytes: Hashable, Sendable {
    var data: Data

    init(_ data: Data) {
        self.data = data
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(data.count)
        data.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension BodyBytes {
    /// Returns XML without the text of elements, and the values of attributes, that have these names.
    ///
    /// Bytes that do not begin with `<` are returned unchanged.
    func removingXMLTexts(_ names: Set<String>) -> BodyBytes {
        let rest = data.withBytes { bytes in
            let texts = findXMLTexts(in: bytes).filter { names.contains($0.name) }
            return Edit.apply(texts.map { Edit(range: $0.value, text: []) }, to: bytes)
        }
        return rest.map { BodyBytes(Data($0)) } ?? self
    }

    /// The texts and attributes of XML, with the nearest name of each; none for bytes that do not begin with `<`.
    var xmlTexts: [(name: String, value: Data)] {
        data.withBytes { bytes in
            findXMLTexts(in: bytes).map { ($0.name, Data(buffer: bytes.part($0.value))) }
        }
    }

    private func findXMLTexts(in bytes: Bytes) -> [(name: String, value: Range<Int>)] {
        guard bytes.at(bytes.end(from: 0, while: \.isSpace)) == .lessThan else { return [] }
        var texts: [(name: String, value: Range<Int>)] = []
        TextFields.read(bytes, isAsked: { _ in true }) { field in
            texts += field.names.map { (bytes.part($0).text, field.value) }
            return true
        }
        return texts
    }
}

extension Bytes {
    /// Returns the bytes with each of the texts replaced.
    fileprivate func replacing(_ texts: [[UInt8]], with other: [UInt8]) -> [UInt8] {
        let ranges = texts.flatMap { Placeholder.words($0, in: self) }
        return Edit.apply(ranges.map { Edit(range: $0, text: other) }, to: self) ?? Array(self)
    }
}
