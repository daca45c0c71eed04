import Foundation

/// The format of a body, or of a text inside one.
///
/// No other code examines a content type or the first bytes of a body. The rules, in their order:
///
/// 1. Events, JSON lines and multipart bodies have the format of their content type.
/// 2. A body with a NUL in its first bytes is binary, as compressed data and UTF-16 are.
/// 3. An object or an array is JSON, and text that begins with `<` is markup, whatever the content type says. `{"a":1}` is
///    JSON with the type `text/plain`, and `<p>` is not JSON with the type `application/json`.
/// 4. Anything else has the format of its content type. `5` is JSON with the type `application/json`, but text without
///    a type.
/// 5. Without a content type, text that begins like an event consists of events. Other text is text.
///
/// The rest of a body is not read: a body with the type of JSON may be invalid. Its reader then treats it as text.
package struct BodyFormat {
    package enum Kind: Hashable, Sendable {
        /// A JSON object or array.
        case json
        /// A JSON number, string, `true`, `false` or `null`, which only a content type can distinguish from text.
        case jsonScalar
        /// A JSON text in each line (NDJSON, JSON lines).
        case jsonLines
        /// Server-sent events (WHATWG HTML, section 9.2).
        case events
        /// The fields of a form (`application/x-www-form-urlencoded`).
        case form
        /// A multipart body (RFC 2046, section 5.1); the boundary is empty if the content type has none.
        case multipart(boundary: String)
        /// XML or HTML.
        case markup
        case text
        case binary
    }

    package let kind: Kind

    /// The offset of the first character, after white space and a byte-order mark.
    let start: Int

    /// The depth to which nested texts are read: a form in base64 in a string of JSON is the third.
    ///
    /// The content of the base64 is the last level.
    static let maximumDepth = 4

    /// The number of bytes in which a NUL shows that a body is binary.
    private static let searchedByteCount = 1_024

    init(_ bytes: Bytes, type: ContentType? = nil) {
        var start = bytes.end(from: 0, while: { $0.isSpace })
        if bytes.has("\u{FEFF}", at: start) { start = bytes.end(from: start + 3, while: { $0.isSpace }) }
        self.start = start
        kind = Self.kind(of: bytes, at: start, type)
    }

    package init(_ body: Data, type: ContentType? = nil) {
        self = body.withBytes { BodyFormat($0, type: type) }
    }

    private static func kind(of bytes: Bytes, at start: Int, _ type: ContentType?) -> Kind {
        let kindOfType = type?.kind
        // The first bytes may show that a body is not JSON, a form or text, as its type says.
        if let kindOfType, ![.jsonScalar, .form, .text].contains(kindOfType) { return kindOfType }
        if bytes.prefix(searchedByteCount).contains(0) { return .binary }
        switch bytes.at(start) {
        case .openingBrace, .openingBracket: return .json
        case .lessThan: return .markup
        default: return kindOfType ?? (beginsLikeEvent(bytes) ? .events : .text)
        }
    }

    private static func beginsLikeEvent(_ bytes: Bytes) -> Bool {
        ["data:", "event:", "id:", "retry:"].contains { bytes.has($0, at: 0) }
    }
}

/// A `Content-Type` field, split into its parts (RFC 9110, section 8.3).
package struct ContentType {
    /// The type and the subtype in lower case: `application/json`.
    var name: String

    /// The `boundary` parameter, without its quotation marks.
    package var boundary: String?

    package init(_ field: String) {
        (name, boundary) = field.withBytes { bytes in
            let name = bytes.trimmed(0..<(bytes.position(of: .semicolon, from: 0) ?? bytes.count))
            let boundary = Multipart.parameter("boundary", of: bytes).map { bytes.part($0).text }
            return (bytes.part(name).text.lowercased(), boundary)
        }
    }

    /// The format that the type specifies: `.jsonScalar` for every JSON type, `.text` for a type that is not listed.
    var kind: BodyFormat.Kind {
        switch name {
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines",
            "application/stream+json":
            .jsonLines
        case "text/event-stream": .events
        case "application/x-www-form-urlencoded": .form
        case "application/json", "text/json": .jsonScalar
        case _ where name.hasSuffix("+json"): .jsonScalar
        // The protocol of Amazon's services: `application/x-amz-json-1.1`.
        case _ where name.hasPrefix("application/x-amz-json"): .jsonScalar
        case _ where name.hasPrefix("multipart/"): .multipart(boundary: boundary ?? "")
        default: .text
        }
    }

    package var isMultipart: Bool { if case .multipart = kind { true } else { false } }

    /// A Boolean value that indicates whether a client reads a multipart body part by part, while the rest has not arrived.
    var isStreamOfParts: Bool { ["multipart/mixed", "multipart/x-mixed-replace"].contains(name) }
}
