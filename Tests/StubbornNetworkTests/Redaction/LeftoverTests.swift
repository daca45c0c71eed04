import Foundation
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// What looks random and was left is listed, wherever it is.
struct LeftoverTests {
    private static let random = "Qx7RkP2vLw9ZtB4nHs6Jd3Gc"

    private func left(_ stub: Stub) throws -> [String] {
        let redactor = Redactor(.standard, environment: [:])
        let redacted = redactor.redact(stub)
        try redactor.scan(redacted, number: 0)
        return redactor.report.unredacted.map { "\($0.part): \($0.beginning) \($0.length)" }
    }

    @Test(arguments: [
        ("AQAE\(random)==", "text/plain", ": AQAE 30"),
        (#"{"items":{"\#(random)":{"n":1}}}"#, "application/json", ", items: Qx7R 24"),
        (#"{"n":"Qx7RkP2vLw9ZtB4n"}"#, "application/json", ", n: Qx7R 16"),
        (#"{"n":"njIUcXuNZRJVSnltBIkdTQpqXeRCZBJq"}"#, "application/json", ", n: njIU 32"),
        (#"{"n":"qwzxkvbjtrplmgqhdwcx"}"#, "application/json", ", n: qwzx 20"),
        (#"{"n":"470690059292244696291370"}"#, "application/json", ", n: 4706 24"),
        (#"{"n":"YURKFh5P6yyn$JarOMU@4V1U"}"#, "application/json", ", n: YURK 24"),
        (#"{"n":"Gm7DM1HA.7VTtSkCN.QHmxHaRy"}"#, "application/json", ", n: Gm7D 26"),
        ("<html><!-- build \(random) --><p>hi</p></html>", "text/html", ": Qx7R 24"),
        ("<?php\n$x = '\(random)';", "text/plain", ", $x: Qx7R 24"),
        ("\u{0}\u{1}\(random)\u{2}\u{0}", "application/octet-stream", ": Qx7R 24"),
        ("note = \(random)", "text/plain", ", note: Qx7R 24"),
        (#"{"voucherCodes":["x","84314-8fba1"]}"#, "application/json", ", voucherCodes: 8431 11"),
        (#"{"log":"{\"trace\":\"\#(random)\"}"}"#, "application/json", ", trace: Qx7R 24"),
    ])
    func `a text that looks random is listed with its place`(body: String, type: String, place: String) throws {
        #expect(try left(.answer(body, fields: ["Content-Type": type])) == ["response body\(place)"])
    }

    @Test(arguments: ["Content-Type", "content-type"])
    func `the boundary that a content type names is not listed`(name: String) throws {
        #expect(try left(.answer("", fields: [name: "multipart/mixed; boundary=\(Self.random)"])) == [])
    }

    @Test func `a stream that has not ended is listed, and once when it has`() throws {
        let redactor = Redactor(.standard, environment: [:])
        for body in ["a \(Self.random)", "a \(Self.random) b \(Self.random)1", "a \(Self.random) b \(Self.random)1 c"] {
            try redactor.scan(.answer(body, fields: ["Content-Type": "text/plain"]), number: 7)
        }
        #expect(redactor.report.unredacted.map { [$0.requestCount, $0.valueCount] } == [[1, 2]])
        #expect(redactor.report.unredacted.map(\.requestCount) == [1])
    }

    @Test func `what is in a URL and in the names of cookies is listed`() throws {
        let request = StubRequest(
            url: try #require(URL(string: "https://x.example/unsubscribe?\(Self.random)")),
            headers: ["X-Note-ID": Self.random]
        )
        let head = ResponseHead(statusCode: 200, headers: ["Set-Cookie": "\(Self.random)=1; Path=/"])
        let stub = Stub(request: request, response: StubResponse(head: head))
        #expect(
            try left(stub) == [
                "request URL: Qx7R 24", "request header X-Note-ID: Qx7R 24", "response header Set-Cookie: Qx7R 25",
            ]
        )
    }

    @Test(arguments: ["https://x.example", "http://localhost:8080"])
    func `a segment of a path is listed with the one before it`(origin: String) throws {
        let url = try #require(URL(string: "\(origin)/teams/\(Self.random)/items/\(Self.random)1"))
        let stub = Stub(request: StubRequest(url: url), response: StubResponse(head: ResponseHead(statusCode: 200)))
        #expect(try left(stub) == ["request URL, teams: Qx7R 24", "request URL, items: Qx7R 25"])
    }

    @Test(arguments: [
        ("voucherCode", "WDJB-MJHT", ["voucherCode: WDJB 9"]),
        ("streamName", "blue-lake-7th-road", []), ("place", "WDJB-MJHT", []),
    ])
    func `groups of letters are listed, if a digit is among four of them or the name is suspicious`(
        name: String,
        value: String,
        found: [String]
    ) throws {
        #expect(try left(.answer(#"{"\#(name)":"\#(value)"}"#)) == found.map { "response body, \($0)" })
    }

    @Test(arguments: [
        "The quick brown fox jumps over the lazy dog", "internationalization-of-configurations",
        "Rindfleischetikettierungsueberwachungsaufgaben", "2026-01-05T10:00:00.000+01:00",
        "https://api.example.com/v1/items",
        "20260105100000000", "com.example.application.authentication", "ann.miller.berlin@mail.example.com",
        "AAAAAAAAAAAAAAAAAAAAAAAA", "00000000000000000000000",
    ])
    func `what people write does not look random`(text: String) throws {
        #expect(try left(.answer(#"{"n":"\#(text)"}"#)) == [])
    }

    @Test func `a time is not listed, whatever its name is`() throws {
        #expect(try left(.answer(#"{"token_expires_at":"2026-01-05T10:00:00Z"}"#)) == [])
    }

    @Test func `a tag behind the end of an element is no value of that element`() throws {
        #expect(try left(.answer("<form><password></password><block42/></form>")) == [])
    }

    @Test func `ids and addresses in a response are not listed, and the number of other values is shown`() throws {
        let redactor = Redactor(.standard, environment: [:])
        let items = (1...3).map {
            #"{"img":"https://cdn.example/\#(Self.random)\#($0)","id":"\#(Self.random)\#($0)","n":"\#(Self.random)\#($0)"}"#
        }
        try redactor.scan(.answer("[\(items.joined(separator: ","))]"), number: 0)
        #expect(
            redactor.report.unredacted.map { "\($0.part), \($0.valueCount)" } == ["response body, n, 3"]
        )
    }

    @Test func `volatile header fields are not listed`() throws {
        #expect(try left(.answer("", fields: ["ETag": Self.random, "X-Request-Id": Self.random])) == [])
    }

    @Test func `thirty exchanges make a page`() throws {
        var generator = SeededGenerator(state: 3)
        func random(_ count: Int) -> String {
            String((0..<count).map { _ in "abcdef0123456789".randomElement(using: &generator) ?? "a" })
        }
        let redactor = Redactor(.standard, environment: [:])
        let token = random(40)
        for page in 1...30 {
            let commits = (0..<5).map { _ in #"{"seal":"\#(random(40))","node":{"mark":"\#(random(24))"}}"# }
            let request = StubRequest(
                url: try #require(URL(string: "https://api.example.com/commits?page=\(page)")),
                headers: ["Authorization": "Bearer \(token)", "X-Partner-ID": "Qx7RkP2vLw9ZtB4nHs6Jd3Gc"]
            )
            let head = ResponseHead(statusCode: 200, headers: ["ETag": random(32)])
            let body = Data("[\(commits.joined(separator: ","))]".utf8)
            let stub = redactor.redact(
                Stub(request: redactor.redact(request), response: StubResponse(head: head, body: body))
            )
            try redactor.scan(stub, number: page)
        }
        #expect(
            redactor.report.description == """
                1 field was replaced:
                  request header Authorization, token (headers): 30 requests, 5ec2e70000000000000000000000000000000001
                3 fields look random and were kept, the most suspicious first:
                  request header X-Partner-ID: 30 requests, Qx7R… (24 characters)
                  response body, seal: 30 requests, 150 different values, \(redactor.report.unredacted[1].beginning)… (40 characters)
                  response body, mark: 30 requests, 150 different values, \(redactor.report.unredacted[2].beginning)… (24 characters)
                """
        )
    }

    @Test func `a list has 15 fields, and says how many more there are`() throws {
        let fields = (0..<200).map { #""f\#($0)":"Qx7RkP2vLw9ZtB4n\#(1000 + $0)""# }
        let redactor = Redactor(.standard, environment: [:])
        try redactor.scan(.answer("{\(fields.joined(separator: ","))}"), number: 0)
        #expect(redactor.report.unredacted.count == 15)
        #expect(redactor.report.unlistedCount == 185)
        #expect(redactor.report.description.hasPrefix("200 fields look random"))
        #expect(redactor.report.description.hasSuffix("\n  … and 185 more"))
    }
}
