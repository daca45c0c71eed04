import Foundation
@_spi(Tools) import StubbornNetworkTooling

/// The conversion of parameters, header fields and forms: strings become values of the types in a schema.
struct ParameterReader {
    let check: SchemaCheck

    /// Returns the types that a schema allows, including those of its parts.
    func types(of schema: JSON?, depth: Int = 0) -> Set<String> {
        guard let schema, depth < 20 else { return [] }
        let plain = check.resolved(schema)
        var types = Set(plain["type"]?.text.map { [$0] } ?? plain["type"]?.elements?.compactMap(\.text) ?? [])
        if types.isEmpty {
            for keyword in ["allOf", "anyOf", "oneOf"] {
                for part in plain[keyword]?.elements ?? [] { types.formUnion(self.types(of: part, depth: depth + 1)) }
            }
        }
        return types
    }

    /// Returns the properties of a schema, including those of its parts.
    func properties(of schema: JSON?, depth: Int = 0) -> [String: JSON] {
        guard let schema, depth < 20 else { return [:] }
        let plain = check.resolved(schema)
        var result = plain["properties"]?.members ?? [:]
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for part in plain[keyword]?.elements ?? [] {
                result.merge(properties(of: part, depth: depth + 1)) { old, _ in old }
            }
        }
        return result
    }

    /// Returns a string as a number or a Boolean value, if the schema allows that type and the string is such a value.
    func value(of text: String, _ schema: JSON?) -> JSON {
        let types = types(of: schema)
        guard !types.isEmpty, let value = try? JSON(Data(text.utf8)) else { return .string(text) }
        let candidate: JSON? =
            switch value {
            case .number where types.contains("number") || types.contains("integer"): value
            case .bool where types.contains("boolean"): value
            case .null where types.contains("null"): value
            default: nil
            }
        guard let candidate else { return .string(text) }
        guard types.contains("string"), let schema else { return candidate }
        let findings = check.findings(candidate, schema, at: ValuePath(""))
        return findings.contains { $0.kind == .violation } ? .string(text) : candidate
    }

    func array(of texts: [String], _ schema: JSON?) -> JSON {
        let items = schema.flatMap { check.resolved($0)["items"] }
        return .array(texts.map { value(of: $0, items) })
    }

    func object(of fields: [(name: String, value: String)], _ schema: JSON?) -> JSON {
        let properties = properties(of: schema)
        var members: [String: JSON] = [:]
        for (name, texts) in Dictionary(grouping: fields, by: \.name).mapValues({ $0.map(\.value) }) {
            let schema = properties[name]
            members[name] = types(of: schema).contains("array") ? array(of: texts, schema) : value(of: texts[0], schema)
        }
        return .object(members)
    }

    /// Returns the value of a parameter that is written as one string, in the style `simple`, `form` or a style with other
    /// separators.
    ///
    /// - Parameters:
    ///   - text: The text of the parameter.
    ///   - schema: The parameter's schema.
    ///   - separator: The character between the elements.
    ///   - isExploded: A Boolean value that indicates whether an object is written as `a=1,b=2`.
    /// - Returns: The value, in the type of the schema, or else a string.
    func value(of text: String, _ schema: JSON?, separator: Character, isExploded: Bool) -> JSON {
        let types = types(of: schema)
        let parts = { text.isEmpty ? [] : text.split(separator: separator, omittingEmptySubsequences: false) }
        let trimmed = { parts().map { $0.trimmingCharacters(in: .whitespaces) } }
        if types.contains("array") { return array(of: trimmed(), schema) }
        guard types.contains("object") else { return value(of: text, schema) }
        let texts = trimmed()
        if isExploded {
            return object(
                of: texts.map { part in
                    let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                        String.init
                    )
                    return (pair.first ?? "", pair.count > 1 ? pair[1] : "")
                },
                schema
            )
        }
        let pairs = stride(from: 0, to: texts.count - 1, by: 2).map { (name: texts[$0], value: texts[$0 + 1]) }
        return object(of: pairs, schema)
    }
}
