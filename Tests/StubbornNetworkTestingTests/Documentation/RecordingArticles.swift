import Foundation
import LoopbackServer
import StubbornNetworkTesting
import Testing

/// On a build server, or where the environment asks for a mode, a network does not record because code says so.
private let recordsNothing = ["CI", "STUB_RECORD_MODE"].contains { ProcessInfo.processInfo.environment[$0] != nil }

/// Recording, reviewing a recording, and continuous integration.
struct RecordingArticles {
    private let stubs = FileManager.default.temporaryDirectory.appendingPathComponent("articles-\(UUID().uuidString)")

    @Test(.disabled(if: recordsNothing))
    func `the first run records, and the next one is played back`() async throws {
        defer { try? FileManager.default.removeItem(at: stubs) }
        let realServer = try LoopbackServer { _ in .json(#"{"name":"Ada"}"#) }
        let server = realServer.url("/")
        let network = StubbornNetwork(.persistent(named: "UserTests_name", in: stubs.path))
        network.recordMode = .recordingMissing
        let name = try await UserClient(session: network.session, server: server).name(of: 42)
        try network.finishRecording()
        #expect(name == "Ada")
        realServer.stop()

        let next = StubbornNetwork(.persistent(named: "UserTests_name", in: stubs.path), environment: .newRun)
        next.recordMode = .recordingMissing
        #expect(try await UserClient(session: next.session, server: server).name(of: 42) == "Ada")
        #expect(realServer.requests.count == 1)
    }

    @Test func `a recording's timing, body encoding and volatile header fields can be set`() {
        let network = StubbornNetwork(.ephemeral)
        network.recordsTiming = true
        network.playbackSpeed = .recorded

        network.bodyEncoding = .readable

        network.passThrough(.host("localhost"))

        network.volatileHeaderFields = .standard.including("X-Build-Number").excluding("X-Cache")

        network.volatileJSONKeyPaths = ["generatedAt", "items.updatedAt"]

        #expect(network.volatileHeaderFields.contains("x-build-number"))
        #expect(network.volatileHeaderFields.contains("X-Cache") == false)
    }

    @Test(.disabled(if: recordsNothing))
    func `verifying reports what the server says differently now`() async throws {
        defer { try? FileManager.default.removeItem(at: stubs) }
        let body = Lock(#"{"name":"Ada"}"#)
        let realServer = try LoopbackServer { _ in .json(body.withLock { $0 }) }
        let server = realServer.url("/")
        let configuration = StubbornNetworkConfiguration.persistent(named: "UserTests_name", in: stubs.path)
        let recording = StubbornNetwork(configuration)
        recording.recordMode = .recording
        _ = try await UserClient(session: recording.session, server: server).name(of: 42)
        try recording.finishRecording()
        body.withLock { $0 = #"{"name":"Grace","born":1906}"# }

        let network = StubbornNetwork(configuration)
        network.recordMode = .verifying
        let name = try await UserClient(session: network.session, server: server).name(of: 42)
        let report = await network.verificationReport()
        print(report)

        #expect(name == "Grace")
        #expect(report.description.contains(#"  body.name: recorded "Ada", received "Grace""#))
        #expect(report.description.contains("  body.born: recorded none, received 1906"))
    }

    @Test(.disabled(if: ProcessInfo.processInfo.environment["STUB_RECORD_MODE"] != nil))
    func `on continuous integration nothing is recorded`() {
        let network = StubbornNetwork(
            .persistent(named: "UserTests_name", in: stubs.path),
            environment: ["CI": "true"]
        )
        network.recordMode = .recordingOnce
        #expect(network.recordMode == .playback)
    }
}
