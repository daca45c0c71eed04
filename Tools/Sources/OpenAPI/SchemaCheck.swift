import Foundation
@_spi(Tools) import StubbornNetworkTooling

/// A check of values against the schemas of one document.
///
/// The keywords are those of JSON Schema 2020-12 (core and validation), and of the dialect of OpenAPI 3.0, which has
/// `nullable`, Boolean `exclusiveMinimum`, and integers that are written without a fraction.
final class SchemaCheck {
    enum Dialect { case openAPI30, draft2020 }

    /// The direction in which a value goes: a request should not have read-only properties, nor a response write-only ones.
    enum Direction { case request, response }

    /// The result of one schema.
    struct Outcome {
        var findings: [Finding] = []
        var properties: Set<String> = []
        var items: Set<Int> = []

        var isValid: Bool { !findings.contains { $0.kind == .violation } }

        /// Adds the findings of a different schema for the same value, and the parts that it has evaluated if the value
        /// is valid.
        mutating func add(_ other: Self) {
            findings += other.findings
            note(other)
        }

        /// Notes the parts that a different schema has evaluated, if the value is valid there.
        mutating func note(_ other: Self) {
            guard other.isValid, !(other.properties.isEmpty && other.items.isEmpty) else { return }
            properties.formUnion(other.properties)
            items.formUnion(other.items)
        }
    }

    /// The location of a schema.
    struct Scope {
        var base = ""
        var location: String?
        var resources: [String] = [""]
        /// The references that led to the schema without going into the value.
        var references: [String] = []
        var depth = 0
        /// A Boolean value that indicates whether `base` is the address of the schema itself.
        var isAddressed = true

        func inside() -> Self {
            var scope = self
            scope.references = []
            return scope
        }
    }

    /// A keyword of a schema, with its context.
    struct Keyword {
        let name: String
        let argument: JSON
        /// All keywords of the schema.
        let schema: [String: JSON]
        /// The place of the value that is checked.
        let path: ValuePath
        let scope: Scope

        func finding(_ message: String, _ kind: Finding.Kind = .violation) -> Finding {
            Finding(kind: kind, path: path, message: message, schema: scope.location)
        }
    }

    let dialect: Dialect
    let resources: SchemaResources
    var direction: Direction?
    /// Returns a Boolean value that indicates whether a string or a number stands for any value.
    var isPlaceholder: (JSON) -> Bool = { _ in false }

    /// The unchecked parts, and the reasons.
    private(set) var notes: Set<String> = []

    var patterns: [String: ECMAPattern?] = [:]
    private var steps = 0

    /// The number of schemas that are applied to one body at most: combinations could take forever.
    var maximumSteps = 2_000_000
    private static let maximumDepth = 1_000

    init(_ resources: SchemaResources, dialect: Dialect) {
        (self.resources, self.dialect) = (resources, dialect)
    }

    /// Returns the findings about a value.
    func findings(_ value: JSON, _ schema: JSON, at path: ValuePath, location: String? = nil) -> [Finding] {
        steps = 0
        let base = SchemaResources.base(of: schema, in: "")
        return check(value, schema, path, Scope(base: base, location: location, resources: [base])).findings
    }

    func note(_ text: String) { notes.insert(text) }

    // MARK: One schema

    func check(_ value: JSON, _ schema: JSON, _ path: ValuePath, _ scope: Scope) -> Outcome {
        var outcome = Outcome()
        guard !isPlaceholder(value) else { return outcome }
        steps += 1
        guard steps < maximumSteps, scope.depth < Self.maximumDepth else {
            note("A body was not checked to its end, because its schema is too complex.")
            return outcome
        }
        var scope = scope
        scope.depth += 1
        let isAddressed = scope.isAddressed
        scope.isAddressed = false
        switch schema {
        case .bool(true): return outcome
        case .bool(false):
            let message = "must not be there"
            outcome.findings = [Finding(kind: .violation, path: path, message: message, schema: scope.location)]
        case .object(let members):
            if dialect == .draft2020, !isAddressed, case .string? = members["$id"] {
                scope.base = SchemaResources.base(of: schema, in: scope.base)
                scope.resources.append(scope.base)
            }
            if dialect == .openAPI30, let reference = members["$ref"] {
                return follow(reference, value, path, scope)
            }
            let keywords = members.keys.compactMap { key in Self.ranks[key].map { (rank: $0, key: key) } }
                .sorted { $0.rank < $1.rank }
            for (_, name) in keywords {
                guard let argument = members[name] else { continue }
                if dialect == .openAPI30, Self.isMissingIn30.contains(name) {
                    note("The keyword \(name) is not part of OpenAPI 3.0, and was not checked.")
                    continue
                }
                let keyword = Keyword(name: name, argument: argument, schema: members, path: path, scope: scope)
                apply(keyword, to: value, &outcome)
            }
        default:
            note(
                "A schema that is neither an object nor a Boolean value was left out\(scope.location.map { " (\($0))" } ?? "")."
            )
        }
        return outcome
    }

    /// The keywords in the order in which they are applied: `unevaluatedItems` needs the list of the parts that the
    /// others have evaluated.
    private static let ranks = Dictionary(
        uniqueKeysWithValues: [
            "$ref", "$dynamicRef", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems",
            "prefixItems",
            "items", "contains", "minProperties", "maxProperties", "required", "dependentRequired", "properties",
            "patternProperties", "additionalProperties", "propertyNames", "dependentSchemas", "allOf", "anyOf", "oneOf",
            "not",
            "if", "unevaluatedItems", "unevaluatedProperties",
        ].enumerated().map { ($1, $0) }
    )

