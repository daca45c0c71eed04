/// The keys of a stub file.
///
/// The parser reads them, the renderer writes them, and tools recognize unknown keys by them.
///
/// A key that is added here does not compile until the parser reads it.
package enum StubFileKey {
    enum OfStub: String, CaseIterable {
        case request, response, error, timing, recordedAt, value, data, json, text, form, frames
    }

    enum OfRequest: String, CaseIterable {
        case method, url, headerFields, placeholders
        case requestData, requestJSON, requestGraphQL, requestText, requestForm
    }

    /// The keys of a response; `responseData` is a key of the older shape.
    enum OfResponse: String, CaseIterable { case statusCode, headerFields, url, responseData }

    enum OfError: String, CaseIterable { case domain, code, description }

    enum OfTiming: String, CaseIterable { case firstByte, chunks }

    /// The keys of bodies in an encoding.
    package static func bodies(in encoding: BodyEncoding) -> Set<String> { encoding == .readable ? readable : base64 }

    private static let readable: Set = [
        "json", "text", "form", "requestJSON", "requestGraphQL", "requestText", "requestForm",
    ]
    private static let base64: Set = ["data", "requestData", "responseData"]

    /// The keys of a stub, and of each of its members, by the key of the member.
    package static let known = [
        "stub": keys(OfStub.self), "request": keys(OfRequest.self), "response": keys(OfResponse.self),
        "error": keys(OfError.self), "timing": keys(OfTiming.self),
    ]

    private static func keys<Key: CaseIterable & RawRepresentable<String>>(_ type: Key.Type) -> Set<String> {
        Set(type.allCases.map(\.rawValue))
    }

    /// Returns a Boolean value that indicates whether a key is for people and other programs, and is kept.
    ///
    /// Any other unknown key is an error: a newer version may have written it, and its information would be lost.
    static func isNote(_ key: String) -> Bool { key == "comment" || key.utf8.starts(with: "x-".utf8) }
}
