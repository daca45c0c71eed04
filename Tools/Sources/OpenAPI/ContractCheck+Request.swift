import Foundation
@_spi(Tools) import StubbornNetworkTooling

// The request's side of an exchange.
extension ContractCheck {
    func requestFindings(
        _ exchange: CheckedExchange,
        _ operation: APIOperation,
        _ address: RequestAddress,
        _ values: [String: String]
    ) -> [Finding] {
        var findings: [Finding] = []
        var known = securityQueryNames
        var acceptsAll = false
        for parameter in parameters(of: operation) {
            guard let name = parameter["name"]?.text, let location = parameter["in"]?.text else { continue }
            let path = ValuePath("request.\(location)").appending(name)
            let value: JSON?
            switch location {
            case "path": value = pathValue(values[name], parameter)
            case "query":
                known.insert(name)
                (value, acceptsAll) = queryValue(name, address.query, parameter, &known, acceptsAll)
            case "header":
                // These are described elsewhere (OpenAPI 3.1, "Parameter Object").
                guard !["accept", "content-type", "authorization"].contains(name.lowercased()) else { continue }
                value = Self.field(name, exchange.requestFields).map { simpleValue($0, parameter) }
            case "cookie":
                let cookies = Self.field("Cookie", exchange.requestFields).map(Self.cookies) ?? []
                value = cookies.first { $0.name == name }.map { simpleValue($0.value, parameter) }
            default: continue
            }
            guard let value else {
                if parameter["required"]?.isTrue == true, location != "path" {
                    findings.append(finding(.violation, path, "is required, and missing"))
                }
                continue
            }
            if parameter["allowEmptyValue"]?.isTrue == true, value.text == "" { continue }
            let schema = parameter["schema"] ?? parameter["content"]?.members?.values.first?["schema"]
            if let schema { findings += check.findings(value, schema, at: path) }
        }
        if !acceptsAll {
            for name in Set(address.query.map(\.name)).subtracting(known).sorted() {
                let path = ValuePath("request.query").appending(name)
                findings.append(finding(.undocumented, path, "the document lacks this parameter"))
            }
        }
        return findings + bodyFindings(exchange, operation)
    }

    /// Returns the parameters of an operation and of its path; the operation's come first and replace others.
    private func parameters(of operation: APIOperation) -> [JSON] {
        var known: Set<String> = []
        return [operation.content, operation.item].flatMap { $0["parameters"]?.elements ?? [] }.compactMap(resolved)
            .filter { known.insert("\($0["in"]?.text ?? "") \($0["name"]?.text ?? "")").inserted }
    }

    /// The names of query items that carry a key.
    private var securityQueryNames: Set<String> {
        let schemes = (document.root["components"]?["securitySchemes"]?.members ?? [:]).values.compactMap(
            document.resolved
        )
        return Set(schemes.filter { $0["in"]?.text == "query" }.compactMap { $0["name"]?.text })
    }

    private func pathValue(_ text: String?, _ parameter: JSON) -> JSON? {
        let style = parameter["style"]?.text ?? "simple"
        guard style == "simple" else {
            check.note("Parameters of the style \(style) were not checked.")
            return nil
        }
        return text.map { simpleValue($0, parameter) }
    }

    func simpleValue(_ text: String, _ parameter: JSON) -> JSON {
        if let value = contentValue(text, parameter) { return value }
        let isExploded = parameter["explode"]?.isTrue == true
        return reader.value(of: text, parameter["schema"], separator: ",", isExploded: isExploded)
    }

    /// Returns the value of a parameter that is written as JSON.
    private func contentValue(_ text: String, _ parameter: JSON) -> JSON? {
        guard let type = parameter["content"]?.members?.keys.first, MediaType(type).isJSON else { return nil }
        return (try? JSON(Data(text.utf8))) ?? .string(text)
    }

    /// Returns the value of a query parameter, and a Boolean value that indicates whether the parameter takes every
    /// name.
    private func queryValue(
        _ name: String,
        _ query: [(name: String, value: String)],
        _ parameter: JSON,
        _ known: inout Set<String>,
        _ acceptsAll: Bool
    ) -> (JSON?, Bool) {
        let schema = parameter["schema"]
        let style = parameter["style"]?.text ?? "form"
        let isExploded = parameter["explode"].map(\.isTrue) ?? (style == "form")
        let texts = query.filter { $0.name == name }.map(\.value)
        let types = reader.types(of: schema)
        if style == "deepObject" {
            let fields = query.compactMap { field -> (name: String, value: String)? in
                guard field.name.hasPrefix("\(name)["), field.name.hasSuffix("]") else { return nil }
                known.insert(field.name)
                return (String(field.name.dropFirst(name.count + 1).dropLast()), field.value)
            }
            if fields.contains(where: { $0.name.contains("[") }) {
                check.note("Parameters of the style deepObject were not checked below the first level.")
                return (nil, acceptsAll)
            }
            return (fields.isEmpty ? nil : reader.object(of: fields, schema), acceptsAll)
        }
        if types.contains("object"), !types.contains("string"), style == "form", isExploded, parameter["content"] == nil
        {
            let properties = reader.properties(of: schema)
            let fields = query.filter { properties[$0.name] != nil }
            known.formUnion(fields.map(\.name))
            let takesOthers = schema.map { check.resolved($0)["additionalProperties"] }.flatMap { $0 } != nil
            return (fields.isEmpty ? nil : reader.object(of: fields, schema), acceptsAll || takesOthers)
        }
        guard let first = texts.first else { return (nil, acceptsAll) }
        if let value = contentValue(first, parameter) { return (value, acceptsAll) }
        if types.contains("array"), isExploded { return (reader.array(of: texts, schema), acceptsAll) }
        let separators: [String: Character] = ["form": ",", "spaceDelimited": " ", "pipeDelimited": "|"]
        guard let separator = separators[style] else {
            check.note("Parameters of the style \(style) were not checked.")
            return (nil, acceptsAll)
        }
        return (reader.value(of: first, schema, separator: separator, isExploded: false), acceptsAll)
    }

    private func bodyFindings(_ exchange: CheckedExchange, _ operation: APIOperation) -> [Finding] {
        let path = ValuePath("request")
        let body = exchange.requestBody.flatMap { $0.isEmpty ? nil : $0 }
        guard let described = operation.content["requestBody"] else {
            guard body != nil else { return [] }
            return [finding(.undocumented, path, "has a body, but the document describes none")]
        }
        guard let described = resolved(described) else { return [] }
        guard let body else {
            return described["required"]?.isTrue == true ? [finding(.violation, path, "must have a body")] : []
        }
        return findings(body, Self.field("Content-Type", exchange.requestFields), described["content"], path)
    }
}
