import Foundation

/// The shape in which a body is written.
enum ReadableBody: Equatable {
    case json
    /// JSON whose queries are written line by line.
    case graphQL
    case text([String])
    /// The fields of a form, which joined by `&` give the same bytes.
    case form([String])
    /// The parts of a multipart body, which give the same bytes.
    case multipart(MultipartBody)
    case data

    init(
        _ body: Data,
        headerFields: HeaderFields,
        isRequest: Bool,
        isInParts: Bool = false,
        encoding: BodyEncoding
    ) {
        guard encoding == .readable, !body.isEmpty else { self = .data; return }
        let type = headerFields["Content-Type"].map { ContentType($0) }
        if Self.isJSON(body, of: type, isRequest: isRequest, isInParts: isInParts) {
            self = isRequest && GraphQLBody.matches(body) ? .graphQL : .json
        } else if let type, type.isMultipart, let boundary = type.boundary,
            let multipart = MultipartBody(body, boundary: boundary)
        {
            self = .multipart(multipart)
        } else if let lines = body.withBytes({ $0.textLines }) {
            self =
                type?.isForm == true ? .form(lines.joined(separator: "\n").components(separatedBy: "&")) : .text(lines)
        } else {
            self = .data
        }
    }

    /// Returns the key of the body; a response has no GraphQL.
    func key(isRequest: Bool) -> String {
        switch self {
        case .json: isRequest ? "requestJSON" : "json"
        case .graphQL: "requestGraphQL"
        case .text: isRequest ? "requestText" : "text"
        case .form: isRequest ? "requestForm" : "form"
        case .multipart: isRequest ? "requestMultipart" : "multipart"
        case .data: isRequest ? "requestData" : "data"
        }
    }

    /// Returns a Boolean value that indicates whether a body is written as JSON.
    ///
    /// An object or an array is JSON whatever its content type; a number or a text is JSON only if the content type
    /// says so. The body `null` is not written as JSON, because `null` in a stub file stands for no body. Neither is a
    /// body with a byte-order mark, which a stub file cannot keep.
    ///
    /// A request's body that is compared byte by byte, and a response's that is played in its parts, are written as JSON only
    /// when they have no white space to lose.
    private static func isJSON(_ body: Data, of type: ContentType?, isRequest: Bool, isInParts: Bool) -> Bool {
        // In the file it is in the array of stubs, in its stub, and in the request.
        guard let compact = JSONText.compact(body: body, depth: isRequest ? 3 : 2),
            compact != Data("null".utf8), !body.starts(with: "\u{FEFF}".utf8)
        else { return false }
        if compact != body, isInParts || isRequest && JSONValue(body: body, of: type) == nil { return false }
        return compact.first == .openingBrace || compact.first == .openingBracket || type?.isJSON ?? false
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The lines of UTF-8 text without NUL, which joined by line feeds give the same bytes; `nil` for any other body.
    ///
    /// A body with so many control characters that base64 is shorter than their escapes is not text either.
    var textLines: [String]? {
        guard !contains(0), firstInvalidUTF8 == nil else { return nil }
        let escapedCount = lazy.filter { $0 < .space && $0 != .tab && $0 != .lineFeed && $0 != .carriageReturn }.count
        guard escapedCount * 15 <= count else { return nil }
        return parts(of: 0..<count, separatedBy: .lineFeed).map { part($0).text } + (last == .lineFeed ? [""] : [])
    }
}
