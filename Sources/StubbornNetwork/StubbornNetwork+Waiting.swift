import Foundation

extension StubbornNetwork {
    /// Waits for a request that matches a pattern, and returns its exchange.
    ///
    ///     button.tap()
    ///     let login = try await network.waitForExchange(matching: .post("https://api.example.com/login"))
    ///     #expect(try login.request.decodedBody(as: Login.self).user == "ada")
    ///
    /// The exchange is returned as soon as its `outcome` is set; the response may still be on its way.
    ///
    /// - Parameters:
    ///   - pattern: the requests to wait for.
    ///   - timeout: the longest time to wait; ten seconds by default.
    /// - Returns: the first matching exchange that is logged already, or else the next one.
    /// - Throws: `StubbornNetworkError.Code.noSuchExchange` after that time, with the requests that were made instead;
    ///   `CancellationError` when the task is cancelled.
    public func waitForExchange(
        matching pattern: RequestPattern,
        timeout: DispatchTimeInterval = .seconds(10)
    ) async throws -> Exchange {
        let matchers = requestMatcherOptions
        let found = await engine.log.firstExchange(within: timeout) { exchange in
            pattern.match(exchange.request, options: matchers) != nil
        }
        if let found { return found }
        try Task.checkCancellation()
        throw StubbornNetworkError.noSuchExchange(pattern.description, requests: redactedRequests.map(\.description))
    }
}

extension StubRequest {
    /// Returns the body, decoded from JSON.
    ///
    ///     let login = try exchange.request.decodedBody(as: Login.self)
    ///
    /// - Throws: `StubbornNetworkError.Code.undecodableBody` when there is no body, or the decoder fails. The message
    ///   holds the request and the reason.
    public func decodedBody<Value: Decodable>(
        as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        guard let body, !body.isEmpty else {
            throw StubbornNetworkError.undecodableBody(of: self, type, because: "there is none")
        }
        do {
            return try decoder.decode(type, from: body)
        } catch {
            throw StubbornNetworkError.undecodableBody(of: self, type, because: "\(error)", error)
        }
    }
}
