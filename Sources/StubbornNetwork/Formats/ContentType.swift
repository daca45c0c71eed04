import Foundation

/// A `Content-Type` field, taken apart (RFC 9110, section 8.3).
package struct ContentType {
    /// The type and the subtype in lower case: `application/json`.
    var name: String

    /// The `boundary` parameter, without its quotation marks.
    package var boundary: String?

    package init(_ field: String) {
        name = field.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        boundary = field.withBytes { bytes in
            Multipart.parameter("boundary", of: bytes).map { bytes.part($0).text }
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
