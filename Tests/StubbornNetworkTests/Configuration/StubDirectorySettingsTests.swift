import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

@Suite(.timeLimit(.minutes(5)))
struct StubDirectorySettingsTests {
    let directory = TemporaryDirectory()

    private func network(in folder: String = "Stubs", _ mode: RecordMode = .playback) throws -> StubbornNetwork {
        let url = directory.file(folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let network = StubbornNetwork(.persistent(name: "test", path: url.path)!, environment: .newRun)
        network.recordMode = mode
        return network
    }

    private func writeSettings(_ text: String, in folder: String = "Stubs") throws {
        let url = directory.file(folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try directory.write(text, to: folder.isEmpty ? ".stubborn.json" : "\(folder)/.stubborn.json")
    }

    @Test func `bodies are written readably where the settings ask for it, and in base64 where code asks for that`()
        async throws
    {
        let server = try LoopbackServer()
        try writeSettings(#"{ "bodyEncoding" : "readable" }"#)
        #expect(try network().bodyEncoding == .readable)

        let recording = try network(.recording)
        _ = try await recording.session.data(from: server.url("/hello"))
        try recording.finishRecording()
        #expect(try directory.text(of: "Stubs/test.json").contains(#""text" : "#))

        let overruled = try network()
        overruled.bodyEncoding = .base64
        #expect(overruled.bodyEncoding == .base64)
    }

    @Test func `the lists of the settings are added to the matchers of code`() throws {
        try writeSettings(
            """
            {
              "matching" : {
                "ignoredHeaders" : [ "X-Request-Time" ], "ignoredJSONKeys" : [ "sentAt" ],
                "ignoredQueryItems" : [ "page_token" ]
              }
            }
            """
        )
        let network = try network()
        #expect(
            "\(network.requestMatcherOptions)"
                == #"[.httpMethod, .url(ignoringQueryItems: ["page_token"]), .requestBody(ignoringJSONKeyPaths: ["sentAt"])]"#
        )
        network.requestMatcherOptions = [.url(ignoringQueryItems: ["ts"]), .headers, .query, .path]
        #expect(
            "\(network.requestMatcherOptions)"
                == #"[.url(ignoringQueryItems: ["ts", "page_token"]), .headers(ignoring: ["X-Request-Time"]), "#
                + #".query(ignoringQueryItems: ["page_token"]), .path]"#
        )
    }

    @Test func `an ignored query item does not keep a stub from answering`() async throws {
        try writeSettings(#"{ "matching" : { "ignoredQueryItems" : [ "ts" ] } }"#)
        try directory.write(
            """
            [ { "data" : "YWJj", "request" : { "method" : "GET", "url" : "https://api.example.com/a?ts=1" },
                "response" : { "statusCode" : 200 } } ]
            """,
            to: "Stubs/test.json"
        )
        let network = try network()
        let url = try #require(URL(string: "https://api.example.com/a?ts=2"))
        let (data, _) = try await network.session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "abc")
        network.requestMatcherOptions = [.query]
        #expect(try network.response(to: URLRequest(url: url)).0 == data)
    }

    @Test func `names in the settings are redacted, also where code sets rules of its own`() async throws {
        let server = try LoopbackServer()
        try writeSettings(
            #"{ "redaction" : { "headers" : [ "X-Seat" ], "queryItems" : [ "row" ], "jsonKeys" : [ "nick" ] } }"#
        )
        let recording = try network(.recording)
        recording.redaction = .standard.including(headers: ["X-Gate"])
        var request = URLRequest(url: server.url("/hello?row=planted-row-77"))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"nick":"planted-nick-77"}"#.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("planted-seat-77", forHTTPHeaderField: "X-Seat")
        request.setValue("planted-gate-77", forHTTPHeaderField: "X-Gate")
        _ = try await recording.session.data(for: request)
        recording.bodyEncoding = .readable
        _ = try await recording.session.data(for: request)
        try recording.finishRecording()
        let text = try directory.text(of: "Stubs/test.json")
        for secret in ["planted-row-77", "planted-nick-77", "planted-seat-77", "planted-gate-77"] {
            #expect(!text.contains(secret))
        }
        #expect(text.contains("/hello"))
    }

    @Test func `values of the environment variables that the settings name are redacted`() async throws {
        let server = try LoopbackServer { _ in .text("Welcome, planted-login-77.") }
        try writeSettings(
            #"{ "bodyEncoding" : "readable", "redaction" : { "environment" : [ "SHOP_LOGIN", "NONE" ] } }"#
        )
        let variables = ["SHOP_LOGIN": "planted-login-77", "SHOP_NAME": "Welcome"]
        let stubs = directory.file("Stubs").path
        let recording = StubbornNetwork(.persistent(name: "test", path: stubs)!, environment: variables)
        recording.recordMode = .recording
        recording.redaction = .standard.excluding(.pinFields)
        _ = try await recording.session.data(from: server.url("/hello"))
        try recording.finishRecording()
        let text = try directory.text(of: "Stubs/test.json")
        #expect(!text.contains("planted-login-77"))
        #expect(text.contains("Welcome, REDACTED"))
    }

