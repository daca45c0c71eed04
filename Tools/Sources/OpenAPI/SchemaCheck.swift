import Foundation
@_spi(Tools) import StubbornNetwork

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

        /// Adds the findings of another schema for the same value, and what it has looked at if the value is valid.
        mutating func add(_ other: Self) {
            findings += other.findings
            note(other)
        }

        /// Notes what another schema has looked at, if the value is valid there.
        mutating func note(_ other: Self) {
            guard other.isValid, !(other.properties.isEmpty && other.items.isEmpty) else { return }
            properties.formUnion(other.properties)
            items.formUnion(other.items)
        }
    }

    /// Where a schema is.
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

    let dialect: Dialect
    let resources: SchemaResources
    var direction: Direction?
    /// Returns a Boolean value that indicates whether a text or a number stands for any value.
    var isPlaceholder: (JSON) -> Bool = { _ in false }

    /// What was not checked, and why.
    private(set) var notes: Set<String> = []

    private var patterns: [String: ECMAPattern?] = [:]
    private var steps = 0

    /// The number of schemas that are applied to one body at most: combinations can need more than a lifetime.
    var maximumSteps = 2_000_000
    private static let maximumDepth = 1_000

    init(_ resources: SchemaResources, dialect: Dialect) {
        (self.resources, self.dialect) = (resources, dialect)
    }

    /// Returns what is wrong with a value.
    func findings(_ value: JSON, _ schema: JSON, at path: ValuePath, location: String? = nil) -> [Finding] {
        steps = 0
        let base = SchemaResources.base(of: schema, in: "")
        return check(value, schema, path, Scope(base: base, location: location, resources: [base])).findings
    }

    func note(_ text: String) { notes.insert(text) }

    // MARK: One schema

    private func check(_ value: JSON, _ schema: JSON, _ path: ValuePath, _ scope: Scope) -> Outcome {
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
        case .bool(false): outcome.findings = [violation("must not be there", path, scope)]
        case .object(let members):
            if dialect == .draft2020, !isAddressed, case .string? = members["$id"] {
                scope.base = SchemaResources.base(of: schema, in: scope.base)
                scope.resources.append(scope.base)
            }
            if dialect == .openAPI30, let reference = members["$ref"] {
                return follow(reference, members, value, path, scope, isDynamic: false)
            }
            let keywords = members.keys.compactMap { key in Self.ranks[key].map { (rank: $0, key: key) } }
                .sorted { $0.rank < $1.rank }
            for (_, keyword) in keywords {
                guard let argument = members[keyword] else { continue }
                if dialect == .openAPI30, Self.isMissingIn30.contains(keyword) {
                    note("The keyword \(keyword) is not one of OpenAPI 3.0, and was not checked.")
                    continue
                }
                apply(keyword, argument, members, value, path, scope, &outcome)
            }
        default: note("A schema that is neither an object nor a Boolean value was left out\(scope.location.map { " (\($0))" } ?? "").")
        }
        return outcome
    }

    /// The keywords in the order in which they are applied: `unevaluatedItems` needs to know what the others have seen.
    private static let ranks = Dictionary(
        uniqueKeysWithValues: [
            "$ref", "$dynamicRef", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
            "multipleOf", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "prefixItems",
            "items", "contains", "minProperties", "maxProperties", "required", "dependentRequired", "properties",
            "patternProperties", "additionalProperties", "propertyNames", "dependentSchemas", "allOf", "anyOf", "oneOf", "not",
            "if", "unevaluatedItems", "unevaluatedProperties",
        ].enumerated().map { ($1, $0) }
    )

    /// The keywords that OpenAPI 3.0 does not have.
    private static let isMissingIn30: Set = [
        "$dynamicRef", "const", "prefixItems", "contains", "dependentRequired", "patternProperties", "propertyNames",
        "dependentSchemas", "if", "unevaluatedItems", "unevaluatedProperties",
    ]

    private func apply(
        _ keyword: String,
        _ argument: JSON,
        _ schema: [String: JSON],
        _ value: JSON,
        _ path: ValuePath,
        _ scope: Scope,
        _ outcome: inout Outcome
    ) {
        switch keyword {
        case "$ref": outcome.add(follow(argument, schema, value, path, scope, isDynamic: false))
        case "$dynamicRef": outcome.add(follow(argument, schema, value, path, scope, isDynamic: true))
        case "type", "enum", "const": outcome.findings += identity(keyword, argument, schema, value, path, scope)
        case "format":
            guard let format = argument.text, ValueFormat.isValid(value, format) == false else { return }
            outcome.findings.append(
                Finding(kind: .remark, path: path, message: "should be \(format), is \(value.shown)", schema: scope.location)
            )
        case "allOf":
            for part in argument.elements ?? [] { outcome.add(check(value, part, path, scope)) }
        case "anyOf", "oneOf": alternatives(keyword, argument.elements ?? [], schema, value, path, scope, &outcome)
        case "not":
            guard check(value, argument, path, scope).isValid, !hasPlaceholder(value) else { return }
            outcome.findings.append(violation("must not match the schema under \"not\"", path, scope))
        case "if":
            let condition = check(value, argument, path, scope)
            outcome.note(condition)
            // With a placeholder, nobody knows whether the condition is true.
            guard !condition.isValid || !hasPlaceholder(value) else { return }
            guard let next = schema[condition.isValid ? "then" : "else"] else { return }
            outcome.add(check(value, next, path, scope))
        default:
            switch value {
            case .number(let digits):
                outcome.findings += limits(keyword, argument, schema, DecimalNumber(digits), digits, path, scope)
            case .string(let text): outcome.findings += textFindings(keyword, argument, text, path, scope)
            case .array(let elements): apply(keyword, argument, schema, to: elements, path, scope, &outcome)
            case .object(let members): apply(keyword, argument, schema, to: members, path, scope, &outcome)
            case .null, .bool: break
            }
        }
    }

    private func violation(_ message: String, _ path: ValuePath, _ scope: Scope) -> Finding {
        Finding(kind: .violation, path: path, message: message, schema: scope.location)
    }

    // MARK: References

    private func follow(
        _ reference: JSON,
        _ schema: [String: JSON],
        _ value: JSON,
        _ path: ValuePath,
        _ scope: Scope,
        isDynamic: Bool
    ) -> Outcome {
        guard let reference = reference.text else { return Outcome() }
        let target =
            isDynamic
            ? resources.dynamicTarget(of: reference, from: scope.base, through: scope.resources)
            : resources.target(of: reference, from: scope.base)
        guard let target else {
            note(
                reference.hasPrefix("#")
                    ? "The $ref \(reference) leads nowhere, so what it is for was not checked."
                    : "The $ref \(reference) leads out of the document, so what it is for was not checked."
            )
            return Outcome()
        }
        let name = "\(target.base) \(target.location)"
        guard !scope.references.contains(name) else {
            note("The $ref \(reference) leads back to itself, so it says nothing about a value.")
            return Outcome()
        }
        var scope = scope
        scope.references.append(name)
        if target.base != scope.base { scope.resources.append(target.base) }
        (scope.base, scope.location, scope.isAddressed) = (target.base, target.location, true)
        return check(value, target.schema, path, scope)
    }

    /// Returns a schema, or the one that its `$ref` leads to.
    func resolved(_ schema: JSON, from base: String = "") -> JSON {
        var (schema, base) = (schema, base)
        for _ in 0..<50 {
            guard let reference = schema["$ref"]?.text, let target = resources.target(of: reference, from: base) else { break }
            (schema, base) = (target.schema, target.base)
        }
        return schema
    }

    // MARK: Any value

    private func identity(
        _ keyword: String,
        _ argument: JSON,
        _ schema: [String: JSON],
        _ value: JSON,
        _ path: ValuePath,
        _ scope: Scope
    ) -> [Finding] {
        switch keyword {
        case "type":
            let types = argument.text.map { [$0] } ?? argument.elements?.compactMap(\.text) ?? []
            if value.isNull, dialect == .openAPI30, schema["nullable"]?.isTrue == true { return [] }
            guard !types.contains(where: { isOfType(value, $0) }) else { return [] }
            return [violation("must be \(types.joined(separator: " or ")), is \(value.shown)", path, scope)]
        case "const":
            guard !value.equals(argument), !hasPlaceholder(value) else { return [] }
            return [violation("must be \(argument.shown), is \(value.shown)", path, scope)]
        default:
            let values = argument.elements ?? []
            guard !values.contains(where: value.equals), !hasPlaceholder(value) else { return [] }
            let shown = values.prefix(8).map(\.shown).joined(separator: ", ") + (values.count > 8 ? ", …" : "")
            let list = values.count == 1 ? shown : "one of \(shown)"
            return [violation("must be \(list), is \(value.shown)", path, scope)]
        }
    }

    private func isOfType(_ value: JSON, _ type: String) -> Bool {
        guard type == "integer", case .number(let digits) = value else { return value.typeName == type }
        // OpenAPI 3.0, "Data Types": an integer is "a JSON number without a fraction or exponent part".
        return dialect == .openAPI30 ? !digits.contains { ".eE".contains($0) } : DecimalNumber(digits).isInteger
    }

    /// Returns a Boolean value that indicates whether a placeholder is in a value.
    private func hasPlaceholder(_ value: JSON) -> Bool {
        switch value {
        case .array(let elements): elements.contains(where: hasPlaceholder)
        case .object(let members): members.values.contains(where: hasPlaceholder)
        default: isPlaceholder(value)
        }
    }

    // MARK: Alternatives

    private func alternatives(
        _ keyword: String,
        _ schemas: [JSON],
        _ schema: [String: JSON],
        _ value: JSON,
        _ path: ValuePath,
        _ scope: Scope,
        _ outcome: inout Outcome
    ) {
        if let discriminator = schema["discriminator"], let chosen = chosen(by: discriminator, schemas, value, path, scope) {
            return outcome.add(chosen)
        }
        var results: [Outcome] = []
        for alternative in schemas {
            let result = check(value, alternative, path, scope)
            // The findings of an alternative that fits are those of the value; all that fit count for what was seen.
            results.append(result)
        }
        let fitting = results.filter(\.isValid)
        for result in fitting { outcome.note(result) }
        if let first = fitting.first {
            if keyword == "anyOf" || fitting.count == 1 {
                outcome.findings += first.findings
            } else if !hasPlaceholder(value) {
                let numbers = results.indices.filter { results[$0].isValid }.map { "\($0 + 1)" }.joined(separator: " and ")
                outcome.findings.append(
                    violation("must match only one schema of oneOf, matches numbers \(numbers)", path, scope)
                )
            }
            return
        }
        // A single alternative of the value's type is what was meant.
        let ofType = results.filter { result in
            !result.findings.contains { $0.path == path && $0.kind == .violation && $0.message.hasPrefix("must be ") }
        }
        if ofType.count == 1 || results.count == 1 {
            outcome.findings += (ofType.first ?? results[0]).findings
            return
        }
        let closest = results.min { $0.findings.count < $1.findings.count }?.findings.first
        let reason = closest.map { ": \($0.path == path ? "" : "\($0.path) ")\($0.message)" } ?? ""
        outcome.findings.append(
            violation("matches none of the \(schemas.count) schemas of \(keyword)\(reason)", path, scope)
        )
    }

    /// Returns the result of the schema that a discriminator names; `nil` where it names none.
    private func chosen(
        by discriminator: JSON,
        _ schemas: [JSON],
        _ value: JSON,
        _ path: ValuePath,
        _ scope: Scope
    ) -> Outcome? {
        guard let property = discriminator["propertyName"]?.text, let name = value[property],
            let text = name.text, !isPlaceholder(name)
        else { return nil }
        let references = schemas.compactMap { $0["$ref"]?.text }
        guard references.count == schemas.count else { return nil }
        let mapped = discriminator["mapping"]?[text]?.text ?? text
        let candidates = [mapped, "#/components/schemas/\(mapped)"]
        if let reference = references.first(where: candidates.contains) {
            return follow(.string(reference), [:], value, path, scope, isDynamic: false)
        }
        let names = references.map { reference in
            discriminator["mapping"]?.members?.first { [$0.value.text, "#/components/schemas/\($0.value.text ?? "")"].contains(reference) }?.key
                ?? String(reference.split(separator: "/").last ?? "")
        }
        let list = names.sorted().prefix(8).map { "\"\($0)\"" }.joined(separator: ", ")
        return Outcome(findings: [violation("must be one of \(list), is \(name.shown)", path.appending(property), scope)])
    }

    // MARK: Numbers and texts

    private func limits(
        _ keyword: String,
        _ argument: JSON,
        _ schema: [String: JSON],
        _ number: DecimalNumber,
        _ shown: String,
        _ path: ValuePath,
        _ scope: Scope
    ) -> [Finding] {
        // Until OpenAPI 3.0 the keyword says whether the limit itself is allowed.
        func isExclusive(_ keyword: String) -> Bool { dialect == .openAPI30 && schema[keyword]?.isTrue == true }
        guard case .number(let text) = argument else { return [] }
        let limit = DecimalNumber(text)
        let text40 = shown.cut(to: 40)
        switch keyword {
        case "minimum" where isExclusive("exclusiveMinimum"), "exclusiveMinimum":
            return number > limit ? [] : [violation("must be more than \(text), is \(text40)", path, scope)]
        case "maximum" where isExclusive("exclusiveMaximum"), "exclusiveMaximum":
            return number < limit ? [] : [violation("must be less than \(text), is \(text40)", path, scope)]
        case "minimum": return number >= limit ? [] : [violation("must be at least \(text), is \(text40)", path, scope)]
        case "maximum": return number <= limit ? [] : [violation("must be at most \(text), is \(text40)", path, scope)]
        case "multipleOf":
            guard let isMultiple = number.isMultiple(of: limit) else {
                note("multipleOf \(text) was not checked: it has more than 18 digits, or is 0.")
                return []
            }
            return isMultiple ? [] : [violation("must be a multiple of \(text), is \(text40)", path, scope)]
        default: return []
        }
    }

    private func textFindings(
        _ keyword: String,
        _ argument: JSON,
        _ text: String,
        _ path: ValuePath,
        _ scope: Scope
    ) -> [Finding] {
        switch keyword {
        case "minLength", "maxLength":
            // Lengths count code points.
            return size(keyword, argument, text.unicodeScalars.count, "character", path, scope)
        case "pattern":
            guard let source = argument.text, matches(text, source) == false else { return [] }
            return [violation("must match \(source.cut(to: 80)), is \(JSON.string(text).shown)", path, scope)]
        default: return []
        }
    }

    /// Returns a finding if a number of parts is too large or too small.
    private func size(
        _ keyword: String,
        _ argument: JSON,
        _ count: Int,
        _ word: String,
        _ path: ValuePath,
        _ scope: Scope
    ) -> [Finding] {
        guard case .number(let text) = argument else { return [] }
        let limit = DecimalNumber(text)
        let isMinimum = keyword.hasPrefix("min")
        if isMinimum ? DecimalNumber(count) >= limit : DecimalNumber(count) <= limit { return [] }
        let noun = limit == DecimalNumber(1) ? word : word == "property" ? "properties" : "\(word)s"
        return [violation("must have at \(isMinimum ? "least" : "most") \(text) \(noun), has \(count)", path, scope)]
    }

    /// Returns a Boolean value that indicates whether a pattern is in a text; `nil`, with a note, if that is not known.
    private func matches(_ text: String, _ source: String) -> Bool? {
        let pattern: ECMAPattern?
        if let known = patterns[source] {
            pattern = known
        } else {
            pattern = ECMAPattern(source)
            patterns[source] = .some(pattern)
        }
        guard let pattern else {
            note("The pattern \(source.cut(to: 80)) is not a regular expression that can be read here, and was not checked.")
            return nil
        }
        switch pattern.search(in: text) {
        case .found: return true
        case .missing: return false
        case .tooComplex:
            note("The pattern \(source.cut(to: 80)) takes too long for a recorded text, and was not checked there.")
            return nil
        }
    }

    // MARK: Arrays

    private func apply(
        _ keyword: String,
        _ argument: JSON,
        _ schema: [String: JSON],
        to elements: [JSON],
        _ path: ValuePath,
        _ scope: Scope,
        _ outcome: inout Outcome
    ) {
        func check(_ index: Int, _ schema: JSON) {
            outcome.findings += self.check(elements[index], schema, path.appending(index), scope.inside()).findings
            if resources.usesUnevaluated { outcome.items.insert(index) }
        }
        switch keyword {
        case "minItems", "maxItems": outcome.findings += size(keyword, argument, elements.count, "item", path, scope)
        case "uniqueItems":
            guard argument.isTrue else { return }
            var known: [Data: Int] = [:]
            for (index, element) in elements.enumerated() where !hasPlaceholder(element) {
                guard let first = known.updateValue(index, forKey: element.canonical) else { continue }
                let message = "must have different items, but the items \(first) and \(index) are equal"
                outcome.findings.append(violation(message, path, scope))
                return
            }
        case "prefixItems":
            for (index, schema) in (argument.elements ?? []).enumerated().prefix(elements.count) { check(index, schema) }
        case "items":
            let start = dialect == .draft2020 ? schema["prefixItems"]?.elements?.count ?? 0 : 0
            for index in elements.indices.dropFirst(start) { check(index, argument) }
        case "contains":
            let fitting = elements.indices.filter {
                self.check(elements[$0], argument, path.appending($0), scope.inside()).isValid
            }
            if resources.usesUnevaluated { outcome.items.formUnion(fitting) }
            let least = schema["minContains"]?.number ?? DecimalNumber(1)
            if DecimalNumber(fitting.count) < least {
                let noun = least == DecimalNumber(1) ? "an item that matches" : "\(schema["minContains"]?.shown ?? "") items that match"
                outcome.findings.append(violation("must contain \(noun) \"contains\"", path, scope))
            }
            if let most = schema["maxContains"]?.number, DecimalNumber(fitting.count) > most,
                !elements.contains(where: hasPlaceholder)
            {
                let number = schema["maxContains"]?.shown ?? ""
                let message = "must contain at most \(number) items that match \"contains\", contains \(fitting.count)"
                outcome.findings.append(violation(message, path, scope))
            }
        case "unevaluatedItems":
            for index in elements.indices where !outcome.items.contains(index) { check(index, argument) }
        default: break
        }
    }

    // MARK: Objects

    private func apply(
        _ keyword: String,
        _ argument: JSON,
        _ schema: [String: JSON],
        to members: [String: JSON],
        _ path: ValuePath,
        _ scope: Scope,
        _ outcome: inout Outcome
    ) {
        func check(_ name: String, _ schema: JSON) {
            guard let value = members[name] else { return }
            let inner = path.appending(name)
            outcome.findings += directionFindings(schema, inner, scope)
            outcome.findings += self.check(value, schema, inner, scope.inside()).findings
            if resources.usesUnevaluated { outcome.properties.insert(name) }
        }
        switch keyword {
        case "minProperties", "maxProperties":
            outcome.findings += size(keyword, argument, members.count, "property", path, scope)
        case "required":
            for name in (argument.elements ?? []).compactMap(\.text) where members[name] == nil {
                guard !isForOtherDirection(schema["properties"]?[name], scope) else { continue }
                outcome.findings.append(violation("must have the property \"\(name)\"", path, scope))
            }
        case "dependentRequired":
            for (name, required) in sorted(argument) where members[name] != nil {
                for other in (required.elements ?? []).compactMap(\.text) where members[other] == nil {
                    let message = "must have the property \"\(other)\", because it has \"\(name)\""
                    outcome.findings.append(violation(message, path, scope))
                }
            }
        case "properties": for (name, schema) in sorted(argument) { check(name, schema) }
        case "patternProperties":
            for (pattern, schema) in sorted(argument) {
                for name in members.keys.sorted() where matches(name, pattern) == true { check(name, schema) }
            }
        case "additionalProperties":
            let patterns = dialect == .draft2020 ? schema["patternProperties"]?.members.map { Array($0.keys) } ?? [] : []
            for name in members.keys.sorted() where schema["properties"]?[name] == nil {
                guard !patterns.contains(where: { matches(name, $0) != false }), !isPlaceholder(.string(name)) else { continue }
                check(name, argument)
            }
        case "propertyNames":
            for name in members.keys.sorted() {
                let result = self.check(.string(name), argument, path, scope.inside())
                outcome.findings += result.findings.map { finding in
                    Finding(
                        kind: finding.kind,
                        path: path,
                        message: "the name \"\(name.cut(to: 40))\" \(finding.message)",
                        schema: finding.schema
                    )
                }
            }
        case "dependentSchemas":
            for (name, dependent) in sorted(argument) where members[name] != nil {
                outcome.add(self.check(.object(members), dependent, path, scope))
            }
        case "unevaluatedProperties":
            for name in members.keys.sorted() where !outcome.properties.contains(name) { check(name, argument) }
        default: break
        }
    }

    private func sorted(_ object: JSON) -> [(key: String, value: JSON)] {
        (object.members ?? [:]).sorted { $0.key < $1.key }
    }

    private func isForOtherDirection(_ property: JSON?, _ scope: Scope) -> Bool {
        guard let property, let direction else { return false }
        let schema = resolved(property, from: scope.base)
        return schema[direction == .request ? "readOnly" : "writeOnly"]?.isTrue == true
    }

    private func directionFindings(_ property: JSON, _ path: ValuePath, _ scope: Scope) -> [Finding] {
        guard isForOtherDirection(property, scope) else { return [] }
        let message =
            direction == .request
            ? "is read-only, so a request should not have it" : "is write-only, so a response should not have it"
        return [Finding(kind: .remark, path: path, message: message, schema: scope.location)]
    }
}
