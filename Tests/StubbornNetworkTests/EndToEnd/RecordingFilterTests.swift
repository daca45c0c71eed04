import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Exchanges that are left out of a recording, or stored with a change.
@Suite(.timeLimit(.minutes(5)))
struct RecordingFilterTests {
    private let directory = TemporaryDirectory()
    private let server: LoopbackServer

    init() throws {
        // The first request for /busy is refused.
        server = try LoopbackServer { request in
            if request.path == "/busy", request.nextNumber(for: "busy") == 1 { return .text("busy", status: 429) }
            return .json(#"{"debug":"x","path":"\#(request.path)"}"#)
        }
    }

    private func network(
        _ mode: RecordMode,
        _ filter: (@Sendable (RecordedExchange) -> RecordedExchange?)? = nil
    ) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        network.recordingFilter = filter
        return network
    }

    @discardableResult
    private func get(_ path: String, _ network: StubbornNetwork) async throws -> String {
        let (data, response) = try await network.session.data(from: server.url(path))
        return "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data, as: UTF8.self))"
    }

    private var stored: [String] {
        get throws {
            try StubFile(contentsOf: directory.file("a.json")).stubs.map { stub in
                "\(stub.request.url.path) \(stub.response.head?.statusCode ?? 0)"
            }
        }
    }

    private static let withoutRefusals: @Sendable (RecordedExchange) -> RecordedExchange? = { exchange in
        exchange.response?.statusCode == 429 ? nil : exchange
    }

    @Test func `a response that the filter leaves out reaches the client, and not the file`() async throws {
        let network = network(.recording, Self.withoutRefusals)
        #expect(try await get("/busy", network) == "429 busy")
        #expect(try await get("/busy", network) == #"200 {"debug":"x","path":"/busy"}"#)
        try network.finishRecording()
        #expect(try stored == ["/busy 200"])
        #expect(network.exchanges.map(\.outcome) == [.passedThrough, .recorded])
        #expect(network.recordingReport.description.contains("settings: 1 exchange."))
        // The first request of a client that tries again gets the answer of the second one.
        #expect(try await get("/busy", self.network(.playback)) == #"200 {"debug":"x","path":"/busy"}"#)
    }

