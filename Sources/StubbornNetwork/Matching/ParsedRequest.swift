import Foundation

/// A request with its URL taken apart, so that no comparison has to do it again.
struct ParsedRequest: Sendable {
    let request: StubRequest
    let url: URLParts
    private let keptBody: ComparableBody?

    /// Takes a request apart.
    ///
    /// If `keepsBody` is `true`, the body is read now and kept, for a request that is compared often.
    init(_ request: StubRequest, keepsBody: Bool = false) {
        self.request = request
        url = URLParts(request.url)
        keptBody = keepsBody ? ComparableBody(request) : nil
    }

    var body: ComparableBody { keptBody ?? ComparableBody(request) }

    /// Returns a Boolean value that indicates whether two bodies have the same bytes.
    ///
    /// Such bodies are equal whatever their content types are. An empty body equals none.
    func hasSameBytes(as other: ParsedRequest) -> Bool {
        (request.body ?? Data()) == (other.request.body ?? Data())
    }
}
