import Foundation

/// An exchange with the real server, from the start of its request until a stub source has stored it.
struct Recording: Sendable {
    /// The number in the order of requests, from `nextRequestNumber()`.
    var requestNumber: Int
    /// The time at which the request started, in milliseconds since 1970.
    var started = 0
    /// The request as the code under test made it.
    var live: StubRequest
    /// The request as it is stored, redacted when it starts, so that placeholders do not depend on the order of the
    /// responses.
    var request: StubRequest
    /// The response as it is stored; `nil` until the exchange has ended.
    var response: StubResponse?
    /// A Boolean value that indicates whether the run replaces the earlier recordings, rather than adding to them.
    var replaces: Bool
    /// A Boolean value that indicates whether an error is stored although the server has not answered in this run.
    var keepsErrorsAlone: Bool
    /// A Boolean value that indicates whether a stub file that the test shares has the exchange, which is not stored then.
    var isShared = false
    /// A Boolean value that indicates whether the times of the response's parts are stored.
    var recordsTiming = false
    var bodyEncoding: BodyEncoding
    /// The processor of the body before redaction.
    var processor: (any BodyDataProcessor)?
    var redactor: Redactor
    /// The number of secrets that the redactor knew when it redacted the response.
    var secretCount = 0
    /// The rules by which the recording equals an earlier one.
    var rules = MergeRules()

    /// The stub that is stored; `nil` until the exchange has ended.
    var stub: Stub? { response.map { Stub(request: request, response: $0) } }

    /// Sets the response: as the body data processor changes it, and redacted.
    mutating func end(with response: StubResponse) {
        var stub = Stub(request: request, response: response)
        if let processor {
            stub.response.changeBody { processor.dataForStoringResponseBody(data: $0, of: live.urlRequest) }
        }
        secretCount = redactor.knownSecretCount
        stub = redactor.redact(stub)
        request = stub.request
        self.response = stub.response
    }
}

extension StubRequest {
    /// The request with its cookies sorted: a cookie storage gives them in another order in each process.
    var sortingCookies: StubRequest {
        guard let cookies = headerFields["Cookie"], cookies.contains(";") else { return self }
        var request = self
        request.headerFields["Cookie"] = cookies.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            .sorted().joined(separator: "; ")
        return request
    }
}
