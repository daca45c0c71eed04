import Foundation
import Testing

@testable import StubbornNetwork

/// The report on an unstubbed request, word for word: what is different, and what it says.
struct UnstubbedRequestReportTests {
    @Test func `there is no stub directory`() throws {
        let scene = try ReportScene(file: nil)
        let text = try scene.report(on: .get("https://api.test/users"))
        try text.write(toFile: "/tmp/h/golden/0.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `there is no stub file`() throws {
        let scene = try ReportScene(file: nil, hasDirectory: true)
        let text = try scene.report(on: .get("https://api.test/users"))
        try text.write(toFile: "/tmp/h/golden/1.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the stub file is empty`() throws {
        let scene = try ReportScene()
        let text = try scene.report(on: .get("https://api.test/users"))
        try text.write(toFile: "/tmp/h/golden/2.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `nothing is declared`() throws {
        let scene = try ReportScene(.ephemeral)
        let text = try scene.report(on: .get("https://api.test/users"))
        try text.write(toFile: "/tmp/h/golden/3.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the environment says nothing`() throws {
        let scene = try ReportScene(.environment)
        let text = try scene.report(on: .make("DELETE", "https://api.test/users/1"))
        try text.write(toFile: "/tmp/h/golden/4.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `nothing is for this path`() throws {
        let scene = try ReportScene(.get("https://api.test/users"), .get("https://api.test/posts"))
        let text = try scene.report(on: .get("https://api.test/user"))
        try text.write(toFile: "/tmp/h/golden/5.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a sequence is used up`() throws {
        let scene = try ReportScene(.get("https://api.test/job"), .get("https://api.test/job"), asked: 2) {
            $0.playbackOrder = .sequence
        }
        let text = try scene.report(on: .get("https://api.test/job"))
        try text.write(toFile: "/tmp/h/golden/6.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a declared stub is used up`() throws {
        let scene = try ReportScene(.ephemeral, asked: 2) { network in
            network.stub(.get("/job"), times: 2, with: .status(202), file: "Tests/JobTests.swift", line: 12)
        }
        let text = try scene.report(on: .get("https://api.test/job"))
        try text.write(toFile: "/tmp/h/golden/7.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the method`() throws {
        let scene = try ReportScene(.make("GET", "https://api.test/users"))
        let text = try scene.report(on: .make("DELETE", "https://api.test/users"))
        try text.write(toFile: "/tmp/h/golden/8.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the scheme`() throws {
        let scene = try ReportScene(.get("https://api.test/users"))
        let text = try scene.report(on: .get("http://api.test/users"))
        try text.write(toFile: "/tmp/h/golden/9.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the host`() throws {
        let scene = try ReportScene(.get("https://api.test/users"))
        let text = try scene.report(on: .get("https://staging.test/users"))
        try text.write(toFile: "/tmp/h/golden/10.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the port`() throws {
        let scene = try ReportScene(.get("http://localhost:8080/users"))
        let text = try scene.report(on: .get("http://localhost:9090/users"))
        try text.write(toFile: "/tmp/h/golden/11.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `scheme, host and port with query items that are ignored`() throws {
        let scene = try ReportScene(.get("http://localhost:8080/users?ts=1")) {
            $0.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"])]
        }
        let text = try scene.report(on: .get("https://api.test/users?ts=2"))
        try text.write(toFile: "/tmp/h/golden/12.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the value of a query item`() throws {
        let scene = try ReportScene(.get("https://api.test/users"), .get("https://api.test/users?page=1"), asked: 1)
        let text = try scene.report(on: .get("https://api.test/users?page=2"))
        try text.write(toFile: "/tmp/h/golden/13.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a query item is missing`() throws {
        let scene = try ReportScene(.get("https://api.test/users?page=1&sort=asc"))
        let text = try scene.report(on: .get("https://api.test/users?sort=asc"))
        try text.write(toFile: "/tmp/h/golden/14.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a query item is there too much`() throws {
        let scene = try ReportScene(.get("https://api.test/users"))
        let text = try scene.report(on: .get("https://api.test/users?debug"))
        try text.write(toFile: "/tmp/h/golden/15.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a query item is repeated`() throws {
        let scene = try ReportScene(.get("https://api.test/users?id=1&id=2"))
        let text = try scene.report(on: .get("https://api.test/users?id=1&id=2&id=3"))
        try text.write(toFile: "/tmp/h/golden/16.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a header field that the app sets`() throws {
        let scene = try ReportScene(.make("GET", "https://api.test/users", ["Accept-Version": "1", "X-Client": "a"])) {
            $0.requestMatcherOptions = .strict
        }
        let text = try scene.report(
            on: .make("GET", "https://api.test/users", ["accept-version": "2", "X-Client": "a"])
        )
        try text.write(toFile: "/tmp/h/golden/17.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a header field by name`() throws {
        let scene = try ReportScene(.make("GET", "https://api.test/users", ["Accept": "text/html"])) {
            $0.requestMatcherOptions = [.url, .headers(named: ["Accept", "X-A"])]
        }
        let text = try scene.report(on: .get("https://api.test/users"))
        try text.write(toFile: "/tmp/h/golden/18.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a JSON member in the depth`() throws {
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
        try text.write(toFile: "/tmp/h/golden/19.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the count of an array`() throws {
        let scene = try ReportScene(
            .make("POST", "https://api.test/log", ["Content-Type": "application/json"], body: #"{"items":[{"id":1}]}"#)
        )
        let text = try scene.report(
            on: .make(
                "POST",
                "https://api.test/log",
                ["Content-Type": "application/json"],
                body: #"{"items":[{"id":1},{"id":2.5}]}"#
            )
        )
        try text.write(toFile: "/tmp/h/golden/20.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a member of an array's elements`() throws {
        let scene = try ReportScene(
            .make(
                "POST",
                "https://api.test/log",
                ["Content-Type": "application/json"],
                body: #"{"items":[{"id":1,"n":1},{"id":2}]}"#
            )
        )
        let text = try scene.report(
            on: .make(
                "POST",
                "https://api.test/log",
                ["Content-Type": "application/json"],
                body: #"{"items":[{"id":1,"n":1},{"id":3}]}"#
            )
        )
        try text.write(toFile: "/tmp/h/golden/21.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a field of a form`() throws {
        let scene = try ReportScene(
            .make(
                "POST",
                "https://api.test/order",
                ["Content-Type": "application/x-www-form-urlencoded"],
                body: "sku=a&count=1"
            )
        )
        let text = try scene.report(
            on: .make(
                "POST",
                "https://api.test/order",
                ["Content-Type": "application/x-www-form-urlencoded"],
                body: "sku=a&count=2"
            )
        )
        try text.write(toFile: "/tmp/h/golden/22.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a part of a multipart body`() throws {
        let scene = try ReportScene(.upload("one", ["1", "2"]))
        let text = try scene.report(on: .upload("two", ["1", "3"]))
        try text.write(toFile: "/tmp/h/golden/23.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `bytes`() throws {
        let scene = try ReportScene(.bytes([0, 1, 2, 3]))
        let text = try scene.report(on: .bytes([0, 1, 9, 3, 4]))
        try text.write(toFile: "/tmp/h/golden/24.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a text`() throws {
        let scene = try ReportScene(
            .make("POST", "https://api.test/note", ["Content-Type": "text/plain"], body: "Hello")
        )
        let text = try scene.report(
            on: .make("POST", "https://api.test/note", ["Content-Type": "text/plain"], body: "Hello, \"you\"")
        )
        try text.write(toFile: "/tmp/h/golden/25.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a custom matcher refuses`() throws {
        let scene = try ReportScene(.get("https://api.test/users")) {
            $0.requestMatcherOptions = [.url, .custom { _, _ in false }]
        }
        let text = try scene.report(on: .get("https://api.test/users"))
        try text.write(toFile: "/tmp/h/golden/26.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `several things at once`() throws {
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
        try text.write(toFile: "/tmp/h/golden/27.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a declared stub asks for a header field`() throws {
        let scene = try ReportScene(.ephemeral) { network in
            let pattern = RequestPattern.path("/login") && .header("X-Client", "app")
            network.stub(pattern, with: .status(200), file: "Tests/LoginTests.swift", line: 7)
        }
        let text = try scene.report(on: .make("GET", "https://api.test/login", ["X-Client": "web"]))
        try text.write(toFile: "/tmp/h/golden/28.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a declared stub is for another method and query`() throws {
        let scene = try ReportScene(.ephemeral) { network in
            network.stub(
                .post("https://api.test/login?v=1"),
                with: .status(200),
                file: "Tests/LoginTests.swift",
                line: 7
            )
        }
        let text = try scene.report(on: .get("https://api.test/login?v=2"))
        try text.write(toFile: "/tmp/h/golden/29.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a declared stub asks for a body, and another for none of it`() throws {
        let scene = try ReportScene(.ephemeral) { network in
            let body = RequestPattern.body(json: ["type": "login"])
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
        try text.write(toFile: "/tmp/h/golden/30.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `a declared request is another by the matchers in force`() throws {
        let scene = try ReportScene(.ephemeral) { network in
            network.requestMatcherOptions = .strict
            let request = StubRequest.make("GET", "https://api.test/a", ["X-A": "1"]).urlRequest
            network.stub(request, with: .status(200), file: "A.swift", line: 7)
        }
        let text = try scene.report(on: .make("GET", "https://api.test/a", ["X-A": "2"]))
        try text.write(toFile: "/tmp/h/golden/31.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `text of all the world`() throws {
        let scene = try ReportScene(.get("https://api.test/s%C3%B6k?q=%C3%A4pfel"))
        let text = try scene.report(
            on: .get("https://api.test/s%C3%B6k?q=%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7")
        )
        try text.write(toFile: "/tmp/h/golden/32.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `secrets`() throws {
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
        try text.write(toFile: "/tmp/h/golden/33.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the environment says where stubs are`() throws {
        let scene = try ReportScene(.environment, name: "-[LoginTests testLogin]", .get("https://api.test/a"))
        let text = try scene.report(on: .get("https://api.test/b"))
        try text.write(toFile: "/tmp/h/golden/34.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `the environment sets the mode`() throws {
        let scene = try ReportScene(.get("https://api.test/a"), environment: ["STUB_RECORD_MODE": "recording-once"]) {
            $0.recordMode = .live
        }
        let text = try scene.report(on: .get("https://api.test/a?x=1"))
        try text.write(toFile: "/tmp/h/golden/35.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `continuous integration keeps from recording`() throws {
        let scene = try ReportScene(.get("https://api.test/a"), environment: ["CI": "1"]) {
            $0.recordMode = .recordingMissing
        }
        let text = try scene.report(on: .get("https://api.test/a?x=1"))
        try text.write(toFile: "/tmp/h/golden/36.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }

    @Test func `what is in force was set by a trait`() throws {
        let scene = try ReportScene(.get("https://api.test/a?x=1")) { network in
            network.setRequestMatcherOptions([.url], by: ".stubbed(matching:) at LoginTests.swift:12")
            network.setPlaybackOrder(.stateful, by: ".stubbed(order:) at LoginTests.swift:12")
            network.setRecordMode(.playback, by: ".stubbed(recordMode:) at LoginTests.swift:12")
            network.setTest(filter: "LoginTests.login")
        }
        let text = try scene.report(on: .get("https://api.test/a?x=2"))
        try text.write(toFile: "/tmp/h/golden/37.txt", atomically: true, encoding: .utf8)
        #expect(
            text == """
                ?
                """
        )
    }
}
