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
        if let value = JSONValue(body: data, of: contentType) { return .json(value) }
        guard let contentType else { return nil }
        if contentType.isForm { return .form(QueryItem.fields(ofForm: ArraySlice(data)).sorted()) }
        guard contentType.isMultipart, let boundary = contentType.boundary else { return nil }
        return MultipartBody.parts(of: data, boundary: boundary).map(ComparableBody.multipart)
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
