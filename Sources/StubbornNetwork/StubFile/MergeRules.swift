import Foundation

/// The rules that decide whether a recording is the same as an earlier one.
struct MergeRules: Sendable {
    /// The header fields that may differ.
    var volatileHeaderFields: VolatileHeaderFields = .standard

    /// The names of header fields that the matchers ignore, and that may differ in requests.
    var ignoredHeaderFields: [String] = []

    /// The encoding of bodies in the file; `nil` to leave that of each stub.
    var bodyEncoding: BodyEncoding?

    /// The function that makes a request comparable: without what the matchers ignore, and without the numbers of redacted
    /// secrets, which differ between two recordings when their requests overlap.
    var requestForm: @Sendable (StubRequest) -> StubRequest = { $0 }
    /// The function that removes the numbers of redacted secrets from a stub.
    var stubForm: @Sendable (Stub) -> Stub = { $0 }

    /// Returns the key by which a recorded stub replaces another.
    func key(of entry: StubFileEntry) -> RequestKey {
        RequestKey(requestForm(entry.stub.request))
    }
}

/// The parts of a request by which a recorded stub replaces another: method, URL as written, and body.
struct RequestKey: Hashable {
    private enum Body: Hashable { case json(JSONValue), bytes(Data) }

    private let method: String
    private let url: String
    private let body: Body

    /// Creates the key of a request; bodies that are the same JSON are the same.
    init(_ request: StubRequest) {
        method = request.method
        url = request.url.absoluteString
        let bytes = request.body ?? Data()
        body = JSONValue(body: bytes).map(Body.json) ?? .bytes(bytes)
    }
}
