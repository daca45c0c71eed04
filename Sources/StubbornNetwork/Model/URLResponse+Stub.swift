import Foundation

extension ResponseHead {
    /// Creates the head of a response from Foundation's response.
    ///
    /// A response that is not an HTTP one gets the status code 200, and a `Content-Type` if its type is known.
    init(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else {
            self.init(statusCode: 200, headerFields: HeaderFields(response.plainHeaderFields), url: response.url)
            return
        }
        var fields: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            fields[name] = value
        }
        self.init(statusCode: response.statusCode, headerFields: HeaderFields(fields), url: response.url)
    }
}

extension URLResponse {
    /// A Boolean value that indicates whether the session takes part in this response: with its delegate, its cookies or its
    /// credentials.
    var needsSession: Bool {
        guard let response = self as? HTTPURLResponse else { return false }
        switch response.statusCode {
        case 300..<400, 401, 407: return true
        default: return response.setsCookies
        }
    }

    /// The response in a form that the client can get.
    ///
    /// The real server's response may be unfit for the client.
    var forClient: URLResponse {
        guard let response = self as? HTTPURLResponse, !response.isFitForClient, let url else { return self }
        let head = ResponseHead(response)
        return HTTPURLResponse.forClient(
            url: url,
            statusCode: head.statusCode,
            headerFields: head.headerFields.combined
        ) ?? self
    }

    /// The type of the body of a response that is not an HTTP one, as header fields.
    fileprivate var plainHeaderFields: [String: String] {
        guard let mimeType else { return [:] }
        return ["Content-Type": textEncodingName.map { "\(mimeType); charset=\($0)" } ?? mimeType]
    }
}