    @Test func `the run report counts what is left out as passed through`() async throws {
        let report = directory.file("report.json")
        var environment = [String: String].newRun
        environment["STUB_REPORT"] = report.path
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: environment)
        network.recordMode = .recording
        network.recordingFilter = Self.withoutRefusals
        try await get("/busy", network)
        try await get("/busy", network)
        try network.finishRecording()
        try await eventually {
            return RunReport(contentsOf: report)?.networks.first?.summary.description.hasPrefix(
                "2 requests: 1 recorded, 1 passed through."
            )
                == true
        }
    }

    @Test func `the filter gets the whole exchange, and its change is stored`() async throws {
        let seen = Lock<RecordedExchange?>(nil)
        let recording = network(.recording) { exchange in
            seen.withLock { $0 = exchange }
            var exchange = exchange
            exchange.json["path"] = "changed"
            exchange.json.remove("debug")
            exchange.response?.headerFields["X-Added"] = "1"
            exchange.request.headerFields["X-Sent"] = "2"
            exchange.request.headerFields["Cookie"] = "theme=dark; lang=en"
            return exchange
        }
        #expect(try await get("/a", recording) == #"200 {"debug":"x","path":"/a"}"#)
        try recording.finishRecording()
        let exchange = try #require(seen.withLock { $0 })
        #expect(exchange.request.url == server.url("/a"))
        #expect(exchange.response?.statusCode == 200)
        #expect(exchange.json == ["debug": "x", "path": "/a"])
        #expect(exchange.failure == nil)
        let stub = try #require(try StubFile(contentsOf: directory.file("a.json")).stubs.first)
        #expect(stub.request.headerFields["X-Sent"] == "2")
        #expect(stub.request.headerFields["Cookie"] == "theme=dark; lang=en")
        #expect(stub.response.head?.headerFields["X-Added"] == "1")
        server.stop()
        #expect(try await get("/a", network(.playback)) == #"200 {"path":"changed"}"#)
    }

    @Test func `a secret that the filter adds is redacted`() async throws {
        let recording = network(.recording) { exchange in
            var exchange = exchange
            exchange.request.headerFields["Authorization"] = "Bearer s3cr3t-added-1"
            exchange.json["password"] = "s3cr3t-added-2"
            return exchange
        }
        try await get("/a", recording)
        try recording.finishRecording()
        #expect(try !directory.text(of: "a.json").contains("s3cr3t"))
        let stub = try #require(try StubFile(contentsOf: directory.file("a.json")).stubs.first)
        #expect(!"\(stub.response.bytes ?? Data())".contains("s3cr3t"))
        #expect(!String(decoding: stub.response.bytes ?? Data(), as: UTF8.self).contains("s3cr3t"))
    }

    @Test func `an error can be left out`() async throws {
        server.stop()
        let recording = network(.recordingMissing) { exchange in exchange.failure == nil ? exchange : nil }
        _ = try? await get("/a", recording)
        try recording.finishRecording()
        #expect(recording.recordedStubs.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: directory.file("a.json").path))
    }

    @Test func `recording again removes the stub of what is now left out, and adding to the file keeps it`()
        async throws
    {
        let first = network(.recording)
        for path in ["/a", "/b"] { try await get(path, first) }
        try first.finishRecording()
        #expect(try stored.count == 2)
        let filter: @Sendable (RecordedExchange) -> RecordedExchange? = { $0.request.url.path == "/a" ? nil : $0 }
        let adding = network(.recordingMissing, filter)
        for path in ["/a", "/b", "/a"] { try await get(path, adding) }
        try adding.finishRecording()
        #expect(try stored == ["/a 200", "/b 200"])
        let replacing = network(.recording, filter)
        for path in ["/a", "/b"] { try await get(path, replacing) }
        try replacing.finishRecording()
        #expect(try stored == ["/b 200"])
        await #expect(throws: (any Error).self) { try await get("/a", network(.playback)) }
    }

    @Test func `the settings of the stub directory leave out hosts and status codes`() async throws {
        try directory.write(
            #"{ "recording" : { "excludedHosts" : [ "LOCALHOST" ], "excludedStatusCodes" : [ 429, 503 ] } }"#,
            to: ".stubborn.json"
        )
        let network = network(.recording)
        try await get("/busy", network)
        try await get("/a", network)
        let local = try #require(URL(string: "http://localhost:\(server.port)/b"))
        #expect(try await network.session.data(from: local).0.count == 25)
        try network.finishRecording()
        #expect(try stored == ["/a 200"])
    }

    @Test(arguments: [("127.0.0.1", ["To record it"]), ("LocalHost", [])])
    func `a request to a host that is never recorded is not offered to be recorded`(host: String, ways: [String])
        async throws
    {
        try directory.write(#"{ "recording" : { "excludedHosts" : [ "localhost" ] } }"#, to: ".stubborn.json")
        let network = network(.playback)
        let reports = Lock<[UnstubbedRequestReport]>([])
        network.onUnstubbedRequest = { report in reports.withLock { $0.append(report) } }
        let url = try #require(URL(string: "http://\(host):\(server.port)/b"))
        await #expect(throws: (any Error).self) { _ = try await network.session.data(from: url) }
        let purposes = try #require(reports.withLock(\.first)).fixes.map(\.purpose)
        #expect(purposes.filter { $0.hasPrefix("To record") } == ways)
        #expect(purposes.contains("To declare it"))
    }

    @Test(arguments: [
        (#"{"recording":{"excludedStatusCodes":["429"]}}"#, "recording.excludedStatusCodes[0]: "),
        (#"{"recording":{"excludedStatusCodes":[42]}}"#, "excludedStatusCodes: a status code has three digits"),
        (#"{"recording":{"excludedStatusCodes":429}}"#, "recording.excludedStatusCodes: "),
        (#"{"recording":{"excludedHosts":[429]}}"#, "recording.excludedHosts[0]: "),
        (#"{"recording":{"excludedPaths":[]}}"#, "recording.excludedPaths: unknown key; the keys are "),
    ])
    func `a wrong setting fails every request, and says why`(settings: String, message: String) async throws {
        try directory.write(settings, to: ".stubborn.json")
        let network = network(.recording)
        let error = await #expect(throws: (any Error).self) { try await get("/a", network) }
        #expect(error.flatMap { StubbornNetworkError($0) }?.message.contains(message) == true)
        #expect(server.connectionCount == 0)
    }

    @Test func `the filter is asked for clients that are not sessions, too`() async throws {
        let network = network(.recording, Self.withoutRefusals)
        for status in [429, 200] {
            let response = try await network.response(to: StubRequest(url: server.url("/x"))) { _ in
                .text("\(status)", statusCode: status)
            }
            #expect(response.head?.statusCode == status)
        }
        try network.finishRecording()
        #expect(try stored == ["/x 200"])
        #expect(network.exchanges.map(\.outcome) == [.passedThrough, .recorded])
    }

    @Test func `a change by the filter is no difference when the recording is verified`() async throws {
        let filter: @Sendable (RecordedExchange) -> RecordedExchange? = { exchange in
            var exchange = exchange
            exchange.json.remove("debug")
            return exchange
        }
        let recording = network(.recording, filter)
        try await get("/a", recording)
        try recording.finishRecording()
        let verifying = network(.verifying, filter)
        try await get("/a", verifying)
        #expect(await verifying.verificationReport().stubs.map(\.severity) == [nil])
        let leavingOut = network(.verifying) { _ in nil }
        try await get("/a", leavingOut)
        // What is left out of a recording is not compared either.
        #expect(await leavingOut.verificationReport().stubs.allSatisfy { $0.differences.isEmpty })
    }
}
