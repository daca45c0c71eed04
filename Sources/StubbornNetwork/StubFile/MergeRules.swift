import Foundation

/// The rules that decide whether a recording is the same as an earlier one.
struct MergeRules: Sendable {
    /// The header fields that may differ.
    var volatileHeaderFields: VolatileHeaderFields = .standard

    /// The function that removes the numbers of redacted secrets from a request.
    ///
    /// Two recordings number the same secrets differently when their requests overlap.
    var requestForm: @Sendable (StubRequest) -> StubRequest = { $0 }
    /// The function that removes the numbers of redacted secrets from a stub.
    var stubForm: @Sendable (Stub) -> Stub = { $0 }

    /// Returns a Boolean value that indicates whether an older stub stays in the place of a new one.
    ///
    /// It stays if the two are equivalent. It stays too if it has a whole response and the recording ended in an error, so
    /// that no recording is lost when a server is down for a moment.
    func keeps(_ old: Stub, for new: Stub) -> Bool {
        let losesResponse =
            new.response.failure != nil && old.response.failure == nil && old.response.head != nil
        let equivalence = StubEquivalence(volatile: volatileHeaderFields)
        return losesResponse || equivalence.isEquivalent(old, new)
            || equivalence.isEquivalent(stubForm(old), stubForm(new))
    }

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
