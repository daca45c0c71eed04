/// How a pattern is made up. Lists are flat, so that a long `a || b || c …` is not deep.
indirect enum PatternNode: Sendable {
    case condition(PatternCondition)
    case all([PatternNode])
    case any([PatternNode])
    case not(PatternNode)
    /// What makes no sense, and why.
    case invalid(String)

    var conjuncts: [PatternNode] {
        if case .all(let nodes) = self { nodes } else { [self] }
    }

    var alternatives: [PatternNode] {
        if case .any(let nodes) = self { nodes } else { [self] }
    }

    func match(_ subject: PatternSubject) -> PatternMatch? {
        switch self {
        case .condition(let condition):
            return condition.test(subject)
        case .all(let nodes):
            var result = PatternMatch()
            for node in nodes {
                guard let match = node.match(subject) else { return nil }
                result.pathParameters.merge(match.pathParameters) { $1 }
            }
            return result
        case .any(let nodes):
            for node in nodes {
                if let match = node.match(subject) { return match }
            }
            return nil
        case .not(let node):
            return node.isValid && node.match(subject) == nil ? PatternMatch() : nil
        case .invalid:
            return nil
        }
    }

    /// Whether all of it makes sense. What does not must not hold by being negated.
    private var isValid: Bool {
        switch self {
        case .condition: true
        case .all(let nodes), .any(let nodes): nodes.allSatisfy(\.isValid)
        case .not(let node): node.isValid
        case .invalid: false
        }
    }

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

/// One condition of a pattern.
struct PatternCondition: Sendable {
    let description: String

    /// The path that a request must have for the condition to hold, where there is one such path.
    var requiredPath: String?

    /// The request that the condition is equality with, by the matchers in force.
    var declaredRequest: StubRequest?

    let test: @Sendable (PatternSubject) -> PatternMatch?

    /// Why the condition does not hold for a request; `nil` where nothing can be said but that.
    var refusal: (@Sendable (ParsedRequest) -> String)?

    /// The parts of a condition that is several in one, as `GET https://api.example.com/users` is: what of each, `nil`
    /// where it holds.
    var parts: (@Sendable (_ live: ParsedRequest, _ shown: ParsedRequest) -> [RequestDifference?])?
}
