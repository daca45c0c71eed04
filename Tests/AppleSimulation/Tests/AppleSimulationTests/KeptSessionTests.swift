import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Whether the system frees a session that nobody invalidates is not known, so both are tested.
@Suite(.timeLimit(.minutes(2)))
struct KeptSessionTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("stubs-\(UUID().uuidString)")

    private func network(_ mode: RecordMode) throws -> StubbornNetwork {
        let file = try #require(StubbornNetworkConfiguration.persistent(name: "kept", path: directory.path))
        // A run of its own, which does not last as long as the process.
        let network = StubbornNetwork(file, environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"])
        network.recordMode = mode
        return network
    }

    /// Records a path of a server, and returns the session, with the engine of its network.
    ///
    /// A test's trait ends the recording; without it, the recording ends with the session.
    private func record(_ url: URL, byTrait: Bool) async throws -> (session: URLSession, engine: WeakEngine) {
        let network = try network(.recording)
        let session = network.session
        try await Loader.story { loader in
            _ = await loader.load(URLRequest(url: url), through: SimulatedSession(session.configuration))
        }
        if byTrait { try network.finishRecording() }
        return (session, WeakEngine(network.engine))
    }

    /// Plays a path back.
    private func text(of url: URL) async throws -> String? {
        let network = try network(.playback)
        network.onUnstubbedRequest = { _ in }
        var load: Load?
        try await Loader.story { load = await $0.load(URLRequest(url: url), through: SimulatedSession(network)) }
        return load?.error == nil ? load?.text : nil
    }

    private var paths: [String]? { try? FileManager.default.contentsOfDirectory(atPath: directory.path) }

    @Test func `a recording is complete when its session is freed`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer { request in .text(request.path) }
        defer { server.stop() }
        let engine = try await record(server.url("/a"), byTrait: false).engine
        try await eventually { engine.engine == nil && paths == ["kept.json"] }
        #expect(try await text(of: server.url("/a")) == "/a")
    }

    @Test func `a recording is complete at its end although the system keeps its session`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer { request in .text(request.path) }
        defer { server.stop() }
        let first = try await record(server.url("/a"), byTrait: true)
        #expect(first.engine.engine != nil)
        #expect(paths == ["kept.json"])
        #expect(try await text(of: server.url("/a")) == "/a")
        // The session that was kept adds nothing to the next recording.
        let second = try await record(server.url("/b"), byTrait: true)
        #expect(first.engine.engine != nil && second.engine.engine != nil)
        #expect(try await text(of: server.url("/b")) == "/b")
        #expect(try await text(of: server.url("/a")) == nil)
        withExtendedLifetime([first.session, second.session]) {}
    }
}
