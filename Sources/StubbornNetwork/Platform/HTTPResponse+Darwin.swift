#if !canImport(FoundationNetworking)
    import Foundation

    extension HTTPURLResponse {
        /// A response for the client.
        static func forClient(url: URL, statusCode: Int, headerFields: [String: String]) -> HTTPURLResponse? {
            HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headerFields)
        }
    }

    extension HTTPURLResponse {
        /// Whether one response may be given to several requests: not where others can attach objects to it.
        static var mayBeShared: Bool { false }

        /// A Boolean value that indicates whether the response sets cookies.
        var setsCookies: Bool { value(forHTTPHeaderField: "Set-Cookie") != nil }

        /// Whether this response, which Foundation made, may be given to a client as it is.
        var isFitForClient: Bool { true }
    }

    extension URLProtocol {
        /// Tells the client that loading has finished, after `response`.
        func finish(after response: URLResponse?) {
            client?.urlProtocolDidFinishLoading(self)
        }
    }
#endif
