import Foundation

/// A parser that reads the stubs of a stub file in one pass.
///
/// `null` is the same as no value. Where a key is repeated, the first one counts, as for Foundation's decoder. The
/// values of unknown keys are skipped.
struct StubFileParser {
    /// An object whose members are being read.
    private struct Object {
        let name: String
        let offset: Int
        /// Keys whose value must not be `null`.
        let requiredKeys: Set<String>
        var keys: Set<String> = []

        func missing(_ key: String) -> JSONSyntaxError { .missing(key, in: name, at: offset) }
    }

    private struct Body {
        let key: String
        let offset: Int
        let content: StubBody
    }

    private let text: StubFileText
    private var scanner: JSONScanner
    /// The number of arrays and objects around the scanner's position.
    private var depth = 0
    /// The keys of the bodies of the stub that is being read.
    private var bodyKeys: Set<String> = []
    private var hasUnknownKeys = false

    init(_ scanner: JSONScanner, of text: StubFileText) {
        self.scanner = scanner
        self.text = text
    }

    mutating func entries() throws(JSONSyntaxError) -> [StubFileEntry] {
        scanner.skipWhitespace()
        guard scanner.current != nil else { throw .emptyFile() }
        guard scanner.current == .openingBracket else { throw .stubs(at: scanner.position) }
        try enter()
        var entries: [StubFileEntry] = []
        while try nextElement(isFirst: entries.isEmpty) {
            let start = scanner.position
            guard scanner.current == .openingBrace else {
                try skipValue()
                throw .stub(at: start)
            }
            (bodyKeys, hasUnknownKeys) = ([], false)
            let stub = try stub()
            let range = start..<scanner.position
            entries.append(StubFileEntry(stub, in: text, range, bodyKeys: hasUnknownKeys ? [] : bodyKeys))
        }
        scanner.skipWhitespace()
        guard scanner.current == nil else { throw .endOfStubs(at: scanner.position) }
        return entries
    }

    /// Reads a stub.
    ///
    /// A stub without a response and without an error, as the older library recorded when it was told of neither, gets an
    /// error that says so. With a body alone, it gets a response with that body and the status 200.
    private mutating func stub() throws(JSONSyntaxError) -> Stub {
        var request: StubRequest?
        var head: ResponseHead?
        var failure: StubFailure?
        var pace = Pace.immediate
        var bodies: [Body] = []
        var olderBody: StubBody?
        var object = try enterObject("stub", requiredKeys: ["request"])
        while let key = try nextKey(of: &object) {
            switch key {
            case "request": request = try self.request()
            case "response": (head, olderBody) = try response()
            case "error": failure = try self.failure()
            case "timing": pace = try self.pace()
            case "data", "json", "text": bodies.append(try body(key, isResponse: true))
            default: try skipUnknownValue()
            }
        }
        guard let request else { throw object.missing("request") }
        let body = try Self.onlyBody(bodies) ?? olderBody
        if head == nil, failure == nil, body != nil { head = ResponseHead(statusCode: 200) }
        var response = StubResponse(failure: failure ?? .noResponseRecorded, head: head)
        if head != nil { response.failure = failure }
        response.content = body
        response.pace = pace
        return Stub(request: request, response: response)
    }

    private mutating func request() throws(JSONSyntaxError) -> StubRequest {
        var method: String?
        var url: URL?
        var headerFields = HeaderFields()
        var bodies: [Body] = []
        var object = try enterObject("request", requiredKeys: ["method"])
        while let key = try nextKey(of: &object) {
            switch key {
            case "method":
                let offset = scanner.position
                method = try string(under: key)
                if method == "" { throw .wrongType("a method such as GET", under: key, at: offset) }
            case "url": url = try self.url()
            case "headerFields": headerFields = try self.headerFields()
            case "requestData", "requestJSON", "requestText": bodies.append(try body(key, isResponse: false))
            default: try skipUnknownValue()
            }
        }
        guard let method else { throw object.missing("method") }
        guard let url else { throw object.missing("url") }
        var body: Data?
        if case .data(let data) = try Self.onlyBody(bodies) { body = data }
        return StubRequest(method: method, url: url, headerFields: headerFields, body: body)
    }

