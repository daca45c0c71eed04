import Foundation

/// The head of a response: the values of an `HTTPURLResponse`.
public struct ResponseHead: Sendable, Hashable {
    /// The status code: 100 to 599 in HTTP (RFC 9110, section 15).
    ///
    /// Any value from 0 to 999 can be delivered.
    public var statusCode: Int
    /// The header fields of the response.
    public var headerFields: HeaderFields
    /// The URL of the response; `nil` if it equals the request's URL.
    public var url: URL?

    /// Creates the head of a response, by default without header fields and with the request's URL.
    public init(statusCode: Int, headers: HeaderFields = [:], url: URL? = nil) {
        (self.statusCode, headerFields, self.url) = (statusCode, headers, url)
    }
}

extension ResponseHead {
    /// Returns the head as Foundation's response; `nil` if Foundation cannot create one.
    func httpResponse(to url: URL) -> HTTPURLResponse? {
        let fields = headerFields.combinedBySpelling
        return HTTPURLResponse.forClient(url: self.url ?? url, statusCode: statusCode, headerFields: fields)
    }

    /// The head with its header fields as in a session's response: sorted by name, with repeated fields joined.
    ///
    /// `Set-Cookie` fields stay separate, because two cookies cannot be in one field (RFC 6265, section 3).
    var combiningRepeatedFields: ResponseHead {
        var (head, fields) = (self, headerFields)
        let cookies = fields.values(named: "Set-Cookie")
        if let first = cookies.first { fields["Set-Cookie"] = first }
        head.headerFields = HeaderFields(
            HeaderFields(fields.combinedBySpelling).flatMap { field in
                let values = field.name.isSameFieldName(as: "Set-Cookie") ? cookies : [field.value]
                return values.map { HeaderFields.Field(name: field.name, value: $0) }
            }
        )
        return head
    }

    /// Creates the head of a response.
    ///
    /// A response that is not HTTP gets a 200 and its type.
    init(_ response: URLResponse) {
        var fields: [String: String] = [:]
        let http = response as? HTTPURLResponse
        for case (let name as String, let value as String) in http?.allHeaderFields ?? [:] {
            fields[name] = value
        }
        if http == nil, let type = response.mimeType {
            fields["Content-Type"] = response.textEncodingName.map { "\(type); charset=\($0)" } ?? type
        }
        self.init(statusCode: http?.statusCode ?? 200, headers: HeaderFields(fields), url: response.url)
    }
}

extension URLResponse {
    /// A Boolean value that indicates whether the session is involved, with its delegate, cookies or credentials.
    var needsSession: Bool {
        guard let response = self as? HTTPURLResponse else { return false }
        switch response.statusCode {
        case 300..<400, 401, 407: return true
        default: return response.setsCookies
        }
    }

    /// The response as the client gets it.
    var forClient: URLResponse {
        guard let response = self as? HTTPURLResponse, !response.isFitForClient, let url else { return self }
        return ResponseHead(response).httpResponse(to: url) ?? self
    }
}

/// A response with a body that arrives in parts.
public struct StreamedResponse: Sendable {
    /// The status code and the header fields.
    public var head: ResponseHead

    /// The parts of the body as they arrive, without its content encoding.
    ///
    /// The stream throws the error that ends the body early. It can be read once. If the reader stops before the end,
    /// the exchange is cancelled.
    public var parts: AsyncThrowingStream<Data, any Error>
}

extension StreamedResponse {
    /// Creates a response from a client's response: `response.body.map { Data(buffer: $0) }`, for example.
    public init<Parts: AsyncSequence & Sendable>(head: ResponseHead, parts: Parts) where Parts.Element == Data {
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            let task = Task {
                do {
                    for try await part in parts { continuation.yield(part) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
        self.init(head: head, parts: stream)
    }

    /// Creates a response with a whole body.
    init(head: ResponseHead, body: Data?) {
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            if let body, !body.isEmpty { continuation.yield(body) }
            continuation.finish()
        }
        self.init(head: head, parts: stream)
    }
}
