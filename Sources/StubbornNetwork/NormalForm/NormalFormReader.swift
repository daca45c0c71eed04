import Foundation

/// Reads stubs as values in one spelling: JSON by its leaves, forms and cookies sorted, multipart bodies without boundaries.
package struct NormalFormReader {
    typealias Form = (NormalFormText) -> String

    private let ignored: IgnoredParts.Spelled
    private let volatilePaths: [[String]]
    /// A Boolean value that indicates whether settings, or a call that was read, name members that differ each time, which may
    /// have any word as an id.
    private(set) var hasVolatilePaths: Bool
    private let volatileFields: VolatileHeaderFields
    private var areTraces: [String: Bool] = [:]
    private var areVolatile: [String: Bool] = [:]
    /// The key paths of the rules that lead to a member of a body.
    private var foundPaths: Set<[String]> = []

    init(_ rules: MergeRules) {
        ignored = rules.ignored.spelled
        volatilePaths = ignored.keyPaths.map(\.keys) + rules.volatileJSONKeyPaths.map { JSONKeyPath($0).keys }
        hasVolatilePaths = !volatilePaths.isEmpty
        volatileFields = rules.volatileHeaderFields.including(VolatileHeaderFields.ofBody.names)
    }

    /// Returns those of some key paths that lead to no member of a body in any stub.
    package static func unmatched(_ paths: [String], in stubs: some Sequence<Stub>) -> [String] {
        var reader = NormalFormReader(MergeRules(volatileJSONKeyPaths: paths))
        for stub in stubs {
            _ = reader.read(stub.request) { _ in "" }
            _ = reader.readBody(stub) { _ in "" }
        }
        let found = reader.foundPaths
        // A member inside another listed member counts as found with that member.
        return paths.filter { path in !found.contains(where: JSONKeyPath(path).keys.starts) }
    }

    mutating func read(_ request: StubRequest, _ form: Form) -> NormalForm.Message {
        // Nothing in a value that a test made differs each time.
        let isValue = request.valueName != nil
        return NormalForm.Message(
            head: request.method,
            url: isValue ? request.url.absoluteString : url(request.url, form),
            fields: fields(request.headerFields, form),
            body: body(request.body, request.headerFields, EchoedRequestValues.paths(ofCallIn: request.body), form)
        )
    }

    /// Reads the response of a stub without its body.
    mutating func readHead(_ stub: Stub, _ form: Form) -> NormalForm.Message {
        let (response, request) = (stub.response, stub.request)
        var message = NormalForm.Message()
        message.isCancelled = response.waitsToBeCancelled
        message.head = response.head.map { "\($0.statusCode)" } ?? ""
        if let failure = response.failure, !response.waitsToBeCancelled {
            let text = NormalFormText(value: failure.description ?? "")
            message.head += " \(failure.domain) \(failure.code) \(form(text))"
        }
        guard let head = response.head, request.valueName == nil else { return message }
        message.url = head.url.map { $0 == request.url ? "" : url($0, form) } ?? ""
        message.fields = fields(head.headerFields, form)
        return message
    }

    /// Reads the body of the response of a stub.
    mutating func readBody(_ stub: Stub, _ form: Form) -> JSONValue {
        let (response, request) = (stub.response, stub.request)
        if request.valueName != nil {
            let text = (response.body ?? Data()).withBytes(\.text)
            _ = form(NormalFormText(value: text, isCompared: false))
            return response.body.flatMap { JSONValue($0) } ?? .string(text)
        }
        if let frames = response.webSocketFrames {
            let contents = frames.map { body($0.data, [:], EchoedRequestValues.paths(ofCallIn: $0.data), form) }
            return .array(zip(frames, contents).map { .array([.bool($0.isSent), .string("\($0.kind)"), $1]) })
        }
        let paths = EchoedRequestValues.pathsOfAnswer(toCallIn: request.body)
        return body(response.body, response.head?.headerFields ?? [:], paths, form)
    }

    // MARK: URLs and header fields

    private func url(_ url: URL, _ form: Form) -> String {
        let parts = URLParts(url)
        var path = ignored.comparable(parts.path)
        if path == parts.path {
            let segments = PathTemplate.segments(of: path)
            path = segments.map { form(NormalFormText(value: String($0), isSegment: true)) }.joined(separator: "/")
        }
        let items = parts.query.map(\.comparable).map { item in
            if ignored.queryItems.contains(item.name) {
                let secret = item.value.map { Self.secret(NormalFormText(value: $0), form) } ?? ""
                let name = PercentEncoding.decoded(item.name.replacingOccurrences(of: "+", with: " "))
                return secret.isEmpty ? name : "\(name)=\(secret)"
            }
            return item.value.map { "\(item.name)=\(form(NormalFormText(value: Self.decoded($0), name: item.name)))" }
                ?? item.name
        }
        var rest = parts
        (rest.path, rest.query) = ("", [])
        return rest.text + path + (items.isEmpty ? "" : "?" + items.sorted().joined(separator: "&"))
    }

    /// Returns the value of a query item without percent-encoding, but for a plus sign: a bare `+` may stand for a space.
    private static func decoded(_ value: String) -> String {
        value.components(separatedBy: "%2B").map(PercentEncoding.decoded).joined(separator: "%2B")
    }

    /// The fields about the transfer of a message, which servers choose for each response.
    private static let transferFields: Set<String> = [
        "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding",
    ]

    private mutating func fields(_ fields: HeaderFields, _ form: Form) -> [String: [String]] {
        var result: [String: [String]] = [:]
        for field in fields {
            let name = field.name.lowercased()
            if Self.transferFields.contains(name) { continue }
            let value: String
            switch name {
            case "set-cookie": value = Self.cookies(field.value)
            case "content-type": value = Self.withoutBoundary(field.value)
            case _ where isVolatile(name): value = Self.secret(NormalFormText(value: field.value), form)
            default: value = form(NormalFormText(value: field.value, name: name))
            }
            if name == "set-cookie" { _ = form(NormalFormText(value: field.value, name: name)) }
            let parts = value.utf8.split { $0.isOne(of: ",; ") }.map { String(Substring($0)) }
            result[name, default: []] += value.isEmpty ? [""] : parts.sorted()
        }
        return result
    }

    /// Returns the form of a value that is compared only if it is a secret.
    ///
    /// A placeholder and a plain value never have the same form.
    ///
    /// Its words may be ids, such as the ETag that a later request sends.
    private static func secret(_ text: NormalFormText, _ form: Form) -> String {
        var searched = text
        searched.isCompared = false
        _ = form(searched)
        return text.value.withBytes(Placeholder.isIn) ? "#secret" : ""
    }

    private static func withoutBoundary(_ field: String) -> String {
        let parts = field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        return parts.filter { !$0.lowercased().hasPrefix("boundary=") }.joined(separator: "; ")
    }

    private mutating func isVolatile(_ name: String) -> Bool {
        areVolatile[name].orSet { volatileFields.contains(name) || ignored.headerFields.contains(name) }
    }

    /// Returns the names and attributes of cookies, without their values and times.
    private static func cookies(_ field: String) -> String {
        field.split { ",;".contains($0) }.compactMap { element -> String? in
            let parts = element.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = parts.first, let value = parts.dropFirst().first else {
                return element.contains(where: \.isNumber) ? nil : element.trimmingCharacters(in: .whitespaces)
            }
            if ["path", "domain", "samesite", "max-age"].contains(name.lowercased()) { return "\(name)=\(value)" }
            return value.withBytes(Placeholder.isIn) ? "\(name)=#secret" : "\(name)="
        }.joined(separator: ";")
    }

    // MARK: Bodies

    private mutating func body(_ body: Data?, _ fields: HeaderFields, _ paths: [JSONKeyPath], _ form: Form) -> JSONValue
    {
        guard let body, !body.isEmpty else { return .null }
        let volatile = volatilePaths + paths.map(\.keys)
        if !volatile.isEmpty { hasVolatilePaths = true }
        switch BodyContent(body, of: fields.contentType) {
        case .json(let value): return json(value, volatile, form)
        case .events: return events(body, volatile, form)
        case .form:
            return .array(
                QueryItem.fields(ofForm: body).sorted().map { field in
                    let name = PercentEncoding.decoded(field.name)
                    let text = NormalFormText(value: PercentEncoding.decoded(field.value ?? ""), name: name)
                    let isIgnored = ignored.bodyFields.contains(name)
                    return .object([(name, .string(isIgnored ? Self.secret(text, form) : form(text)))])
                }
            )
        case .parts(let parts):
            return .array(
                parts.map { part in
                    let head = part.head.withBytes(\.text)
                    let isIgnored = part.name.map(ignored.bodyFields.contains) == true
                    return .object([(head, isIgnored ? .null : text(part.content, form))])
                }
            )
        case .bytes: return text(body, form)
        }
    }

    /// Reads each event as its lines, or as the JSON of its data and its other lines.
    private mutating func events(_ body: Data, _ volatile: [[String]], _ form: Form) -> JSONValue {
        .array(
            StreamFormat.events.parts(of: body).map { event in
                let lines = event.split(whereSeparator: \.isLineBreak)
                let data = lines.filter { $0.starts(with: "data:".utf8) }.map { $0.dropFirst(5) }
                guard let value = JSONValue(body: Data(data.joined(separator: "\n".utf8))) else {
                    return .array(lines.map { text(Data($0), form) })
                }
                let others = lines.filter { !$0.starts(with: "data:".utf8) }.map { text(Data($0), form) }
                return .array(others + [json(value, volatile, form)])
            }
        )
    }

    private mutating func text(_ body: Data, _ form: Form) -> JSONValue {
        if body.withBytes(\.isBinary) { return .string(body.base64EncodedString()) }
        return .string(form(NormalFormText(value: withoutTraces(body).withBytes(\.text))))
    }

    /// Returns XML without the ids of requests and traces, and other text unchanged.
    private mutating func withoutTraces(_ body: Data) -> Data {
        let rest = body.withBytes { bytes in
            guard bytes.at(bytes.end(from: 0, while: { $0.isSpace })) == .lessThan else { return [UInt8]?.none }
            var edits: [Edit] = []
            TextFields.read(bytes, isAsked: { _ in true }) { field in
                let isMade = field.names.contains { isTrace(bytes.part($0).text) }
                if isMade { edits.append(Edit(range: field.value, text: [])) }
                return true
            }
            return Edit.apply(edits, to: bytes)
        }
        return rest.map { Data($0) } ?? body
    }

    private mutating func json(_ value: JSONValue, _ volatile: [[String]], _ form: Form) -> JSONValue {
        var builder = JSONValue.Builder()
        // The members around a token: the keys to each, the end of its value, and the hash of its keys.
        var members: [(keys: [String], end: Int, path: Int)] = []
        var position = value.tokens.startIndex
        while position < value.tokens.endIndex {
            if members.last?.end == position { members.removeLast() }
            let token = value.tokens[position]
            position += 1
            let outer = members.last ?? ([], position, 0)
            let text = { NormalFormText(value: $0, path: outer.path, name: outer.keys.last ?? "") }
            switch token {
            case .key(let key):
                builder.append(token)
                let (keys, end) = (outer.keys + [key], value.tokens.end(ofValueAt: position))
                let isNamed = volatile.contains(keys)
                guard !isNamed, !isTrace(key) else {
                    if isNamed { foundPaths.insert(keys) }
                    // A request may send the id in a volatile member.
                    let texts = value.tokens[position..<end].compactMap(\.text)
                    let secrets = texts.map { Self.secret(NormalFormText(value: $0, isVolatile: isNamed), form) }
                    builder.append(.string(secrets.contains("#secret") ? "#secret" : ""))
                    position = end
                    continue
                }
                var hasher = Hasher()
                hasher.combine(outer.path)
                hasher.combine(key)
                members.append((keys, end, hasher.finalize()))
            case .string(let string): builder.append(.string(form(text(string))))
            // A number and a string have different classes.
            case .number(let digits): builder.append(.number(form(text(digits))))
            case .bool, .null, .open, .close: builder.append(token)
            }
        }
        return builder.value
    }

    /// Returns a Boolean value that indicates whether a name denotes the id of a request or a trace.
    private mutating func isTrace(_ name: String) -> Bool {
        areTraces[name].orSet { Self.traceNames.contains(name.lowercased().filter { !"_-".contains($0) }) }
    }

    private static let traceNames: Set = ["requestid", "xrequestid", "traceid", "spanid", "correlationid"]
}

extension JSONValue.Token {
    fileprivate var text: String? {
        switch self {
        case .string(let text), .number(let text): text
        default: nil
        }
    }
}