    @Test(arguments: ["token-fields", "tokenFields", "jsonKey:token"])
    func `a rule that the settings exclude does not redact`(rule: String) async throws {
        let server = try LoopbackServer()
        try writeSettings(#"{ "bodyEncoding" : "readable", "redaction" : { "excluded" : [ "\#(rule)" ] } }"#)
        let recording = try network(.recording)
        var request = URLRequest(url: server.url("/hello"))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"token":"not a secret here, 77"}"#.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        _ = try await recording.session.data(for: request)
        try recording.finishRecording()
        #expect(try directory.text(of: "Stubs/test.json").contains("not a secret here, 77"))
    }

    @Test func `the header fields of the settings are volatile`() throws {
        try writeSettings(#"{ "volatileHeaders" : [ "X-Build" ] }"#)
        let network = try network()
        #expect(network.volatileHeaderFields.contains("x-build"))
        network.volatileHeaderFields = VolatileHeaderFields(["X-Other"])
        #expect(network.volatileHeaderFields.contains("X-Build"))
        #expect(!network.volatileHeaderFields.contains("Date"))
    }

    @Test func `the nearest file counts, up to the root of the package`() throws {
        try directory.write("", to: "Package.swift")
        try writeSettings(#"{ "bodyEncoding" : "readable" }"#, in: "")
        #expect(try network(in: "Tests/App/Stubs").bodyEncoding == .readable)
        try writeSettings(#"{ "bodyEncoding" : "base64" }"#, in: "Tests")
        #expect(try network(in: "Tests/App/Stubs").bodyEncoding == .base64)

        try directory.write("", to: "Tests/App/Package.swift")
        #expect(try network(in: "Tests/App/Stubs").bodyEncoding == .base64)
        try writeSettings(#"{ "bodyEncoding" : "readable" }"#, in: "Tests")
        #expect(try network(in: "Tests/App/Stubs").bodyEncoding == .base64)
    }

    @Test func `a file above a directory that belongs to no package does not count`() throws {
        try writeSettings(#"{ "bodyEncoding" : "readable" }"#, in: "")
        #expect(try network().bodyEncoding == .base64)
    }

    @Test(arguments: [
        (#"{ "bodyEncoding" : "hex" }"#, #"bodyEncoding: must be "base64" or "readable""#),
        (#"{ "bodyencoding" : "base64" }"#, "bodyencoding: unknown key; the keys are bodyEncoding, allowed, matching"),
        (#"{ "allowed" : { "recorded-errors" : [] } }"#, "allowed.recorded-errors: unknown key"),
        (#"{ "matching" : { "ignored" : [] } }"#, "matching.ignored: unknown key"),
        (#"{ "matching" : [] }"#, "matching: "), (#"{ "volatileHeaders" : "Date" }"#, "volatileHeaders: "),
        (#"{ "redaction" : { "environment" : "API_KEY" } }"#, "redaction.environment: "),
        (#"{ "volatileHeaders" : [ "Date", 1 ] }"#, "volatileHeaders[1]: "),
        (#"{ "recording" : { "excludedStatusCodes" : [ 4040 ] } }"#, "recording.excludedStatusCodes: a status code"),
        (#"{ "redaction" : { "excluded" : [ "pasword" ] } }"#, #"redaction.excluded: "pasword" is not the name of"#),
        ("[]", "directory: Expected"), ("", "JSON"), (#"{ "volatileHeaders" : [ "Date""#, "JSON"),
    ])
    func `a fault in the settings fails every request, with the key path and what is wrong`(
        text: String,
        expected: String
    ) async throws {
        try writeSettings(text)
        let network = try network()
        let error = #expect(throws: StubbornNetworkError.self) { try network.loadStubs() }
        #expect(error?.code == .invalidSettings)
        #expect(error?.file?.lastPathComponent == ".stubborn.json")
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        await expectStubbornNetworkError {
            try await network.session.data(from: #require(URL(string: "https://api.example.com/a")))
        }
    }

    @Test func `a report names the settings file for each setting that it takes part in`() throws {
        try writeSettings(
            #"""
            {
              "bodyEncoding" : "readable",
              "matching" : { "ignoredQueryItems" : [ "ts" ] },
              "redaction" : { "jsonKeys" : [ "card" ] }
            }
            """#
        )
        try directory.write("[]", to: "Stubs/test.json")
        let network = try network()
        let reports = Lock<[UnstubbedRequestReport]>([])
        network.onUnstubbedRequest = { report in reports.withLock { $0.append(report) } }
        let url = try #require(URL(string: "https://api.example.com/a"))
        #expect(throws: StubbornNetworkError.self) { try network.response(to: URLRequest(url: url)) }
        let report = try #require(reports.withLock { $0.first })
        let line = report.description.split(separator: "\n").dropFirst().first ?? ""
        // A long path is cut.
        let path = directory.path.prefix(40)
        #expect(line.contains("] (default, with \(path)"), "\(line)")
        #expect(line.contains(", redaction (default, with \(path)"), "\(line)")
    }
}
