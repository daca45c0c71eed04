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

    /// Returns the values of the path placeholders where the pattern holds for a request; `nil` where it does not.
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
