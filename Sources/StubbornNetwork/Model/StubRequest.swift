import Foundation

/// The request of a stub: plain values, without a session.
///
/// Two requests are equal when method, URL (as written), header fields and body are equal. Whether a stub answers is decided
/// by matchers, which may compare less.
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
    public var body: Data?

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
    public init(method: String = "GET", url: URL, headerFields: HeaderFields = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
    }
}

extension StubRequest {
    /// Returns a Boolean value that indicates whether method, URL (as written), header fields and body are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.method == right.method && left.url == right.url && left.headerFields == right.headerFields
            && left.body == right.body
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

    /// The GraphQL operations after a space; empty for a request that is not GraphQL.
    var operations: String { graphQLOperations.prefix(4).compactMap(\.text).map { " \($0)" }.joined(separator: ",") }

    /// The GraphQL operations of the request, several for a batch; none for a request that is not GraphQL.
    var graphQLOperations: [GraphQLOperation] {
        if method == "GET" { return GraphQLOperation.operations(inQueryOf: url.absoluteString) }
        guard method == "POST", let body else { return [] }
        return GraphQLOperation.operations(in: body)
    }
}
