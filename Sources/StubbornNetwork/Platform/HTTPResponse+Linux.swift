#if canImport(FoundationNetworking) && !SIMULATES_APPLE
    import Foundation

    /// A response that has no URL while the client is told that loading has finished.
    ///
    /// At this time, Foundation examines a 401 with `WWW-Authenticate`. If the response has a URL, Foundation makes a
    /// protection space. It then replaces our protocol with its own, which calls the real server, or it waits forever.
    /// Without a URL the task ends with the 401 that was delivered.
    ///
    /// Sendable as `HTTPURLResponse` is; it adds no state.
    final class ShieldedHTTPURLResponse: HTTPURLResponse, @unchecked Sendable {
        @TaskLocal static var hidesURL = false

        override var url: URL? { Self.hidesURL ? nil : super.url }
    }

    extension HTTPURLResponse {
        /// Returns a response for the client.
        static func forClient(url: URL, statusCode: Int, headerFields: [String: String]) -> HTTPURLResponse? {
            let (status, http) = (statusCode, "HTTP/1.1")
            return status == 401
                ? ShieldedHTTPURLResponse(url: url, statusCode: status, httpVersion: http, headerFields: headerFields)
                : HTTPURLResponse(url: url, statusCode: status, httpVersion: http, headerFields: headerFields)
        }

        /// A Boolean value that indicates whether one response may be used for several requests: nothing changes it here.
        static var mayBeShared: Bool { true }

        /// A Boolean value that indicates whether the response sets cookies.
        var setsCookies: Bool {
            // Foundation capitalizes the names of the fields here, and finds a name by comparing it with all of them.
            allHeaderFields["Set-Cookie"] != nil
        }

        /// A Boolean value that indicates whether this response, which Foundation made, may be passed to a client.
        var isFitForClient: Bool { statusCode != 401 || self is ShieldedHTTPURLResponse }
    }

    extension URLProtocol {
        /// Tells the client that loading has finished.
        func finish() {
            ShieldedHTTPURLResponse.$hidesURL.withValue(true) { client?.urlProtocolDidFinishLoading(self) }
        }
    }
#endif
