import Foundation

/// A request's body as the matchers see it: equal where it says the same.
enum ComparableBody: Hashable, Sendable {
    /// No body, or an empty one.
    case none
    case json(JSONValue)
    /// The fields of a form, sorted.
    case form([QueryItem])
    /// The parts of a multipart body, boundaries taken out.
    case multipart([BodyBytes])
    case bytes(BodyBytes)

    /// Reads a body as what its content type says, as bytes where it is not that.
    ///
    /// A body without a content type, or with the one of forms that Foundation gives to a body by default, is JSON when
    /// it is a JSON object or array.
    init(_ request: StubRequest) {
        guard let data = request.body, !data.isEmpty else {
            self = .none
            return
        }
        let contentType = request.headerFields["Content-Type"].map(ContentType.init)
        self = Self.parsed(data, as: contentType) ?? .bytes(BodyBytes(data))
    }

    private static func parsed(_ data: Data, as contentType: ContentType?) -> ComparableBody? {
        guard let contentType else { return container(data) }
        if contentType.isJSON { return JSONParser.value(of: data).map(ComparableBody.json) }
        if contentType.isForm {
            return container(data) ?? .form(QueryItem.fields(ofForm: ArraySlice(data)).sorted())
        }
        if contentType.isMultipart, let boundary = contentType.boundary {
            return MultipartBody.parts(of: data, boundary: boundary).map(ComparableBody.multipart)
        }
        return nil
    }

    private static func container(_ data: Data) -> ComparableBody? {
        let first = data.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
        return JSONParser.value(of: data).map(ComparableBody.json)
    }

    /// Without the members of a JSON body that the paths name; any other body as it is.
    func removing(_ paths: [JSONKeyPath]) -> ComparableBody {
        guard case .json(let value) = self, !paths.isEmpty else { return self }
        return .json(value.removing(paths))
    }
}

/// Bytes, hashed in full: `Data` hashes its beginning alone, and bodies often begin alike.
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
