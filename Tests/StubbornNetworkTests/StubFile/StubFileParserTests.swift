import Foundation
import Testing

@testable import StubbornNetwork

struct StubFileParserTests {
    private func stub(_ members: String) throws -> Stub {
        let text = #"[{"request":{"method":"GET","url":"http://a"}\#(members.isEmpty ? "" : ",")\#(members)}]"#
        return try #require(try StubFileDocument(text).entries.first?.stub)
    }

    private func request(_ members: String) throws -> StubRequest {
        let text = #"[{"request":{"method":"GET","url":"http://a",\#(members)}}]"#
        return try #require(try StubFileDocument(text).entries.first?.stub.request)
    }

    @Test(arguments: [
        #""data":"YWJj","response":{"statusCode":200}"#,
        #""response":{"statusCode":200,"responseData":"YWJj"}"#,
        #""data":null,"response":{"statusCode":200,"responseData":"YWJj"}"#,
        #""data":"YWJj","response":{"statusCode":200,"responseData":"eHl6"}"#,
        #""data":"\u0059WJ\u006a","response":{"statusCode":200.0,"headerFields":null,"url":null}"#,
        #""text":["abc"],"json":null,"response":{"statusCode":200},"error":{}"#,
        #""text":"abc","response":{"statusCode":200},"error":null,"timing":null"#,
        #""text":"abc""#,
    ])
    func `a response body is read from each key that can hold it`(members: String) throws {
        #expect(try stub(members).response == .status(200, body: "abc"))
    }