    /// The keywords that OpenAPI 3.0 lacks.
    private static let isMissingIn30: Set = [
        "$dynamicRef", "const", "prefixItems", "contains", "dependentRequired", "patternProperties", "propertyNames",
        "dependentSchemas", "if", "unevaluatedItems", "unevaluatedProperties",
    ]

    private func apply(_ keyword: Keyword, to value: JSON, _ outcome: inout Outcome) {
        let (argument, path, scope) = (keyword.argument, keyword.path, keyword.scope)
        switch keyword.name {
        case "$ref": outcome.add(follow(argument, value, path, scope))
        case "$dynamicRef": outcome.add(follow(argument, value, path, scope, isDynamic: true))
        case "type", "enum", "const": outcome.findings += identity(keyword, value)
        case "format":
            guard let format = argument.text, ValueFormat.isValid(value, format) == false else { return }
            outcome.findings.append(keyword.finding("should be \(format), is \(value.shown)", .remark))
        case "allOf":
            for part in argument.elements ?? [] { outcome.add(check(value, part, path, scope)) }
        case "anyOf", "oneOf": alternatives(keyword, value, &outcome)
        case "not":
            guard check(value, argument, path, scope).isValid, !hasPlaceholder(value) else { return }
            outcome.findings.append(keyword.finding("must not match the schema under \"not\""))
        case "if":
            let condition = check(value, argument, path, scope)
            outcome.note(condition)
            // With a placeholder, the result of the condition is unknown.
            guard !condition.isValid || !hasPlaceholder(value) else { return }
            guard let next = keyword.schema[condition.isValid ? "then" : "else"] else { return }
            outcome.add(check(value, next, path, scope))
        default:
            switch value {
            case .number(let digits): outcome.findings += limits(keyword, digits)
            case .string(let text): outcome.findings += textFindings(keyword, text)
            case .array(let elements): apply(keyword, to: elements, &outcome)
            case .object(let members): apply(keyword, to: members, &outcome)
            case .null, .bool: break
            }
        }
    }

    // MARK: References

    private func follow(_ reference: JSON, _ value: JSON, _ path: ValuePath, _ scope: Scope, isDynamic: Bool = false)
        -> Outcome
    {
        guard let reference = reference.text else { return Outcome() }
        let target =
            isDynamic
            ? resources.dynamicTarget(of: reference, from: scope.base, through: scope.resources)
            : resources.target(of: reference, from: scope.base)
        guard let target else {
            note(
                reference.hasPrefix("#")
                    ? "The $ref \(reference) leads nowhere, so the part that it describes was not checked."
                    : "The $ref \(reference) leads out of the document, so the part that it describes was not checked."
            )
            return Outcome()
        }
        let name = "\(target.base) \(target.location)"
        guard !scope.references.contains(name) else {
            note("The $ref \(reference) leads back to itself, so it describes no value.")
            return Outcome()
        }
        var scope = scope
        scope.references.append(name)
        if target.base != scope.base { scope.resources.append(target.base) }
        (scope.base, scope.location, scope.isAddressed) = (target.base, target.location, true)
        return check(value, target.schema, path, scope)
    }

    /// Returns a schema, or the target of its `$ref`.
    func resolved(_ schema: JSON, from base: String = "") -> JSON {
        var (schema, base) = (schema, base)
        for _ in 0..<50 {
            guard let reference = schema["$ref"]?.text, let target = resources.target(of: reference, from: base) else {
                break
            }
            (schema, base) = (target.schema, target.base)
        }
        return schema
    }

    // MARK: Any value

    private func identity(_ keyword: Keyword, _ value: JSON) -> [Finding] {
        let argument = keyword.argument
        switch keyword.name {
        case "type":
            let types = argument.text.map { [$0] } ?? argument.elements?.compactMap(\.text) ?? []
            if value.isNull, dialect == .openAPI30, keyword.schema["nullable"]?.isTrue == true { return [] }
            guard !types.contains(where: { isOfType(value, $0) }) else { return [] }
            return [keyword.finding("must be \(types.joined(separator: " or ")), is \(value.shown)")]
        case "const":
            guard !value.equals(argument), !hasPlaceholder(value) else { return [] }
            return [keyword.finding("must be \(argument.shown), is \(value.shown)")]
        default:
            let values = argument.elements ?? []
            guard !values.contains(where: value.equals), !hasPlaceholder(value) else { return [] }
            let shown = values.prefix(8).map(\.shown).joined(separator: ", ") + (values.count > 8 ? ", …" : "")
            let list = values.count == 1 ? shown : "one of \(shown)"
            return [keyword.finding("must be \(list), is \(value.shown)")]
        }
    }

    private func isOfType(_ value: JSON, _ type: String) -> Bool {
        guard type == "integer", case .number(let digits) = value else { return value.typeName == type }
        // OpenAPI 3.0, "Data Types": an integer is "a JSON number without a fraction or exponent part".
        return dialect == .openAPI30 ? !digits.contains { ".eE".contains($0) } : DecimalNumber(digits).isInteger
    }

    /// Returns a Boolean value that indicates whether a placeholder is in a value.
    func hasPlaceholder(_ value: JSON) -> Bool {
        switch value {
        case .array(let elements): elements.contains(where: hasPlaceholder)
        case .object(let members): members.values.contains(where: hasPlaceholder)
        default: isPlaceholder(value)
        }
    }
}
