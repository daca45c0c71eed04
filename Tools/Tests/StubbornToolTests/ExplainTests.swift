import Foundation
import Testing

/// `stubborn explain`: which stub answers a request.
@Suite struct ExplainTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let user = { (name: String) in Recorded.stub("/users/42?page=1", json: "\"\(name)\"") }
        let login = """
            { "request" : { "method" : "POST", "url" : "https://api.example.com/login", "requestText" : ["user=ada"] },
              "text" : ["Welcome"], "response" : { "statusCode" : 200 } }
            """
        try directory.write(Recorded.file(login, user("Ada"), user("Grace")), to: "A.json")
    }

    private func explain(_ request: String, _ options: String...) throws -> Tool.Result {
        try Tool.run(["explain", "A.json", "--request", request] + options, in: directory.url)
    }

    @Test func `the stub that answers is named with its line, and those for further requests`() throws {
        let result = try explain("GET https://api.example.com/users/42?page=1")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output == """
                Stub 2 answers, A.json:4: GET https://api.example.com/users/42?page=1: 200, 5 bytes
                Matched by [.httpMethod, .url, .requestBody].
                For repeated requests: 1 stub more, 3.

                """
        )
    }

    @Test func `a request that no stub answers gets the report, and the status 1`() throws {
        let result = try explain("https://api.example.com/users/42?page=2")
        #expect(result.status == 1)
        #expect(result.output.contains("No stub answers GET https://api.example.com/users/42?page=2 (playback, A.json"))
        #expect(result.output.contains(#"  url.query.page: recorded "1", requested "2""#))
        #expect(try explain("https://api.example.com/users/42?page=2", "--matching", "lenient").status == 0)
    }

    @Test func `the method, the header fields and the body count`() throws {
        let url = "POST https://api.example.com/login"
        #expect(try explain(url, "--body", "user=ada").status == 0)
        #expect(try explain(url, "--body", "user=eve").status == 1)
        #expect(try explain("https://api.example.com/login", "--body", "user=ada").status == 0)
        #expect(try explain(url, "--body", "user=ada", "--matching", "strict").status == 0)
        #expect(try explain(url, "--body", "user=ada", "--matching", "strict", "--header", "X-A: 1").status == 1)
    }

    @Test func `what is not a request, and a file that is not there, are errors`() throws {
        #expect(try explain("GET /users").status == 2)
        #expect(try explain("https://a.example", "--header", "Bearer").status == 2)
        #expect(try Tool.run(["explain", "B.json", "--request", "https://a.example"], in: directory.url).status == 2)
    }

    @Test func `the JSON has the stub, its position and those that match`() throws {
        struct Answer: Decodable {
            struct Stub: Decodable { var stub: Int, line: Int? }
            struct Report: Decodable { var cause: String }
            var version: Int, command: String, answer: Stub?, matching: [Int], report: Report?
        }
        let found = try explain("https://api.example.com/users/42?page=1", "--format", "json")
        let answer = try JSONDecoder().decode(Answer.self, from: found.outputData)
        #expect(answer.version == 1 && answer.command == "explain")
        #expect(answer.answer?.stub == 2 && answer.answer?.line == 4)
        #expect(answer.matching == [2, 3])
        let missing = try explain("https://api.example.com/other", "--format", "json")
        #expect(
            try JSONDecoder().decode(Answer.self, from: missing.outputData).report?.cause == "nothing for this path"
        )
    }
}
