import Foundation

extension StubFileEntry {
    /// Creates the entry that is written for a stub.
    init(rendering stub: Stub, bodyEncoding: BodyEncoding) {
        let renderer = StubFileRenderer(bodyEncoding: bodyEncoding)
        guard let body = stub.response.body, body.count >= Self.largeBodyByteCount,
            ReadableBody(
                body,
                headerFields: stub.response.head?.headerFields ?? [:],
                isRequest: false,
                encoding: bodyEncoding
            ) == .data
        else {
            self.init(stub, renderer.text(of: stub))
            return
        }
        // The base64 belongs between the quotation marks of an empty body, which is the first member.
        var bodiless = stub
        bodiless.response.body = Data()
        let text = renderer.text(of: bodiless)
        let before = Data("{\n    \"data\" : \"".utf8)
        self.init(stub, before, base64: body, text.dropFirst(before.count))
    }

    /// The length from which on a body is encoded only while it is written.
    private static var largeBodyByteCount: Int { 1 << 20 }
}

/// Writes a stub as an element of a stub file: keys sorted, two spaces a level, `"key" : value`, slashes unescaped.
///
/// A value that is absent is left out; an empty body is `""`. Header fields are sorted by name, and fields of one name keep
/// their order. A status code is kept within 0 to 999, and times and lengths at 0 or more, so that the file can be read.
private struct StubFileRenderer {
    let bodyEncoding: BodyEncoding

    func text(of stub: Stub) -> Data {
        let response = stub.response
        var members = ["request": request(stub.request)]
        if let body = response.body {
            let headerFields = response.head?.headerFields ?? [:]
            members.merge([self.body(body, of: headerFields, isRequest: false, level: 2)]) { $1 }
        }
        members["response"] = response.head.map { head($0, to: stub.request) }
        members["error"] = response.failure.map(error)
        members["timing"] = timing(response.pace)
        return object(members, level: 1)
    }

    private func request(_ request: StubRequest) -> Data {
        var members = ["method": string(request.method), "url": string(request.url.absoluteString)]
        members["headerFields"] = headerFields(request.headerFields)
        if let body = request.body {
            members.merge([self.body(body, of: request.headerFields, isRequest: true, level: 3)]) { $1 }
        }
        return object(members, level: 2)
    }

    private func head(_ head: ResponseHead, to request: StubRequest) -> Data {
        var members = ["statusCode": number(min(max(head.statusCode, 0), 999))]
        members["headerFields"] = headerFields(head.headerFields)
        if let url = head.url, url.absoluteString != request.url.absoluteString {
            members["url"] = string(url.absoluteString)
        }
        return object(members, level: 2)
    }

    private func headerFields(_ fields: HeaderFields) -> Data? {
        guard !fields.isEmpty else { return nil }
        let sorted = fields.enumerated().map { (name: $0.element.name.lowercased(), number: $0.offset, $0.element) }
            .sorted { ($0.name, $0.number) < ($1.name, $1.number) }
        return strings(sorted.map { "\($0.2.name)[:::]\($0.2.value)" }, level: 3)
    }

    private func error(_ failure: StubFailure) -> Data {
        var members = ["code": number(failure.code), "domain": string(failure.domain)]
        members["description"] = failure.description.map(string)
        return object(members, level: 2)
    }

    private func timing(_ pace: Pace) -> Data? {
        guard pace.secondsToFirstByte != 0 || !pace.chunks.isEmpty else { return nil }
        let seconds = { (seconds: Double) in number(seconds.isFinite ? max(seconds, 0) : 0) }
        var members = ["firstByte": seconds(pace.secondsToFirstByte)]
        if !pace.chunks.isEmpty {
            let chunks = pace.chunks.map { chunk in
                Data("[ ".utf8) + seconds(chunk.seconds) + Data(", ".utf8) + number(max(chunk.length, 0))
                    + Data(" ]".utf8)
            }
            members["chunks"] = lines("[", chunks, "]", level: 3)
        }
        return object(members, level: 2)
    }

    private func body(
        _ body: Data,
        of headerFields: HeaderFields,
        isRequest: Bool,
        level: Int
    ) -> (String, Data) {
        switch ReadableBody(body, headerFields: headerFields, isRequest: isRequest, encoding: bodyEncoding) {
        case .json:
            let json = JSONText.rewrite(body: body, as: .indented(level: level)) ?? Data("null".utf8)
            return (isRequest ? "requestJSON" : "json", json)
        case .text(let lines): return (isRequest ? "requestText" : "text", strings(lines, level: level))
        case .data:
            let base64 = Data("\"".utf8) + body.base64EncodedData() + Data("\"".utf8)
            return (isRequest ? "requestData" : "data", base64)
        }
    }

    private func number(_ number: some CustomStringConvertible) -> Data { Data(number.description.utf8) }

    private func string(_ text: String) -> Data {
        var output = Data()
        JSONString.append(text, to: &output)
        return output
    }

    private func object(_ members: [String: Data], level: Int) -> Data {
        let sorted = members.sorted { $0.key < $1.key }.map { string($0.key) + Data(" : ".utf8) + $0.value }
        return lines("{", sorted, "}", level: level)
    }

    /// Returns an array of strings: a single one beside its brackets, several on a line each.
    private func strings(_ texts: [String], level: Int) -> Data {
        let elements = texts.map(string)
        return elements.count == 1
            ? Data("[ ".utf8) + elements[0] + Data(" ]".utf8) : lines("[", elements, "]", level: level)
    }

    private func lines(_ opening: String, _ elements: [Data], _ closing: String, level: Int) -> Data {
        let line = Data("\n\(String(repeating: " ", count: 2 * level))".utf8)
        var output = Data(opening.utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(.comma) }
            output += line + [.space, .space]
            output += element
        }
        if !elements.isEmpty { output += line }
        return output + Data(closing.utf8)
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

    /// An object or an array is JSON whatever the content type is; a number or a text only if the content type says so. The
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
    /// Returns the lines of UTF-8 text without NUL; `nil` for anything else. Joined by line feeds they are the same bytes again.
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
