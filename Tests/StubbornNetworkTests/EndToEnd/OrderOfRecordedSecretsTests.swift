import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Recorded requests that differ only in what was replaced, and have different answers.

/// Secrets in a different order, with a server, files and sessions.
@Suite(.timeLimit(.minutes(5)))
struct OrderOfRecordedSecretsTests {
    let directory = TemporaryDirectory()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            let code = request.query("code") ?? ""
            return .text(code.hasPrefix("SUMMER") ? "10" : code.hasPrefix("WINTER") ? "50" : "\(code.suffix(1))")
        }
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "order", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        return network
    }

    private func discount(_ code: String, _ network: StubbornNetwork) async throws -> String {
        let data = try await network.session.data(from: server.url("/discount?code=\(code)")).0
        return String(decoding: data, as: UTF8.self)
    }

    private func record() async throws -> StubbornNetwork {
        let recording = network(.recording)
        #expect(try await discount("SUMMER2024x7", recording) == "10")
        #expect(try await discount("WINTER2024x9", recording) == "50")
        try recording.finishRecording()
        return recording
    }

    @Test func `a custom matcher may hold for no recorded request`() async throws {
        let recording = network(.recording)
        recording.requestMatcherOptions = [.url, .custom { live, _ in live.url?.path == "/other" }]
        #expect(try await discount("SUMMER2024x7", recording) == "10")
        _ = try await recording.session.data(from: server.url("/other?code=WINTER2024x9"))
        try recording.finishRecording()
    }

    @Test(arguments: [RecordMode.playback, .recordingMissing, .recordingOnce])
    func `many requests at once get the answers of their values`(mode: RecordMode) async throws {
        _ = try await record()
        let playing = network(mode)
        #expect(try await discount("SUMMER2025k3", playing) == "10")
        #expect(try await discount("WINTER2025k4", playing) == "50")
        // While a run adds to the file, a stub answers once.
        guard mode != .recordingMissing else { return }
        let answers = try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 0..<40 {
                let code = number % 3 == 0 ? "SUMMER2025k3" : "WINTER2025k4"
                group.addTask { (code, try await discount(code, playing)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.1 == ($0.0 == "SUMMER2025k3" ? "10" : "50") })
    }

    @Test func `without the rule both values are answered by their own stubs`() async throws {
        func excluding(_ network: StubbornNetwork) -> StubbornNetwork {
            network.redaction = .standard.excluding(.queryItem("code"))
            return network
        }
        let recording = excluding(network(.recording))
        _ = try await discount("SUMMER2024x7", recording)
        _ = try await discount("WINTER2024x9", recording)
        try recording.finishRecording()
        server.stop()
        let playing = excluding(network(.playback))
        #expect(try await discount("WINTER2024x9", playing) == "50")
    }

    /// `true`: a declared stub answers before the file is read.
    @Test(arguments: [false, true])
    func `recordingMissing records a value that the file does not have, and gives known ones their placeholders`(
        declaresStub: Bool
    ) async throws {
        let recording = network(.recording)
        #expect(try await discount("SUMMER2024x7", recording) == "10")
        try recording.finishRecording()
        let missing = network(.recordingMissing)
        if declaresStub {
            missing.stub(.path("/config"), with: .status(200))
            _ = try await missing.session.data(from: server.url("/config"))
        }
        for _ in 0..<2 { #expect(try await discount("SUMMER2024x7", missing) == "10") }
        #expect(try await discount("WINTER2024x9", missing) == "50")
        try missing.finishRecording()
        let stored = try directory.text(of: "order.json")
        #expect(stored.components(separatedBy: "code=REDACTED-code-1").count == 3)
        #expect(stored.components(separatedBy: "code=REDACTED-code-2").count == 2)
    }
}
