/// The rules that decide whether a recording is the same as an earlier one.
package struct MergeRules: Sendable {
    /// The header fields of requests and responses that may differ, including the fields that the matchers and the stub directory
    /// ignore.
    var volatileHeaderFields: VolatileHeaderFields = .standard

    /// The parts that the matchers ignore, and that may differ.
    var ignored = IgnoredParts()

    /// The key paths of JSON members in responses that may differ.
    var volatileJSONKeyPaths: [String] = []

    /// A Boolean value that indicates whether the matchers may compare header fields.
    var comparesHeaderFields = false

    /// The encoding of bodies in the file; `nil` to keep the encoding of each stub.
    var bodyEncoding: BodyEncoding?

    /// Returns the key of a request by matchers other than the standard ones; `nil` for the standard matchers.
    var otherKey: (@Sendable (StubRequest) -> UInt64)?

    /// For rules from a journal, which contain no matchers: the keys of the requests in the base, by the identities of
    /// their stubs.
    var keys: [UInt64: UInt64] = [:]

    /// A number that changes with these rules: closures cannot be compared.
    var generation = 0

    /// Returns the key of a request as it is stored: a recording replaces an earlier one with the same key.
    func key(_ request: StubRequest) -> UInt64 {
        otherKey?(request) ?? RequestMatcherOptions.standard.key(of: request.nameless)
    }
}
