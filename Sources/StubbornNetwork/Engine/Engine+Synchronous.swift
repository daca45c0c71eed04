import Foundation

extension Engine {
    /// Returns a stub's response without a session and without delays.
    ///
    /// Follows redirects.
    ///
    /// - Throws: the stub's error, or a `StubbornNetworkError` that names the caller.
    func response(to request: URLRequest, caller: String) throws -> (Data, URLResponse) {
        do {
            return try answer(to: request)
        } catch let error as StubbornNetworkError {
            throw error.asked(by: caller)
        }
    }

    private func answer(to request: URLRequest) throws -> (Data, URLResponse) {
        guard let first = StubRequest(request), first.url.isAnswerable else {
            throw StubbornNetworkError.unsupportedRequest(request.url)
        }
        let exchange = log.begin(first)
        var answer: URLResponse?
        defer { log.end(exchange, isAnswered: answer != nil, with: answer) }
        var request = request
        for _ in 0...Redirect.limit {
            guard let stubRequest = StubRequest(request) else { break }
            let (data, response) = try play(decide(stubRequest, exchange: exchange), for: stubRequest)
            guard let next = Redirect.next(after: response, to: request) else {
                answer = response
                return (data, response)
            }
            request = next
        }
        throw StubFailure.tooManyRedirects.error(failing: request.url ?? first.url)
    }

    private func play(_ decision: Decision, for request: StubRequest) throws -> (Data, URLResponse) {
        switch decision {
        case .verify(let stub, let verification):
            verifier.skip(verification, because: "response(to:) asks no server")
            return try play(.play(stub, isRecorded: true), for: request)
        case .play(let stub, let isRecorded):
            var response: URLResponse?
            var body = Data()
            for step in Player(speed: .immediate).steps(for: stub.response, to: request, isRecorded: isRecorded) {
                switch step.event {
                case .response(let received, _): response = received
                case .data(let data): body.append(data)
                case .head, .end: break
                case .failure(let error): throw clientError(error, of: request)
                }
            }
            guard let response else { throw StubbornNetworkError.nothingToAnswerWith(request.url) }
            return (body, response)
        case .record: throw StubbornNetworkError.needsServer(request.url, mode: recordMode)
        case .passThrough:
            let mode = recordMode
            throw StubbornNetworkError.needsServer(request.url, mode: mode.rules.passesThrough ? mode : nil)
        case .fail(let error): throw error
        }
    }
}