    private mutating func response() throws(JSONSyntaxError) -> (ResponseHead?, StubBody?) {
        var statusCode: Int?
        var headerFields = HeaderFields()
        var url: URL?
        var body: StubBody?
        var object = try enterObject("response")
        while let key = try nextKey(of: &object) {
            switch key {
            case "statusCode":
                let expected = "a status code from 0 to 999"
                let offset = scanner.position
                let code = try integer(under: key, expected)
                guard (0...999).contains(code) else { throw .wrongType(expected, under: key, at: offset) }
                statusCode = code
            case "headerFields": headerFields = try self.headerFields()
            case "url": url = try self.url()
            case "responseData":
                bodyKeys.insert(key)
                body = try base64(under: key, isResponse: true)
            default: try skipUnknownValue()
            }
        }
        if let statusCode { return (ResponseHead(statusCode: statusCode, headerFields: headerFields, url: url), body) }
        guard headerFields.isEmpty, url == nil, body == nil else { throw object.missing("statusCode") }
        return (nil, nil)
    }

    private mutating func failure() throws(JSONSyntaxError) -> StubFailure? {
        var domain: String?
        var code: Int?
        var description: String?
        var object = try enterObject("error", requiredKeys: ["domain"])
        while let key = try nextKey(of: &object) {
            switch key {
            case "domain": domain = try string(under: key)
            case "code": code = try integer(under: key, "an error code (a whole number)")
            case "description": description = try string(under: key)
            default: try skipUnknownValue()
            }
        }
        guard !object.keys.isEmpty else { return nil }
        guard let code else { throw object.missing("code") }
        guard let domain else { throw object.missing("domain") }
        return StubFailure(domain: domain, code: code, description: description)
    }

    private mutating func pace() throws(JSONSyntaxError) -> Pace {
        var pace = Pace.immediate
        var object = try enterObject("timing")
        while let key = try nextKey(of: &object) {
            switch key {
            case "firstByte":
                let offset = scanner.position
                guard let seconds = try number(\.double), seconds >= 0 else {
                    throw .wrongType("seconds (0 or more)", under: key, at: offset)
                }
                pace.secondsToFirstByte = seconds
            case "chunks":
                try enterArray(of: "chunks as [seconds, length]", under: key)
                while try nextElement(isFirst: pace.chunks.isEmpty) { pace.chunks.append(try chunk()) }
            default: try skipUnknownValue()
            }
        }
        return pace
    }

    private mutating func chunk() throws(JSONSyntaxError) -> Pace.Chunk {
        let expected = "chunks as [seconds, length]"
        let fault = JSONSyntaxError.wrongType(expected, under: "chunks", at: scanner.position)
        try enterArray(of: expected, under: "chunks")
        var numbers = 0
        var chunk = Pace.Chunk(seconds: -1, length: -1)
        while try nextElement(isFirst: numbers == 0) {
            switch numbers {
            case 0: chunk.seconds = try number(\.double) ?? -1
            case 1: chunk.length = try number(\.integer) ?? -1
            default: try skipValue()
            }
            numbers += 1
        }
        guard numbers == 2, chunk.seconds >= 0, chunk.length >= 0 else { throw fault }
        return chunk
    }
}

// Bodies.
extension StubFileParser {
    private mutating func body(_ key: String, isResponse: Bool) throws(JSONSyntaxError) -> Body {
        let offset = scanner.position
        bodyKeys.insert(key)
        let content: StubBody
        switch key {
        case "json", "requestJSON": content = .data(try json())
        case "text", "requestText": content = .data(try lines(under: key))
        default: content = try base64(under: key, isResponse: isResponse)
        }
        return Body(key: key, offset: offset, content: content)
    }

    private static func onlyBody(_ bodies: [Body]) throws(JSONSyntaxError) -> StubBody? {
        guard bodies.count > 1 else { return bodies.first?.content }
        let sorted = bodies.sorted { $0.key < $1.key }
        throw .twoBodies(sorted[0].key, sorted[1].key, at: sorted[1].offset)
    }

    /// Reads a body in base64.
    ///
    /// A large response body is decoded when it is asked for.
    private mutating func base64(under key: String, isResponse: Bool) throws(JSONSyntaxError) -> StubBody {
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

    /// Reads a body that is written as JSON, without the white space.
    private mutating func json() throws(JSONSyntaxError) -> Data {
        let range = try value().range
        return try withBytes(in: range) { bytes throws(JSONSyntaxError) in
            var scanner = JSONScanner(bytes)
            return try JSONText.compact(&scanner)
        }
    }

    /// Reads a body that is written as an array of lines, or as one string.
    private mutating func lines(under key: String) throws(JSONSyntaxError) -> Data {
        if scanner.current == .quote { return Data(try string(under: key).utf8) }
        try enterArray(of: "an array of lines", under: key)
        var body = Data()
        var isFirst = true
        while try nextElement(isFirst: isFirst) {
            if !isFirst { body.append(.lineFeed) }
            isFirst = false
            body.append(contentsOf: try string(under: key, "an array of lines").utf8)
        }
        return body
    }
}

// Arrays and objects.
extension StubFileParser {
    private mutating func enter() throws(JSONSyntaxError) {
        _ = try scanner.enter(depth: depth)
        depth += 1
    }

