#if !canImport(FoundationNetworking)
    import Foundation

    extension HTTPURLResponse {
        /// A response for the client.
        static func forClient(url: URL, statusCode: Int, headerFields: [String: String]) -> HTTPURLResponse? {
            HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headerFields)
        }
    }

    extension URLResponse {
        /// The response as the client can be given it, for one that came from the real server.
        var forClient: URLResponse { self }
    }

    extension URLProtocol {
        /// Tells the client that loading has finished, after `response`.
        func finish(after response: URLResponse?) {
            client?.urlProtocolDidFinishLoading(self)
        }
    }
#endif
