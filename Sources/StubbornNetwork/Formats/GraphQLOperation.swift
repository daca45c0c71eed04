import Foundation

/// An operation of a GraphQL request over HTTP.
///
/// Its name is the `operationName`, else the first name in `query`, else the hash of a persisted query.
struct GraphQLOperation: Sendable {
    /// The name; `nil` for an operation without one.
    let name: String?
    /// A Boolean value that indicates whether it only reads: a query, and no mutation or subscription.
    ///
    /// The text of a persisted query is not in the request, so it is not known to read.
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
        guard case .object(let members) = request.content else { return nil }
        func member(_ key: String, of members: [JSONValue.Member]) -> JSONValue? {
            members.first { $0.key == key }?.value
        }
        func text(_ key: String) -> String? {
            if case .string(let text)? = member(key, of: members)?.content { text } else { nil }
        }
        variables = member("variables", of: members).flatMap { $0 == .null ? nil : $0 }
        let operationName = text("operationName").flatMap { $0.isEmpty ? nil : $0 }
        if let query = text("query") {
            let definitions = Self.definitions(in: query)
            guard let first = definitions.first else { return nil }
            let chosen = definitions.first { $0.name == operationName && operationName != nil } ?? first
            name = operationName ?? definitions.lazy.compactMap(\.name).first
            isQuery = chosen.isQuery
        } else {
            guard case .object(let extensions)? = member("extensions", of: members)?.content,
                case .object(let persisted)? = member("persistedQuery", of: extensions)?.content,
                case .string(let hash)? = member("sha256Hash", of: persisted)?.content
            else { return nil }
            name = operationName ?? hash
            isQuery = false
        }
    }

    /// The name and the variables, cut to one line: `User(id: 42)`; `nil` for an operation without a name.
    var text: String? {
        guard let name else { return nil }
        guard case .object(let members)? = variables?.content, !members.isEmpty else { return name.cut(to: 64) }
        let arguments = members.prefix(8).map { "\($0.key): \($0.value.text(upTo: 64))" }
        let list = arguments.joined(separator: ", ") + (members.count > 8 ? ", …" : "")
        return "\(name.cut(to: 64))(\(list.cut(to: 160)))"
    }

    /// Returns a body as it is compared: each query without the white space, commas and comments that have no meaning;
    /// any other JSON unchanged.
    static func comparable(_ body: JSONValue) -> JSONValue {
        let requests = if case .array(let elements) = body.content { elements } else { [body] }
        if requests.contains(where: { GraphQLOperation($0) == nil }) { return body }
        let comparable = requests.map { request -> JSONValue in
            guard case .object(let members) = request.content else { return request }
            return .object(
                members.map { key, value in
                    guard key == "query", case .string(let query) = value.content else { return (key, value) }
                    return (key, .string(normalized(query)))
                }
            )
        }
        if case .array = body.content { return .array(comparable) }
        return comparable[0]
    }

    /// Returns a document with one space next to braces and between words, and none between other tokens (GraphQL
    /// specification, section 2.1): `query Items($first:Int) { items { id name } }`.
    private static func normalized(_ document: String) -> String {
        document.withBytes { text in
            var result: [UInt8] = []
            var position = 0
            var isAfterGap = true
            while position < text.count {
                let start = position
                switch text[position] {
                case .space, .tab, .lineFeed, .carriageReturn, .comma:
                    (position, isAfterGap) = (position + 1, true)
                    continue
                case .numberSign:
                    (position, isAfterGap) = (text.position(of: .lineFeed, from: position) ?? text.count, true)
                    continue
                case .quote: position = end(ofStringAt: position, in: text)
                default: position += 1
                }
                let needsSpace =
                    switch (result.last, text[start]) {
                    case (nil, _): false
                    case (.openingBrace, _), (.closingBrace, _), (_, .openingBrace), (_, .closingBrace): true
                    case (let last?, let next): isAfterGap && isOfWord(last) && isOfWord(next)
                    }
                if needsSpace { result.append(.space) }
                result += text.part(start..<position)
                isAfterGap = false
            }
            return String(decoding: result, as: UTF8.self)
        }
    }

    /// Returns a Boolean value that indicates whether a byte is of a name, a number or a string: two of these need a space
    /// between them.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case .quote, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: byte.isAlphanumeric
        }
    }

    /// Returns the operations of a GraphQL document (GraphQL specification, section 2.3); none for any other text.
    private static func definitions(in query: String) -> [(name: String?, isQuery: Bool)] {
        let heads = outline(of: query).split(separator: "{", omittingEmptySubsequences: false).map { head in
            head.split { $0.isWhitespace || $0 == "," || $0 == "(" || $0 == "\u{FEFF}" }
        }
        guard heads.last?.isEmpty == true else { return [] }
        var definitions: [(name: String?, isQuery: Bool)] = []
        for words in heads.dropLast() where words.first != "fragment" {
            let keyword = words.first ?? "query"
            guard ["query", "mutation", "subscription"].contains(keyword) else { return [] }
            let name = words.dropFirst().first.flatMap { $0.hasPrefix("@") ? nil : String($0) }
            definitions.append((name, keyword == "query"))
        }
        return definitions
    }

    /// Returns a document without comments and what is in brackets: `query User( @live {`.
    private static func outline(of document: String) -> String {
        document.withBytes { text in
            var outline: [UInt8] = []
            var (position, depth) = (0, 0)
            while position < text.count {
                let byte = text[position]
                if depth == 0, byte != .numberSign { outline += byte == .at ? [.space, byte] : [byte] }
                position += 1
                switch byte {
                case .numberSign: position = text.position(of: .lineFeed, from: position) ?? text.count
                case .openingBrace, UInt8(ascii: "("), .openingBracket: depth += 1
                case .closingBrace, UInt8(ascii: ")"), .closingBracket: depth = max(0, depth - 1)
                case .quote: position = end(ofStringAt: position - 1, in: text)
                default: break
                }
            }
            return String(decoding: outline, as: UTF8.self)
        }
    }

    /// Returns the position after a text in one or three quotation marks.
    private static func end(ofStringAt start: Int, in text: Bytes) -> Int {
        if text.has("\"\"\"", at: start) {
            var position = start + 3
            while position < text.count, !text.has("\"\"\"", at: position) {
                position += text.has("\\\"\"\"", at: position) ? 4 : 1
            }
            return min(position + 3, text.count)
        }
        var position = start + 1
        while position < text.count, text[position] != .quote { position += text[position] == .backslash ? 2 : 1 }
        return min(position + 1, text.count)
    }
}
