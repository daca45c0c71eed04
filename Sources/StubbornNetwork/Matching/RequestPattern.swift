import Foundation

/// A description of the requests that a declared stub answers.
///
/// Patterns are combined with `&&`, `||` and `!`:
///
///     network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
///     network.stub(.host("api.example.com") && .path("/login") && .method("POST"), with: .status(401))
///     network.stub(!.header("Authorization"), with: .failure(URLError(.userAuthenticationRequired)))
///
/// A pattern that cannot be used, because it is not a URL or not a regular expression, matches nothing, even when it is
/// negated. Its description says why.
public struct RequestPattern: Sendable {
    let node: PatternNode

    init(_ node: PatternNode) {
        self.node = node
    }

    /// Creates a pattern of one condition; for a request that does not match, a report has the text that `shown` returns.
    init(
        _ description: String,
        requiredPath: String? = nil,
        showing shown: (@Sendable (ParsedRequest) -> String?)? = nil,
        test: @escaping @Sendable (PatternSubject) -> [String: String]?
    ) {
        node = .condition(
            PatternCondition(description: description, requiredPath: requiredPath, test: test) { subject in
                [RequestDifference(description, shown.map { .live($0(subject.shown)) } ?? .doesNotHold)]
            }
        )
    }

    /// Creates a pattern of one condition without path placeholders.
    init(
        _ description: String,
        requiredPath: String? = nil,
        showing shown: (@Sendable (ParsedRequest) -> String?)? = nil,
        _ holds: @escaping @Sendable (ParsedRequest) -> Bool
    ) {
        self.init(description, requiredPath: requiredPath, showing: shown, test: { holds($0.request) ? [:] : nil })
    }

    /// Creates a pattern of a condition on a text of the request, which a report shows.
    init(
        _ description: String,
        of text: @escaping @Sendable (ParsedRequest) -> String,
        _ holds: @escaping @Sendable (String) -> Bool
    ) {
        self.init(description, showing: { text($0).quoted() }) { holds(text($0)) }
    }

    /// A pattern for every request.
    public static let any = RequestPattern("any request") { _ in true }

    /// Returns a pattern for the requests that a closure returns `true` for.
    ///
    /// Reports use the description. The closure is called from any thread, with the body as `httpBody`.
    public static func custom(
        _ description: String = "custom condition",
        _ matches: @escaping @Sendable (URLRequest) -> Bool
    ) -> RequestPattern {
        RequestPattern(description) { matches($0.request.urlRequest) }
    }

    /// Returns a pattern for requests that equal this one by the matchers in force at the time of a lookup.
    static func request(_ request: StubRequest) -> RequestPattern {
        let declared = ParsedRequest(request)
        let condition = PatternCondition(
            description: request.description,
            requiredPath: declared.url.path,
            test: { $0.options.hold(live: $0.request, recorded: declared) ? [:] : nil },
            differences: { $0.differences(from: declared) }
        )
        return RequestPattern(.condition(condition))
    }

    /// Returns a pattern that cannot be used, and matches nothing.
    static func invalid(_ description: String, because reason: String) -> RequestPattern {
        RequestPattern(.invalid("\(description) (\(reason))"))
    }

    /// Returns a pattern for requests that match both patterns, with the path placeholders of both.
    public static func && (left: RequestPattern, right: RequestPattern) -> RequestPattern {
        RequestPattern(.all(left.node.conjuncts + right.node.conjuncts))
    }

    /// Returns a pattern for requests that match at least one of the patterns, with the path placeholders of the first that
    /// matches.
    public static func || (left: RequestPattern, right: RequestPattern) -> RequestPattern {
        RequestPattern(.any(left.node.alternatives + right.node.alternatives))
    }

    /// Returns a pattern for requests that do not match the pattern.
    public static prefix func ! (pattern: RequestPattern) -> RequestPattern {
        RequestPattern(.not(pattern.node))
    }

    /// Returns the values of the path placeholders where the pattern holds for a request; `nil` if it does not.
    func match(_ request: StubRequest, options: RequestMatcherOptions = .standard) -> [String: String]? {
        node.match(PatternSubject(ParsedRequest(request), options: options))
    }
}

extension RequestPattern: CustomStringConvertible {
    /// The pattern as a part of a sentence: `GET https://api.example.com/users/42`,
    /// `host api.example.com and not header Authorization`.
    public var description: String { node.description }
}
