#if canImport(FoundationNetworking)
    import Foundation

    /// A response that hides its URL while the client is told that loading has finished.
    ///
    /// Foundation looks at a 401 with `WWW-Authenticate` at that moment. With a URL it makes a protection space, and then
    /// either replaces our protocol by its own, which asks the real server, or waits for ever. Without one the task ends with
    /// the 401, as it was delivered.
    ///
    /// Sendable as `HTTPURLResponse` is; it adds nothing.
    final class ShieldedHTTPURLResponse: HTTPURLResponse, @unchecked Sendable {
        private static let key = "StubbornNetwork.ShieldedHTTPURLResponse"

        override var url: URL? {
            Thread.current.threadDictionary[Self.key] == nil ? super.url : nil
        }

        /// Runs `body` while shielded responses have no URL, on this thread alone.
        static func hidingURL<Result>(_ body: () -> Result) -> Result {
            Thread.current.threadDictionary[key] = true
            defer { Thread.current.threadDictionary[key] = nil }
            return body()
        }
    }

    extension HTTPURLResponse {
        /// A response for the client.
        static func forClient(url: URL, statusCode: Int, headerFields: [String: String]) -> HTTPURLResponse? {
            guard statusCode == 401 else {
                return HTTPURLResponse(
                    url: url,
                    statusCode: statusCode,
                    httpVersion: "HTTP/1.1",
                    headerFields: headerFields
                )
            }
            return ShieldedHTTPURLResponse(
                url: url,
                statusCode: statusCode,
                httpVersion: "HTTP/1.1",
                headerFields: headerFields
            )
        }
    }

    extension HTTPURLResponse {
        /// Whether one response may be given to several requests: nothing changes it, and nobody can attach anything to it.
        static var mayBeShared: Bool { true }

        /// A Boolean value that indicates whether the response sets cookies.
        ///
        /// Foundation capitalizes the names of the fields here, and looks for a name by comparing all of them.
        var setsCookies: Bool { allHeaderFields["Set-Cookie"] != nil }

        /// Whether this response, which Foundation made, may be given to a client as it is.
        var isFitForClient: Bool { statusCode != 401 || self is ShieldedHTTPURLResponse }
    }

    extension URLProtocol {
        /// Tells the client that loading has finished, after `response`.
        func finish(after response: URLResponse?) {
            guard response is ShieldedHTTPURLResponse else {
                client?.urlProtocolDidFinishLoading(self)
                return
            }
            ShieldedHTTPURLResponse.hidingURL { client?.urlProtocolDidFinishLoading(self) }
        }
    }
#endif
