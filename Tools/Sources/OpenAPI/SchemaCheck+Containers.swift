import Foundation
@_spi(Tools) import StubbornNetworkTooling

// The keywords for arrays and objects.
extension SchemaCheck {
    func apply(_ keyword: Keyword, to elements: [JSON], _ outcome: inout Outcome) {
        let (argument, schema, path, scope) = (keyword.argument, keyword.schema, keyword.path, keyword.scope)
        func check(_ index: Int, _ schema: JSON) {
            outcome.findings += self.check(elements[index], schema, path.appending(index), scope.inside()).findings
            if resources.usesUnevaluated { outcome.items.insert(index) }
        }
        switch keyword.name {
        case "minItems", "maxItems": outcome.findings += size(keyword, elements.count, "item")
        case "uniqueItems":
            guard argument.isTrue else { return }
            var known: [Data: Int] = [:]
            for (index, element) in elements.enumerated() where !hasPlaceholder(element) {
                guard let first = known.updateValue(index, forKey: element.canonical) else { continue }
                let message = "must have different items, but the items \(first) and \(index) are equal"
                outcome.findings.append(keyword.finding(message))
                return
            }
        case "prefixItems":
            for (index, schema) in (argument.elements ?? []).enumerated().prefix(elements.count) {
                check(index, schema)
            }
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
                let noun =
                    least == DecimalNumber(1)
                    ? "an item that matches" : "\(schema["minContains"]?.shown ?? "") items that match"
                outcome.findings.append(keyword.finding("must contain \(noun) \"contains\""))
            }
            if let most = schema["maxContains"]?.number, DecimalNumber(fitting.count) > most,
                !elements.contains(where: hasPlaceholder)
            {
                let number = schema["maxContains"]?.shown ?? ""
                let message = "must contain at most \(number) items that match \"contains\", contains \(fitting.count)"
                outcome.findings.append(keyword.finding(message))
            }
        case "unevaluatedItems":
            for index in elements.indices where !outcome.items.contains(index) { check(index, argument) }
        default: break
        }
    }

    func apply(_ keyword: Keyword, to members: [String: JSON], _ outcome: inout Outcome) {
        let (argument, schema, path, scope) = (keyword.argument, keyword.schema, keyword.path, keyword.scope)
        func check(_ name: String, _ schema: JSON) {
            guard let value = members[name] else { return }
            let inner = path.appending(name)
            outcome.findings += directionFindings(schema, inner, scope)
            outcome.findings += self.check(value, schema, inner, scope.inside()).findings
            if resources.usesUnevaluated { outcome.properties.insert(name) }
        }
        switch keyword.name {
        case "minProperties", "maxProperties":
            outcome.findings += size(keyword, members.count, "property")
        case "required":
            for name in (argument.elements ?? []).compactMap(\.text) where members[name] == nil {
                guard !isForOtherDirection(schema["properties"]?[name], scope) else { continue }
                outcome.findings.append(keyword.finding("must have the property \"\(name)\""))
            }
        case "dependentRequired":
            for (name, required) in sorted(argument) where members[name] != nil {
                for other in (required.elements ?? []).compactMap(\.text) where members[other] == nil {
                    let message = "must have the property \"\(other)\", because it has \"\(name)\""
                    outcome.findings.append(keyword.finding(message))
                }
            }
        case "properties": for (name, schema) in sorted(argument) { check(name, schema) }
        case "patternProperties":
            for (pattern, schema) in sorted(argument) {
                for name in members.keys.sorted() where matches(name, pattern) == true { check(name, schema) }
            }
        case "additionalProperties":
            let patterns =
                dialect == .draft2020 ? schema["patternProperties"]?.members.map { Array($0.keys) } ?? [] : []
            for name in members.keys.sorted() where schema["properties"]?[name] == nil {
                guard !patterns.contains(where: { matches(name, $0) != false }), !isPlaceholder(.string(name)) else {
                    continue
                }
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
