import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// The date of a recording.
@Suite(.timeLimit(.minutes(5)))
struct RecordingDateTests {
    private let directory = TemporaryDirectory()
    private let body = Lock("one")
    private let server: LoopbackServer

    private static let monday = "2026-11-23T08:00:00Z"
    private static let tuesday = "2026-11-24T09:30:59Z"

    init() throws {
        server = try LoopbackServer { [body] request in
            // A stub that has changed keeps the old id, and has a new date all the same.
            .text(
                request.path == "/changing" ? body.withLock { $0 } : "the same",
                headers: [("X-Request-Id", UUID().uuidString)]
            )
        }
    }

    private func network(_ mode: RecordMode, at time: String? = nil) throws -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        if let time {
            let date = try #require(UTCDate.date(of: time)).addingTimeInterval(0.75)
            network.engine.settings.withLock { $0.clock = { date } }
        }
        return network
    }

    private func record(_ mode: RecordMode = .recording, at time: String) async throws {
        let network = try network(mode, at: time)
        for path in ["/same", "/changing"] { _ = try await network.session.data(from: server.url(path)) }
        try network.finishRecording()
    }

    private var dates: [String?] {
        get throws {
            try StubFile(contentsOf: directory.file("a.json")).stubs.map { $0.recordedAt.flatMap(UTCDate.text) }
        }
    }

    @Test func `each stub has the time at which it was recorded, in whole seconds`() async throws {
        try await record(at: Self.monday)
        #expect(try dates == [Self.monday, Self.monday])
        #expect(
            try directory.text(of: "a.json").contains("    \"recordedAt\" : \"\(Self.monday)\",\n    \"request\" : {")
        )
    }

    @Test func `a server that has not changed gives an empty diff, and a stub that has changed a new date`()
        async throws
    {
        try await record(at: Self.monday)
        let file = try directory.text(of: "a.json")
        try await record(at: Self.tuesday)
        #expect(try directory.text(of: "a.json") == file)
        body.withLock { $0 = "two" }
        try await record(at: Self.tuesday)
        #expect(try dates == [Self.monday, Self.tuesday])
    }

    @Test func `a file without dates plays, and keeps its bytes`() async throws {
        try await record(at: Self.monday)
        let line = "    \"recordedAt\" : \"\(Self.monday)\",\n"
        let old = try directory.text(of: "a.json").replacingOccurrences(of: line, with: "")
        try directory.write(old, to: "a.json")
        try await record(at: Self.tuesday)
        #expect(try directory.text(of: "a.json") == old)
        #expect(try network(.playback).recordingDate == nil)
        server.stop()
        let (data, _) = try await network(.playback).session.data(from: server.url("/same"))
        #expect(data == Data("the same".utf8))
    }

    @Test func `another body encoding keeps the dates`() async throws {
        try await record(at: Self.monday)
        let recording = try network(.recording, at: Self.tuesday)
        recording.bodyEncoding = .readable
        for path in ["/same", "/changing"] { _ = try await recording.session.data(from: server.url(path)) }
        try recording.finishRecording()
        #expect(try directory.text(of: "a.json").contains("\"text\""))
        #expect(try dates == [Self.monday, Self.monday])
    }

    @Test func `the network knows the date of its newest stub where recorded stubs answer`() async throws {
        try await record(at: Self.monday)
        body.withLock { $0 = "two" }
        try await record(at: Self.tuesday)
        let newest = try #require(UTCDate.date(of: Self.tuesday))
        for mode in [RecordMode.playback, .recordingMissing, .recordingOnce] {
            #expect(try network(mode).recordingDate == newest, "\(mode)")
        }
        for mode in [RecordMode.recording, .verifying, .live] {
            #expect(try network(mode).recordingDate == nil, "\(mode)")
        }
        let empty = StubbornNetwork(.persistent(name: "none", path: directory.path)!, environment: .newRun)
        for mode in [RecordMode.playback, .recordingMissing, .recordingOnce] {
            empty.recordMode = mode
            #expect(empty.recordingDate == nil, "\(mode)")
        }
    }
}
