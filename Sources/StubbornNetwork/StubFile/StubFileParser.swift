import Foundation

/// A parser that reads the stubs of a stub file in one pass.
///
/// `null` is the same as no value. Where a key is repeated, the first one counts, as for Foundation's decoder. The
/// values of unknown keys are skipped.
struct StubFileParser {
    private typealias Body = (key: String, content: StubBody)

    /// The keys whose value must not be `null`.
    private static let requiredKeys: Set = ["request", "method", "domain"]

    private let text: StubFileText
    private var scanner: JSONScanner
    /// The number of arrays and objects around the scanner's position.
    private var depth = 0
    /// The key whose value is being read.
    private var key = ""
    /// The offset of the key that is read.
    private var keyOffset = 0
    /// A multipart body that was read, and the offset of its key, until the boundary is known.
    private var multipart: (body: MultipartBody, key: String, offset: Int)?
    /// The keys of the bodies of the stub that is being read.
    private var bodyKeys: Set<String> = []
    private var hasNotes = false
    /// A Boolean value that indicates whether the unknown values of the stub that is being read are JSON.
    private var isJSON = true

    init(_ scanner: JSONScanner, of text: StubFileText) {
        self.scanner = scanner
        self.text = text
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

    private mutating func entry() throws(JSONSyntaxError) -> StubFileEntry {
        let start = scanner.position
        guard scanner.current == .openingBrace else {
            try skipValue()
            throw JSONSyntaxError(at: start, expected: "a stub (an object with \"request\")")
        }
        (bodyKeys, hasNotes, isJSON) = ([], false, true)
        let stub = try stub()
        // What is not JSON is not written again.
        guard isJSON else { return StubFileEntry(rendering: stub, bodyEncoding: .base64) }
        return StubFileEntry(stub, in: text, start..<scanner.position, bodyKeys: hasNotes ? nil : bodyKeys)
    }

    /// Reads a stub.
    ///
    /// A stub without a response and without an error, as the older library recorded when it was told of neither, gets an
    /// error that says so. With only a body, it gets a response with that body and the status 200. A value that a test made
    /// has a name instead of a request.
    private mutating func stub() throws(JSONSyntaxError) -> Stub {
        let start = scanner.position
        var request: StubRequest?
        var head: ResponseHead?
        var failure: StubFailure?
        var pace = Pace.immediate
        var body: Body?
        var olderBody: StubBody?
        var recordedAt: Date?
        var valueName: String?
        try object("stub") { parser throws(JSONSyntaxError) in
            switch StubFileKey.OfStub(rawValue: parser.key) {
            case .request: request = try parser.request()
            case .response: (head, olderBody) = try parser.response()
            case .error: failure = try parser.failure()
            case .timing: pace = try parser.pace()
            case .recordedAt:
                recordedAt = try parser.text("a date in UTC, such as \"2026-11-22T15:04:05Z\"", UTCDate.date)
            case .value: valueName = try parser.text()
            case .data, .json, .text, .form, .multipart: body = try parser.body(after: body, isResponse: true)
            case nil: try parser.skipNote(in: "stub")
            }
        }
        if let valueName {
            var json: Data?
            if let body, body.key == StubFileKey.OfStub.json.rawValue { json = try? body.content.data() }
            let isAlone = request == nil && head == nil && olderBody == nil && failure == nil && pace == .immediate
            guard isAlone, (json == nil) == (body == nil) else {
                let expected = "\"value\" with \"json\", and nothing else but \"recordedAt\""
                throw JSONSyntaxError(at: start, expected: expected, found: "other keys")
            }
            var stub = Stub(valueNamed: valueName, json: json)
            stub.recordedAt = recordedAt
            return stub
        }
        guard let request else { throw .missing("request", in: "stub", at: start) }
        let content = try multipart(in: head?.headerFields) ?? body?.content ?? olderBody
        if head == nil, failure == nil, content != nil { head = ResponseHead(statusCode: 200) }
        var response = StubResponse(failure: failure ?? .noResponseRecorded, head: head)
        if head != nil { response.failure = failure }
        response.content = content
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
        // The response's body may come before the request.
        let others = multipart
        multipart = nil
        try object("request") { parser throws(JSONSyntaxError) in
            switch StubFileKey.OfRequest(rawValue: parser.key) {
            case .method: method = try parser.text("a method such as GET") { $0.isEmpty ? nil : $0 }
            case .url: url = try parser.url()
            case .headerFields: headerFields = try parser.headerFields()
            case .requestData, .requestJSON, .requestGraphQL, .requestText, .requestForm, .requestMultipart:
                body = try parser.body(after: body, isResponse: false)
            case .placeholders:
                let expected = "an array of texts"
                placeholders = try parser.array(expected) { parser throws(JSONSyntaxError) in
                    try parser.text(expected)
                }
            case nil: try parser.skipNote(in: "request")
            }
        }
        guard let method else { throw .missing("method", in: "request", at: start) }
        guard let url else { throw .missing("url", in: "request", at: start) }
        var data: Data?
        if case .data(let known)? = try multipart(in: headerFields) ?? body?.content { data = known }
        multipart = others
        var request = StubRequest(method: method, url: url, headerFields: headerFields, body: data)
        request.placeholders = placeholders
        return request
    }

    private mutating func response() throws(JSONSyntaxError) -> (ResponseHead?, StubBody?) {
        let start = scanner.position
        var statusCode: Int?
        var headerFields = HeaderFields()
        var url: URL?
        var body: Body?
        try object("response") { parser throws(JSONSyntaxError) in
            switch StubFileKey.OfResponse(rawValue: parser.key) {
            case .statusCode:
                statusCode = try parser.number("a status code from 0 to 999") { number in
                    number.integer.flatMap { 0...999 ~= $0 ? $0 : nil }
                }
            case .headerFields: headerFields = try parser.headerFields()
            case .url: url = try parser.url()
            case .responseData: body = try parser.body(after: nil, isResponse: true)
            case nil: try parser.skipNote(in: "response")
            }
        }
        if let statusCode {
            return (ResponseHead(statusCode: statusCode, headerFields: headerFields, url: url), body?.content)
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
        let isEmpty = try object("error") { parser throws(JSONSyntaxError) in
            switch StubFileKey.OfError(rawValue: parser.key) {
            case .domain: domain = try parser.text()
            case .code: code = try parser.number("an error code (a whole number)", \.integer)
            case .description: description = try parser.text()
            case nil: try parser.skipNote(in: "error")
            }
        }
        guard !isEmpty else { return nil }
        guard let code else { throw .missing("code", in: "error", at: start) }
        guard let domain else { throw .missing("domain", in: "error", at: start) }
        return StubFailure(domain: domain, code: code, description: description)
    }

    private mutating func pace() throws(JSONSyntaxError) -> Pace {
        let chunks = "chunks as [seconds, length]"
        var pace = Pace.immediate
        try object("timing") { parser throws(JSONSyntaxError) in
            switch StubFileKey.OfTiming(rawValue: parser.key) {
            case .firstByte:
                pace.secondsToFirstByte = try parser.number("seconds (0 or more)") { number in
                    number.double.flatMap { $0 >= 0 ? $0 : nil }
                }
            case .chunks:
                pace.chunks = try parser.array(chunks) { parser throws(JSONSyntaxError) in
                    let start = parser.scanner.position
                    let numbers = try parser.array(chunks) { parser throws(JSONSyntaxError) in
                        try parser.number(chunks, \.double)
                    }
                    guard numbers.count == 2, numbers.allSatisfy({ $0 >= 0 }), let length = Int(exactly: numbers[1])
                    else { throw .wrongType(chunks, under: "chunks", at: start) }
                    return Pace.Chunk(seconds: numbers[0], length: length)
                }
            case nil: try parser.skipNote(in: "timing")
            }
        }
        return pace
    }
}

// Bodies.
extension StubFileParser {
    /// Reads the body under the current key, unless there is another one.
    private mutating func body(after other: Body?, isResponse: Bool) throws(JSONSyntaxError) -> Body {
        let key = key
        if let other {
            let found = "both \"\(min(key, other.key))\" and \"\(max(key, other.key))\""
            throw JSONSyntaxError(at: scanner.position, expected: "one body", found: found)
        }
        // The older shape's `responseData` is the same base64.
        bodyKeys.insert(key == "responseData" ? "data" : key)
        switch StubFileKey.shapes[key] {
        case .json?: return (key, .data(try json(JSONText.compact)))
        case .graphQL?: return (key, .data(try json(GraphQLBody.compact)))
        case .text?: return (key, .data(try strings(joinedBy: "\n")))
        case .form?: return (key, .data(try strings(joinedBy: "&")))
        case .multipart?:
            let offset = keyOffset
            multipart = (try parts(), key, offset)
            return (key, .data(Data()))
        case .base64?, nil: return (key, try base64(isResponse: isResponse))
        }
    }

    /// Reads the parts of a multipart body.
    private mutating func parts() throws(JSONSyntaxError) -> MultipartBody {
        let keys = bodyKeys
        defer { bodyKeys = keys }
        var body = MultipartBody()
        var end: String?
        _ = try array("an array of parts") { parser throws(JSONSyntaxError) in
            guard end == nil else {
                throw JSONSyntaxError(at: parser.scanner.position, expected: "nothing after the text at the end")
            }
            if parser.scanner.current == .quote {
                end = try parser.text()
            } else {
                body.parts.append(try parser.part())
            }
        }
        if let end { body.end = end }
        return body
    }

    private mutating func part() throws(JSONSyntaxError) -> MultipartBody.Part {
        var part = MultipartBody.Part(headerFields: [], content: Data())
        var content: Body?
        try object("part") { parser throws(JSONSyntaxError) in
            switch StubFileKey.OfPart(rawValue: parser.key) {
            case .headerFields:
                let expected = "an array of header fields"
                part.headerFields = try parser.array(expected) { parser throws(JSONSyntaxError) in
                    try parser.text(expected)
                }
            case .data, .json, .text: content = try parser.body(after: content, isResponse: false)
            case nil: throw .unknownKey(parser.key, in: "part", at: parser.keyOffset)
            }
        }
        if case .data(let data)? = content?.content { part.content = data }
        return part
    }

    /// Returns the multipart body that was read, with the boundary of its header fields; `nil` if there was none.
    private mutating func multipart(in headerFields: HeaderFields?) throws(JSONSyntaxError) -> StubBody? {
        guard let (body, key, offset) = multipart else { return nil }
        multipart = nil
        guard let boundary = headerFields?["Content-Type"].flatMap({ ContentType($0).boundary }) else {
            throw JSONSyntaxError(
                at: offset,
                expected: "a header field Content-Type with the boundary of \"\(key)\"",
                found: "none"
            )
        }
        return .data(body.data(boundary: boundary))
    }

    /// Reads a body in base64; a large response body is decoded when it is asked for.
    private mutating func base64(isResponse: Bool) throws(JSONSyntaxError) -> StubBody {
        let value = try value()
        let fault = JSONSyntaxError.wrongType("base64 text", under: key, at: value.range.lowerBound)
        guard case .string(let hasEscapes) = value.kind else { throw fault }
        let content = value.range.lowerBound + 1..<value.range.upperBound - 1
        if isResponse, let body = text.body(content, hasEscapes: hasEscapes, key: key) { return body }
        let data =
            hasEscapes
            ? try string(value).flatMap { Data(base64Encoded: $0) }
            : try withBytes(in: content) { Data(base64Encoded: Data($0)) }
        guard let data else { throw fault }
        return .data(data)
    }

    /// Reads a body that is written as JSON, which `compact` returns without the white space.
    private mutating func json(
        _ compact: (inout JSONScanner) throws(JSONSyntaxError) -> Data
    ) throws(JSONSyntaxError) -> Data {
        let range = try value().range
        return try withBytes(in: range) { bytes throws(JSONSyntaxError) in
            var scanner = JSONScanner(bytes)
            return try compact(&scanner)
        }
    }

    /// Reads a body that is written as an array of lines or of a form's fields, or as one string.
    private mutating func strings(joinedBy separator: String) throws(JSONSyntaxError) -> Data {
        if scanner.current == .quote { return Data(try text().utf8) }
        let expected = separator == "&" ? "an array of fields" : "an array of lines"
        let strings = try array(expected) { parser throws(JSONSyntaxError) in try parser.text(expected) }
        return Data(strings.joined(separator: separator).utf8)
    }
}

// Arrays and objects.
extension StubFileParser {
    /// Reads an object, with `read` for each key that has a value, and returns a Boolean value that indicates whether
    /// there are no keys.
    @discardableResult
    private mutating func object(
        _ name: String,
        _ read: (inout StubFileParser) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) -> Bool {
        guard scanner.current == .openingBrace else { throw try wrongType("an object", under: name) }
        _ = try scanner.enter(depth: depth)
        depth += 1
        var keys: Set<String> = []
        while try scanner.moveToElement(of: .object, isFirst: keys.isEmpty) {
            let value = try scanner.skipKey()
            key = try string(value) ?? ""
            keyOffset = value.range.lowerBound
            let isNull = scanner.current == .n && !Self.requiredKeys.contains(key)
            if isNull, !StubFileKey.isKnown(key, in: name) {
                try skipNote(in: name)
            } else if keys.insert(key).inserted, !isNull {
                try read(&self)
            } else {
                try skipValue()
            }
        }
        depth -= 1
        return keys.isEmpty
    }

    /// Reads an array, whose elements `read` reads.
    private mutating func array<Element>(
        _ expected: String,
        _ read: (inout StubFileParser) throws(JSONSyntaxError) -> Element
    ) throws(JSONSyntaxError) -> [Element] {
        guard scanner.current == .openingBracket else { throw try wrongType(expected, under: key) }
        _ = try scanner.enter(depth: depth)
        depth += 1
        var elements: [Element] = []
        while try scanner.moveToElement(of: .array, isFirst: elements.isEmpty) { elements.append(try read(&self)) }
        depth -= 1
        return elements
    }

    private mutating func headerFields() throws(JSONSyntaxError) -> HeaderFields {
        var fields = HeaderFields()
        _ = try array("an array of header fields") { parser throws(JSONSyntaxError) in
            let value = try parser.value()
            guard let field = try parser.string(value)?.headerField else {
                throw JSONSyntaxError(at: value.range.lowerBound, expected: "a header field as \"name[:::]value\"")
            }
            fields.append(name: field.name, value: field.value)
        }
        return fields
    }
}

// Values.
extension StubFileParser {
    private mutating func value() throws(JSONSyntaxError) -> JSONScanner.Value {
        try scanner.skipValue(depth: depth)
    }

    private mutating func skipValue() throws(JSONSyntaxError) {
        var values: [JSONScanner.Value] = []
        try scanner.walk(depth: depth) { token in
            if case .key(let value) = token { values.append(value) }
            if case .scalar(let value) = token { values.append(value) }
        }
        guard isJSON else { return }
        do throws(JSONSyntaxError) {
            for value in values {
                if case .number = value.kind {
                    isJSON = try withBytes(in: value.range) { JSONNumber($0) != nil } && isJSON
                } else {
                    _ = try string(value)
                }
            }
        } catch {
            isJSON = false
        }
    }

    /// Skips the value of a key that people and other programs may write.
    private mutating func skipNote(in object: String) throws(JSONSyntaxError) {
        guard StubFileKey.isNote(key) else { throw .unknownKey(key, in: object, at: keyOffset) }
        hasNotes = true
        try skipValue()
    }

    /// Skips a value, and returns the error that it is of the wrong type, or throws if the value is not JSON.
    private mutating func wrongType(_ expected: String, under key: String) throws(JSONSyntaxError) -> JSONSyntaxError {
        .wrongType(expected, under: key, at: try value().range.lowerBound)
    }

    private mutating func text(_ expected: String = "text") throws(JSONSyntaxError) -> String {
        let value = try value()
        guard let text = try string(value) else { throw .wrongType(expected, under: key, at: value.range.lowerBound) }
        return text
    }

    /// Reads a text that means something.
    private mutating func text<Meaning>(
        _ expected: String,
        _ meaning: (String) -> Meaning?
    ) throws(JSONSyntaxError) -> Meaning {
        let start = scanner.position
        guard let meaning = meaning(try text()) else { throw .wrongType(expected, under: key, at: start) }
        return meaning
    }

    private mutating func url() throws(JSONSyntaxError) -> URL {
        try text("an absolute URL") { text in URL(encodingOnlyInvalid: text).flatMap { $0.scheme == nil ? nil : $0 } }
    }

    private mutating func number<Number>(
        _ expected: String,
        _ meaning: (JSONNumber) -> Number?
    ) throws(JSONSyntaxError) -> Number {
        let value = try value()
        let fault = JSONSyntaxError.wrongType(expected, under: key, at: value.range.lowerBound)
        guard case .number = value.kind,
            let number = try withBytes(in: value.range, { JSONNumber($0).flatMap(meaning) })
        else { throw fault }
        return number
    }

    /// Returns the text of a string; `nil` for another value.
    private func string(_ value: JSONScanner.Value) throws(JSONSyntaxError) -> String? {
        guard case .string(let hasEscapes) = value.kind else { return nil }
        return try withBytes(in: value.range) { bytes throws(JSONSyntaxError) in
            try JSONString.text(of: 0..<bytes.count, hasEscapes: hasEscapes, in: bytes)
        }
    }

    /// Runs `body` with a part of the text, which is read again if it is no longer in memory, and corrects the offsets
    /// of its errors.
    private func withBytes<Result>(
        in range: Range<Int>,
        _ body: (Bytes) throws(JSONSyntaxError) -> Result
    ) throws(JSONSyntaxError) -> Result {
        do throws(JSONSyntaxError) {
            if let bytes = scanner.bytes(in: range) { return try body(bytes) }
            guard let data = try? text.data(in: range) else { throw .value(at: 0) }
            return try data.withBytes { bytes in
                Swift.Result { () throws(JSONSyntaxError) in try body(bytes) }
            }.get()
        } catch {
            var fault = error
            fault.offset += range.lowerBound
            throw fault
        }
    }
}

extension JSONSyntaxError {
    fileprivate static func missing(_ key: String, in owner: String, at offset: Int) -> Self {
        .init(at: offset, expected: "\"\(key)\" in this \(owner)", found: "none")
    }
}

extension StubFailure {
    /// The error of a recorded stub without a response and without an error.
    static let noResponseRecorded = StubFailure(
        domain: NSURLErrorDomain,
        code: NSURLErrorUnknown,
        description: "The recording holds no response to this request. Record it again."
    )
}

extension String {
    /// The name and the value of a header field, split at the first `[:::]`.
    fileprivate var headerField: (name: String, value: String)? {
        withBytes { bytes -> (name: String, value: String)? in
            guard let separator = bytes.position(of: "[:::]", from: 0) else { return nil }
            return (bytes.part(0..<separator).text, bytes.part(separator + 5..<bytes.count).text)
        }
    }
}