    @Test(arguments: [
        #""x-a":--1"#, #""x-a":"\x""#, #""x-a":[{"y":1.}]"#, #""x-a":{"\q":1}"#, #""comment":01"#, #""x-a":-.e"#,
        #""x-a":"\ud800""#, #""x-":"\u12G4""#, #""x-a":"\u123\""#, "\"x-a\":\"\n\u{0}\"",
    ])
    func `a key of people whose value is not JSON is an error, and any other is kept as it is`(members: String) throws {
        let text = #"{"request":{"method":"GET","url":"http://a","x-y":1,\#(members)}}"#
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument("[\(text)]") }
        #expect(error?.message.hasPrefix("Stubs/Login.json:") == true)
        let kept = #""x-a":[1,"é\n",{"z":null}],"comment":null"#
        let whole = text.replacingOccurrences(of: members, with: kept)
        #expect(try StubFileDocument("[\(whole)]").entries.first?.text == whole)
    }

    @Test(arguments: [
        ("stub", #"{"body":"a","request":{"method":"GET","url":"http://a"}}"#, "body", 3),
        ("stub", #"{"request":{"method":"GET","url":"http://a"},"Data":null}"#, "Data", 47),
        ("request", #"{"request":{"method":"GET","requestBody":1,"url":"http://a"}}"#, "requestBody", 29),
        ("response", #"{"response":{"statusCode":200,"trailers":[]},"request":{}}"#, "trailers", 32),
        ("error", #"{"error":{"domain":"D","code":1,"reason":"r"},"request":{}}"#, "reason", 34),
        ("timing", #"{"timing":{"parts":[]},"request":{"method":"GET","url":"http://a"}}"#, "parts", 13),
        ("stub", #"{"comments":1,"request":{"method":"GET","url":"http://a"}}"#, "comments", 3),
        ("stub", #"{"X-a":1,"request":{"method":"GET","url":"http://a"}}"#, "X-a", 3),
    ])
    func `a key that a newer version may have written is an error`(
        object: String,
        stub: String,
        key: String,
        column: Int
    ) {
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument("[\(stub)]") }
        #expect(
            error?.message == """
                Stubs/Login.json:1:\(column): expected a key of the \(object), found "\(key)". A newer version of the library \
                may have written it: update the library. Your own keys must be comment, or begin with x-.
                """
        )
    }

    @Test(arguments: [
        (#""requestData":"Pz8/""#, "???"), (#""requestData":"Pz8\/""#, "???"), (#""requestData":"""#, ""),
        (#""requestText":["a","","b\u00e9"]"#, "a\n\nbé"), (#""requestText":[]"#, ""),
        (#""requestJSON": { "b" : [ 1.0 , "x\u00e9 y" ],"a":{ } }"#, #"{"b":[1.0,"x\u00e9 y"],"a":{}}"#),
        (#""requestJSON":5"#, "5"), (#""requestData":null"#, nil), (#""requestJSON":null"#, nil), (#""x-a":1"#, nil),
    ])
    func `a request body is read from each key that can hold it`(members: String, expected: String?) throws {
        #expect(try request(members).body == expected.map { Data($0.utf8) })
    }

    @Test(arguments: ["", #""response":null"#, #""response":{}"#, #""response":{"headerFields":[],"x-a":1}"#])
    func `a stub without response and error is an error that says so`(members: String) throws {
        let failure = StubFailure(
            domain: "NSURLErrorDomain",
            code: -1,
            description: "The recording contains no response to this request. Record it again."
        )
        #expect(try stub(members).response == StubResponse(failure: failure))
    }

    @Test func `an error with a response is an exchange that was interrupted`() throws {
        let members = #""data":"YWJj","response":{"statusCode":200},"error":{"domain":"D","code":-5,"x-a":1}"#
        let expected = StubResponse(
            failure: StubFailure(domain: "D", code: -5),
            head: ResponseHead(statusCode: 200),
            body: Data("abc".utf8)
        )
        #expect(try stub(members).response == expected)
    }

    @Test func `a header field is split at its first separator`() throws {
        let fields = try request(#""headerFields":["a[:::]b[:::]c","A[:::]","e\u0301[:::]ü"]"#).headerFields
        #expect(fields.map(\.name) == ["a", "A", "e\u{301}"])
        #expect(fields.map(\.value) == ["b[:::]c", "", "ü"])
    }

    @Test func `times are read`() throws {
        let pace = try stub(#""text":"a","timing":{"firstByte":1e-1,"chunks":[[0,1],[2.5,3]]}"#).response.pace
        let chunks = [Pace.Chunk(seconds: 0, length: 1), Pace.Chunk(seconds: 2.5, length: 3)]
        #expect(pace == Pace(secondsToFirstByte: 0.1, chunks: chunks))
    }

    @Test(arguments: [
        (#"{"request":{"method":"GET","url":"http://a","url":"http://b"}}"#, "url", 46),
        (#"{"request":{"method":"GET","url":"http://a"},"request":null}"#, "request", 47),
        (#"{"data":null,"request":{"method":"GET","url":"http://a"},"data":"YWJj"}"#, "data", 59),
        (
            #"{"response":{"headerFields":[],"statusCode":2,"header\u0046ields":["A[:::]b"]},"request":{}}"#,
            "headerFields", 48
        ),
        (#"{"timing":{"firstByte":1,"firstByte":1},"request":{"method":"GET","url":"http://a"}}"#, "firstByte", 27),
        (#"{"request":{"method":"GET","url":"http://a"},"x-note":1,"x-note":"ghp_"}"#, "x-note", 58),
    ])
    func `a key that an object has twice is an error, wherever it is`(stub: String, key: String, column: Int) {
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument("[\(stub)]") }
        #expect(
            error?.message == """
                Stubs/Login.json:1:\(column): expected each key once, found "\(key)" again. Correct it by hand, or delete the \
                file and record it again.
                """
        )
    }

    @Test(arguments: [
        (#"{"multipart":[],"request":{"method":"GET","url":"http://a"}}"#, "stub", "multipart", 3),
        (#"{"request":{"method":"GET","requestMultipart":[],"url":"http://a"}}"#, "request", "requestMultipart", 29),
    ])
    func `the parts of a multipart body, as earlier versions wrote them, are an error that says what to do`(
        stub: String,
        object: String,
        key: String,
        column: Int
    ) {
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument("[\(stub)]") }
        #expect(
            error?.message == """
                Stubs/Login.json:1:\(column): expected a key of the \(object), found "\(key)". An earlier version wrote the parts \
                of a body under this key: record the file again, or write the body under a different key.
                """
        )
    }

    @Test(arguments: [
        (#"[{"request":{"method":"GET","url":"http://a"}},]"#, "48"),
        (#"[{"request":{"method":"GET","url":"http://a",}}]"#, "46"),
        (#"[{"request":{"method":"GET","url":"http://a"},"json":[1,]}]"#, "57"),
        (#"[{"request":{"method":"GET","url":"http://a"},"x-":{"a":1,}}]"#, "59"),
    ])
    func `a comma after the last element is an error, as in every reader of JSON`(text: String, column: String) {
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument(text) }
        #expect(
            error?.message.hasPrefix("Stubs/Login.json:1:\(column): expected another value after the comma") == true
        )
    }

    @Test func `a byte-order mark is skipped, and a slice of data is read`() throws {
        let data = Data("xx\u{FEFF}\(StubFileDocumentTests.example)".utf8).dropFirst(2)
        #expect(try StubFileDocument(data).text == StubFileDocumentTests.example)
    }

    @Test func `ten thousand levels of nesting are an error, 512 are not`() throws {
        func nested(_ depth: Int) -> String {
            let opening = String(repeating: "[", count: depth)
            let closing = String(repeating: "]", count: depth)
            return #""x-a":\#(opening)\#(closing)"#
        }
        #expect(throws: Never.self) { try stub(nested(510)) }
        #expect(throws: StubbornNetworkError.self) { try stub(nested(511)) }
        #expect(throws: StubbornNetworkError.self) { try StubFileDocument(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: StubbornNetworkError.self) {
            try StubFileDocument(String(repeating: "[{\"a\":", count: 100_000))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `long escapes and long white space are read`() throws {
        let escapes = String(repeating: #"\\\"\u00e9"#, count: 20_000)
        let spaces = String(repeating: " ", count: 1_000_000)
        let document = try StubFileDocument(
            #"[{"x-a":"\#(escapes)","comment":"\#(escapes)","request":{"method":"GET","url":"http://a"}}]"#
        )
        #expect(document.entries.count == 1)
        #expect(try StubFileDocument("[\(spaces)]").entries.isEmpty)
    }
}
