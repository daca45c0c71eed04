import Foundation

extension StubFileEntry {
    /// Creates the entry that is written for a stub.
    init(rendering stub: Stub, bodyEncoding: BodyEncoding) {
        let renderer = StubFileRenderer(bodyEncoding: bodyEncoding)
        guard let body = stub.response.body, body.count >= Self.largeBodyByteCount,
            ReadableBody(body, headerFields: stub.response.head?.headerFields ?? [:], encoding: bodyEncoding) == .data
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
        var output = Data()
        element(stub).append(to: &output, level: 1)
        return output
    }

    private func element(_ stub: Stub) -> StubFileNode {
        let response = stub.response
        var members = [("request", request(stub.request))]
        if let body = response.body {
            members.append(self.body(body, of: response.head?.headerFields ?? [:], "data", "json", "text"))
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
            members.append(self.body(body, of: request.headerFields, "requestData", "requestJSON", "requestText"))
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
        _ dataKey: String,
        _ jsonKey: String,
        _ textKey: String
    ) -> (String, StubFileNode) {
        switch ReadableBody(body, headerFields: headerFields, encoding: bodyEncoding) {
        case .json: (jsonKey, .json(body))
        case .text(let lines): (textKey, .lines(lines))
        case .data: (dataKey, .base64(body))
        }
    }
}

/// The shape that a body is written in.
enum ReadableBody: Equatable {
    case json
    case text([String])
    case data

    init(_ body: Data, headerFields: HeaderFields, encoding: BodyEncoding) {
        guard encoding == .readable, !body.isEmpty else { self = .data; return }
        if Self.isJSON(body, headerFields: headerFields) {
            self = .json
        } else if let lines = body.withUnsafeBytes({ $0.textLines }) {
            self = .text(lines)
        } else {
            self = .data
        }
    }

    /// An object or an array is JSON whatever it is called; a number or a text only where the content type says so. The
    /// body `null` is not, because `null` in a stub file stands for no body.
    private static func isJSON(_ body: Data, headerFields: HeaderFields) -> Bool {
        guard let compact = JSONText.rewrite(body: body, as: .compact), compact != Data("null".utf8) else {
            return false
        }
        if compact.first == UInt8(ascii: "{") || compact.first == UInt8(ascii: "[") { return true }
        let type = headerFields["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        return type.contains("/json") || type.contains("+json")
    }
}

extension UnsafeRawBufferPointer {
    /// The lines of UTF-8 text without NUL; `nil` for anything else. Joined by line feeds they are the same bytes again.
    fileprivate var textLines: [String]? {
        guard let base = baseAddress, memchr(base, 0, count) == nil, firstInvalidUTF8 == nil else { return nil }
        var lines: [String] = []
        var start = 0
        while let found = memchr(base + start, CInt(UInt8(ascii: "\n")), count - start) {
            let end = UnsafeRawPointer(found) - base
            lines.append(String(decoding: self[start..<end], as: UTF8.self))
            start = end + 1
        }
        return lines + [String(decoding: self[start...], as: UTF8.self)]
    }
}
