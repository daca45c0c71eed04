import Foundation

/// A whole request, to tell apart requests that the matchers take for the same.
struct ExactRequest: Hashable {
    private let method: String
    private let url: String
    private let headerFields: [String: String]
    private let body: ComparableBody

    /// Creates the value to compare a request by.
    ///
    /// Pass `false` for `comparesBody` if the matchers have compared whole bodies already. Reading the bodies takes
    /// longer than all the rest.
    init(_ request: StubRequest, comparesBody: Bool) {
        method = request.method
        url = request.url.absoluteString
        headerFields = HeaderComparison.fields(of: request)
        // The value and not the bytes: a dictionary's keys have another order in each process.
        body = comparesBody ? ComparableBody(request) : .none
    }

    /// A hash of the request, never 0, which is the same for as long as the process runs.
    var key: Int {
        let key = hashValue
        return key == 0 ? 1 : key
    }
}

extension StubRequest {
    /// A Boolean value that indicates whether the request only reads (RFC 9110, section 9.2.1).
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }

    /// A Boolean value that indicates whether the request changes something.
    var isMutation: Bool { ["POST", "PUT", "PATCH", "DELETE"].contains(method) }
}
