/// A request with its URL and, once it is asked for, its body taken apart, so that no comparison has to do it again.
struct ParsedRequest: Sendable {
    let request: StubRequest
    let url: URLParts
    private let readBody: Lock<ComparableBody?>?

    init(_ request: StubRequest) {
        self.request = request
        url = URLParts(request.url)
        readBody = request.body?.isEmpty == false ? Lock(nil) : nil
    }

    var body: ComparableBody {
        readBody?.withLock { body in
            let read = body ?? ComparableBody(request)
            body = read
            return read
        } ?? .none
    }
}
