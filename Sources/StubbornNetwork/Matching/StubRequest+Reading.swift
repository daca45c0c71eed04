import Foundation

extension StubRequest {
    /// The names of the request's GraphQL operations; none for a request that is not GraphQL.
    public var graphQLOperationNames: [String] { graphQLOperations.compactMap(\.name) }

    /// A Boolean value that indicates whether the request only reads: it has a safe method (RFC 9110, section 9.2.1), or holds
    /// GraphQL queries and nothing else.
    public var isReadOnly: Bool {
        if ["GET", "HEAD", "OPTIONS"].contains(method) { return true }
        let operations = graphQLOperations
        return !operations.isEmpty && operations.allSatisfy(\.isQuery)
    }
}
