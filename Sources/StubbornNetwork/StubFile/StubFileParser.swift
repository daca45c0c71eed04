import Foundation

/// A parser that reads the stubs of a stub file in one pass.
///
/// `null` is the same as no value. A repeated key is an error, and so is an unknown one, unless people and other programs may
/// write it.
struct StubFileParser {
    let text: StubFileText
    var scanner: JSONScanner
    /// The number of arrays and objects around the scanner's position.
    var depth = 0
    /// The key whose value is being read.
    var key = ""
    /// The keys of the bodies of the stub that is being read; `nil` if it also has unknown keys.
    var bodyKeys: [String]? = []
    /// The long bodies of the text that the parser has not reached yet.
    var longBodies: ArraySlice<Data>
    /// The times that a stub file may have: a clock cannot wait for longer.
    private static let seconds = 0...1e9
    /// The position of the last stub, and its line.
    private var last = (position: 0, line: 1)

    init(_ scanner: JSONScanner, of text: StubFileText) {
        (self.scanner, self.text, longBodies) = (scanner, text, text.longBodies[...])
    }

    mutating func entries() throws(JSONSyntaxError) -> [StubFileEntry] {
        scanner.skipWhitespace()
        guard scanner.current != nil else {
            throw JSONSyntaxError(at: 0, expected: "an array of stubs", found: "an empty file")
        }
        guard scanner.current == .openingBracket else {
            throw JSONSyntaxError(at: scanner.position, expected: "an array of stubs")
        }
        let entries = try array("an array of stubs") { parser throws(JSONSyntaxError) in try parser.entry() }
        scanner.skipWhitespace()
        guard scanner.current == nil else {
            throw JSONSyntaxError(at: scanner.position, expected: "nothing after the array of stubs")
        }
        return entries
    }

    mutating func entry() throws(JSONSyntaxError) -> StubFileEntry {
        let (start, longBodies) = (scanner.position, longBodies)
        guard scanner.current == .openingBrace else {
            _ = try value()
            throw JSONSyntaxError(at: start, expected: "a stub (an object with \"request\")")
        }
        bodyKeys = []
        let stub = try stub()
        last = (start, last.line + scanner.bytes.part(last.position..<start).lineBreakCount)
        let json = text.content.part(start..<scanner.position)
        let ownBodies = longBodies.prefix(longBodies.count - self.longBodies.count)
        return StubFileEntry(stub, json, longBodies: Array(ownBodies), line: last.line, bodyKeys: bodyKeys)
    }

    /// Reads a stub.
    ///
    /// A stub without a response and without an error, as the older library recorded it, gets an explanatory error.
    /// With only a body, it gets a response with that body and the status 200. A value that a test made has a name
    /// instead of a request.
    private mutating func stub() throws(JSONSyntaxError) -> Stub {
        let start = scanner.position
        var request: StubRequest?
        var head: ResponseHead?
        var failure: StubFailure?
        var pace = Pace.immediate
        var body: Body?
        var olderBody: Data?
        var recordedAt: Date?
        var valueName: String?
        try object("stub", StubFileKey.OfStub.self) { parser, key throws(JSONSyntaxError) in
            switch key {
            case .request: request = try parser.request()
            case .response: (head, olderBody) = try parser.response()
            case .error: failure = try parser.failure()
            case .timing: pace = try parser.pace()
            case .recordedAt:
                recordedAt = try parser.text("a date in UTC, such as \"2026-11-22T15:04:05Z\"", UTCDate.date)
            case .value: valueName = try parser.text()
            case .data, .json, .text, .form, .frames: body = try parser.body(after: body)
            }
        }
        if let valueName {
            let json = body?.key == "json" ? body?.content : nil
            let isAlone = request == nil && head == nil && olderBody == nil && pace == .immediate
            guard isAlone, (json == nil) == (body == nil), json == nil || failure == nil else {
                let expected = "\"value\" with \"json\" or \"error\", and nothing else but \"recordedAt\""
                throw JSONSyntaxError(at: start, expected: expected, found: "other keys")
            }
            var stub = Stub(valueNamed: valueName, json: json)
            if let failure { stub.response = StubResponse(failure: failure) }
            stub.recordedAt = recordedAt
            return stub
        }
        guard let request else { throw .missing("request", in: "stub", at: start) }
        let data = body?.content ?? olderBody
        if head == nil, failure == nil, data != nil { head = ResponseHead(statusCode: 200) }
        var response = StubResponse(failure: failure ?? .noResponseRecorded, head: head, body: data)
        if head != nil { response.failure = failure }
        response.pace = pace
        var stub = Stub(request: request, response: response)
        stub.recordedAt = recordedAt
        return stub
    }

