import Foundation

/// Which requests a declared stub answers.
///
/// Patterns read as a sentence, and compose with `&&`, `||` and `!`:
///
///     network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
///     network.stub(.host("api.example.com") && .path("/login") && .method("POST"), with: .status(401))
///     network.stub(!.header("Authorization"), with: .failure(URLError(.userAuthenticationRequired)))
///
/// A pattern that makes no sense (not a URL, not a regular expression) matches nothing, negated neither, and its
/// description says why.
public struct RequestPattern: Sendable {
    let node: PatternNode

    init(_ node: PatternNode) {
        self.node = node
    }

    /// A pattern of one condition.
    ///
    /// - Parameter shown: what of a request the condition looks at, for saying why it does not hold; `nil` for nothing.
    init(
        _ description: String,
        requiredPath: String? = nil,
        showing shown: (@Sendable (ParsedRequest) -> String?)? = nil,
        _ holds: @escaping @Sendable (ParsedRequest) -> Bool
    ) {
        let test = { @Sendable (subject: PatternSubject) in holds(subject.request) ? PatternMatch() : nil }
        let refusal = shown.map { shown in
            { @Sendable (request: ParsedRequest) in "requested \(shown(request) ?? "none")" }
        }
        node = .condition(
            PatternCondition(description: description, requiredPath: requiredPath, test: test, refusal: refusal)
        )
    }

    /// Every request.
    public static let any = RequestPattern("any request") { _ in true }

    /// The requests that the closure says yes to; the description stands for it in reports.
    ///
    /// Called from any thread, with the body as `httpBody`.
    public static func custom(
        _ description: String = "custom condition",
        _ matches: @escaping @Sendable (URLRequest) -> Bool
    ) -> RequestPattern {
        RequestPattern(description) { matches($0.request.urlRequest) }
    }

    /// This very request, by the matchers in force when it is looked up.
    static func request(_ request: StubRequest) -> RequestPattern {
        let declared = ParsedRequest(request, keepsBody: true)
        let condition = PatternCondition(description: request.description, declaredRequest: request) { subject in
            subject.options.hold(live: subject.request, recorded: declared) ? PatternMatch() : nil
        }
        return RequestPattern(.condition(condition))
    }

    /// A pattern that makes no sense: it matches nothing.
    static func invalid(_ description: String, because reason: String) -> RequestPattern {
        RequestPattern(.invalid("\(description) (\(reason))"))
    }

    /// Both hold. Values of path placeholders come from both.
    public static func && (left: RequestPattern, right: RequestPattern) -> RequestPattern {
        RequestPattern(.all(left.node.conjuncts + right.node.conjuncts))
    }

    /// At least one holds. Values of path placeholders come from the first that does.
    public static func || (left: RequestPattern, right: RequestPattern) -> RequestPattern {
        RequestPattern(.any(left.node.alternatives + right.node.alternatives))
    }

    /// The pattern does not hold.
    public static prefix func ! (pattern: RequestPattern) -> RequestPattern {
        RequestPattern(.not(pattern.node))
    }

    /// Whether the pattern holds for a request, and what its path placeholders stand for there.
    ///
    /// - Parameter options: what `request(_:)` compares by.
    func match(_ request: StubRequest, options: RequestMatcherOptions = .standard) -> PatternMatch? {
        match(PatternSubject(request: ParsedRequest(request), options: options))
    }

    func match(_ subject: PatternSubject) -> PatternMatch? { node.match(subject) }

    /// The path, as `URLParts` spells it, that every request of this pattern has; `nil` when there is no such path.
    var requiredPath: String? { node.requiredPath }

    /// The request that this pattern stands for, where it was made by `request(_:)`.
    var declaredRequest: StubRequest? {
        if case .condition(let condition) = node { condition.declaredRequest } else { nil }
    }
}

extension RequestPattern: CustomStringConvertible {
    /// A part of a sentence: `GET https://api.example.com/users/42`, `host api.example.com and not header Authorization`.
    public var description: String { node.description }
}

/// What a pattern found in a request.
struct PatternMatch: Sendable, Hashable {
    /// What the placeholders of a path template stand for: `["id": "42"]`.
    var pathParameters: [String: String] = [:]
}

/// A live request, taken apart once for all patterns that are asked.
struct PatternSubject: Sendable {
    let request: ParsedRequest
    let options: RequestMatcherOptions
}
