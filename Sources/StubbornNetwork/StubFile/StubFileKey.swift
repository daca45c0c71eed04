/// The keys of a stub file.
///
/// The parser reads them, the renderer writes them, and tools recognize unknown keys by them.
///
/// A key that is added here does not compile until the parser reads it.
package enum StubFileKey {
    package enum OfStub: String, CaseIterable {
        case request, response, error, timing, recordedAt, value, data, json, text, form, frames
    }

    package enum OfRequest: String, CaseIterable {
        case method, url, headerFields, placeholders
        case requestData, requestJSON, requestGraphQL, requestText, requestForm
    }

    /// The keys of a response; `responseData` is a key of the older shape.
    package enum OfResponse: String, CaseIterable { case statusCode, headerFields, url, responseData }

    package enum OfError: String, CaseIterable { case domain, code, description }

    package enum OfTiming: String, CaseIterable { case firstByte, chunks }

    /// The keys of bodies in an encoding.
    package static func bodies(in encoding: BodyEncoding) -> Set<String> { encoding == .readable ? readable : base64 }

    private static let readable: Set = [
        "json", "text", "form", "requestJSON", "requestGraphQL", "requestText", "requestForm",
    ]
    private static let base64: Set = ["data", "requestData", "responseData"]

    /// Returns a Boolean value that indicates whether a key is for people and other programs, and is kept.
    ///
    /// Any other unknown key is an error: a newer version may have written it, and its information would be lost.
    static func isNote(_ key: String) -> Bool { key == "comment" || key.utf8.starts(with: "x-".utf8) }
}
