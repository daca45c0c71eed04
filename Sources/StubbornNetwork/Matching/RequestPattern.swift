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
/// negated. Its description shows the reason.
public struct RequestPattern: Sendable, CustomStringConvertible {
    let node: PatternNode

    init(_ node: PatternNode) { self.node = node }

    /// Creates a pattern of one condition; for a request that does not match, a report contains the result of `shown`.
    init(
        _ description: String,
        requiredPath: String? = nil,
        showing shown: (@Sendable (ParsedRequest) -> String?)? = nil,
        _ holds: @escaping @Sendable (ParsedRequest) -> Bool
    ) {
        let test: PatternCondition.Test = { holds($0) ? [:] : nil }
        node = .condition(
            PatternCondition(description: description, requiredPath: requiredPath, test: test) { live in
                let requested = shown.map { "requested \($0(live) ?? "none")" }
                return RequestDifference(description, .remark(requested ?? "does not hold"))
            }
        )
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

    /// Returns a pattern for the requests for which a closure returns `true`.
    ///
    /// Reports use the description. The closure is called from any thread, with the body as `httpBody`.
    public static func custom(
        _ description: String = "custom condition",
        _ matches: @escaping @Sendable (URLRequest) -> Bool
    ) -> RequestPattern {
        RequestPattern(description) { matches($0.request.urlRequest) }
    }

    /// The requests that open a web socket.
    static let webSocket = RequestPattern("web socket") { $0.request.isWebSocket }

    /// Returns a pattern for requests that match this one under the matchers that apply at the time of a lookup.
    ///
    /// A placeholder in it stands for any value.
    static func request(_ request: StubRequest) -> RequestPattern {
        // Digits are listed, and `REDACTED` in older files has no number.
        let isListed = request.placeholders?.isEmpty == false
        let hasPlaceholders = request.texts.contains {
            $0.data.withBytes { Placeholder.isIn($0) || !Placeholder.all(in: $0).isEmpty }
        }
        return RequestPattern(.request(ParsedRequest(request), hasPlaceholders: hasPlaceholders || isListed))
    }

    /// Returns a pattern that cannot be used, and matches nothing.
    static func invalid(_ description: String, because reason: String) -> RequestPattern {
        RequestPattern(.invalid("\(description) (\(reason))"))
    }

    /// Returns a pattern for requests that match both patterns, with the path placeholders of both.
    public static func && (left: RequestPattern, right: RequestPattern) -> RequestPattern {
        RequestPattern(.all(left.node.conjuncts + right.node.conjuncts))
    }

    /// Returns a pattern for requests that match at least one of the patterns, with the path placeholders of the first
    /// match.
    public static func || (left: RequestPattern, right: RequestPattern) -> RequestPattern {
        RequestPattern(.any(left.node.alternatives + right.node.alternatives))
    }

    /// Returns a pattern for requests that do not match the pattern.
    public static prefix func ! (pattern: RequestPattern) -> RequestPattern {
        RequestPattern(.not(pattern.node))
    }

    /// Returns the values of the path placeholders if the pattern matches a request; `nil` otherwise.
    func match(_ request: StubRequest, options: RequestMatcherOptions = .standard) -> [String: String]? {
        node.match(PatternSubject(ParsedRequest(request), options: options))
    }

    /// The pattern as a part of a sentence: `GET https://api.example.com/users/42`,
    /// `host api.example.com and not header Authorization`.
    public var description: String { node.description }
}

/// The structure of a pattern.
///
/// A long `a || b || c …` is one flat node.
indirect enum PatternNode: Sendable {
    case condition(PatternCondition)
    /// A request, which is compared by the matchers that apply.
    case request(ParsedRequest, hasPlaceholders: Bool)
    /// All of these; `name` describes them together.
    case all([PatternNode], name: String? = nil)
    case any([PatternNode])
    case not(PatternNode)
    /// A pattern that cannot be used, and the reason.
    case invalid(String)

    var conjuncts: [PatternNode] { if case .all(let nodes, name: nil) = self { nodes } else { [self] } }

    var alternatives: [PatternNode] { if case .any(let nodes) = self { nodes } else { [self] } }

    /// Returns the values of the path placeholders if the pattern matches a request; `nil` otherwise.
    func match(_ subject: PatternSubject) -> [String: String]? {
        switch self {
        case .condition(let condition): return condition.test(subject.request)
        case .request(let declared, let hasPlaceholders):
            let forms = hasPlaceholders || !subject.placeholders.isEmpty ? subject.forms(of: declared) : nil
            return subject.options.hold(live: subject.request, recorded: declared, forms) ? [:] : nil
        case .all(let nodes, _):
            var result: [String: String] = [:]
            for node in nodes {
                guard let pathParameters = node.match(subject) else { return nil }
                result.merge(pathParameters) { $1 }
            }
            return result
        case .any(let nodes): return nodes.lazy.compactMap { $0.match(subject) }.first
        case .not(let node): return node.isValid && node.match(subject) == nil ? [:] : nil
        case .invalid: return nil
        }
    }

    /// A Boolean value that indicates whether all parts of the pattern can be used.
    ///
    /// If not, the pattern must match nothing, even when it is negated.
    private var isValid: Bool {
        switch self {
        case .condition, .request: true
        case .all(let nodes, _), .any(let nodes): nodes.allSatisfy(\.isValid)
        case .not(let node): node.isValid
        case .invalid: false
        }
    }

    /// The path that the pattern requires, as matchers compare it; `nil` for any path.
    var requiredPath: String? {
        switch self {
        case .condition(let condition): condition.requiredPath
        // A placeholder in it stands for any value.
        case .request(let declared, let hasPlaceholders): hasPlaceholders ? nil : declared.url.path
        case .all(let nodes, _): nodes.lazy.compactMap(\.requiredPath).first
        case .any, .not, .invalid: nil
        }
    }

    var description: String {
        switch self {
        case .condition(let condition): condition.description
        case .request(let declared, _): declared.request.description
        case .all(let nodes, let name): name ?? nodes.map(\.descriptionOfPart).joined(separator: " and ")
        case .any(let nodes): nodes.map(\.descriptionOfPart).joined(separator: " or ")
        case .not(let node): "not \(node.descriptionOfPart)"
        case .invalid(let text): text
        }
    }

    private var descriptionOfPart: String {
        switch self {
        case .all(_, name: nil), .any: "(\(description))"
        default: description
        }
    }

    /// Returns the conditions that a request meets, and those that it does not meet.
    ///
    /// Every condition is evaluated, including those in code.
    func nearMiss(_ subject: PatternSubject) -> PatternNearMiss {
        switch self {
        case .all(let nodes, _): PatternNearMiss(parts: nodes.flatMap { $0.nearMiss(subject).parts })
        case .any(let nodes): nodes.map { $0.nearMiss(subject) }.min(by: <) ?? PatternNearMiss(parts: [])
        case _ where match(subject) != nil: PatternNearMiss(parts: [nil])
        case .condition(let condition): PatternNearMiss(parts: [condition.difference(subject.shown)])
        case .request(let declared, _): PatternNearMiss(parts: subject.differences(from: declared))
        case .not, .invalid: PatternNearMiss(parts: [RequestDifference(description, .remark("does not hold"))])
        }
    }
}

struct PatternCondition: Sendable {
    let description: String
    /// The path that the condition requires, as matchers compare it; `nil` for any path.
    let requiredPath: String?
    /// A function that returns the values of the path placeholders if the condition is met, and `nil` otherwise.
    typealias Test = @Sendable (ParsedRequest) -> [String: String]?
    let test: Test
    /// Returns the description, for a report, of a request that does not meet the condition, without its secrets.
    let difference: @Sendable (ParsedRequest) -> RequestDifference
}

/// A live request that patterns are compared with, parsed once for all of them.
struct PatternSubject: Sendable {
    let request: ParsedRequest
    let options: RequestMatcherOptions
    /// The strings that the settings declare as placeholders.
    let placeholders: [String]
    let shown: ParsedRequest
    /// The function that returns a request without its secrets.
    let redact: @Sendable (StubRequest) -> StubRequest

