import Foundation

extension RequestPattern {
    /// Returns a pattern for requests that have a header field with this name, in any case, and optionally with this
    /// value: `.header("Accept", equals: "text/html")`.
    public static func header(_ name: String, equals value: String? = nil) -> RequestPattern {
        let description = "header \(name.cut())\(value.map { ": \($0.cut())" } ?? "")"
        return RequestPattern(description, showing: { $0.request.headerFields[name]?.quoted() }) { request in
            guard let found = request.request.headerFields[name] else { return false }
            return value == nil || found == value
        }
    }

    /// Returns a pattern for requests with exactly these bytes as their body.
    public static func requestBody(_ data: Data) -> RequestPattern {
        RequestPattern("body of \(data.count.counting("byte"))", showing: shownText) {
            ($0.request.body ?? Data()) == data
        }
    }

    /// Returns a pattern for requests with exactly this text in UTF-8 as their body.
    public static func requestBody(text: String) -> RequestPattern {
        let data = Data(text.utf8)
        return RequestPattern("body \(text.quoted())", showing: shownText) { ($0.request.body ?? Data()) == data }
    }

    /// Returns a pattern for requests with a JSON body that contains this value: `.requestBody(json: ["type": "login"])`.
    ///
    /// The request's objects may have more members, at any depth. Arrays must have the same length. The content type is
    /// ignored. The value is encoded by a `JSONEncoder`.
    public static func requestBody(json: some Encodable & Sendable) -> RequestPattern {
        JSONValue(encoding: json).map(requestBody(containing:)) ?? unencodable
    }

    /// Returns a pattern for requests with a JSON body that contains this literal of mixed types:
    /// `.requestBody(json: ["type": "login", "remember": true])`.
    public static func requestBody(json: JSONLiteral) -> RequestPattern {
        requestBody(containing: json.value)
    }

    /// Returns a pattern for requests with a JSON body that equals this value: `.requestBody(exactJSON: ["type": "login"])`.
    ///
    /// The order of members, spacing and the spelling of numbers are ignored, and so is the content type.
    public static func requestBody(exactJSON json: some Encodable & Sendable) -> RequestPattern {
        JSONValue(encoding: json).map(requestBody(equalTo:)) ?? unencodable
    }

    /// Returns a pattern for requests with a JSON body that equals this literal of mixed types:
    /// `.requestBody(exactJSON: ["type": "login", "remember": true])`.
    public static func requestBody(exactJSON json: JSONLiteral) -> RequestPattern {
        requestBody(equalTo: json.value)
    }

    private static func requestBody(equalTo value: JSONValue) -> RequestPattern {
        RequestPattern("body with exactly the JSON \(value.text(upTo: 256).cut())", showing: shownJSON) {
            $0.request.body.flatMap { JSONValue($0) } == value
        }
    }

    static func requestBody(containing value: JSONValue) -> RequestPattern {
        RequestPattern("body with JSON \(value.text(upTo: 256).cut())", showing: shownJSON) {
            $0.request.body.flatMap { JSONValue($0) }?.contains(value) ?? false
        }
    }

    private static let unencodable = invalid("body with JSON", because: "the value cannot be encoded")
    private static let shownText: @Sendable (ParsedRequest) -> String? = { request in
        guard let body = request.request.body, !body.isEmpty else { return nil }
        return String(data: body, encoding: .utf8)?.quoted() ?? body.count.counting("byte")
    }

    private static let shownJSON: @Sendable (ParsedRequest) -> String? = { request in
        let value = request.request.body.flatMap { JSONValue($0) }
        return value.map { $0.text(upTo: 256).cut() } ?? shownText(request)
    }

    /// Returns a pattern for requests whose body, parsed as a form regardless of its type, has at least these fields.
    public static func requestBody(form fields: [String: String]) -> RequestPattern {
        let (wanted, text) = Self.fields(fields)
        return RequestPattern("body with form fields \(text)", showing: { shown($0.formFields, named: wanted) }) {
            wanted.allSatisfy($0.formFields.contains)
        }
    }

    /// Returns a pattern for requests whose body, parsed as a form regardless of its type, has exactly these fields, in
    /// any order.
    public static func requestBody(exactForm fields: [String: String]) -> RequestPattern {
        let (wanted, text) = Self.fields(fields)
        return RequestPattern("body with exactly the form fields \(text)", showing: shownText) {
            $0.formFields.sorted() == wanted.sorted()
        }
    }

    /// Returns a pattern for GraphQL requests with an operation of this name: `.graphQL("User", variables: ["id": 42])`.
    ///
    /// The name is the request's `operationName`, the first name in its query, or the hash of a persisted query
    /// (`extensions.persistedQuery.sha256Hash`). A batch matches if one of its operations does. The operation may have
    /// more variables than these, as in `requestBody(json:)`.
    public static func graphQL(_ operation: String, variables: JSONLiteral? = nil) -> RequestPattern {
        let wanted = variables.map { " with \($0.value.text(upTo: 256).cut())" } ?? ""
        return RequestPattern("GraphQL \(operation.cut())\(wanted)", showing: shownOperations) { request in
            request.request.graphQLOperations.filter { $0.name == operation }.contains { found in
                variables.map { found.variables?.contains($0.value) ?? false } ?? true
            }
        }
    }

    private static let shownOperations: @Sendable (ParsedRequest) -> String? = { request in
        let operations = request.request.graphQLOperations
        guard !operations.isEmpty else { return shownText(request) }
        return operations.map { operation in
            let variables = operation.variables.map { " with \($0.text(upTo: 256).cut())" } ?? ""
            return "GraphQL \(operation.name?.cut() ?? "without a name")\(variables)"
        }.joined(separator: ", ")
    }
}
