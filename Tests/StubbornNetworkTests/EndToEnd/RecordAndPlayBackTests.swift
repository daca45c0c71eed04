import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RecordAndPlayBackTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "test", path: directory.path)!, environment: [:])
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test func `a recorded response is played back after the server has stopped`() async throws {
        let server = try LoopbackServer()
        let url = server.url("/counter")
        let recording = network(.recording)
        let (recorded, response) = try await recording.session.data(from: url)
        #expect(response.status == 200)
        try recording.finishRecording()
        server.stop()

        let (played, again) = try await network(.playback).session.data(from: url)
        #expect(played == recorded)
        #expect(again.status == 200)
        #expect(again.url == url)
        #expect(server.connectionCount == 1)
    }

    @Test func `the client sees the end of a response when it is in the file, and not before`() async throws {
        let server = try LoopbackServer()
        try directory.write("[]", to: "test.json")
        let delegate = CollectingDelegate()
        let session = network(.recording).makeSession(delegate: delegate)
        // As another process would that writes there just now.
        let lock = open(directory.path, O_RDONLY)
        #expect(flock(lock, LOCK_EX) == 0)
        session.dataTask(with: server.url("/hello")).resume()
        try await eventually { !delegate.data.isEmpty }
        for _ in 0..<20 where !delegate.isComplete { try await Task.sleep(nanoseconds: 5_000_000) }
        #expect(!delegate.isComplete)
        close(lock)
        try await eventually { delegate.isComplete }
        #expect(try directory.text(of: "test.json").contains("/hello"))
    }
}
