import Foundation

/// Writes a stub as an element of a stub file: keys sorted, two spaces a level, `"key" : value`, slashes unescaped.
struct StubFileRenderer {
    let bodyEncoding: BodyEncoding

    /// The element's JSON, without indentation on its first line.
    ///
    /// What is absent is left out; an empty body is `""`. Header fields stand sorted by name, those of one name in their
    /// order. A status code is kept within 0 to 999, and times and lengths at 0 or more, so that the file can be read.
    func source(of stub: Stub) -> StubFileSource {
        guard let body = stub.response.body, body.count >= Self.largeBodyByteCount,
            ReadableBody(
                body,
                headerFields: stub.response.head?.headerFields ?? [:],
                isRequest: false,
                encoding: bodyEncoding
            ) == .data
        else { return StubFileSource(text(of: stub)) }
        // The body goes between the quotation marks of an empty one. It is the first member, because it sorts first.
        var bodiless = stub
        bodiless.response.body = Data()
        let text = text(of: bodiless)
        let before = Data("{\n    \"data\" : \"".utf8)
        return StubFileSource(before, body: body, text.dropFirst(before.count))
    }

    /// From here on a body is encoded only while it is written.
    private static let largeBodyByteCount = 1 << 20

    private func text(of stub: Stub) -> Data {
        var output = Data()
        element(stub).append(to: &output, level: 1)
        return output
    }

    private func element(_ stub: Stub) -> StubFileNode {
        let response = stub.response
        var members = [("request", request(stub.request))]
        if let body = response.body {
            let headerFields = response.head?.headerFields ?? [:]
            members.append(self.body(body, of: headerFields, isRequest: false, "data", "json", "text"))
        }
        if let head = response.head { members.append(("response", self.head(head, to: stub.request))) }
        if let failure = response.failure { members.append(("error", error(failure))) }
        if let timing = timing(response.pace) { members.append(("timing", timing)) }
        return .object(members)
    }

    private func request(_ request: StubRequest) -> StubFileNode {
        var members: [(String, StubFileNode)] = [
            ("method", .text(request.method)), ("url", .text(request.url.absoluteString)),
        ]
        members += headerFields(request.headerFields)
        if let body = request.body {
            let keys = ("requestData", "requestJSON", "requestText")
            members.append(self.body(body, of: request.headerFields, isRequest: true, keys.0, keys.1, keys.2))
        }
        return .object(members)
    }

    private func head(_ head: ResponseHead, to request: StubRequest) -> StubFileNode {
        var members: [(String, StubFileNode)] = [("statusCode", .integer(min(max(head.statusCode, 0), 999)))]
        members += headerFields(head.headerFields)
        if let url = head.url, url.absoluteString != request.url.absoluteString {
            members.append(("url", .text(url.absoluteString)))
        }
        return .object(members)
    }

    private func headerFields(_ fields: HeaderFields) -> [(String, StubFileNode)] {
        guard !fields.isEmpty else { return [] }
        let sorted = fields.enumerated().map { (name: $0.element.name.lowercased(), number: $0.offset, $0.element) }
            .sorted { ($0.name, $0.number) < ($1.name, $1.number) }
        return [("headerFields", .lines(sorted.map { "\($0.2.name)[:::]\($0.2.value)" }))]
    }

    private func error(_ failure: StubFailure) -> StubFileNode {
        var members: [(String, StubFileNode)] = [("code", .integer(failure.code)), ("domain", .text(failure.domain))]
        if let description = failure.description { members.append(("description", .text(description))) }
        return .object(members)
    }

    private func timing(_ pace: Pace) -> StubFileNode? {
        guard pace.secondsToFirstByte != 0 || !pace.chunks.isEmpty else { return nil }
        var members: [(String, StubFileNode)] = [("firstByte", .seconds(pace.secondsToFirstByte))]
        if !pace.chunks.isEmpty {
            members.append(("chunks", .pairs(pace.chunks.map { [.seconds($0.seconds), .integer(max($0.length, 0))] })))
        }
        return .object(members)
    }

    private func body(
        _ body: Data,
        of headerFields: HeaderFields,
        isRequest: Bool,
        _ dataKey: String,
        _ jsonKey: String,
        _ textKey: String
    ) -> (String, StubFileNode) {
        switch ReadableBody(body, headerFields: headerFields, isRequest: isRequest, encoding: bodyEncoding) {
        case .json: (jsonKey, .json(body))
        case .text(let lines): (textKey, .lines(lines))
        case .data: (dataKey, .base64(body))
        }
    }
}

/// The shape in which a body is written.
enum ReadableBody: Equatable {
    case json
    case text([String])
    case data

    init(_ body: Data, headerFields: HeaderFields, isRequest: Bool, encoding: BodyEncoding) {
        guard encoding == .readable, !body.isEmpty else { self = .data; return }
        if Self.isJSON(body, of: headerFields["Content-Type"].map { ContentType($0) }, isRequest: isRequest) {
            self = .json
        } else if let lines = body.withBytes({ $0.textLines }) {
            self = .text(lines)
        } else {
            self = .data
        }
    }

    /// An object or an array is JSON whatever it is called; a number or a text only where the content type says so. The
    /// body `null` is not, because `null` in a stub file stands for no body, nor is one with a byte-order mark, which a stub
    /// file cannot keep.
    ///
    /// A request's body that is compared byte by byte is written as JSON only when it has no white space to lose.
    private static func isJSON(_ body: Data, of type: ContentType?, isRequest: Bool) -> Bool {
        // In the file it is in the array of stubs, in its stub, and in the request.
        guard let compact = JSONText.rewrite(body: body, depth: isRequest ? 3 : 2, as: .compact),
            compact != Data("null".utf8), !body.starts(with: "\u{FEFF}".utf8)
        else { return false }
        if isRequest, compact != body, JSONValue(body: body, of: type) == nil { return false }
        return compact.first == .openingBrace || compact.first == .openingBracket || type?.isJSON ?? false
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The lines of UTF-8 text without NUL; `nil` for anything else. Joined by line feeds they are the same bytes again.
    fileprivate var textLines: [String]? {
        guard !contains(0), firstInvalidUTF8 == nil else { return nil }
        var lines: [String] = []
        var start = 0
        while let end = position(of: .lineFeed, from: start) {
            lines.append(part(start..<end).text)
            start = end + 1
        }
        return lines + [part(start..<count).text]
    }
}
