/// The structure of a pattern.
///
/// A long `a || b || c …` is one flat node.
indirect enum PatternNode: Sendable {
    case condition(PatternCondition)
    case all([PatternNode])
    case any([PatternNode])
    case not(PatternNode)
    /// A pattern that cannot be used, and the reason.
    case invalid(String)

    var conjuncts: [PatternNode] {
        if case .all(let nodes) = self { nodes } else { [self] }
    }

    var alternatives: [PatternNode] {
        if case .any(let nodes) = self { nodes } else { [self] }
    }

    /// Returns the values of the path placeholders where the pattern holds for a request; `nil` if it does not.
    func match(_ subject: PatternSubject) -> [String: String]? {
        switch self {
        case .condition(let condition):
            return condition.test(subject)
        case .all(let nodes):
            var result: [String: String] = [:]
            for node in nodes {
                guard let pathParameters = node.match(subject) else { return nil }
                result.merge(pathParameters) { $1 }
            }
            return result
        case .any(let nodes):
            for node in nodes {
                if let pathParameters = node.match(subject) { return pathParameters }
            }
            return nil
        case .not(let node):
            return node.isValid && node.match(subject) == nil ? [:] : nil
        case .invalid:
            return nil
        }
    }

    /// A Boolean value that indicates whether all parts of the pattern can be used.
    ///
    /// Otherwise it must not match when negated.
    private var isValid: Bool {
        switch self {
        case .condition: true
        case .all(let nodes), .any(let nodes): nodes.allSatisfy(\.isValid)
        case .not(let node): node.isValid
        case .invalid: false
        }
    }

    /// The path that a request must have for the pattern to hold where matchers compare it; `nil` for any path.
    var requiredPath: String? {
        switch self {
        case .condition(let condition): condition.requiredPath
        case .all(let nodes): nodes.lazy.compactMap(\.requiredPath).first
        case .any, .not, .invalid: nil
        }
    }

    var description: String {
        switch self {
        case .condition(let condition): condition.description
        case .all(let nodes): nodes.map(\.descriptionOfPart).joined(separator: " and ")
        case .any(let nodes): nodes.map(\.descriptionOfPart).joined(separator: " or ")
        case .not(let node): "not \(node.descriptionOfPart)"
        case .invalid(let text): text
        }
    }

    private var descriptionOfPart: String {
        switch self {
        case .all, .any: "(\(description))"
        default: description
        }
    }
}

struct PatternCondition: Sendable {
    let description: String
    /// The path that a request must have for the condition to hold where matchers compare it; `nil` for any path.
    let requiredPath: String?
    /// The test, which returns the values of the path placeholders where the condition holds, and otherwise `nil`.
    let test: @Sendable (PatternSubject) -> [String: String]?
    /// The differences that keep the condition from holding, and `nil` for each part of it that holds.
    let differences: @Sendable (PatternSubject) -> [RequestDifference?]
}

/// A live request that patterns are compared with, parsed once for all of them.
struct PatternSubject: Sendable {
    let request: ParsedRequest
    let options: RequestMatcherOptions
    let shown: ParsedRequest
    /// The function that returns a request without its secrets.
    let redact: @Sendable (StubRequest) -> StubRequest

    init(
        _ request: ParsedRequest,
        options: RequestMatcherOptions,
        redact: (@Sendable (StubRequest) -> StubRequest)? = nil
    ) {
        self.request = request
        self.options = options
        shown = redact.map { ParsedRequest($0(request.request)) } ?? request
        self.redact = redact ?? { $0 }
    }

    /// Returns the differences from a declared request by the matchers in force.
    ///
    /// If the path is the same, `nil` comes first, as for a condition that holds.
    func differences(from declared: ParsedRequest) -> [RequestDifference?] {
        let live = options.differences(recorded: declared, requested: request)
        let redacted = options.differences(recorded: ParsedRequest(redact(declared.request)), requested: shown)
        let differences = RequestDifference.shown(live, as: redacted).map(\.ofDeclaredStub)
        return (request.url.path == declared.url.path ? [nil] : []) + differences
    }
}

/// The conditions of a pattern that hold for a request, and those that do not.
struct PatternNearMiss: Sendable {
    /// The differences of the conditions, `header Authorization: requested none`, and `nil` for each that holds.
    let parts: [RequestDifference?]
    var holding: Int { parts.filter { $0 == nil }.count }
    var failing: [RequestDifference] { parts.compactMap { $0 } }
    var isNear: Bool { holding > 0 && !failing.isEmpty }

    static func < (left: Self, right: Self) -> Bool {
        (left.failing.count, right.holding) < (right.failing.count, left.holding)
    }
}

extension PatternNode {
    /// Returns the conditions that hold for a request and those that do not, asking every one, also those in code.
    func nearMiss(_ subject: PatternSubject) -> PatternNearMiss {
        switch self {
        case .all(let nodes): PatternNearMiss(parts: nodes.flatMap { $0.nearMiss(subject).parts })
        case .any(let nodes): nodes.map { $0.nearMiss(subject) }.min(by: <) ?? PatternNearMiss(parts: [])
        case _ where match(subject) != nil: PatternNearMiss(parts: [nil])
        case .condition(let condition): PatternNearMiss(parts: condition.differences(subject))
        case .not, .invalid:
            PatternNearMiss(parts: [RequestDifference(description, .doesNotHold)])
        }
    }
}
