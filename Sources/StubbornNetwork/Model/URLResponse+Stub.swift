import Foundation

extension ResponseHead {
    /// Creates the head of a response; of one that is not HTTP, a 200 with its type and its length.
    init(_ response: URLResponse) {
        var fields: [String: String] = [:]
        let http = response as? HTTPURLResponse
        for case (let name as String, let value as String) in http?.allHeaderFields ?? [:] {
            fields[name] = value
        }
        if http == nil, let type = response.mimeType {
            fields["Content-Type"] = response.textEncodingName.map { "\(type); charset=\($0)" } ?? type
        }
        // Code that does not set the length often leaves it at 0.
        if http == nil, response.expectedContentLength > 0 {
            fields["Content-Length"] = String(response.expectedContentLength)
        }
        self.init(statusCode: http?.statusCode ?? 200, headerFields: HeaderFields(fields), url: response.url)
    }
}

extension URLResponse {
    /// A Boolean value that indicates whether the session takes part: with its delegate, its cookies or credentials.
    var needsSession: Bool {
        guard let response = self as? HTTPURLResponse else { return false }
        switch response.statusCode {
        case 300..<400, 401, 407: return true
        default: return response.setsCookies
        }
    }

    /// The response in a form that is fit for the client.
    var forClient: URLResponse {
        guard let response = self as? HTTPURLResponse, !response.isFitForClient, let url else { return self }
        let (code, fields) = (response.statusCode, ResponseHead(response).headerFields.combinedBySpelling)
        return HTTPURLResponse.forClient(url: url, statusCode: code, headerFields: fields) ?? self
    }
}