    private mutating func request() throws(JSONSyntaxError) -> StubRequest {
        let start = scanner.position
        var method: String?
        var url: URL?
        var headerFields = HeaderFields()
        var placeholders: [String]?
        var body: Body?
        try object("request", StubFileKey.OfRequest.self) { parser, key throws(JSONSyntaxError) in
            switch key {
            case .method: method = try parser.text("a method such as GET") { $0.isEmpty ? nil : $0 }
            case .url: url = try parser.url()
            case .headerFields: headerFields = try parser.headerFields()
            case .requestData, .requestJSON, .requestGraphQL, .requestText, .requestForm:
                body = try parser.body(after: body)
            case .placeholders: placeholders = try parser.texts("an array of strings")
            }
        }
        guard let method else { throw .missing("method", in: "request", at: start) }
        guard let url else { throw .missing("url", in: "request", at: start) }
        var request = StubRequest(method: method, url: url, headers: headerFields, body: body?.content)
        request.placeholders = placeholders
        return request
    }

    private mutating func response() throws(JSONSyntaxError) -> (ResponseHead?, Data?) {
        let start = scanner.position
        var statusCode: Int?
        var headerFields = HeaderFields()
        var url: URL?
        var body: Body?
        try object("response", StubFileKey.OfResponse.self) { parser, key throws(JSONSyntaxError) in
            switch key {
            case .statusCode:
                statusCode = try parser.number("a status code from 0 to 999") { number in
                    number.integer.flatMap { 0...999 ~= $0 ? $0 : nil }
                }
            case .headerFields: headerFields = try parser.headerFields()
            case .url: url = try parser.url()
            case .responseData: body = try parser.body(after: nil)
            }
        }
        if let statusCode {
            return (ResponseHead(statusCode: statusCode, headers: headerFields, url: url), body?.content)
        }
        guard headerFields.isEmpty, url == nil, body == nil else {
            throw .missing("statusCode", in: "response", at: start)
        }
        return (nil, nil)
    }

    private mutating func failure() throws(JSONSyntaxError) -> StubFailure? {
        let start = scanner.position
        var domain: String?
        var code: Int?
        var description: String?
        try object("error", StubFileKey.OfError.self) { parser, key throws(JSONSyntaxError) in
            switch key {
            case .domain: domain = try parser.text()
            case .code: code = try parser.number("an error code (a whole number)", \.integer)
            case .description: description = try parser.text()
            }
        }
        if domain == nil, code == nil, description == nil { return nil }
        guard let code else { throw .missing("code", in: "error", at: start) }
        guard let domain else { throw .missing("domain", in: "error", at: start) }
        return StubFailure(domain: domain, code: code, description: description)
    }

    private mutating func pace() throws(JSONSyntaxError) -> Pace {
        let chunks = "chunks as [seconds, length]"
        var pace = Pace.immediate
        try object("timing", StubFileKey.OfTiming.self) { parser, key throws(JSONSyntaxError) in
            switch key {
            case .firstByte:
                pace.secondsToFirstByte = try parser.number("seconds (0 to 1e9)") { number in
                    number.double.flatMap { Self.seconds.contains($0) ? $0 : nil }
                }
            case .chunks:
                pace.chunks = try parser.array(chunks) { parser throws(JSONSyntaxError) in
                    let start = parser.scanner.position
                    let numbers = try parser.array(chunks) { parser throws(JSONSyntaxError) in
                        try parser.number(chunks, \.double)
                    }
                    guard numbers.count == 2, Self.seconds.contains(numbers[0]), 0...1e15 ~= numbers[1],
                        let length = Int(exactly: numbers[1])
                    else { throw .wrongType(chunks, under: "chunks", at: start) }
                    return Pace.Chunk(seconds: numbers[0], length: length)
                }
            }
        }
        return pace
    }
}

extension JSONSyntaxError {
    fileprivate static func missing(_ key: String, in owner: String, at offset: Int) -> Self {
        .init(at: offset, expected: "\"\(key)\" in this \(owner)", found: "none")
    }
}
