import Foundation

extension NetworkEngine {
    /// The stub for a request, redirects followed, without a session and without waiting.
    func response(to request: URLRequest) throws -> (Data, URLResponse) {
        do {
            return try answer(to: request)
        } catch let error as StubbornNetworkError {
            throw error.asked(from: CallStack.ofCaller)
        }
    }

    private func answer(to request: URLRequest) throws -> (Data, URLResponse) {
        guard let first = StubRequest(request), first.url.isAnswerable else {
            throw StubbornNetworkError.unsupportedRequest(request.url)
        }
        let exchange = log.begin(first)
        defer { log.end(exchange, isAnswered: false) }
        var request = request
        for _ in 0...Redirect.limit {
            guard let stubRequest = StubRequest(request) else { break }
            let (data, response) = try response(to: stubRequest, exchange: exchange)
            guard let next = Redirect.next(after: response, to: request) else { return (data, response) }
            request = next
        }
        throw StubFailure.tooManyRedirects.error(failing: request.url ?? first.url)
    }

    private func response(to request: StubRequest, exchange: Int) throws -> (Data, URLResponse) {
        switch decide(request, exchange: exchange) {
        case .play(let stub, let isRecorded):
            var response: URLResponse?
            var body = Data()
            for step in Player(speed: .immediate).steps(for: stub, to: request, isRecorded: isRecorded) {
                switch step.event {
                case .response(let received): response = received
                case .data(let data): body.append(data)
                case .end: break
                case .failure(let error): throw error
                }
            }
            guard let response else { throw StubbornNetworkError.nothingToAnswerWith(request.url) }
            return (body, response)
        case .record, .passThrough: throw StubbornNetworkError.needsServer(request.url, mode: recordMode)
        case .fail(let error): throw error
        }
    }
}
