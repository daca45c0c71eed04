import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// A stream that is held after some of its parts, from a real server and on playback.
@Suite(.timeLimit(.minutes(5)))
struct HeldStreamTests {
    private let directory = TemporaryDirectory()

    struct Stream: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var type: String?
        /// The packets in which the server sends the body.
        let packets: [String]
        let heldAfter: Int
        /// The beginning of the body, which the client gets before the answer is held.
        let first: String

        static let all = [
            Stream(
                testDescription: "two events in one packet",
                type: "text/event-stream",
                packets: ["data: 1\n\ndata: 2\n\n", "data: 3\n\n"],
                heldAfter: 1,
                first: "data: 1\n\n"
            ),
            Stream(
                testDescription: "one event in two packets",
                type: "text/event-stream",
                packets: ["data: 1\n", "\ndata: 2\n\n"],
                heldAfter: 1,
                first: "data: 1\n\n"
            ),
            Stream(
                testDescription: "a line end in two packets",
                type: "text/event-stream",
                packets: ["data: 1\r\n\r", "\ndata: 2\r\n\r\n"],
                heldAfter: 1,
                first: "data: 1\r\n\r\n"
            ),
            Stream(
                testDescription: "events without a content type",
                packets: ["data: 1\n\ndata: 2\n\n", "data: 3\n\n"],
                heldAfter: 2,
                first: "data: 1\n\ndata: 2\n\n"
            ),
            Stream(
                testDescription: "lines of JSON",
                type: "application/x-ndjson",
                packets: ["{\"a\":", "1}\n2\n3\n"],
                heldAfter: 2,
                first: "{\"a\":1}\n2\n"
            ),
            Stream(
                testDescription: "a last line without its end",
                type: "application/x-ndjson",
                packets: ["1\n2"],
                heldAfter: 2,
                first: "1\n2"
            ),
            Stream(
                testDescription: "parts of a multipart body",
                type: "multipart/mixed; boundary=b",
                packets: ["--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n"],
                heldAfter: 1,
                first: "--b\r\n\r\none\r\n--b\r\n"
            ),
            Stream(testDescription: "text", type: "text/plain", packets: ["a", "b", "c"], heldAfter: 2, first: "ab"),
        ]
    }

    /// Returns a server that sends each packet after the first when it gets a signal.
    private func server(of stream: Stream) throws -> LoopbackServer {
        let headers = stream.type.map { [(name: "Content-Type", value: $0)] } ?? []
        return try LoopbackServer { _ in
            let steps = stream.packets.enumerated().flatMap { number, packet -> [LoopbackServer.Step] in
                number == 0 ? [.send(packet)] : [.waitForSignal("next"), .wait(milliseconds: 10), .send(packet)]
            }
            return .init(headers: headers, body: .chunked(steps))
        }
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        return network
    }

    /// Loads a stream, and checks what the client gets before the release, and after it.
    private func load(_ stream: Stream, in mode: RecordMode, from server: LoopbackServer) async throws {
        let network = network(mode)
        let held = network.hold(.any, afterPart: stream.heldAfter)
        let delegate = ClientDelegate()
        network.makeSession(delegate: delegate).dataTask(with: server.url("/stream")).resume()
        var sent = ""
        for packet in stream.packets.dropLast() where mode != .playback {
            sent += packet
            // A carriage return may be the first half of a line end.
            let expected = min(sent.utf8.count, stream.first.utf8.count)
            try await eventually { delegate.log.text.utf8.count >= expected }
            server.signal("next")
        }
        #expect(await held.requested(within: .seconds(60)))
        // The delegate is called on a different queue.
        try await eventually { delegate.log.text.utf8.count >= stream.first.utf8.count }
        #expect(delegate.log.text == stream.first)
        #expect(delegate.log.ends == 0)
        held.release()
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.text == stream.packets.joined())
        try network.finishRecording()
    }

    @Test(arguments: Stream.all)
    func `a held stream counts the parts of its format, not the packets of the network`(stream: Stream) async throws {
        let server = try server(of: stream)
        for mode in [RecordMode.live, .recording, .playback] { try await load(stream, in: mode, from: server) }
    }

    @Test func `a stream that is released before its part keeps nothing back`() async throws {
        let stream = Stream.all[0]
        let server = try server(of: stream)
        let network = network(.recording)
        let held = network.hold(.any, afterPart: 3)
        let delegate = ClientDelegate()
        network.makeSession(delegate: delegate).dataTask(with: server.url("/stream")).resume()
        try await eventually { delegate.log.text == stream.packets[0] }
        held.release()
        server.signal("next")
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.text == stream.packets.joined())
    }

    @Test func `a stream of another client is held after its parts`() async throws {
        let network = network(.recording)
        let held = network.hold(.any, afterPart: 1)
        let request = StubRequest(url: try #require(URL(string: "https://api.test/stream")))
        let head = ResponseHead(statusCode: 200, headers: ["Content-Type": "text/event-stream"])
        let response = try await network.streamedResponse(to: request) { _ in
            StreamedResponse(
                head: head,
                parts: AsyncThrowingStream { continuation in
                    for text in ["data: 1\n\nda", "ta: 2\n\n"] { continuation.yield(Data(text.utf8)) }
                    continuation.finish()
                }
            )
        }
        var parts = response.parts.makeAsyncIterator()
        #expect(try await parts.next() == Data("data: 1\n\n".utf8))
        #expect(await held.requested(within: .seconds(60)))
        held.release()
        var rest = Data()
        while let part = try await parts.next() { rest += part }
        #expect(rest == Data("data: 2\n\n".utf8))
    }
}
