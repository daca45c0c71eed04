import Foundation
import Testing

@testable import StubbornNetwork

/// The report on an unstubbed request, word for word: what is different, and what it says.
struct UnstubbedRequestReportTests {
    @Test func `there is no stub file`() throws {
        let scene = try ReportScene(file: nil)
        let text = try scene.report(on: .get("https://api.test/users"))
        #expect(
            text == """
                No stub answers GET https://api.test/users (playback, Stubs/users.json): the stub file does not exist. The network was not touched.
                To record it:  STUB_RECORD_MODE=recording-missing swift test
                To declare it:  network.stub(.get("https://api.test/users"), with: .status(200))
                """
        )
    }

    @Test func `the stub file is empty`() throws {
        let scene = try ReportScene()
        let text = try scene.report(on: .get("https://api.test/users"))
        #expect(
            text == """
                No stub answers GET https://api.test/users (playback, Stubs/users.json): there are no stubs. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                To record it:  STUB_RECORD_MODE=recording-missing swift test
                To declare it:  network.stub(.get("https://api.test/users"), with: .status(200))
                """
        )
    }

    @Test func `the report says when there are no stubs at all`() throws {
        let scene = try ReportScene(.ephemeral)
        let text = try scene.report(on: .get("https://api.test/users"))
        #expect(
            text == """
                No stub answers GET https://api.test/users (playback): there are no stubs. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                To declare it:  network.stub(.get("https://api.test/users"), with: .status(200))
                """
        )
    }

    @Test func `the report asks for STUB_NAME and STUB_PATH when neither is set`() throws {
        let scene = try ReportScene(.environment)
        let text = try scene.report(on: .make("DELETE", "https://api.test/users/1"))
        #expect(
            text == """
                No stub answers DELETE https://api.test/users/1 (playback): there are no stubs. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                To play back a stub file:  set STUB_NAME and STUB_PATH; neither is set now
                To declare it:  network.stub(.delete("https://api.test/users/1"), with: .status(200))
                """
        )
    }

    @Test func `the report says when no stub has the request's path`() throws {
        let scene = try ReportScene(.get("https://api.test/users"), .get("https://api.test/posts"))
        let text = try scene.report(on: .get("https://api.test/user"))
        #expect(
            text == """
                No stub answers GET https://api.test/user (playback, Stubs/users.json, 2 stubs): none is for this path. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, GET https://api.test/users:
                  at Stubs/users.json:2, not used so far
                  url.path: recorded "/users", requested "/user"
                To record it:  STUB_RECORD_MODE=recording-missing swift test
                To declare it:  network.stub(.get("https://api.test/user"), with: .status(200))
                """
        )
    }

    @Test func `a sequence is used up`() throws {
        let scene = try ReportScene(.get("https://api.test/job"), .get("https://api.test/job"), asked: 2) {
            $0.playbackOrder = .sequence
        }
        let text = try scene.report(on: .get("https://api.test/job"))
        #expect(
            text == """
                No stub is left for GET https://api.test/job (playback, Stubs/users.json, 2 stubs, 2 for this path, 2 used): all that match are used up. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequence (set in code), mode playback (default).
                Used up:
                  stub 1 (Stubs/users.json:2)
                  stub 2 (Stubs/users.json:6)
                To repeat the last response:  network.playbackOrder = .sequenceThenLast
                To record it:  STUB_RECORD_MODE=recording-missing swift test
                To declare it:  network.stub(.get("https://api.test/job"), with: .status(200))
                """
        )
    }

    @Test func `a request was cancelled when it was recorded`() throws {
        let scene = try ReportScene(.get("https://api.test/users"), .get("https://api.test/posts"))
        try scene.network.loadStubs()
        let error = scene.network.engine.clientError(NotCancelledInTime(), of: .get("https://api.test/users"))
        let text = (error as? StubbornNetworkError)?.message
        #expect(
            text?.replacingOccurrences(of: scene.directory.path, with: "Stubs") == """
                When GET https://api.test/users was recorded, the client cancelled it (playback, Stubs/users.json, 2 stubs, 1 for this path). This time it was not cancelled, so there is no recorded ending to play. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Recorded as:
                  stub 1 (Stubs/users.json:2)
                To record the test again, because the client cancelled the request:  STUB_RECORD_MODE=recording swift test
                To declare it:  network.stub(.get("https://api.test/users"), with: .status(200))
                """
        )
    }

    @Test func `a declared stub is used up`() throws {
        let scene = try ReportScene(.ephemeral, asked: 2) { network in
            network.stub(.get("/job"), times: 2, with: .status(202), file: "Tests/JobTests.swift", line: 12)
            // It is used up too, and has nothing to do with the request.
            network.stub(.get("/other"), times: 0, with: .status(204))
        }
        let text = try scene.report(on: .get("https://api.test/job"))
        #expect(
            text == """
                No stub is left for GET https://api.test/job (playback, 2 stubs): all that match are used up. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Used up:
                  GET /job at JobTests.swift:12, 2 times
                To declare it:  network.stub(.get("https://api.test/job"), with: .status(200))
                """
        )
    }

    @Test func `the report shows a port that differs`() throws {
        let scene = try ReportScene(.get("http://localhost:8080/users"))
        let text = try scene.report(on: .get("http://localhost:9090/users"))
        #expect(
            text == """
                No stub answers GET http://localhost:9090/users (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, GET http://localhost:8080/users:
                  at Stubs/users.json:2, not used so far
                  url.port: recorded "8080", requested "9090"
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .path, .query, .requestBody]
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To declare it:  network.stub(.get("http://localhost:9090/users"), with: .status(200))
                To let it through:  network.passThrough(.host("localhost"))
                """
        )
    }

    @Test func `the report shows a different scheme, host and port when query items are ignored`() throws {
        let scene = try ReportScene(.get("http://localhost:8080/users?ts=1")) {
            $0.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"])]
        }
        let text = try scene.report(on: .get("https://api.test/users?ts=2"))
        #expect(
            text == """
                No stub answers GET https://api.test/users?ts=2 (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url(ignoringQueryItems: ["ts"])] (set in code), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, GET http://localhost:8080/users?ts=1:
                  at Stubs/users.json:2, not used so far
                  url.scheme: recorded "http", requested "https"
                  url.host: recorded "localhost", requested "api.test"
                  url.port: recorded "8080", requested none
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .path, .query(ignoringQueryItems: ["ts"])]
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To declare it:  network.stub(.get("https://api.test/users?ts=2"), with: .status(200))
                """
        )
    }

    @Test func `the report shows a query item whose value differs`() throws {
        let scene = try ReportScene(.get("https://api.test/users"), .get("https://api.test/users?page=1"), asked: 1)
        let text = try scene.report(on: .get("https://api.test/users?page=2"))
        #expect(
            text == """
                No stub answers GET https://api.test/users?page=2 (playback, Stubs/users.json, 2 stubs, 2 for this path, 1 used). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 2, GET https://api.test/users?page=1:
                  at Stubs/users.json:6, not used so far
                  url.query.page: recorded "1", requested "2"
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody]
                To declare it:  network.stub(.get("https://api.test/users?page=2"), with: .status(200))
                """
        )
    }

    @Test(
        arguments: [
            (
                "/users?order_id=0b6d5a3e-93a1-4d7c-8f0e-2a51c7d90b11",
                "/users?order_id=c4e9b8d2-1f60-4b3a-a7d5-9e8c0f123433",
                #"let id = network.value("order_id") { UUID().uuidString }"#
            ),
            (
                "/users/0b6d5a3e-93a1-4d7c-8f0e-2a51c7d90b11", "/users/c4e9b8d2-1f60-4b3a-a7d5-9e8c0f123433",
                #"let id = network.value("id") { UUID().uuidString }"#
            ),
            (
                "/users?since=2026-01-05T10:00:00Z", "/users?since=2026-03-09T08:30:00Z",
                "let now = network.recordingDate ?? Date()"
            ),
            // The first of them is about the id.
            (
                "/log/0b6d5a3e-93a1-4d7c-8f0e-2a51c7d90b11?at=2026-01-05T10:00:00Z",
                "/log/c4e9b8d2-1f60-4b3a-a7d5-9e8c0f123433?at=2026-03-09T08:30:00Z",
                #"let id = network.value("id") { UUID().uuidString }"#
            ),
            ("/users?page=1", "/users?page=2", nil), ("/users?state=open", "/users?state=held", nil),
            ("/users?a=2026-01-05&b=1", "/users?a=2026-03-09&b=2", nil),
        ] as [(String, String, String?)]
    )
    func `where only a value differs that the client makes, the first advice is to record that value`(
        recorded: String,
        requested: String,
        code: String?
    ) throws {
        let scene = try ReportScene(.get("https://api.test\(recorded)"))
        let text = try scene.report(on: .get("https://api.test\(requested)"))
        let advice = text.split(separator: "\n").first { $0.hasPrefix("To ") }
        if let code { #expect(advice?.hasSuffix(code) == true, "\(text)") }
        #expect(text.contains("UUID()") == (code?.contains("UUID()") ?? false))
        #expect(text.contains("recordingDate") == (code != nil && requested.contains("2026")))
    }

    @Test func `the closest stub is an unused one, and then the one with most of the text`() throws {
        func note(_ text: String) throws -> StubRequest {
            StubRequest(method: "POST", url: try .parsed("https://api.test/notes"), body: Data(text.utf8))
        }
        let recorded = try [
            note("one\nmore lines than that"), note("a sentence, at 10:00:01"), note("a sentence, at 11:30:59"),
        ]
        let asked = try note("a sentence, at 11:30:58")
        for (used, closest) in [(0, 3), (3, 2)] {
            let index = recorded.reduce(into: MatchIndex(options: .standard)) { $0.append($1) }
            let found = index.nearest(to: asked, used: used == 0 ? [] : [used - 1])
            #expect(found?.position == closest - 1)
        }
    }

    @Test func `a long text is shown where it differs, and is ignored only after it could be recorded`() throws {
        let prompt = (0..<60).map { "word\($0)" }.joined(separator: " ")
        func chat(_ end: String) throws -> StubRequest {
            StubRequest(
                method: "POST",
                url: try .parsed("https://api.test/chat"),
                headers: ["Content-Type": "application/json"],
                body: Data(#"{"prompt":"\#(prompt) \#(end)"}"#.utf8)
            )
        }
        let scene = try ReportScene(chat("yesterday"))
        let text = try scene.report(on: chat("today"))
        #expect(text.contains("yesterday") && text.contains("today"))
        let purposes = text.split(separator: "\n").filter { $0.hasPrefix("To ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            purposes.starts(with: ["To record the test again, because a request has changed", "To ignore it"]),
            "\(text)"
        )
    }

    private static let again = "To record the test again, because a request has changed"

    @Test(arguments: [
        (["q=cat&v=3.4", "q=dog&v=3.4"], "q=cat&v=3.5", "To ignore it"),
        (["q=cat&v=3.4", "q=dog&v=3.4"], "q=owl&v=3.4", again),
        (["q=cat&v=3.4", "q=dog&v=3.4"], "q=owl&v=3.5", again),
        (["q=cat&v=3.4"], "q=cat&v=3.5", again),
        (["q=cat", "q=dog"], "q=cat&page=2", again),
        // A page, a size and a word are what a test asks for, though they are the same in all stubs.
        (["q=cat&limit=3", "q=dog&limit=3"], "q=cat&limit=4", again),
        (["q=cat&page=1", "q=dog&page=1"], "q=cat&page=2", again),
        (["q=cat&state=open", "q=dog&state=open"], "q=cat&state=held", again),
        (["q=cat&t=Brazil%20(1985)", "q=dog&t=Brazil%20(1985)"], "q=cat&t=Brazil,%201985", again),
        (
            ["text=The%20train%20leaves%20now&a=1", "text=The%20train%20leaves%20now&a=2"],
            "text=The%20bus%20leaves%20now&a=1", again
        ),
    ])
    func `what is the same in all stubs is ignored first, and what tells them apart is recorded first`(
        recorded: [String],
        asked: String,
        first: String
    ) throws {
        func get(_ query: String) -> StubRequest { .get("https://api.test/search?\(query)") }
        let scene = try ReportScene(get(recorded[0]), get(recorded.last ?? ""))
        let report = try scene.full(on: get(asked))
        if recorded.count > 1 { #expect(report.fixes.first?.purpose == first) }
    }

    @Test func `a value that a recorded response gives is none that the client made`() throws {
        let ids = ["0b6d5a3e-93a1-4d7c-8f0e-2a51c7d90b11", "c4e9b8d2-1f60-4b3a-a7d5-9e8c0f123433"]
        for given in [ids[1], "d2b5c6a7-5b1e-4f0a-9c3d-7e8f90a1b2c3"] {
            let scene = try ReportScene(file: nil)
            try scene.directory.write(
                """
                [
                  {
                    "request" : { "method" : "GET", "url" : "https://api.test/newest" },
                    "response" : { "headerFields" : ["Location[:::]/users/\(given)"], "statusCode" : 302 }
                  },
                  {
                    "request" : { "method" : "GET", "url" : "https://api.test/users/\(ids[0])" },
                    "response" : { "statusCode" : 200 }
                  }
                ]
                """,
                to: "users.json"
            )
            let text = try scene.report(on: .get("https://api.test/users/\(ids[1])"))
            #expect(text.contains("Closest is stub 2"))
            #expect(text.contains("UUID()") == (given != ids[1]), "\(text)")
        }
    }

    @Test func `the closest stub is the one that differs only in what a client makes anew`() throws {
        func events(_ ids: String...) throws -> StubRequest {
            let list = ids.map { #"{"id":"\#($0)","at":"2026-08-0\#($0.count % 7)T10:00:00Z","name":"open"}"# }
            let body = Data("[\(list.joined(separator: ","))]".utf8)
            return StubRequest(method: "POST", url: try .parsed("https://api.test/events"), body: body)
        }
        let recorded = try [
            events("7c35f7c3-48af-430a-b8c6-a341c629eacb"),
            events("7407288f-366c-4298-9e04-a99eb0be96e3", "c2d96c42-b97a-4e2f-8cc0-1f0ff904957d"),
        ]
        let asked = try events("934f6443-9df7-4400-acef-c482833ce251", "5e35d5e6-3660-4260-a687-c761bd256ad9")
        #expect(MatchIndex(options: .standard, requests: recorded).nearest(to: asked)?.position == 1)
    }

    @Test func `the report shows the path of a nested JSON member`() throws {
        let scene = try ReportScene(
            .make(
                "POST",
                "https://api.test/log",
                ["Content-Type": "application/json"],
                body: #"{"id":1,"meta":{"sentAt":1,"tags":["a"]}}"#
            )
        )
        let text = try scene.report(
            on: .make(
                "POST",
                "https://api.test/log",
                ["Content-Type": "application/json"],
                body: #"{"id":1,"meta":{"sentAt":2,"tags":["a"]}}"#
            )
        )
        #expect(
            text == """
                No stub answers POST https://api.test/log (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, POST https://api.test/log:
                  at Stubs/users.json:2, not used so far
                  body.meta.sentAt: recorded 1, requested 2
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["meta.sentAt"])]
                To declare it:  network.stub(.post("https://api.test/log"), with: .status(200))
                """
        )
    }

    @Test func `the report names the operations of GraphQL requests`() throws {
        let scene = try ReportScene(
            .make(
                "POST",
                "https://api.test/graphql",
                ["Content-Type": "application/json"],
                body: #"{"query":"query User($id: ID!) { user(id: $id) { name } }","variables":{"id":42}}"#
            )
        )
        let text = try scene.report(
            on: .make(
                "POST",
                "https://api.test/graphql",
                ["Content-Type": "application/json"],
                body: #"{"query":"query User($id: ID!) { user(id: $id) { name } }","variables":{"id":7}}"#
            )
        )
        #expect(
            text == """
                No stub answers POST https://api.test/graphql User(id: 7) (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, POST https://api.test/graphql User(id: 42):
                  at Stubs/users.json:2, not used so far
                  body.variables.id: recorded 42, requested 7
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["variables.id"])]
                To declare it:  network.stub(.graphQL("User"), with: .status(200))
                """
        )
    }

    @Test func `the report shows the first byte at which two bodies differ`() throws {
        let scene = try ReportScene(.bytes([0, 1, 2, 3]))
        let text = try scene.report(on: .bytes([0, 1, 9, 3, 4]))
        #expect(
            text == """
                No stub answers POST https://api.test/blob (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, POST https://api.test/blob:
                  at Stubs/users.json:2, not used so far
                  body: recorded 4 bytes, requested 5 bytes; first difference at byte 2
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore the whole body:  network.requestMatcherOptions = [.httpMethod, .url]
                To declare it:  network.stub(.post("https://api.test/blob"), with: .status(200))
                """
        )
    }

    @Test func `the report shows both texts when text bodies differ`() throws {
        let scene = try ReportScene(
            .make("POST", "https://api.test/note", ["Content-Type": "text/plain"], body: "Hello")
        )
        let text = try scene.report(
            on: .make("POST", "https://api.test/note", ["Content-Type": "text/plain"], body: "Hello, \"you\"")
        )
        #expect(
            text == #"""
                No stub answers POST https://api.test/note (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, POST https://api.test/note:
                  at Stubs/users.json:2, not used so far
                  body: recorded "Hello", requested "Hello, \"you\""
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore the whole body:  network.requestMatcherOptions = [.httpMethod, .url]
                To declare it:  network.stub(.post("https://api.test/note"), with: .status(200))
                """#
        )
    }

    @Test func `a custom matcher refuses`() throws {
        let scene = try ReportScene(.get("https://api.test/users")) {
            $0.requestMatcherOptions = [.url, .custom { _, _ in false }]
        }
        let text = try scene.report(on: .get("https://api.test/users"))
        #expect(
            text == """
                No stub answers GET https://api.test/users (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.url, .custom] (set in code), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, GET https://api.test/users:
                  at Stubs/users.json:2, not used so far
                  custom matcher: refused
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To declare it:  network.stub(.get("https://api.test/users"), with: .status(200))
                """
        )
    }

    @Test func `the report lists several differences at once`() throws {
        let scene = try ReportScene(
            .make("POST", "https://api.test/log?v=1", ["Content-Type": "application/json"], body: #"{"at":1,"id":1}"#)
        )
        let text = try scene.report(
            on: .make(
                "POST",
                "https://api.test/log?v=2",
                ["Content-Type": "application/json"],
                body: #"{"at":2,"id":1}"#
            )
        )
        #expect(
            text == """
                No stub answers POST https://api.test/log?v=2 (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, POST https://api.test/log?v=1:
                  at Stubs/users.json:2, not used so far
                  url.query.v: recorded "1", requested "2"
                  body.at: recorded 1, requested 2
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["v"]), .requestBody(ignoringJSONKeyPaths: ["at"])]
                To declare it:  network.stub(.post("https://api.test/log?v=2"), with: .status(200))
                """
        )
    }

    @Test func `the report names the header field that a declared stub requires`() throws {
        let scene = try ReportScene(.ephemeral) { network in
            let pattern = RequestPattern.path("/login") && .header("X-Client", equals: "app")
            network.stub(pattern, with: .status(200), file: "Tests/LoginTests.swift", line: 7)
        }
        let text = try scene.report(on: .make("GET", "https://api.test/login", ["X-Client": "web"]))
        #expect(
            text == """
                No stub answers GET https://api.test/login (playback, 1 stub). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest declared stub is path /login and header X-Client: app at LoginTests.swift:7:
                  header X-Client: app: requested "web"
                To declare it:  network.stub(.get("https://api.test/login"), with: .status(200))
                """
        )
    }

    @Test func `the report compares the method and query of a declared stub`() throws {
        let scene = try ReportScene(.ephemeral) { network in
            network.stub(
                .post("https://api.test/login?v=1"),
                with: .status(200),
                file: "Tests/LoginTests.swift",
                line: 7
            )
        }
        let text = try scene.report(on: .get("https://api.test/login?v=2"))
        #expect(
            text == """
                No stub answers GET https://api.test/login?v=2 (playback, 1 stub). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest declared stub is POST https://api.test/login?v=1 at LoginTests.swift:7:
                  method: declared "POST", requested "GET"
                  url.query: declared "v=1", requested "v=2"
                To declare it:  network.stub(.get("https://api.test/login?v=2"), with: .status(200))
                """
        )
    }

    @Test func `the report shows the closest of two declared stubs`() throws {
        let scene = try ReportScene(.ephemeral) { network in
            let body = RequestPattern.requestBody(json: ["type": "login"])
            network.stub(.post("/v1/auth") && body && !.query("dry"), with: .status(200), file: "A.swift", line: 7)
            network.stub(.host("other.test"), with: .status(200), file: "A.swift", line: 8)
        }
        let text = try scene.report(
            on: .make(
                "POST",
                "https://api.test/v1/auth?dry=1",
                ["Content-Type": "application/json"],
                body: #"{"type":"logout"}"#
            )
        )
        #expect(
            text == """
                No stub answers POST https://api.test/v1/auth?dry=1 (playback, 2 stubs). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest declared stub is POST /v1/auth and body with JSON {"type":"login"} and not query item dry at A.swift:7:
                  body with JSON {"type":"login"}: requested {"type":"logout"}
                  not query item dry: does not hold
                To declare it:  network.stub(.post("https://api.test/v1/auth?dry=1"), with: .status(200))
                """
        )
    }

    @Test func `the report compares a declared request by the current matchers`() throws {
        let scene = try ReportScene(.ephemeral) { network in
            network.requestMatcherOptions = .strict
            let request = StubRequest.make("GET", "https://api.test/a", ["X-A": "1"]).urlRequest
            network.stub(request, with: .status(200), file: "A.swift", line: 7)
        }
        let text = try scene.report(on: .make("GET", "https://api.test/a", ["X-A": "2"]))
        #expect(
            text == """
                No stub answers GET https://api.test/a (playback, 1 stub). The network was not touched.
                Matched by [.httpMethod, .url, .headers, .requestBody] (set in code), order .sequenceThenLast (default), mode playback (default).
                Closest declared stub is GET https://api.test/a at A.swift:7:
                  headers.X-A: declared "1", requested "2"
                To declare it:  network.stub(.get("https://api.test/a"), with: .status(200))
                """
        )
    }

    @Test func `the report shows decoded text in any script`() throws {
        let scene = try ReportScene(.get("https://api.test/s%C3%B6k?q=%C3%A4pfel"))
        let text = try scene.report(
            on: .get("https://api.test/s%C3%B6k?q=%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7")
        )
        #expect(
            text == """
                No stub answers GET https://api.test/s%C3%B6k?q=%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7 (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, GET https://api.test/s%C3%B6k?q=%C3%A4pfel:
                  at Stubs/users.json:2, not used so far
                  url.query.q: recorded "äpfel", requested "👨‍👩‍👧"
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["q"]), .requestBody]
                To declare it:  network.stub(.get("https://api.test/s%C3%B6k?q=%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"), with: .status(200))
                """
        )
    }

    @Test func `the report redacts secrets`() throws {
        let scene = try ReportScene(
            .make(
                "POST",
                "https://api.test/a?access_token=REDACTED-token-1&page=1",
                ["Content-Type": "application/json"],
                body: #"{"password":"REDACTED-password-1","n":1}"#
            )
        )
        let text = try scene.report(
            on: .make(
                "POST",
                "https://api.test/a?access_token=s3cr3t-abcdef&page=2",
                ["Content-Type": "application/json"],
                body: #"{"password":"hunter2-hunter2","n":2}"#
            )
        )
        #expect(
            text == """
                No stub answers POST https://api.test/a?access_token=REDACTED-access_token-1&page=2 (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, POST https://api.test/a?access_token=REDACTED-token-1&page=1:
                  at Stubs/users.json:2, not used so far
                  url.query.page: recorded "1", requested "2"
                  body.n: recorded 1, requested 2
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody(ignoringJSONKeyPaths: ["n"])]
                To declare it:  network.stub(.post("/a"), with: .status(200))
                """
        )
    }

    @Test func `the environment names the stub file`() throws {
        let scene = try ReportScene(.environment, name: "-[LoginTests testLogin]", .get("https://api.test/a"))
        let text = try scene.report(on: .get("https://api.test/b"))
        #expect(
            text == """
                No stub answers GET https://api.test/b (playback, Stubs/LoginTests_testLogin.json, 1 stub): none is for this path. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (default).
                Closest is stub 1, GET https://api.test/a:
                  at Stubs/LoginTests_testLogin.json:2, not used so far
                  url.path: recorded "/a", requested "/b"
                To record it:  STUB_RECORD_MODE=recording-missing STUB_NAME='-[LoginTests testLogin]' STUB_PATH=Stubs swift test --filter LoginTests.testLogin
                To declare it:  network.stub(.get("https://api.test/b"), with: .status(200))
                """
        )
    }

    @Test func `the environment sets the mode`() throws {
        let scene = try ReportScene(.get("https://api.test/a"), environment: ["STUB_RECORD_MODE": "recording-once"]) {
            $0.recordMode = .live
        }
        let text = try scene.report(on: .get("https://api.test/a?x=1"))
        #expect(
            text == """
                No stub answers GET https://api.test/a?x=1 (recording-once, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode recording-once (set by STUB_RECORD_MODE).
                Closest is stub 1, GET https://api.test/a:
                  at Stubs/users.json:2, not used so far
                  url.query.x: recorded none, requested "1"
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["x"]), .requestBody]
                To declare it:  network.stub(.get("https://api.test/a?x=1"), with: .status(200))
                """
        )
    }

    @Test func `nothing is recorded on continuous integration, and the last line says what to read`() throws {
        let scene = try ReportScene(.get("https://api.test/a"), environment: ["CI": "1"]) {
            $0.recordMode = .recordingMissing
        }
        let text = try scene.report(on: .get("https://api.test/a?x=1"))
        #expect(
            text == """
                No stub answers GET https://api.test/a?x=1 (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback (because CI is set; code asks for recording-missing).
                Closest is stub 1, GET https://api.test/a:
                  at Stubs/users.json:2, not used so far
                  url.query.x: recorded none, requested "1"
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test
                To ignore it:  network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["x"]), .requestBody]
                To declare it:  network.stub(.get("https://api.test/a?x=1"), with: .status(200))
                If the test passes elsewhere: read "Green here, red in CI" (GreenHereRedInCI.md).
                """
        )
    }

    @Test func `settings of a trait have the trait as their origin`() throws {
        let scene = try ReportScene(.get("https://api.test/a?x=1")) { network in
            network.changeSettings(as: ".stubbed(matching:) at LoginTests.swift:12") {
                network.requestMatcherOptions = [.url]
            }
            network.changeSettings(as: ".stubbed(order:) at LoginTests.swift:12") { network.playbackOrder = .stateful }
            network.changeSettings(as: ".stubbed(recordMode:) at LoginTests.swift:12") {
                network.recordMode = .playback
            }
            network.changeSettings(as: ".stubbed(redaction:) at LoginTests.swift:12") { network.redaction = .standard }
            network.setTest(filter: "LoginTests.login")
        }
        let text = try scene.report(on: .get("https://api.test/a?x=2"))
        #expect(
            text == """
                No stub answers GET https://api.test/a?x=2 (playback, Stubs/users.json, 1 stub, 1 for this path). The network was not touched.
                Matched by [.url] (set by .stubbed(matching:) at LoginTests.swift:12), order .stateful (set by .stubbed(order:) at LoginTests.swift:12), mode playback (set by .stubbed(recordMode:) at LoginTests.swift:12), redaction (set by .stubbed(redaction:) at LoginTests.swift:12).
                Closest is stub 1, GET https://api.test/a?x=1:
                  at Stubs/users.json:2, not used so far
                  url.query.x: recorded "1", requested "2"
                To record the test again, because a request has changed:  STUB_RECORD_MODE=recording swift test --filter LoginTests.login
                To ignore it:  network.requestMatcherOptions = [.url(ignoringQueryItems: ["x"])]
                To declare it:  network.stub(.get("https://api.test/a?x=2"), with: .status(200))
                """
        )
    }

    @Test func `a setting that another thread makes at the same time does not have the trait as its origin`() throws {
        let scene = try ReportScene(.get("https://api.test/a?x=1")) { network in
            network.changeSettings(as: ".stubbed at LoginTests.swift:12") {
                network.requestMatcherOptions = [.url]
                let other = DispatchGroup()
                DispatchQueue.global().async(group: other) { network.playbackOrder = .stateful }
                other.wait()
            }
        }
        let text = try scene.report(on: .get("https://api.test/a?x=2"))
        #expect(text.contains("[.url] (set by .stubbed at LoginTests.swift:12), order .stateful (set in code)"))
    }
}
