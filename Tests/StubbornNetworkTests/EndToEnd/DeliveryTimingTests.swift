import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// What comes in parts live comes in parts when it is played, and not before its time.
@Suite(.timeLimit(.minutes(5)))
struct DeliveryTimingTests {
    let run = LiveAndPlayed()

    private func timed(_ mode: RecordMode, _ speed: PlaybackSpeed = .immediate) -> StubbornNetwork {
        let network = run.network(mode)
        network.recordsTiming = true
        network.playbackSpeed = speed
        return network
    }

    private func parts(of network: StubbornNetwork, _ url: URL) async throws -> (texts: [String], seconds: Double) {
        let delegate = ClientDelegate()
        let session = network.makeSession(delegate: delegate)
        let start = DispatchTime.now().uptimeNanoseconds
        session.dataTask(with: url).resume()
        try await eventually { delegate.log.ends == 1 }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        #expect(delegate.log.errorCode == nil)
        return (delegate.log.parts.map { String(decoding: $0, as: UTF8.self) }, seconds)
    }

    @Test func `server-sent events reach the client one by one while they are recorded`() async throws {
        let server = try LoopbackServer()
        let network = timed(.recording)
        let delegate = ClientDelegate()
        network.makeSession(delegate: delegate).dataTask(with: server.url("/sse?events=3")).resume()
        for number in 1...3 {
            #expect(delegate.log.ends == 0)
            server.signal("sse")
            try await eventually { delegate.log.text.contains("event \(number)") }
            #expect(!delegate.log.text.contains("event \(number + 1)"))
        }
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.calls == ["response 200", "data", "completion"])
        try network.finishRecording()
        server.stop()

        let played = try await parts(of: timed(.playback, .delays(scaledBy: 0.1)), server.url("/sse?events=3")).texts
        #expect(played == delegate.log.parts.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: [PlaybackSpeed.recorded, .delays(scaledBy: 0.1)])
    func `recorded times are played in order, in as many parts, and not before their time`(
        speed: PlaybackSpeed
    ) async throws {
        let server = try LoopbackServer()
        let url = server.url("/slow/4?ms=60")
        let recording = timed(.recording)
        let live = try await parts(of: recording, url)
        try recording.finishRecording()
        server.stop()
        #expect(live.texts == (1...4).map { "chunk \($0)\n" })
        #expect(try run.directory.text(of: "case.json").contains("\"timing\" : {"))

        let played = try await parts(of: timed(.playback, speed), url)
        #expect(played.texts == live.texts)
        // The last part comes 180 ms after the first; clocks may differ by a little.
        #expect(played.seconds > (speed == .recorded ? 0.170 : 0.017))
    }

    /// Times long enough not to pass by themselves on a busy machine.
    @Test func `a recorded second is waited for`() async throws {
        try run.directory.write(
            """
            [
              {
                "data" : "YWI=",
                "request" : { "method" : "GET", "url" : "http://api.test/slow" },
                "response" : { "statusCode" : 200 },
                "timing" : { "chunks" : [ [ 0, 1 ], [ 1, 1 ] ], "firstByte" : 1 }
              }
            ]
            """,
            to: "case.json"
        )
        let url = URL(string: "http://api.test/slow")!
        let recorded = try await parts(of: timed(.playback, .recorded), url)
        #expect(recorded.texts == ["a", "b"])
        #expect(recorded.seconds > 1.99)
        let scaled = try await parts(of: timed(.playback, .delays(scaledBy: 0.5)), url)
        #expect(scaled.texts == ["a", "b"])
        #expect(scaled.seconds > 0.99)
    }

    @Test func `recorded times are not played unless they are asked for`() async throws {
        let server = try LoopbackServer()
        let url = server.url("/slow/2?ms=20")
        let recording = timed(.recording)
        _ = try await parts(of: recording, url)
        try recording.finishRecording()
        server.stop()
        #expect(try await parts(of: timed(.playback), url).texts.joined() == "chunk 1\nchunk 2\n")
    }

    @Test func `a completion handler gets the complete body of a response sent in parts`() async throws {
        let server = try LoopbackServer()
        let url = server.url("/slow/3?ms=20")
        let recording = timed(.recording)
        let live = try await recording.session.data(from: url).0
        try recording.finishRecording()
        server.stop()
        let played = try await timed(.playback, .recorded).session.data(from: url).0
        #expect(String(decoding: live, as: UTF8.self) == "chunk 1\nchunk 2\nchunk 3\n")
        #expect(played == live)
    }

    @Test func `without recordsTiming no times are stored`() async throws {
        let server = try LoopbackServer()
        let recording = run.network(.recording)
        _ = try await parts(of: recording, server.url("/slow/2?ms=20"))
        try recording.finishRecording()
        let stub = try #require(recording.recordedStubs.first)
        #expect(!stub.response.pace.hasTimes)
    }
}
