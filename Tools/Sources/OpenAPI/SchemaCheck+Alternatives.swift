import Foundation
@_spi(Tools) import StubbornNetworkTooling

// The keywords anyOf and oneOf.
extension SchemaCheck {
    func alternatives(_ keyword: Keyword, _ value: JSON, _ outcome: inout Outcome) {
        let (schemas, path) = (keyword.argument.elements ?? [], keyword.path)
        // The value has the findings of an alternative that fits. All alternatives that fit count for the evaluated
        // parts.
        let results = schemas.map { check(value, $0, path, keyword.scope) }
        let fitting = results.filter(\.isValid)
        for result in fitting { outcome.note(result) }
        if let first = fitting.first {
            if keyword.name == "anyOf" || fitting.count == 1 {
                outcome.findings += first.findings
            } else if !hasPlaceholder(value) {
                let numbers = results.indices.filter { results[$0].isValid }.map { "\($0 + 1)" }
                let list = numbers.joined(separator: " and ")
                outcome.findings.append(keyword.finding("must match only one schema of oneOf, matches numbers \(list)"))
            }
            return
        }
        // A discriminator never changes whether a value is valid (OpenAPI 3.1.1, section 4.8.25). It shows which schema was meant.
        if let named = keyword.schema["discriminator"].flatMap({ index(namedBy: $0, schemas, value) }) {
            outcome.findings += results[named].findings
            return
        }
        // If only one alternative has the value's type, that one was meant.
        let ofType = results.filter { result in
            !result.findings.contains { $0.path == path && $0.kind == .violation && $0.message.hasPrefix("must be ") }
        }
        if ofType.count == 1 || results.count == 1 {
            outcome.findings += (ofType.first ?? results[0]).findings
            return
        }
        let closest = results.min { $0.findings.count < $1.findings.count }?.findings.first
        let reason = closest.map { ": \($0.path == path ? "" : "\($0.path) ")\($0.message)" } ?? ""
        let message = "matches none of the \(schemas.count) schemas of \(keyword.name)\(reason)"
        outcome.findings.append(keyword.finding(message))
    }

    /// Returns the index of the schema that a discriminator refers to; `nil` if there is none.
    private func index(namedBy discriminator: JSON, _ schemas: [JSON], _ value: JSON) -> Int? {
        guard let property = discriminator["propertyName"]?.text, let name = value[property], let text = name.text,
            !isPlaceholder(name)
        else { return nil }
        let mapped = discriminator["mapping"]?[text]?.text ?? text
        let references = [mapped, "#/components/schemas/\(mapped)"]
        return schemas.firstIndex { $0["$ref"]?.text.map(references.contains) == true }
    }
}
