import Foundation

/// A pattern that holds for a request, as code to paste: `.get("https://api.example.com/users?page=2")`.
struct OfferedPattern: Sendable {
    let code: String
    private let pattern: RequestPattern
    static let maximumByteCount = 720

    /// Creates the pattern to offer for a request: the first that holds for it and shows no secret of the operation, the URL,
    /// the host with the path, and the host.
    ///
    /// `shown` is the request without its secrets, and `isShowable` returns whether a piece of code is free of them.
    init(for request: StubRequest, shown: StubRequest, isShowable: (String) -> Bool) {
        let live = ParsedRequest(request)
        let subject = PatternSubject(live, options: .standard)
        self =
            Self.candidates(live, shown).first { offered in
                offered.code.utf8.count <= Self.maximumByteCount && isShowable(offered.code)
                    && offered.pattern.node.match(subject) != nil
            } ?? Self(".any", .any)
    }

    private init(_ code: String, _ pattern: RequestPattern) {
        self.code = code
        self.pattern = pattern
    }

    private static func candidates(_ live: ParsedRequest, _ shown: StubRequest) -> [OfferedPattern] {
        let (request, url) = (live.request, live.url)
        let (host, hostCode) = (RequestPattern.host(url.host), ".host(\(code(url.host)))")
        let operations = request.graphQLOperations.compactMap(\.name)
        var offered = operations.count == 1 ? [Self(".graphQL(\(code(operations[0])))", .graphQL(operations[0]))] : []
        // A user is a secret, which no pattern needs.
        let address = request.url == shown.url ? request.url.absoluteString : url.text
        offered.append(resource(request.method, String(address.prefix { $0 != "#" })))
        let path = resource(request.method, url.path)
        return offered + [Self("\(hostCode) && \(path.code)", host && path.pattern), Self(hostCode, host)]
    }

    /// Returns a pattern for the method and an address, or a path.
    private static func resource(_ method: String, _ address: String) -> OfferedPattern {
        guard RequestPattern.namedMethods.contains(method) else {
            let isPath = address.hasPrefix("/")
            return Self(
                ".method(\(code(method))) && .\(isPath ? "path" : "url")(\(code(address)))",
                .method(method) && (isPath ? .path(address) : .url(address))
            )
        }
        return Self(".\(method.lowercased())(\(code(address)))", .resource(method, address))
    }

    private static func code(_ text: String) -> String { text.quoted(upTo: 4_096) }
}
