import Foundation

/// A media type with its parameters: `application/json; charset=utf-8`.
struct MediaType {
    /// The type and the subtype in lower case.
    let name: String
    private let parameters: Set<String>

    init(_ text: String) {
        let parts = text.lowercased().split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        name = parts.first ?? ""
        parameters = Set(
            parts.dropFirst().map { $0.filter { $0 != "\"" && $0 != " " } }.filter { !$0.hasPrefix("charset=") }
        )
    }

    var isJSON: Bool { name.hasSuffix("/json") || name.hasSuffix("+json") }
    var isForm: Bool { name == "application/x-www-form-urlencoded" }
    var isText: Bool { name == "text/plain" }

    /// Returns a number that is higher if a type of a document describes this type more closely; `nil` if it does not
    /// describe it.
    ///
    /// A type with parameters comes before one without, and ranges such as `application/*` come last.
    func closeness(to range: MediaType) -> Int? {
        guard range.parameters.isSubset(of: parameters) else { return nil }
        if range.name == name { return 100 + range.parameters.count }
        if range.name == "*/*" || range.name == "*" { return 1 }
        let parts = range.name.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, parts[1].hasPrefix("*"), name.hasPrefix("\(parts[0])/") else { return nil }
        // `application/*+json`
        return name.hasSuffix(parts[1].dropFirst()) ? parts[1].count + 1 : nil
    }
}
