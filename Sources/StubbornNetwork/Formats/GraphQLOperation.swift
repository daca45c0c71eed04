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
    /// The variables; `nil` where there are none.
    let variables: JSONValue?

    /// Returns the operations of a body, several for a batch; none for a body that is not GraphQL.
    static func operations(in body: Data) -> [GraphQLOperation] {
        guard body.beginsLikeContainer, let value = JSONValue(body) else { return [] }
        let requests = if case .array(let elements) = value.content { elements } else { [value] }
        let operations = requests.compactMap(GraphQLOperation.init)
        return operations.count == requests.count ? operations : []
    }

    /// Returns the operation of a GET request, which is in its query items (GraphQL over HTTP, section "GET"); none for a URL
    /// without one.
    static func operations(inQueryOf url: String) -> [GraphQLOperation] {
        guard let mark = url.firstIndex(of: "?"), url.contains("query=") || url.contains("extensions=") else {
            return []
        }
        let items = url[mark...].dropFirst().prefix { $0 != "#" }.split(separator: "&").map { item in
            item.split(separator: "=", maxSplits: 1).map { part in
                part.description.withBytes { bytes in
                    String(decoding: PercentEncoding.decoded(bytes, plusAsSpace: true), as: UTF8.self)
                }
            }
        }
        let members = items.compactMap { item -> JSONValue.Member? in
            guard item.count == 2 else { return nil }
            switch item[0] {
            case "query", "operationName": return (item[0], .string(item[1]))
            case "variables", "extensions": return JSONValue(Data(item[1].utf8)).map { (item[0], $0) }
            default: return nil
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

    // MARK: Comparing

    /// Returns a body as it is compared: without the parts that have no meaning in GraphQL; any other JSON as it is.
    ///
    /// These parts are white space, commas and comments between the tokens of a query (GraphQL specification, section 2.1), and
    /// empty members for an operation's name, its variables or its extensions.
    static func comparable(_ body: JSONValue) -> JSONValue {
        if case .array(let elements) = body.content {
            return elements.contains { GraphQLOperation($0) == nil } ? body : .array(elements.map(comparableRequest))
        }
        return GraphQLOperation(body) == nil ? body : comparableRequest(body)
    }

    private static func comparableRequest(_ request: JSONValue) -> JSONValue {
        guard case .object(let members) = request.content else { return request }
        return .object(
            members.compactMap { key, value in
                switch (key, value.content) {
                case ("query", .string(let query)): (key, .string(tokens(of: query)))
                case ("operationName", .null), ("variables", .null), ("extensions", .null): nil
                case ("variables", .object(let members)), ("extensions", .object(let members)):
                    members.isEmpty ? nil : (key, value)
                default: (key, value)
                }
            }
        )
    }

    /// Returns the tokens of a document, with spaces only where two of them would be one.
    static func tokens(of document: String) -> String {
        document.withBytes { text in
            var tokens: [UInt8] = []
            tokens.reserveCapacity(text.count)
            var position = 0
            while position < text.count {
                let start = position
                switch text[position] {
                case .numberSign:
                    position = text.end(from: position) { $0 != .lineFeed && $0 != .carriageReturn }
                    continue
                case .space, .tab, .lineFeed, .carriageReturn, .comma, 0xEF, 0xBB, 0xBF:
                    position += 1
                    continue
                case .quote: position = end(ofStringAt: position, in: text)
                case let byte where isPartOfWord(byte): position = text.end(from: position, while: isPartOfWord)
                default: position += 1
                }
                let isNextToWord = [tokens.last, text[start]].allSatisfy { byte in
                    byte.map { isPartOfWord($0) || $0 == .quote } ?? false
                }
                if isNextToWord { tokens.append(.space) }
                tokens.append(contentsOf: text.part(start..<position))
            }
            return String(decoding: tokens, as: UTF8.self)
        }
    }

    /// Returns a Boolean value that indicates whether a byte can be in a name or a number.
    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == .underscore || byte == .hyphen || byte == .plus
    }

    /// Returns the operations of a GraphQL document (GraphQL specification, section 2.3); none for any other text.
    private static func definitions(in query: String) -> [(name: String?, isQuery: Bool)] {
        var definitions: [(name: String?, isQuery: Bool)] = []
        var isValid = true
        query.withBytes { text in
            var position = 0
            // The keyword of the definition whose braces have not begun, and whether its name may follow.
            var keyword: String?
            var mayBeNamed = false
            var name: String?
            while isValid, position < text.count {
                switch text[position] {
                case .numberSign:
                    position = text.position(of: .lineFeed, from: position) ?? text.count
                case .openingBrace:
                    if keyword != "fragment" { definitions.append((name, keyword == nil || keyword == "query")) }
                    (keyword, name) = (nil, nil)
                    position = end(ofBlockAt: position, in: text)
                case let byte where byte.isAlphanumeric || byte == .underscore:
                    let end = text.end(from: position) { $0.isAlphanumeric || $0 == .underscore }
                    let word = text.part(position..<end).text
                    if keyword == nil {
                        isValid = ["query", "mutation", "subscription", "fragment"].contains(word)
                        (keyword, mayBeNamed) = (word, true)
                    } else if mayBeNamed {
                        (name, mayBeNamed) = (word, false)
                    }
                    position = end
                case UInt8(ascii: "("):
                    mayBeNamed = false
                    isValid = keyword != nil
                    position = end(ofBlockAt: position, in: text)
                case .at:
                    mayBeNamed = false
                    isValid = keyword != nil
                    position += 1
                case .space, .tab, .lineFeed, .carriageReturn, .comma, 0xEF, 0xBB, 0xBF: position += 1
                default: isValid = false
                }
            }
            isValid = isValid && keyword == nil
        }
        return isValid ? definitions : []
    }

    /// Returns the position behind the bracket that closes the one at a position; the end where none does.
    private static func end(ofBlockAt start: Int, in text: Bytes) -> Int {
        var depth = 0
        var position = start
        while position < text.count {
            switch text[position] {
            case .openingBrace, UInt8(ascii: "("), .openingBracket: depth += 1
            case .closingBrace, UInt8(ascii: ")"), .closingBracket: depth -= 1
            case .numberSign: position = (text.position(of: .lineFeed, from: position) ?? text.count) - 1
            case .quote: position = end(ofStringAt: position, in: text) - 1
            default: break
            }
            position += 1
            if depth == 0 { return position }
        }
        return text.count
    }

    /// Returns the position behind a text in one or three quotation marks.
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
