import Foundation

/// A `Content-Type` field, taken apart (RFC 9110, section 8.3).
package struct ContentType {
    /// The type and the subtype in lower case: `application/json`.
    var name: String

    /// The `boundary` parameter, without its quotation marks.
    package var boundary: String?

    package init(_ field: String) {
        var isQuoted = false
        let parts = field.split(omittingEmptySubsequences: false) { character in
            if character == "\"" { isQuoted.toggle() }
            return character == ";" && !isQuoted
        }
        name = parts.first.map { $0.trimmingCharacters(in: .whitespaces).lowercased() } ?? ""
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces).lowercased() == "boundary" else {
                continue
            }
            boundary = pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
        }
    }

    package var isJSON: Bool { name == "application/json" || name == "text/json" || name.hasSuffix("+json") }
    package var isForm: Bool { name == "application/x-www-form-urlencoded" }
    /// A Boolean value that indicates whether each line is a JSON text.
    var isJSONLines: Bool {
        [
            "application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines",
            "application/stream+json",
        ].contains(name)
    }
    package var isMultipart: Bool { name.hasPrefix("multipart/") }
}