    /// Moves into an object, if there is one.
    ///
    /// The name identifies the object in errors.
    private mutating func enterObject(
        _ name: String,
        requiredKeys: Set<String> = []
    ) throws(JSONSyntaxError) -> Object {
        let offset = scanner.position
        guard scanner.current == .openingBrace else { throw try wrongType("an object", under: name) }
        try enter()
        return Object(name: name, offset: offset, requiredKeys: requiredKeys)
    }

    /// Moves to the value of the next key that has one; returns `nil` when it has moved past the object.
    private mutating func nextKey(of object: inout Object) throws(JSONSyntaxError) -> String? {
        while try scanner.moveToElement(of: .object, isFirst: object.keys.isEmpty) {
            let value = try scanner.skipKey()
            let key = try string(value) ?? ""
            let isNull = scanner.current == .n && !object.requiredKeys.contains(key)
            if object.keys.insert(key).inserted, !isNull { return key }
            try skipValue()
        }
        depth -= 1
        return nil
    }

    /// Moves into an array, if there is one.
    private mutating func enterArray(of content: String, under key: String) throws(JSONSyntaxError) {
        guard scanner.current == .openingBracket else { throw try wrongType(content, under: key) }
        try enter()
    }

    /// Moves to the next element of an array; returns `false` when it has moved past the array.
    private mutating func nextElement(isFirst: Bool) throws(JSONSyntaxError) -> Bool {
        if try scanner.moveToElement(of: .array, isFirst: isFirst) { return true }
        depth -= 1
        return false
    }
}

// Values.
extension StubFileParser {
    private mutating func value() throws(JSONSyntaxError) -> JSONScanner.Value {
        try scanner.skipValue(depth: depth)
    }

    private mutating func skipValue() throws(JSONSyntaxError) { _ = try value() }

    private mutating func skipUnknownValue() throws(JSONSyntaxError) {
        hasUnknownKeys = true
        try skipValue()
    }

    /// Skips a value, and returns the error that it is of the wrong type.
    ///
    /// The function throws if the value is not JSON.
    private mutating func wrongType(
        _ expected: String,
        under key: String
    ) throws(JSONSyntaxError) -> JSONSyntaxError {
        .wrongType(expected, under: key, at: try value().range.lowerBound)
    }

    private mutating func string(
        under key: String,
        _ expected: String = "text"
    ) throws(JSONSyntaxError) -> String {
        let value = try value()
        guard let text = try string(value) else { throw .wrongType(expected, under: key, at: value.range.lowerBound) }
        return text
    }

    private mutating func url() throws(JSONSyntaxError) -> URL {
        let offset = scanner.position
        guard let url = URL(string: try string(under: "url")), url.scheme != nil else {
            throw .wrongType("an absolute URL", under: "url", at: offset)
        }
        return url
    }

    private mutating func headerFields() throws(JSONSyntaxError) -> HeaderFields {
        try enterArray(of: "an array of header fields", under: "headerFields")
        var fields = HeaderFields()
        while try nextElement(isFirst: fields.isEmpty) {
            let value = try value()
            guard let field = try string(value)?.headerField else { throw .headerField(at: value.range.lowerBound) }
            fields.append(name: field.name, value: field.value)
        }
        return fields
    }

    private mutating func integer(under key: String, _ expected: String) throws(JSONSyntaxError) -> Int {
        let offset = scanner.position
        guard let integer = try number(\.integer) else { throw .wrongType(expected, under: key, at: offset) }
        return integer
    }

    /// Reads a number; returns `nil` for another value, and for a number that is not in the grammar.
    private mutating func number<Number>(
        _ property: KeyPath<JSONNumber, Number?>
    ) throws(JSONSyntaxError) -> Number? {
        let value = try value()
        guard case .number = value.kind else { return nil }
        return try withBytes(in: value.range) { bytes in JSONNumber(bytes).flatMap { $0[keyPath: property] } }
    }

    /// Returns the text of a string; `nil` for another value.
    private func string(_ value: JSONScanner.Value) throws(JSONSyntaxError) -> String? {
        guard case .string(let hasEscapes) = value.kind else { return nil }
        return try withBytes(in: value.range) { bytes throws(JSONSyntaxError) in
            try JSONString.text(of: 0..<bytes.count, hasEscapes: hasEscapes, in: bytes)
        }
    }

    /// Runs `body` with a part of the text, which is read again if it is no longer in memory.
    ///
    /// An error that `body` throws is thrown again with its offset in the text.
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
