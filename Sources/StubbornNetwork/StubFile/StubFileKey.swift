/// The keys of a stub file.
///
/// The parser reads them, the renderer writes them, and tools tell them from unknown ones.
///
/// A key that is added here does not compile until the parser reads it.
package enum StubFileKey {
    enum OfStub: String, CaseIterable {
        case request, response, error, timing, recordedAt, value, data, json, text, form, multipart
    }

    enum OfRequest: String, CaseIterable {
        case method, url, headerFields, placeholders
        case requestData, requestJSON, requestGraphQL, requestText, requestForm, requestMultipart
    }

    /// The keys of a response; `responseData` is that of the older shape.
    enum OfResponse: String, CaseIterable { case statusCode, headerFields, url, responseData }

    enum OfError: String, CaseIterable { case domain, code, description }

    enum OfTiming: String, CaseIterable { case firstByte, chunks }

    /// The keys of a part of a multipart body.
    enum OfPart: String, CaseIterable { case headerFields, data, json, text }

    /// The shape in which a body is written.
    enum BodyShape: CaseIterable { case json, graphQL, text, form, multipart, base64 }

    /// Returns the key of a body; a response has no GraphQL.
    static func body(_ shape: BodyShape, isRequest: Bool) -> String {
        switch shape {
        case .json: isRequest ? OfRequest.requestJSON.rawValue : OfStub.json.rawValue
        case .graphQL: OfRequest.requestGraphQL.rawValue
        case .text: isRequest ? OfRequest.requestText.rawValue : OfStub.text.rawValue
        case .form: isRequest ? OfRequest.requestForm.rawValue : OfStub.form.rawValue
        case .multipart: isRequest ? OfRequest.requestMultipart.rawValue : OfStub.multipart.rawValue
        case .base64: isRequest ? OfRequest.requestData.rawValue : OfStub.data.rawValue
        }
    }

    /// The shapes of bodies by their keys.
    static let shapes: [String: BodyShape] = {
        var shapes = [OfResponse.responseData.rawValue: BodyShape.base64]
        for shape in BodyShape.allCases {
            for isRequest in [true, false] { shapes[body(shape, isRequest: isRequest)] = shape }
        }
        return shapes
    }()

    /// The keys of bodies in an encoding.
    package static func bodies(in encoding: BodyEncoding) -> Set<String> { encoding == .readable ? readable : base64 }

    private static let readable = Set(shapes.filter { $0.value != .base64 }.keys)
    private static let base64 = Set(shapes.filter { $0.value == .base64 }.keys)

    /// The keys of a stub, by `""`, of each of its members, by the key of the member, and of a part of a body, by `part`.
    package static let known = [
        "": keys(OfStub.self), "request": keys(OfRequest.self), "response": keys(OfResponse.self),
        "error": keys(OfError.self), "timing": keys(OfTiming.self), "part": keys(OfPart.self),
    ]

    private static func keys<Key: CaseIterable & RawRepresentable<String>>(_ type: Key.Type) -> Set<String> {
        Set(type.allCases.map(\.rawValue))
    }

    /// Returns a Boolean value that indicates whether a key belongs to the format, in an object that errors call by this name.
    static func isKnown(_ key: String, in object: String) -> Bool {
        known[object == "stub" ? "" : object]?.contains(key) == true
    }

    /// Returns a Boolean value that indicates whether a key is for people and other programs, and kept as it is.
    ///
    /// Any other unknown key is an error: a newer version may have written it, and what it says would be lost.
    static func isNote(_ key: String) -> Bool {
        key == "comment" || key.utf8.starts(with: "x-".utf8)
    }
}