    init(
        _ request: ParsedRequest,
        options: RequestMatcherOptions,
        placeholders: [String] = [],
        redact: (@Sendable (StubRequest) -> StubRequest)? = nil
    ) {
        (self.request, self.options, self.placeholders) = (request, options, placeholders)
        shown = redact.map { ParsedRequest($0(request.request)) } ?? request
        self.redact = redact ?? { $0 }
    }

    /// Returns the strings that are wildcards in a declared request.
    func forms(of declared: ParsedRequest) -> PlaceholderForms {
        PlaceholderForms(listed: declared.request.placeholders, declared: placeholders)
    }

    /// Returns the differences from a declared request under the matchers that apply.
    ///
    /// If the path is the same, `nil` comes first, as for a condition that is met.
    func differences(from declared: ParsedRequest) -> [RequestDifference?] {
        let live = options.differences(recorded: declared, requested: request, forms(of: declared))
        let redacted = options.differences(recorded: ParsedRequest(redact(declared.request)), requested: shown)
        let differences = RequestDifference.shown(live, as: redacted).map(\.ofDeclaredStub)
        return (request.url.path == declared.url.path ? [nil] : []) + differences
    }
}

/// The conditions of a pattern that a request meets, and those that it does not meet.
struct PatternNearMiss: Sendable {
    /// The differences of the conditions, `header Authorization: requested none`, and `nil` for each condition that is
    /// met.
    let parts: [RequestDifference?]
    var holding: Int { parts.filter { $0 == nil }.count }
    var failing: [RequestDifference] { parts.compactMap { $0 } }
    var isNear: Bool { holding > 0 && !failing.isEmpty }

    static func < (left: Self, right: Self) -> Bool {
        (left.failing.count, right.holding) < (right.failing.count, left.holding)
    }
}
