import Foundation

@testable import StubbornNetwork

/// Stubs of every shape that recording can come by.
enum GeneratedStubs {
    static func stub(_ generator: inout Generator) throws -> Stub {
        let url = try URL.parsed("https://a.example/\(Int.random(in: 0...9, using: &generator))?q=%C3%BC%22&x=1")
        let request = StubRequest(
            method: pick(["GET", "POST", "get", "M-SEARCH"], &generator),
            url: url,
            headers: headerFields(&generator),
            body: body(&generator)
        )
        var stub =
            Int.random(in: 0..<8, using: &generator) == 0
            ? Stub(
                valueNamed: text(&generator),
                json: pick([Data("7".utf8), Data(#"{"a":[1,"b"]}"#.utf8), nil], &generator)
            )
            : Stub(request: request, response: response(&generator))
        let seconds = Double(Int.random(in: -1_000_000_000...9_000_000_000, using: &generator))
        stub.recordedAt = pick([nil, Date(timeIntervalSince1970: seconds)], &generator)
        return stub
    }

    private static func response(_ generator: inout Generator) -> StubResponse {
        let head = ResponseHead(
            statusCode: Int.random(in: 0...999, using: &generator),
            headers: headerFields(&generator),
            url: pick([nil, URL(string: "https://b.example/\u{FC}")], &generator)
        )
        let failure = StubFailure(
            domain: text(&generator),
            code: pick([0, -1009, .max, .min], &generator),
            description: pick([nil, text(&generator)], &generator)
        )
        var response: StubResponse
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: response = StubResponse(failure: failure)
        case 1: response = StubResponse(failure: failure, head: head, body: body(&generator))
        default: response = StubResponse(head: head, body: body(&generator))
        }
        if Bool.random(using: &generator) {
            let seconds = Double.random(in: 0...2, using: &generator)
            let chunk = Pace.Chunk(seconds: seconds / 3, length: Int.random(in: 0...5000, using: &generator))
            response.pace = Pace(secondsToFirstByte: seconds, chunks: pick([[], [chunk], [chunk, chunk]], &generator))
        }
        return response
    }

    private static func headerFields(_ generator: inout Generator) -> HeaderFields {
        HeaderFields(
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                let name = pick(["Set-Cookie", "set-cookie", "Content-Type", "X", "ä"], &generator)
                return HeaderFields.Field(name: name, value: pick(["application/json", text(&generator)], &generator))
            }
        )
    }

    private static func body(_ generator: inout Generator) -> Data? {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: nil
        case 1: Data()
        case 2: Data((0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        case 3: Data(#" { "k\u00e9\n" : [ 1.0, -0e5, {"a":{}}, [] ], "k" : \#(json(&generator)) } "#.utf8)
        default: Data(text(&generator).utf8)
        }
    }

    private static func json(_ generator: inout Generator) -> String {
        pick(["null", "true", "1e999", "12345678901234567890", #""\"\\ü😀""#, "[1,]", #"{"a":1,"a":2}"#], &generator)
    }

    private static func text(_ generator: inout Generator) -> String {
        (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            pick(
                [
                    "a", "\"", "\\", "/", "\n", "\r\n", "\t", "\u{0}", "\u{1F}", "\u{7F}", "é", "e\u{301}", "😀",
                    "\u{2028}", "[:::]",
                ],
                &generator
            )
        }.joined()
    }

    private static func pick<Value>(_ values: [Value], _ generator: inout Generator) -> Value {
        values[Int.random(in: values.indices, using: &generator)]
    }
}
