import Foundation

/// An operation of a GraphQL request over HTTP.
///
/// Its name is the `operationName`, else the first name in `query`, else the hash of a persisted query.
struct GraphQLOperation: Sendable {
    /// The name; `nil` for an operation without one.
    let name: String?
    /// A Boolean value that indicates whether it only reads: a query, and no mutation or subscription.
    ///
    /// The text of a persisted query is not in the request, so it does not count as only reading.
    let isQuery: Bool
    /// The variables; `nil` if there are none.
    let variables: JSONValue?

    /// Returns the operations of a body, several for a batch; none for a body that is not GraphQL.
    static func operations(in body: Data) -> [GraphQLOperation] {
        guard let value = JSONValue(body: body) else { return [] }
        let requests = if case .array(let elements) = value.content { elements } else { [value] }
        let operations = requests.compactMap(GraphQLOperation.init)
        return operations.count == requests.count ? operations : []
    }

    /// Returns the operation of a GET request, which is in its query items (GraphQL over HTTP, section "GET"); none for a URL
    /// without one.
    static func operations(inQueryOf url: String) -> [GraphQLOperation] {
        guard url.contains("query=") || url.contains("extensions=") else { return [] }
        var members: [JSONValue.Member] = []
        url.withBytes { url in
            FormFields.read(url, in: URLFields(url).query, as: .form) { field in
                let (name, value) = (url.part(field.names[0]).text, field.spelling.decoded(url.part(field.value)))
                switch name {
                case "query", "operationName": members.append((name, .string(String(decoding: value, as: UTF8.self))))
                case "variables", "extensions": members += JSONValue(Data(value)).map { [(name, $0)] } ?? []
                default: break
                }
            }
        }
        return GraphQLOperation(.object(members)).map { [$0] } ?? []
    }

    private init?(_ request: JSONValue) {
        variables = request["variables"].flatMap { $0 == .null ? nil : $0 }
        let operationName = request["operationName"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        if let query = request["query"]?.string {
            let definitions = Self.definitions(in: query)
            guard let first = definitions.first else { return nil }
            let chosen = definitions.first { $0.name == operationName && operationName != nil } ?? first
            name = operationName ?? definitions.lazy.compactMap(\.name).first
            isQuery = chosen.isQuery
        } else {
            guard let hash = request["extensions"]?["persistedQuery"]?["sha256Hash"]?.string else { return nil }
            name = operationName ?? hash
            isQuery = false
        }
    }

    /// The name and the variables, cut to one line: `User(id: 42)`; `nil` for an operation without a name.
    var text: String? {
        guard let name else { return nil }
        guard let members = variables?.members, !members.isEmpty else { return name.cut(to: 64) }
        let arguments = members.prefix(8).map { "\($0.key): \($0.value.text(upTo: 64))" }
        let list = arguments.joined(separator: ", ") + (members.count > 8 ? ", …" : "")
        return "\(name.cut(to: 64))(\(list.cut(to: 160)))"
    }

    /// Returns a body in the form for comparison: each query without the white space, commas and comments that have no
    /// meaning; any other JSON unchanged.
    static func comparable(_ body: JSONValue) -> JSONValue {
        let requests = if case .array(let elements) = body.content { elements } else { [body] }
        if requests.contains(where: { GraphQLOperation($0) == nil }) { return body }
        let comparable = requests.map { request in
            JSONValue.object(
                request.members.map { key, value in
                    guard key == "query", let query = value.string else { return (key, value) }
                    return (key, .string(normalized(query)))
                }
            )
        }
        if case .array = body.content { return .array(comparable) }
        return comparable[0]
    }

    /// Returns a document with one space next to braces and between words, and none between other tokens:
    /// `query Items($first:Int) { items { id name } }`.
    private static func normalized(_ document: String) -> String {
        document.withBytes { text in
            var result: [UInt8] = []
            for token in tokens(of: text) {
                if needsSpace(result.last, token[0]) { result.append(.space) }
                result += token
            }
            return String(decoding: result, as: UTF8.self)
        }
    }

    private static func needsSpace(_ last: UInt8?, _ next: UInt8) -> Bool {
        switch (last, next) {
        case (nil, _): false
        case (.openingBrace, _), (.closingBrace, _), (_, .openingBrace), (_, .closingBrace): true
        // Two names would join, and `"" "a"` would begin a block string.
        case (let last?, let next): [last, next].allSatisfy { $0.isWordPart || $0 == .quote }
        }
    }

    /// Returns the names, numbers, strings and punctuators of a document, without the white space, commas and comments
    /// between them (GraphQL specification, section 2.1).
    private static func tokens(of text: Bytes) -> [Bytes] {
        var tokens: [Bytes] = []
        var position = text.has("\u{FEFF}", at: 0) ? 3 : 0
        while position < text.count {
            let start = position
            switch text[start] {
            case .space, .tab, .lineFeed, .carriageReturn, .comma:
                position += 1
                continue
            case .numberSign:
                position = text.position(of: .lineFeed, from: start) ?? text.count
                continue
            case .quote: position = end(ofStringAt: start, in: text)
            default: position = Swift.max(start + 1, text.end(from: start, while: { $0.isWordPart }))
            }
            tokens.append(text.part(start..<position))
        }
        return tokens
    }

    /// Returns the operations of a GraphQL document (GraphQL specification, section 2.3); none for any other text.
    private static func definitions(in query: String) -> [(name: String?, isQuery: Bool)] {
        // The words before a selection set: `query User`.
        var (heads, words): ([[String]], [String]) = ([], [])
        query.withBytes { text in
            var depth = 0
            for token in tokens(of: text) {
                switch (token[0], depth) {
                case (.openingBrace, 0):
                    heads.append(words)
                    (words, depth) = ([], 1)
                case (.openingBrace, _), (UInt8(ascii: "("), _), (.openingBracket, _): depth += 1
                case (.closingBrace, 1...), (UInt8(ascii: ")"), 1...), (.closingBracket, 1...): depth -= 1
                case (_, 0): words.append(token.text)
                default: break
                }
            }
        }
        let operations = heads.filter { $0.first != "fragment" }.map { $0.isEmpty ? ["query"] : $0 }
        let areKnown = operations.allSatisfy { ["query", "mutation", "subscription"].contains($0[0]) }
        guard words.isEmpty, areKnown else { return [] }
        return operations.map { words in
            (words.dropFirst().first.flatMap { $0 == "@" ? nil : $0 }, words[0] == "query")
        }
    }

    /// Returns the position after a text in one or three quotation marks.
    private static func end(ofStringAt start: Int, in text: Bytes) -> Int {
        let (mark, escape): (StaticString, StaticString) =
            text.has("\"\"\"", at: start) ? ("\"\"\"", "\\\"\"\"") : ("\"", "\\")
        let length = mark.utf8CodeUnitCount
        var position = start + length
        while position < text.count, !text.has(mark, at: position) {
            position += text.has(escape, at: position) ? length + 1 : 1
        }
        return min(position + length, text.count)
    }
}
