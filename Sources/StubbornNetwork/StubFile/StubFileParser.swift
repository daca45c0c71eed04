import Foundation

/// Reads the elements of a stub file, and makes their stubs.
///
/// Where a key is repeated, the first counts, as for Foundation's decoder.
struct StubFileParser {
    private let input: StubFileInput

    /// - Parameters:
    ///   - bytes: the text's skeleton, which must outlive the parser.
    ///   - text: bodies that are read later are read from it.
    init(bytes: Bytes, text: StubFileText) {
        input = StubFileInput(bytes: bytes, text: text)
    }

    func entries() throws(StubFileSyntaxError) -> [StubFileDocument.Entry] {
        var scanner = JSONScanner(input.bytes)
        scanner.skipWhitespace()
        guard scanner.current != nil else { throw .emptyFile() }
        guard scanner.current == .openingBracket else { throw .stubs(at: scanner.position) }
        let array = try StubFileSyntaxError.wrapping(try scanner.enter(depth: 0))
        var entries: [StubFileDocument.Entry] = []
        var isFirst = true
        while try StubFileSyntaxError.wrapping(try scanner.moveToElement(of: array, isFirst: isFirst)) {
            isFirst = false
            let start = scanner.position
            guard scanner.current == .openingBrace else {
                // What is no JSON either is told first.
                _ = try StubFileSyntaxError.wrapping(try scanner.skipValue(depth: 1))
                throw .stub(at: start)
            }
            let object = try StubFileObject(&scanner, depth: 1, named: "stub", in: input)
            entries.append(StubFileDocument.Entry(try stub(object), at: start..<scanner.position, of: input.text))
        }
        scanner.skipWhitespace()
        guard scanner.current == nil else { throw .end(at: scanner.position) }
        return entries
    }

    private func stub(_ element: StubFileObject) throws(StubFileSyntaxError) -> Stub {
        let request = try request(element.required("request"))
        var response = try response(element)
        if let timing = try element.object("timing") { response.pace = try pace(timing) }
        return Stub(request: request, response: response)
    }

    private func request(_ value: JSONScanner.Value) throws(StubFileSyntaxError) -> StubRequest {
        let object = try StubFileObject(value, named: "request", in: input)
        let method = try object.requiredText("method")
        guard !method.isEmpty else { throw object.wrongType("a method such as GET", under: "method") }
        guard let url = try object.url("url") else { throw .missing("url", in: "request", at: object.offset) }
        return StubRequest(
            method: method,
            url: url,
            headerFields: try object.headerFields("headerFields"),
            body: try object.body(data: "requestData", json: "requestJSON", text: "requestText")
        )
    }

    /// What the stub answers with.
    ///
    /// A recording without a response and without an error, which the older library left behind when it was told of
    /// neither, answers with an error that says so; with a body alone, it answers with that body and a status of 200.
    private func response(_ element: StubFileObject) throws(StubFileSyntaxError) -> StubResponse {
        let object = try element.object("response")
        var head: ResponseHead?
        if let object { head = try self.head(object) }
        var body = try element.deferrableBody(data: "data", json: "json", text: "text")
        if let object, body == nil { body = try object.deferrableBase64("responseData") }
        var response = StubResponse(failure: .noResponseRecorded)
        if let error = try element.object("error"), let failure = try failure(error) {
            response = StubResponse(failure: failure, head: head)
        } else if let head {
            response = StubResponse(head: head)
        } else if body != nil {
            response = StubResponse(head: ResponseHead(statusCode: 200))
        }
        response.content = body
        return response
    }

    private func head(_ object: StubFileObject) throws(StubFileSyntaxError) -> ResponseHead? {
        let headerFields = try object.headerFields("headerFields")
        let url = try object.url("url")
        guard let statusCode = try object.integer("statusCode", "a status code from 0 to 999") else {
            let isAbsent = headerFields.isEmpty && url == nil && object.isAbsent("responseData")
            guard isAbsent else { throw .missing("statusCode", in: "response", at: object.offset) }
            return nil
        }
        guard (0...999).contains(statusCode) else {
            throw object.wrongType("a status code from 0 to 999", under: "statusCode")
        }
        return ResponseHead(statusCode: statusCode, headerFields: headerFields, url: url)
    }

    private func failure(_ object: StubFileObject) throws(StubFileSyntaxError) -> StubFailure? {
        guard !object.isEmpty else { return nil }
        guard let code = try object.integer("code", "an error code (a whole number)") else {
            throw .missing("code", in: "error", at: object.offset)
        }
        return StubFailure(
            domain: try object.requiredText("domain"),
            code: code,
            description: try object.text("description")
        )
    }

    private func pace(_ object: StubFileObject) throws(StubFileSyntaxError) -> Pace {
        let firstByte = try object.seconds("firstByte") ?? 0
        var chunks: [Pace.Chunk] = []
        for chunk in try object.array("chunks", of: "chunks as [seconds, length]") ?? [] {
            let pair = try object.elements(of: chunk)
            guard pair.count == 2, let seconds = object.seconds(pair[0]), let length = object.length(pair[1]) else {
                throw .wrongType("chunks as [seconds, length]", under: "chunks", at: chunk.range.lowerBound)
            }
            chunks.append(Pace.Chunk(seconds: seconds, length: length))
        }
        return Pace(secondsToFirstByte: firstByte, chunks: chunks)
    }
}

extension StubFailure {
    /// What a recorded stub without response and error answers with.
    static let noResponseRecorded = StubFailure(
        domain: NSURLErrorDomain,
        code: NSURLErrorUnknown,
        description: "The recording holds no response to this request. Record it again."
    )
}
