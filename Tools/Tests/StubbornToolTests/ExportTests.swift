import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling
import Testing

/// `stubborn export`: stubs for other programs.
@Suite(.timeLimit(.minutes(5)))
struct ExportTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(Self.stubs, to: "stubs.json")
    }

    /// Text, bytes, repeated fields, an error, a response that breaks off, times, quotation marks of every kind, and equal
    /// requests.
    private static let stubs = ##"""
        [
          { "request": { "method": "GET", "url": "https://a.example/users/42?x=1",
              "headerFields": ["Accept[:::]application/json", "X-Quote[:::]it's \"so\""] },
            "text": ["{\"say\":\"it's \\\"#\\\"\"}", "second line\\#n ü"],
            "response": { "statusCode": 200, "headerFields": ["Content-Type[:::]application/json", "Set-Cookie[:::]a=b",
              "Set-Cookie[:::]c=d", "Content-Length[:::]40"] } },
          { "request": { "method": "POST", "url": "https://a.example/users", "requestText": ["{\"name\":\"Ada\",\"tags\":[1,true,null]}"],
              "headerFields": ["Content-Type[:::]application/json"] },
            "text": ["made"], "response": { "statusCode": 201, "headerFields": ["Content-Type[:::]text/plain"] } },
          { "request": { "method": "PUT", "url": "https://a.example/picture", "requestData": "/wABAv8=" },
            "response": { "statusCode": 204 } },
          { "request": { "method": "GET", "url": "https://a.example/picture" }, "data": "iVBORw0KGgoA/w==",
            "response": { "statusCode": 200, "headerFields": ["Content-Type[:::]image/png"] } },
          { "request": { "method": "GET", "url": "https://a.example/next" }, "text": ["one"], "response": { "statusCode": 200 } },
          { "request": { "method": "GET", "url": "https://a.example/next" }, "text": ["two"], "response": { "statusCode": 200 } },
          { "request": { "method": "GET", "url": "https://a.example/lost" },
            "error": { "domain": "NSURLErrorDomain", "code": -1005, "description": "lost" } },
          { "request": { "method": "GET", "url": "https://a.example/other" }, "error": { "domain": "Other", "code": 7 } },
          { "request": { "method": "GET", "url": "https://a.example/half" }, "text": ["ha"],
            "response": { "statusCode": 200, "headerFields": ["Content-Length[:::]4"] },
            "error": { "domain": "NSURLErrorDomain", "code": -1005 } },
          { "request": { "method": "HEAD", "url": "https://a.example/late" }, "response": { "statusCode": 200 },
            "timing": { "firstByte": 0.25 } },
          { "request": { "method": "GET", "url": "wss://a.example/live" },
            "frames": [{"seconds":0.25,"sent":"a \"b\""},{"received":"AAEC","seconds":0.5,"type":"data"}], "response": { "statusCode": 101 } },
          { "request": { "method": "PROPFIND", "url": "https://a.example/:id" }, "response": { "statusCode": 207 } }
        ]
        """##

    private func original() throws -> [Stub] { try StubFile(contentsOf: directory.file("stubs.json")).stubs }

    private func export(_ arguments: String...) throws -> Tool.Result {
        try Tool.run(["export", "stubs.json"] + arguments, in: directory.url)
    }

    // MARK: HAR

    @Test func `an archive is imported again as the same stubs`() throws {
        #expect(try export("--format", "har", "--output", "out.har").status == 0)
        let result = try Tool.run(["import", "out.har", "--to", "again.json", "--timing"], in: directory.url)
        #expect(result.status == 0, "\(result.errors)")

        let again = try StubFile(contentsOf: directory.file("again.json")).stubs
        #expect(again.map(\.description) == (try original()).map(\.description))
        for (new, old) in zip(again, try original()) {
            #expect(new.request.body == old.request.body)
            #expect(new.response.body == old.response.body)
            #expect(new.response.failure == old.response.failure)
            #expect(new.response.timing?.secondsToFirstByte == old.response.timing?.secondsToFirstByte)
            #expect(new.response.head?.headerFields == old.response.head?.headerFields)
        }
    }

    @Test func `an archive has what the specification asks for`() throws {
        let text = try export("--format", "har").outputData
        let archive = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        let log = try #require(archive["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        #expect((log["creator"] as? [String: Any])?["name"] as? String == "stubborn")
        let entries = try #require(log["entries"] as? [[String: Any]])
        #expect(entries.count == 12)
        for entry in entries {
            #expect(
                Set(["startedDateTime", "time", "request", "response", "cache", "timings"]).isSubset(of: entry.keys)
            )
            let request = try #require(entry["request"] as? [String: Any])
            let fields = [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
            ]
            #expect(Set(fields).isSubset(of: request.keys))
            let response = try #require(entry["response"] as? [String: Any])
            #expect(
                Set([
                    "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                    "headersSize", "bodySize",
                ])
                .isSubset(of: response.keys)
            )
            let timings = try #require(entry["timings"] as? [String: Any])
            #expect(Set(["send", "wait", "receive"]).isSubset(of: timings.keys))
        }
    }

    @Test func `stubs keep their order in an archive, also where a later one has an earlier date`() throws {
        let stubs = [("/first", "10:00:05"), ("/second", "10:00:01")].map { path, time in
            """
            { "request": { "method": "GET", "url": "https://a.example\(path)" },
              "response": { "statusCode": 200, "headerFields": ["Date[:::]Sat, 21 Nov 2026 \(time) GMT"] } }
            """
        }
        try directory.write(Recorded.file(stubs), to: "dated.json")
        let archive = try Tool.run(["export", "dated.json", "--format", "har"], in: directory.url)
        #expect(archive.output.contains(#""startedDateTime" : "2026-11-21T10:00:05.000Z""#), "\(archive.output)")
        try directory.write(archive.output, to: "dated.har")
        let result = try Tool.run(["import", "dated.har", "--to", "again.json"], in: directory.url)
        #expect(result.status == 0, "\(result.errors)")

        let again = try StubFile(contentsOf: directory.file("again.json")).stubs
        #expect(again.map(\.request.url.path) == ["/first", "/second"])
    }

    @Test func `what an archive cannot hold is named`() throws {
        #expect(
            try export("--format", "har").errors == """
                1 stub with a request body that is not text, in base64 (_encoding).
                3 stubs with an error, which only this command reads again (_stubbornError).

                """
        )
    }

    // MARK: curl

    @Test func `a curl command asks a server for the stub`() async throws {
        let server = try await RunningTool(["serve", "stubs.json"], in: directory.url)
        let command = try export("--format", "curl", "--stub", "2").output
            .replacingOccurrences(of: "https://a.example", with: server.url)

        let answer = try Tool.run(program: ["sh", "-c", command + " --silent --noproxy '*'"], in: directory.url)

        #expect(answer.output == "made", "\(answer.errors)")
    }

    @Test func `a curl command is written to be pasted`() throws {
        #expect(
            try export("--format", "curl", "--stub", "1").output == #"""
                curl 'https://a.example/users/42?x=1' \
                  -H 'Accept: application/json' \
                  -H 'X-Quote: it'\''s "so"'

                """#
        )
    }

    // MARK: Swift

    @Test func `Swift source is written to be pasted`() throws {
        #expect(
            try export("--format", "swift", "--stub", "2").output == ##"""
                network.stub(
                    .post("https://a.example/users") && .requestBody(exactJSON: ["name": "Ada", "tags": [1, true, nil]]),
                    with: .data(Data("made".utf8), contentType: "text/plain", statusCode: 201)
                )

                """##
        )
    }

    @Test func `equal requests become one declaration with their responses in order`() throws {
        let source = try export("--format", "swift").output

        #expect(
            source.contains(
                ##"""
                network.stub(
                    .get("https://a.example/next"),
                    with: [
                        .init(head: ResponseHead(statusCode: 200), body: Data("one".utf8)),
                        .init(head: ResponseHead(statusCode: 200), body: Data("two".utf8)),
                    ]
                )
                """##
            )
        )
    }

    private func swift(_ stubs: [String]) throws -> String {
        try directory.write("[" + stubs.joined(separator: ",") + "]", to: "swift.json")
        return try Tool.run(["export", "swift.json", "--format", "swift"], in: directory.url).output
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "LOCK"])
    func `a segment that begins with a colon does not match any segment when it is pasted`(method: String) throws {
        for path in ["/:id", "/users/:id/posts", "/users/:"] {
            let request = #""request": { "method": "\#(method)", "url": "https://a.example\#(path)" }"#
            #expect(
                try swift([#"{ \#(request), "response": { "statusCode": 204 } }"#]) == """
                    network.stub(
                        .method("\(method)") && .url("https://a.example\(path)"),
                        with: .status(204)
                    )

                    """
            )
        }
    }

    @Test func `a stub without a body does not hide the others of its URL, wherever it is`() throws {
        func stub(_ body: String?, _ status: Int) -> String {
            let field = body.map { #", "requestText": ["\#($0)"]"# } ?? ""
            return """
                { "request": { "method": "POST", "url": "https://a.example/users"\(field) },
                  "response": { "statusCode": \(status) } }
                """
        }
        let (none, empty) = (stub(nil, 201), stub("", 202))
        let (ada, grace) = (stub("name=Ada", 203), stub("name=Grace", 204))
        for stubs in [[none, empty, ada, grace], [ada, none, empty, grace], [ada, grace, none, empty]] {
            let source = try swift(stubs)
            // The latest declaration that matches answers.
            let statuses = source.matches(of: /\.status\((\d+)\)/).map { String($0.1) }
            #expect(statuses == ["201", "202", "203", "204"], "\(source)")
        }
    }

    @Test func `each error is exported as the error that it was`() throws {
        let codes = Self.codes.map(\.1.rawValue) + [-4711]
        let stubs = codes.map { code in
            """
            { "request": { "method": "GET", "url": "https://a.example/\(-code)" },
              "error": { "domain": "NSURLErrorDomain", "code": \(code) } }
            """
        }
        let source = try swift(stubs)

        let found = source.matches(of: /\/(\d+)"\),\n    with: (.*)\n/).map { "\($0.1) \($0.2)" }
        let expected = Self.codes.map { name, code in "\(-code.rawValue) .failure(URLError(.\(name)))" }
        #expect(found == expected + ["4711 .failure(URLError(URLError.Code(rawValue: -4711)))"])
    }

    /// The codes that have names in the source.
    private static let codes: [(String, URLError.Code)] = [
        ("badServerResponse", .badServerResponse), ("cancelled", .cancelled),
        ("cannotConnectToHost", .cannotConnectToHost), ("cannotFindHost", .cannotFindHost),
        ("cannotParseResponse", .cannotParseResponse), ("dnsLookupFailed", .dnsLookupFailed),
        ("httpTooManyRedirects", .httpTooManyRedirects), ("networkConnectionLost", .networkConnectionLost),
        ("notConnectedToInternet", .notConnectedToInternet), ("secureConnectionFailed", .secureConnectionFailed),
        ("serverCertificateHasBadDate", .serverCertificateHasBadDate),
        ("serverCertificateHasUnknownRoot", .serverCertificateHasUnknownRoot),
        ("serverCertificateUntrusted", .serverCertificateUntrusted), ("timedOut", .timedOut),
    ]

    @Test func `Swift source compiles`() throws {
        let modules = Tool.executable.deletingLastPathComponent().appendingPathComponent("Modules").path
        let source = """
            import Foundation
            #if canImport(FoundationNetworking)
                import FoundationNetworking
            #endif
            import StubbornNetwork

            func declare(in network: StubbornNetwork) {
            \(try export("--format", "swift").output)
            }
            """
        try directory.write(source, to: "Declared.swift")

        let result = try Tool.run(
            program: [
                "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-I", modules, "Declared.swift",
            ],
            in: directory.url
        )

        #expect(result.status == 0, "\(result.errors)\n\(source)")
    }

    // MARK: Wrong calls

    @Test(arguments: ["har", "curl", "swift"])
    func `an export without the stubs of a damaged file is not taken for a whole one`(format: String) throws {
        try directory.write(#"[ { "request" : "#, to: "Stubs/Damaged.json")
        try directory.write(Self.stubs, to: "Stubs/Fine.json")
        let result = try Tool.run(["export", "Stubs", "--format", format, "--output", "out"], in: directory.url)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: Stubs/Damaged.json:1:"))
        #expect(!FileManager.default.fileExists(atPath: directory.file("out").path))
    }

    @Test func `a missing stub, file or directory is an error with the status 2`() throws {
        let calls = [
            (["stubs.json", "--format", "har", "--stub", "13"], "There is no stub 13. There are 12."),
            (["nowhere.json", "--format", "har"], "nowhere.json"),
        ]
        for (arguments, message) in calls {
            let result = try Tool.run(["export"] + arguments, in: directory.url)
            #expect(result.status == 2)
            #expect(result.errors.contains(message), "\(result.errors)")
        }
    }
}
