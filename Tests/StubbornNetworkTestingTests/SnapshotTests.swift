import Foundation
import LoopbackServer
import StubbornNetwork
import Testing
import XCTest

@testable import StubbornNetworkTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct SnapshotTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "snapshots-\(UUID().uuidString)"
    )

    private func request(
        _ path: String,
        _ method: String = "GET",
        fields: HeaderFields = [:],
        body: String? = nil
    ) -> StubRequest {
        StubRequest(
            method: method,
            url: URL(string: "https://api.test\(path)")!,
            headers: fields,
            body: body.map { Data($0.utf8) }
        )
    }

    /// A network that has been asked these.
    private func network(
        _ requests: StubRequest...,
        environment: [String: String] = [:]
    ) async throws -> StubbornNetwork {
        let network = StubbornNetwork(.observing, environment: environment)
        for request in requests { _ = try await network.session.data(for: request.urlRequest) }
        return network
    }

    private func assertion(recording: Bool = false, inAnyOrder: Bool = false) -> SnapshotAssertion {
        SnapshotAssertion(
            at: directory.path + "/LoginTests.swift",
            line: 12,
            test: TestName(ofXCTest: "LoginTests.login"),
            recording: recording,
            inAnyOrder: inAnyOrder
        )
    }

    private var file: URL { assertion().file }

    private func failure(_ network: StubbornNetwork, recording: Bool = false, inAnyOrder: Bool = false) -> String? {
        assertion(recording: recording, inAnyOrder: inAnyOrder).failure(of: network)?
            .replacingOccurrences(of: directory.path + "/", with: "")
    }

    private func write(_ snapshot: String) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(snapshot.utf8).write(to: file)
    }

    @Test func `the first run writes the requests and fails, the next one passes`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let network = try await network(
            request(
                "/users?a=1",
                "POST",
                fields: ["Content-Type": "application/json", "X-App": "7"],
                body: #"{"name":"Ada"}"#
            ),
            request("/users/1")
        )
        #expect(
            failure(network) == """
                2 requests were recorded into RequestSnapshot/LoginTests/login.json. Review the file, commit it, and run \
                again.
                """
        )
        #expect(
            try String(contentsOf: file, encoding: .utf8) == #"""
                [
                  {
                    "headers" : {
                      "Content-Type" : "application/json",
                      "X-App" : "7"
                    },
                    "json" : {
                      "name" : "Ada"
                    },
                    "method" : "POST",
                    "url" : "https://api.test/users?a=1"
                  },
                  {
                    "method" : "GET",
                    "url" : "https://api.test/users/1"
                  }
                ]

                """#
        )
        #expect(failure(network) == nil)
    }

    @Test func `the token of a login has the same placeholder while it is recorded and played`() async throws {
        let server = try LoopbackServer { _ in .json(#"{"access_token":"kV3xQ9sLw2"}"#) }
        let file = try #require(StubbornNetworkConfiguration.persistent(name: "login", path: directory.path))
        defer { try? FileManager.default.removeItem(at: directory) }
        for mode in [RecordMode.recording, .playback] {
            let network = StubbornNetwork(file, environment: [:])
            network.recordMode = mode
            let (data, _) = try await network.session.data(from: server.url("/login"))
            let token = try JSONDecoder().decode([String: String].self, from: data)["access_token"]
            var request = URLRequest(url: server.url("/news"))
            request.setValue("Bearer \(token ?? "")", forHTTPHeaderField: "Authorization")
            _ = try await network.session.data(for: request)
            if mode == .recording { _ = failure(network) } else { #expect(failure(network) == nil) }
            try network.finishRecording()
        }
        #expect(try String(contentsOf: self.file, encoding: .utf8).contains("Bearer REDACTED-access_token-1"))
    }

    @Test func `a snapshot is written again by the call or by a variable, which the message names`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = failure(try await network(request("/a")))
        let texts = [
            failure(try await network(request("/b")), recording: true),
            failure(try await network(request("/a"), environment: ["STUB_SNAPSHOTS": "recording", "CI": "true"])),
        ]
        let start =
            "1 request was recorded into RequestSnapshot/LoginTests/login.json. Review the file, commit it, and run"
        #expect(texts == ["\(start) again without recording: true.", "\(start) again without STUB_SNAPSHOTS."])
        #expect(failure(try await network(request("/a"))) == nil)
    }

    @Test func `an unknown value of the variable is an error, and nothing is written`() async throws {
        let network = try await network(request("/a"), environment: ["STUB_SNAPSHOTS": "record"])
        #expect(
            failure(network)?.hasPrefix(#"STUB_SNAPSHOTS is "record", which is not a snapshot mode. Set it to"#) == true
        )
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test(arguments: [false, true])
    func `on CI a missing snapshot is a failure, and nothing is written`(recording: Bool) async throws {
        let network = try await network(request("/a"), environment: ["CI": "true"])
        #expect(
            failure(network, recording: recording) == """
                There is no request snapshot at RequestSnapshot/LoginTests/login.json, and none was recorded, because CI is set.
                To record it:  STUB_SNAPSHOTS=recording swift test --filter LoginTests.login
                Or add to the call at LoginTests.swift:12:  recording: true
                """
        )
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    // MARK: Values

    @Test(arguments: [
        #"{"name":"Ada","tags":[1.50,true],"url":"a/b"}"#, #"{"url":"a\/b", "tags":[15e-1,true], "name":"\u0041da"}"#,
    ])
    func `JSON is compared by value, whatever the order of its keys`(recorded: String) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = failure(try await network(request("/a", "POST", body: recorded)))
        #expect(
            try String(contentsOf: file, encoding: .utf8) == """
                [
                  {
                    "json" : {
                      "name" : "Ada",
                      "tags" : [
                        1.5,
                        true
                      ],
                      "url" : "a/b"
                    },
                    "method" : "POST",
                    "url" : "https://api.test/a"
                  }
                ]

                """
        )
        for body in [
            #"{"name":"Ada","tags":[1.5,true],"url":"a/b"}"#, #"{"tags":[1.5,true],"url":"a/b","name":"Ada"}"#,
        ] {
            #expect(failure(try await network(request("/a", "POST", body: body))) == nil)
        }
        #expect(
            failure(try await network(request("/a", "POST", body: #"{"name":"Ada","tags":[true,1.5],"url":"a/b"}"#)))?
                .contains("\n    body.tags[0]: expected 1.5, was true\n") == true
        )
    }

    @Test func `an earlier snapshot with JSON in a text is equal to the same value`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try write(
            #"""
            [
              {
                "body" : "{\"name\":\"Ada\",\"age\":36}",
                "headers" : { "Accept" : "*/*" },
                "method" : "POST",
                "url" : "https:\/\/api.test\/a?b=2&a=1"
              },
              { "body" : "one\ntwo", "method" : "PUT", "url" : "https://api.test/b" }
            ]
            """#
        )
        let text = request("/b", "PUT", body: "one\ntwo")
        let json = request("/a?a=1&b=2", "POST", body: #"{"age":36,"name":"Ada"}"#)
        #expect(failure(try await network(json, text)) == nil)
        #expect(
            failure(try await network(request("/a?a=1&b=2", "POST", body: #"{"age":37,"name":"Ada"}"#), text))?
                .contains("body.age: expected 36, was 37") == true
        )
    }

    @Test func `a form is written and compared by field, a text by line, and other bytes in base64`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let type: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
        let form = request("/form", "POST", fields: type, body: "user=Ada+L&tag=a%26b&tag=c&empty=")
        let text = request("/text", "PUT", fields: ["Content-Type": "text/plain"], body: "one\r\ntwo\n")
        let line = request("/line", "PUT", fields: ["Content-Type": "text/plain"], body: "one")
        var bytes = request("/bytes", "PUT", fields: ["Content-Type": "image/png"])
        bytes.body = Data([0xFF, 0xFE])
        _ = failure(try await network(form, text, line, bytes))
        let written = try String(contentsOf: file, encoding: .utf8)
        let members = [
            """
                "form" : {
                  "empty" : "",
                  "tag" : [
                    "a&b",
                    "c"
                  ],
                  "user" : "Ada L"
                },
            """,
            #"""
                "text" : [
                  "one\r",
                  "two",
                  ""
                ],
            """#,
            #"    "text" : "one","#,
            #"    "data" : "//4=","#,
        ]
        for member in members { #expect(written.contains(member), "\(written)") }
        #expect(failure(try await network(form, text, line, bytes)) == nil)
        var (form2, text2, line2, bytes2) = (form, text, line, bytes)
        form2.body = Data("empty&tag=a%26b&tag=c&user=Ada%20L".utf8)
        #expect(failure(try await network(form2, text, line, bytes)) == nil)

        form2.body = Data("tag=a%26b&tag=c&user=Eve".utf8)
        text2.body = Data("one\r\n2\n".utf8)
        line2.body = Data("one\ntwo".utf8)
        bytes2.body = Data([0xFF, 0xFE, 0xFD])
        let lines = failure(try await network(form2, text2, line2, bytes2))?.components(separatedBy: "\n") ?? []
        #expect(
            lines.filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) } == [
                #"body.form.empty: expected "", was none"#,
                #"body.form.user: expected "Ada L", was "Eve""#,
                #"body line 2: expected "two", was "2""#,
                "body: expected 1 line, was 2",
                "body: expected 2 bytes, was 3 bytes; first difference at byte 2",
            ]
        )
    }

    @Test func `another secret in the same place is no difference`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        func login(_ body: String, authorization: String) -> StubRequest {
            let type = "application/x-www-form-urlencoded"
            return request(
                "/login",
                "POST",
                fields: ["Authorization": authorization, "Content-Type": type],
                body: body
            )
        }
        // Placeholders of these have different forms.
        _ = failure(
            try await network(login("user=ada&password=engine-1843-Lovelace", authorization: "Bearer a1b2c3d4e5f6a7b8"))
        )
        #expect(failure(try await network(login("user=ada&password=x", authorization: "Bearer another"))) == nil)
        #expect(
            failure(try await network(login("user=eve&password=x", authorization: "Bearer another")))?
                .contains(#"body.form.user: expected "ada", was "eve""#) == true
        )
        #expect(failure(try await network(login("user=ada", authorization: "Bearer another"))) != nil)
    }

    @Test func `the order of query items does not count`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = failure(try await network(request("/a?b=2&a=1")))
        #expect(failure(try await network(request("/a?a=1&b=2"))) == nil)
        #expect(failure(try await network(request("/a?a=1&b=3"))) != nil)
    }

    @Test func `the value of a volatile header field does not count, its presence does`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = failure(try await network(request("/a", fields: ["Idempotency-Key": "k-1"])))
        #expect(try String(contentsOf: file, encoding: .utf8).contains(#""Idempotency-Key" : "(volatile)""#))
        #expect(failure(try await network(request("/a", fields: ["Idempotency-Key": "k-2"]))) == nil)
        #expect(
            failure(try await network(request("/a")))?
                .contains(#"headers.Idempotency-Key: expected "(volatile)", was none"#) == true
        )
        #expect(
            failure(try await network(request("/a", fields: ["Idempotency-Key": "k-3", "traceparent": "00-1"])))?
                .contains(#"headers.traceparent: expected none, was "(volatile)""#) == true
        )
    }

    @Test func `the values of volatile header fields are left out, and the message says how to leave out others`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = failure(try await network(request("/a", fields: ["X-Request-Id": "1", "X-Nonce": "1", "X-Same": "1"])))
        #expect(try String(contentsOf: file, encoding: .utf8).contains(#""X-Request-Id" : "(volatile)""#))
        let network = try await network(request("/a", fields: ["X-Request-Id": "2", "X-Nonce": "2", "X-Same": "1"]))
        #expect(
            failure(network) == """
                The requests differ from those in RequestSnapshot/LoginTests/login.json:
                  request 1, GET https://api.test/a:
                    headers.X-Nonce: expected "1", was "2"
                To accept them:  STUB_SNAPSHOTS=recording swift test --filter LoginTests.login
                Or add to the call at LoginTests.swift:12:  recording: true
                To leave out fields that differ in each run:  network.volatileHeaderFields = \
                network.volatileHeaderFields.including("X-Nonce")
                """
        )
        network.volatileHeaderFields = network.volatileHeaderFields.including("X-Nonce")
        #expect(failure(network) == nil)
    }

    @Test func `a header field that is new or gone is not advised to be left out, which would hide it for good`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = failure(try await network(request("/a", fields: ["X-Gone": "1"])))
        #expect(
            failure(try await network(request("/a", fields: ["X-New": "1"]))) == """
                The requests differ from those in RequestSnapshot/LoginTests/login.json:
                  request 1, GET https://api.test/a:
                    headers.X-Gone: expected "1", was none
                    headers.X-New: expected none, was "1"
                To accept them:  STUB_SNAPSHOTS=recording swift test --filter LoginTests.login
                Or add to the call at LoginTests.swift:12:  recording: true
                """
        )
    }

    // MARK: The advice

    @Test func `under Xcode the advice is the variable to set, and the call`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let xcode = ["XCTestSessionIdentifier": "1"]
        _ = failure(try await network(request("/a")))
        let advice = """
            , set in the scheme or the test plan:  STUB_SNAPSHOTS=recording
            To ACT, as a prefix of the xcodebuild command:  TEST_RUNNER_STUB_SNAPSHOTS=recording
            Or add to the call at LoginTests.swift:12:  recording: true
            """
        #expect(
            failure(try await network(request("/b"), environment: xcode))?.hasSuffix(
                "To accept them" + advice.replacingOccurrences(of: "ACT", with: "accept them")
            ) == true
        )
        try FileManager.default.removeItem(at: directory)
        #expect(
            failure(try await network(request("/b"), environment: xcode.merging(["CI": "1"]) { $1 }))?.hasSuffix(
                "To record it" + advice.replacingOccurrences(of: "ACT", with: "record it")
            ) == true
        )
    }

    @Test func `where the test is not known, the advice is what to add to the call`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let testFile = directory.appendingPathComponent("LoginTests.swift").path
        let network = try await network(request("/a"), environment: ["CI": "true"])
        let assertion = SnapshotAssertion(at: testFile, line: 7, test: nil, function: "login()")
        let advice = "\nTo record it, add to the call at LoginTests.swift:7:  recording: true"
        #expect(assertion.failure(of: network)?.hasSuffix(advice) == true)
    }

    @Test func `requests that differ in their header fields alone may come in any order too`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let requests = ["de", "en", "fr"].map { request("/page", fields: ["X-Language": $0]) }
        _ = failure(try await network(requests[0], requests[1], requests[2]), inAnyOrder: true)
        #expect(failure(try await network(requests[2], requests[0], requests[1]), inAnyOrder: true) == nil)
        #expect(failure(try await network(requests[2], requests[0], requests[0]), inAnyOrder: true) != nil)
    }

    private func expectDifference(
        _ old: [StubRequest],
        _ new: [StubRequest],
        _ lines: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let difference = SnapshotDifference(expected: RequestSnapshot(old), actual: RequestSnapshot(new))
        #expect(difference.lines.joined(separator: "\n") == lines, sourceLocation: sourceLocation)
    }

    @Test func `differences are listed field by field`() {
        let a = request("/a")
        let b = request("/b")
        expectDifference([a, b], [a, b], "")
        expectDifference([a, b], [a], "missing: GET https://api.test/b\n2 expected, 1 made")
        expectDifference([a], [a, b], "request 2, GET https://api.test/b: not expected\n1 expected, 2 made")
        expectDifference([a], [a, a], "request 2, GET https://api.test/a: repeated\n1 expected, 2 made")
        expectDifference(
            [a, b],
            [b, a],
            "missing: GET https://api.test/a\nrequest 2, GET https://api.test/a: not expected"
        )
        expectDifference(
            [request("/a?page=1", fields: ["Accept": "x"])],
            [request("/a?page=2", "PUT", fields: ["X-New": "1"])],
            """
            request 1, PUT https://api.test/a?page=2:
              url: expected "https://api.test/a?page=1", was "https://api.test/a?page=2"
              method: expected "GET", was "PUT"
              headers.Accept: expected "x", was none
              headers.X-New: expected none, was "1"
            """
        )
        expectDifference(
            [request("/a", "POST", body: #"{"user":{"name":"Ada","age":1}}"#)],
            [request("/a", "POST", body: #"{"user":{"age":1,"name":"Eve"}}"#)],
            """
            request 1, POST https://api.test/a:
              body.user.name: expected "Ada", was "Eve"
            """
        )
        expectDifference(
            [request("/a", "POST", body: "one")],
            [request("/a", "POST")],
            "request 1, POST https://api.test/a:\n  body: expected \"one\", was none"
        )
    }

    @Test func `a failing comparison names the file and what to do`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = failure(try await network(request("/a")))
        #expect(
            failure(try await network(request("/b"))) == """
                The requests differ from those in RequestSnapshot/LoginTests/login.json:
                  missing: GET https://api.test/a
                  request 1, GET https://api.test/b: not expected
                To accept them:  STUB_SNAPSHOTS=recording swift test --filter LoginTests.login
                Or add to the call at LoginTests.swift:12:  recording: true
                """
        )
    }

    @Test(arguments: [
        ("{", "it is not JSON"),
        ("{}", "it is not an array"),
        ("[1]", "request 1 is not an object"),
        (#"[{"method":"GET"}]"#, #"request 1 has no "url""#),
        (#"[{"method":"GET","url":"http://a"},{"url":"http://a"}]"#, #"request 2 has no "method""#),
        (#"[{"method":"GET","url":"http://a","headers":{"A":1}}]"#, "request 1 has a header field that is not text"),
        (#"[{"method":"GET","url":"http://a","bdoy":"x"}]"#, #"request 1 cannot have "x" under "bdoy""#),
        (#"[{"method":"GET","url":"http://a","json":1,"text":"x"}]"#, #"request 1 cannot have "x" under "text""#),
        (#"[{"method":"GET","url":"http://a","data":"?"}]"#, #"request 1 cannot have "?" under "data""#),
    ])
    func `a file that is not a snapshot says why`(content: String, reason: String) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try write(content)
        #expect(
            failure(try await network()) == """
                RequestSnapshot/LoginTests/login.json is not a request snapshot: \(reason). Correct it, or delete it and run \
                again to record it.
                """
        )
    }

    @Test func `a snapshot holds no secrets, no boundaries and no header fields of the platform`() async throws {
        let network = try await network(
            request(
                "/a?access_token=hunter2hunter2",
                fields: ["Authorization": "Bearer hunter2hunter2", "User-Agent": "me"]
            ),
            request(
                "/upload",
                "POST",
                fields: ["Content-Type": "multipart/form-data; boundary=Boundary-9F2C"],
                body: "--Boundary-9F2C\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--Boundary-9F2C--\r\n"
            )
        )
        let text = String(decoding: RequestSnapshot(network.redactedRequests).rendered, as: UTF8.self)
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("User-Agent"))
        #expect(!text.contains("9F2C"))
        #expect(text.contains(#""Content-Type" : "multipart/form-data; boundary=boundary""#))
        #expect(text.contains("--boundary--"))
    }

    @Test func `the order can be ignored`() {
        let (a, b) = (request("/a"), request("/b"))
        #expect(RequestSnapshot([b, a], inAnyOrder: true) == RequestSnapshot([a, b], inAnyOrder: true))
        #expect(RequestSnapshot([b, a]) != RequestSnapshot([a, b]))
        #expect(RequestSnapshot([a, a, b], inAnyOrder: true) != RequestSnapshot([a, b, b], inAnyOrder: true))
    }

    @Test func greeting() async throws {
        let network = try await network(request("/greeting"))
        assertRequests(of: network)
    }

    @Test(arguments: ["one", "two"])
    func cases(path: String) async throws {
        assertRequests(of: try await network(request("/\(path)")))
    }

    @Test func `the first run fails the test`() async throws {
        let name = "never\(UUID().uuidString.filter { $0 != "-" })"
        let network = try await network(request("/a"))
        withKnownIssue {
            assertRequests(of: network, named: name)
        } matching: { issue in
            issue.comments.first?.rawValue.hasPrefix("1 request was recorded into ") == true
        }
        let written = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(
                "RequestSnapshot/SnapshotTests/\(name).json"
            )
        #expect(FileManager.default.fileExists(atPath: written.path))
        try FileManager.default.removeItem(at: written)
    }
}

final class SnapshotXCTests: XCTestCase {
    func testGreeting() async throws {
        let network = StubbornNetwork(.observing, environment: [:])
        _ = try await network.session.data(from: URL(string: "https://api.example.com/greeting")!)
        assertRequests(of: network)
    }

    func testNames() {
        for name in ["-[LoginTests testLogin]", "LoginTests.testLogin", "-[App.LoginTests testLogin]"] {
            XCTAssertEqual(TestName(ofXCTest: name).stubName, "LoginTests_testLogin")
        }
    }
}
