import Foundation

/// A request and the real server's answer, before they are stored or when they are played back.
///
///     network.recordingFilter = { exchange in exchange.response?.statusCode == 429 ? nil : exchange }
///     network.stub(.get("/users/42"), with: .recorded { $0.json["name"] = "Eve" })
public struct RecordedExchange: Sendable {
    /// The request.
    public var request: StubRequest
    /// The status code, the header fields and the URL of the response; `nil` if the exchange failed before there was one.
    public var response: ResponseHead?
    /// The body of the response, without its content encoding; `nil` when there is none.
    public var body: Data? { didSet { body = body?.indexedFromZero } }
    /// The error that ends the exchange, after the response if there is one; `nil` for a complete response.
    public let failure: StubFailure?

    /// The body of the response as JSON; `null` for any other body.
    ///
    /// Setting it changes only the values that differ. Everything else in the body is kept, byte for byte.
    public var json: JSONLiteral {
        get { JSONLiteral(body.flatMap { JSONValue($0) } ?? .null) }
        set {
            // A body that is not JSON is `null`, and is kept until it is set to something else.
            if newValue != json { body = JSONEdit.body(body, changedTo: newValue.value) }
        }
    }

    /// Creates the exchange of a stub.
    init(_ stub: Stub) {
        (request, response, failure) = (stub.request, stub.response.head, stub.response.failure)
        body = stub.response.body
    }

    /// Returns a stub's response with the changes that were made to this exchange.
    func changing(_ old: StubResponse) -> StubResponse {
        var result = old
        if response != old.head { result.head = response }
        // A response that replaces an error is complete.
        if old.head == nil, response != nil { result.failure = nil }
        if body != old.body { result.replaceBody(with: body) }
        return result
    }
}

extension StubResponse {
    /// Returns the response of the recorded stub that would have answered, with a change.
    ///
    ///     network.stub(.get("/users/42"), with: .recorded { $0.json["name"] = "Eve" })
    ///     network.stub(.get("/users/42"), times: 1, with: .recorded(statusCode: 503))
    ///
    /// The recorded stub counts as used. If no recorded stub answers, the request is unstubbed. While a request is
    /// recorded, the client gets the server's response, which is stored without the change.
    ///
    /// - Parameters:
    ///   - statusCode: The status code; the recorded one by default.
    ///   - change: A function that changes the response, its body or its `json`; it is called once for each request.
    ///     Changing the request has no effect.
    /// - Returns: A response for `stub(_:with:)`, which can be delayed, throttled or dropped.
    public static func recorded(
        statusCode: Int? = nil,
        _ change: @escaping @Sendable (inout RecordedExchange) -> Void = { _ in }
    ) -> StubResponse {
        var response = StubResponse(head: ResponseHead(statusCode: statusCode ?? 200))
        response.recordedChange = { stub in
            var exchange = RecordedExchange(stub)
            if let statusCode {
                exchange.response = exchange.response ?? ResponseHead(statusCode: statusCode)
                exchange.response?.statusCode = statusCode
            }
            change(&exchange)
            return exchange.changing(stub.response)
        }
        return response
    }
}
