#if !canImport(FoundationNetworking) || SIMULATES_APPLE
    import Foundation

    extension HTTPURLResponse {
        /// Returns a response for the client.
        static func forClient(url: URL, statusCode: Int, headerFields: [String: String]) -> HTTPURLResponse? {
            HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headerFields)
        }

        /// A Boolean value that indicates whether one response may be used for several requests: not here, because
        /// other code can attach objects to it.
        static var mayBeShared: Bool { false }

        /// A Boolean value that indicates whether the response sets cookies.
        var setsCookies: Bool { value(forHTTPHeaderField: "Set-Cookie") != nil }

        /// A Boolean value that indicates whether this response, which Foundation made, may be passed to a client.
        var isFitForClient: Bool { true }
    }

    extension URLProtocol {
        /// Tells the client that loading has finished.
        func finish() { client?.urlProtocolDidFinishLoading(self) }
    }
#endif
