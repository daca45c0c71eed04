import Foundation

/// A request as a whole: what is equal by this is the same request, and not only one that the matchers accept.
struct ExactRequest: Hashable {
    private let method: String
    private let url: String
    private let headerFields: [String: String]
    private let body: ComparableBody

    /// - Parameter comparesBody: `false` where the matchers have compared whole bodies already: reading them takes longer
    ///   than all the rest.
    init(_ request: StubRequest, comparesBody: Bool) {
        method = request.method
        url = request.url.absoluteString
        headerFields = HeaderComparison.fields(of: request)
        // By what it says: the order of a dictionary's keys is another in each process.
        body = comparesBody ? ComparableBody(request) : .none
    }

    /// A number that the request has for as long as the process lives, never 0. Two requests share one by a chance of
    /// one to 2 to the power of 64.
    var key: Int {
        let key = hashValue
        return key == 0 ? 1 : key
    }
}

extension StubRequest {
    /// Whether the request only reads (RFC 9110, section 9.2.1).
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }

    /// Whether the request is one that changes something.
    var isMutation: Bool { ["POST", "PUT", "PATCH", "DELETE"].contains(method) }
}
