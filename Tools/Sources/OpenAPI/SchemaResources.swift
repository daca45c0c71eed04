import Foundation
@_spi(Tools) import StubbornNetworkTooling

/// The parts of a document that a `$ref` can lead to.
struct SchemaResources {
    /// A schema that a reference leads to.
    struct Target {
        let schema: JSON
        /// The address of the resource that the schema is in; empty for the document itself.
        let base: String
        /// The reference as messages show it: `#/components/schemas/User`.
        let location: String
    }

    private var documents: [String: JSON] = [:]
    private var anchors: [String: JSON] = [:]
    private var dynamicAnchors: Set<String> = []
    /// A Boolean value that indicates whether any schema has `unevaluatedProperties` or `unevaluatedItems`.
    private(set) var usesUnevaluated = false

    /// Creates the resources of a document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - others: Other documents by their addresses.
    init(_ document: JSON, others: [String: JSON] = [:]) {
        for (address, other) in others {
            documents[address] = other
            index(other, address, isMap: false, depth: 0)
        }
        documents[""] = document
        index(document, "", isMap: false, depth: 0)
    }

    private static let maps: Set<String> = [
        "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "schemas",
    ]
    private static let values: Set<String> = ["enum", "const", "default", "example", "examples"]

    /// Notes the names that schemas define for themselves.
    private mutating func index(_ value: JSON, _ base: String, isMap: Bool, depth: Int) {
        guard depth < 1_000 else { return }
        switch value {
        case .array(let elements):
            for element in elements { index(element, base, isMap: false, depth: depth + 1) }
        case .object(let members):
            var base = base
            if !isMap {
                if let identifier = members["$id"]?.text {
                    base = Self.resolved(identifier, base).address
                    documents[base] = value
                }
                if let name = members["$anchor"]?.text { anchors["\(base)#\(name)"] = value }
                if let name = members["$dynamicAnchor"]?.text {
                    anchors["\(base)#\(name)"] = value
                    dynamicAnchors.insert("\(base)#\(name)")
                }
                if members["unevaluatedProperties"] != nil || members["unevaluatedItems"] != nil {
                    usesUnevaluated = true
                }
            }
            for (key, member) in members where isMap || !Self.values.contains(key) {
                index(member, base, isMap: !isMap && Self.maps.contains(key), depth: depth + 1)
            }
        default: break
        }
    }

    /// Returns the schema that a reference leads to; `nil` for one that leads nowhere, or out of the document.
    func target(of reference: String, from base: String) -> Target? {
        let (address, fragment) = Self.resolved(reference, base)
        guard let document = documents[address] else { return nil }
        if fragment.isEmpty {
            return Target(schema: document, base: address, location: address.isEmpty ? "#" : reference)
        }
        guard fragment.hasPrefix("/") else {
            return anchors["\(address)#\(fragment)"].map { Target(schema: $0, base: address, location: reference) }
        }
        var (schema, base) = (document, address)
        let names = fragment.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (position, name) in names.enumerated() {
            if position > 0, let identifier = schema["$id"]?.text { base = Self.resolved(identifier, base).address }
            let name = name.replacingOccurrences(of: "~1", with: "/").replacingOccurrences(of: "~0", with: "~")
            switch schema {
            case .object(let members):
                guard let member = members[name] else { return nil }
                schema = member
            case .array(let elements):
                guard let index = Int(name), elements.indices.contains(index) else { return nil }
                schema = elements[index]
            default: return nil
            }
        }
        if let identifier = schema["$id"]?.text { base = Self.resolved(identifier, base).address }
        return Target(schema: schema, base: base, location: reference)
    }

    /// Returns the schema that a dynamic reference leads to, from the resources that a check has passed through.
    func dynamicTarget(of reference: String, from base: String, through scope: [String]) -> Target? {
        guard let target = target(of: reference, from: base) else { return nil }
        let (address, fragment) = Self.resolved(reference, base)
        guard dynamicAnchors.contains("\(address)#\(fragment)") else { return target }
        let outermost = scope.first { dynamicAnchors.contains("\($0)#\(fragment)") } ?? address
        return anchors["\(outermost)#\(fragment)"].map { Target(schema: $0, base: outermost, location: reference) }
    }

    /// Returns the address that a schema gives to itself and to its parts.
    static func base(of schema: JSON, in base: String) -> String {
        schema["$id"]?.text.map { resolved($0, base).address } ?? base
    }

    private static func resolved(_ reference: String, _ base: String) -> (address: String, fragment: String) {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count > 1 ? String(parts[1]) : ""
        let path = String(parts.first ?? "")
        var address = base
        if !path.isEmpty {
            address = URL(string: path, relativeTo: URL(string: base))?.absoluteString ?? path
        }
        return (address, fragment.removingPercentEncoding ?? fragment)
    }
}
