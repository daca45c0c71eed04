import Foundation

/// The request of a stub: plain values, without a session.
///
/// Two requests are equal if method, URL (as written), header fields and body are equal. Matchers, which decide whether
/// a stub answers, may compare less.
public struct StubRequest: Sendable, Hashable {
    /// The method as it was given, usually upper case.
    ///
    /// Methods are case-sensitive (RFC 9110, section 9.1).
    public var method: String
    /// The absolute URL.
    public var url: URL
    /// The header fields.
    public var headerFields: HeaderFields

    /// The body; `nil` when there is none.
    ///
    /// An empty body and no body differ here, but they are equal for the matchers.
    public var body: Data? { didSet { body = body?.indexedFromZero } }

    /// The placeholders in the request that look like ordinary digits, such as `999998`.
    ///
    /// The value is `nil` in a stub of an older file, in which everything that looks like a placeholder is one.
    package var placeholders: [String]?

    /// The values of a path template's placeholders, for a stub that computes its response.
    ///
    /// For example, `/users/42` and the template `/users/:id` give `["id": "42"]`. The dictionary is empty for any
    /// other request, and is never stored.
    public var pathParameters: [String: String] = [:]

    /// Creates a request, by default a GET request without header fields and without a body.
    public init(method: String = "GET", url: URL, headers: HeaderFields = [:], body: Data? = nil) {
        (self.method, self.url, headerFields) = (method, url, headers)
        self.body = body?.indexedFromZero
    }
}

extension StubRequest {
    /// Returns a Boolean value that indicates whether method, URL (as written), header fields and body are equal.
    public static func == (left: Self, right: Self) -> Bool {
        (left.method, left.url, left.headerFields, left.body)
            == (right.method, right.url, right.headerFields, right.body)
    }

    /// Combines method, URL and header fields.
    ///
    /// The body is left out, although equality compares it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(headerFields)
    }
}

extension StubRequest: CustomStringConvertible {
    /// The method and the URL: `GET https://api.example.com/users/42`.
    ///
    /// A GraphQL request also has its operations: `POST https://api.example.com/graphql User(id: 42)`. The
    /// stub of a value that a test made has the value's name: `value "order"`.
    public var description: String {
        valueName.map { "value \($0.quoted())" } ?? "\(method) \(url.absoluteString)\(operations)"
    }

    /// A space and the GraphQL operations; empty for a request that is not GraphQL.
    var operations: String { graphQLOperations.prefix(4).compactMap(\.text).map { " \($0)" }.joined(separator: ",") }

    /// The GraphQL operations of the request, several for a batch; none for a request that is not GraphQL.
    var graphQLOperations: [GraphQLOperation] {
        if method == "GET" { return GraphQLOperation.operations(inQueryOf: url.absoluteString) }
        guard method == "POST", let body else { return [] }
        return GraphQLOperation.operations(in: body)
    }
}

extension StubRequest {
    /// The names of the request's GraphQL operations; none for a request that is not GraphQL.
    @_spi(Tools) public var graphQLOperationNames: [String] { graphQLOperations.compactMap(\.name) }

    /// A Boolean value that indicates whether the request only reads: it has a safe method (RFC 9110, section 9.2.1),
    /// or contains only GraphQL queries.
    ///
    /// A client may send anything through a web socket.
    @_spi(Tools) public var isReadOnly: Bool {
        if ["GET", "HEAD", "OPTIONS"].contains(method) { return !isWebSocket }
        let operations = graphQLOperations
        return !operations.isEmpty && operations.allSatisfy(\.isQuery)
    }

    /// Creates a request from a `URLRequest`; `nil` if it has no URL.
    ///
    /// The body is by default the request's `httpBody`. A body stream is not read.
    public init?(_ request: URLRequest, body: Data? = nil) {
        guard let url = request.url else { return nil }
        self.init(
            method: request.httpMethod ?? "GET",
            url: url,
            headers: request.allHTTPHeaderFields.map { HeaderFields($0) } ?? [:],
            body: body ?? request.httpBody
        )
    }

    /// The request as a `URLRequest`, with its body as `httpBody`.
    public var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = headerFields.combined
        request.httpBody = body
        return request
    }

    /// A Boolean value that indicates whether the request is the handshake of a WebSocket (RFC 6455, section 4.1).
    ///
    /// A `POST` with the same field, or a `GET` with `Upgrade: h2c`, is not.
    var opensWebSocket: Bool { method == "GET" && headerFields["Upgrade"]?.lowercased() == "websocket" }
}

extension URL {
    /// A Boolean value that indicates whether stubs can answer requests for this URL: `http` or `https`, and a host.
    var isAnswerable: Bool {
        // Foundation copies each part that is read, and this property is read for each request.
        absoluteString.withBytes { url in
            let fields = URLFields(url)
            let host = url.part(fields.host)
            guard !host.isEmpty, host[0] != .colon else { return false }
            return url.part(fields.scheme).isOne(of: ["http", "https"])
        }
    }
}

extension StubRequest {
    // MARK: Values

    // A value that a test made is also a stub: the request contains its name, and the response contains it as JSON.
    private static let valueMethod = "VALUE"
    private static let valueScheme = "value:"

    /// Creates a request for a value, which no client can send: `VALUE value:order`.
    init(valueNamed name: String) {
        let encoded = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let url = URL(string: Self.valueScheme + encoded) ?? URL(fileURLWithPath: encoded)
        self.init(method: Self.valueMethod, url: url)
    }

    /// The name of the value that a test made; `nil` for a request to a server.
    package var valueName: String? {
        guard method == Self.valueMethod, url.absoluteString.hasPrefix(Self.valueScheme) else { return nil }
        return PercentEncoding.decoded(String(url.absoluteString.dropFirst(Self.valueScheme.count)))
    }

    // MARK: Web sockets

    /// A Boolean value that indicates whether the request opens a web socket.
    @_spi(Tools) public var isWebSocket: Bool { ["ws", "wss"].contains(url.scheme?.lowercased() ?? "") }

    /// Returns a request that stands for a frame that the client sends: `SEND wss://api.example.com/live`.
    func sending(_ frame: WebSocketFrame) -> StubRequest { StubRequest(method: "SEND", url: url, body: frame.data) }

    /// A Boolean value that indicates whether the request stands for a frame that a client sends.
    var isFrame: Bool { method == "SEND" && isWebSocket }

    /// A Boolean value that indicates whether no declared stub can answer: the request stands for a value or a frame.
    var isOnlyRecorded: Bool { valueName != nil || isFrame }
}
