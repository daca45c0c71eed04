import Foundation

extension ResponseHead {
    /// The head of a response that Foundation made. One that is not HTTP's counts as 200, with what is known of its body.
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
    /// What a response without header fields says of its body, as header fields.
    fileprivate var plainHeaderFields: [String: String] {
        guard let mimeType else { return [:] }
        return ["Content-Type": textEncodingName.map { "\(mimeType); charset=\($0)" } ?? mimeType]
    }
}
