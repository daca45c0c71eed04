import Foundation

extension StubbornNetwork {
    /// The first exchange whose request fits a pattern: one that there is already, or the next that comes.
    ///
    ///     button.tap()
    ///     let login = try await network.exchange(matching: .post("https://api.example.com/login"))
    ///     #expect(try login.request.decodedBody(as: Login.self).user == "ada")
    ///
    /// It is there as soon as it is decided what becomes of the request: `outcome` is set, and the answer may be on its way.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait; ten seconds by default.
    /// - Throws: `StubbornNetworkError.Code.noSuchExchange` when the time is over, naming what was asked instead;
    ///   `CancellationError` when the task is cancelled.
    public func exchange(
        matching pattern: RequestPattern,
        timeout: DispatchTimeInterval = .seconds(10)
    ) async throws -> Exchange {
        let matchers = requestMatcherOptions
        let found = await engine.log.firstExchange(within: timeout) { exchange in
            pattern.match(exchange.request, options: matchers) != nil
        }
        if let found { return found }
        try Task.checkCancellation()
        throw StubbornNetworkError.noSuchExchange(pattern.description, asked: redactedRequests.map(\.description))
    }
}

extension StubRequest {
    /// The body, decoded from JSON.
    ///
    ///     let login = try exchange.request.decodedBody(as: Login.self)
    ///
    /// - Throws: `StubbornNetworkError.Code.undecodableBody`, naming the request and what is wrong, where there is no body or
    ///   it is no such value.
    public func decodedBody<Value: Decodable>(
        as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        guard let body, !body.isEmpty else {
            throw StubbornNetworkError.undecodableBody(of: self, type, because: "it has none")
        }
        do {
            return try decoder.decode(type, from: body)
        } catch {
            throw StubbornNetworkError.undecodableBody(of: self, type, because: "\(error)", error)
        }
    }
}
