import Foundation

/// An exchange with the real server, from the start of its request until a stub source has stored it.
struct Recording: Sendable {
    /// The number in the order of requests, from `nextRequestNumber()`.
    var requestNumber: Int
    /// The time at which the request started, in milliseconds since 1970.
    var started = 0
    /// The date that the stub gets; `nil` for none.
    var recordedAt: Date?
    /// The request as the code under test made it.
    var live: StubRequest
    /// The request as it is stored, redacted when it starts, so that placeholders do not depend on the order of the
    /// responses.
    var request: StubRequest
    /// The response as it is stored; `nil` until the exchange has ended.
    var response: StubResponse?
    /// A Boolean value that indicates whether the run replaces the earlier recordings, rather than adding to them.
    ///
    /// Such a run records on purpose, so if the file has no stubs, errors are stored even if the server has not answered.
    var replaces: Bool
    /// A Boolean value that indicates whether a shared stub file contains the exchange, which is then not stored.
    var isShared = false
    /// A Boolean value that indicates whether a part of the stub has been stored with the same number.
    var continues = false
    /// A Boolean value that indicates whether the times of the response's parts are stored.
    var recordsTiming = false
    /// The filter that leaves the exchange out, or changes it, before anything else does.
    var filter = RecordingFilter()
    /// Called if the filter leaves the exchange out.
    var onLeftOut: @Sendable () -> Void = {}
    /// The processor of the body before redaction.
    var processor: (any BodyDataProcessor)?
    var redactor: Redactor
    /// The longest time, in seconds, that the request waits while another process writes in the directory: at most its
    /// timeout.
    var longestWait = StubFileStore.longestWait
    /// The rules by which the recording equals an earlier one.
    var rules = MergeRules()
    /// Takes the exchange in place of the stub source, which stores nothing; `nil` while recording.
    var compare: (@Sendable (Stub) -> Void)?

    /// The stub that is stored; `nil` until the exchange has ended.
    var stub: Stub? {
        guard let response else { return nil }
        var stub = Stub(request: request, response: response)
        stub.recordedAt = recordedAt
        return stub
    }

    /// A Boolean value that indicates whether each frame of a web socket is stored before the client sees it.
    ///
    /// A filter in code decides on the whole socket.
    var isStoredInParts: Bool { request.isWebSocket && compare == nil && !isShared && filter.change == nil }

    /// Sets the response, after the filter and the body data processor have changed it and secrets are redacted.
    ///
    /// - Returns: `true`, or `false` if the filter leaves the exchange out.
    mutating func end(with response: StubResponse) -> Bool {
        guard let kept = filter.apply(to: Stub(request: live, response: response)) else { return false }
        var stub = Stub(request: request, response: kept.response)
        if kept.request != live {
            stub.request = kept.request.sortingCookies
            if let processor {
                let body = kept.request.body
                stub.request.body = processor.dataForStoringRequestBody(data: body, of: kept.request.urlRequest)
            }
        }
        if let processor {
            let body = processor.dataForStoringResponseBody(data: stub.response.body, of: live.urlRequest)
            stub.response.replaceBody(with: body)
        }
        stub = redactor.redact(stub)
        request = stub.request
        self.response = stub.response
        return true
    }
}

/// The rules and the code that leave exchanges out of a recording, or change them.
struct RecordingFilter: Sendable {
    /// The hosts, in lower case, and the status codes of exchanges that are left out.
    var excludedHosts: Set<String> = []
    var excludedStatusCodes: Set<String> = []
    /// Returns the exchange to store; `nil` to leave it out.
    var change: (@Sendable (RecordedExchange) -> RecordedExchange?)?

    /// Returns a Boolean value that indicates whether exchanges with a request's host are left out.
    func excludesHost(of request: StubRequest) -> Bool {
        request.url.host.map { excludedHosts.contains($0.lowercased()) } ?? false
    }

    /// Returns the exchange to store, after the rules; `nil` for an exchange that is left out.
    func apply(to stub: Stub) -> Stub? {
        if excludesHost(of: stub.request) { return nil }
        if let status = stub.response.head?.statusCode, excludedStatusCodes.contains(String(status)) { return nil }
        guard let change else { return stub }
        return change(RecordedExchange(stub)).map { Stub(request: $0.request, response: $0.changing(stub.response)) }
    }
}

extension StubRequest {
    /// The request with its cookies sorted, so that the placeholders in them are counted in the same order, because a
    /// cookie storage returns them in a different order in each process.
    var sortingCookies: StubRequest {
        guard let cookies = headerFields["Cookie"], !cookies.withBytes(CookieFields.arePlain) else { return self }
        var request = self
        request.headerFields["Cookie"] = cookies.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            .sorted().joined(separator: "; ")
        return request
    }
}
