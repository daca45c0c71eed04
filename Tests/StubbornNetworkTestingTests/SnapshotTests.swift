import Foundation
import StubbornNetwork
import Testing
import XCTest

@testable import StubbornNetworkTesting

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
            headerFields: fields,
            body: body.map { Data($0.utf8) }
        )
    }

    /// A network that has been asked these.
    private func network(_ requests: StubRequest...) async throws -> StubbornNetwork {
        let network = StubbornNetwork(.observing, environment: [:])
        for request in requests { _ = try await network.session.data(for: request.urlRequest) }
        return network
    }

    private var assertion: SnapshotAssertion {
        SnapshotAssertion(beside: directory.path + "/LoginTests.swift", suite: "LoginTests", name: "login")
    }

    private func failure(_ network: StubbornNetwork, recording: Bool = false, inAnyOrder: Bool = false) -> String? {
        assertion.failure(of: network, recording: recording, inAnyOrder: inAnyOrder)?
            .replacingOccurrences(of: directory.path + "/", with: "")
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
                Requests recorded! Set recording to false and run again. (2 requests in \
                RequestSnapshot/LoginTests/login.json)
                """
        )
        #expect(
            try String(contentsOf: assertion.file, encoding: .utf8) == #"""
                [
                  {
                    "body" : "{\"name\":\"Ada\"}",
                    "headers" : {
                      "Content-Type" : "application/json",
                      "X-App" : "7"
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
        #expect(failure(network, recording: true)?.hasPrefix("Requests recorded!") == true)
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
                To accept them:  assertRequests(of: network, recording: true), once
                """
        )
        try Data("{".utf8).write(to: assertion.file)
        #expect(failure(try await network())?.contains("is not a request snapshot") == true)
    }

    @Test func `a snapshot holds no secrets, boundaries and header fields of the platform`() async throws {
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
        let text = String(decoding: try RequestSnapshot(network.redactedRequests).rendered(), as: UTF8.self)
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

    @Test func `bytes that are not text are base64`() throws {
        var upload = request("/a", "PUT")
        upload.body = Data([0xFF, 0xFE])
        #expect(RequestSnapshot([upload]).entries.first?.body == "//4=")
        #expect(try RequestSnapshot(parsing: RequestSnapshot([upload]).rendered()) == RequestSnapshot([upload]))
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
        let name = "never-\(UUID().uuidString)"
        let network = try await network(request("/a"))
        withKnownIssue {
            assertRequests(of: network, named: name)
        } matching: { issue in
            issue.comments.first?.rawValue.hasPrefix("Requests recorded! Set recording to false and run again") == true
        }
        let written = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(
                "RequestSnapshot/SnapshotTests/\(name.replacingOccurrences(of: "-", with: "")).json"
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
            XCTAssertEqual(XCTestName(name).stubName, "LoginTests_testLogin")
        }
    }
}
