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

    @Test func `what a real server said is played back when it has gone`() async throws {
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
}
