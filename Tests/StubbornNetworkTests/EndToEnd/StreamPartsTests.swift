import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// The parts of a stream, which a client gets on playback as it got them from the server.
@Suite(.timeLimit(.minutes(5)))
struct StreamPartsTests {
    private let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    /// Returns a server that sends a part when the client has the one before it, and has waited.
    private func server(of parts: @escaping @Sendable () -> [String], type: String?) throws -> LoopbackServer {
        try LoopbackServer { _ in
            let steps = parts().enumerated().flatMap { number, part -> [LoopbackServer.Step] in
                number == 0 ? [.send(part)] : [.waitForSignal("next"), .wait(milliseconds: 10), .send(part)]
            }
            return .init(headers: type.map { [("Content-Type", $0)] } ?? [], body: .chunked(steps))
        }
    }

    private func record(
        _ parts: [String],
        from server: LoopbackServer,
        configure: (StubbornNetwork) -> Void = { _ in }
    ) async throws {
        let recording = network(.recording)
        configure(recording)
        let delegate = ClientDelegate()
        recording.makeSession(delegate: delegate).dataTask(with: server.url("/stream")).resume()
        for number in 1..<parts.count {
            try await eventually { delegate.log.parts.count == number }
            server.signal("next")
        }
        try await eventually { delegate.log.ends == 1 }
        try recording.finishRecording()
    }

    /// Records a stream, and returns its URL.
    private func record(
        _ parts: [String],
        type: String?,
        configure: (StubbornNetwork) -> Void = { _ in }
    ) async throws -> URL {
        let server = try server(of: { parts }, type: type)
        try await record(parts, from: server, configure: configure)
        return server.url("/stream")
    }

    /// Returns what a delegate gets on playback, part by part.
    private func played(_ url: URL) async throws -> [String] {
        let delegate = ClientDelegate()
        network(.playback).makeSession(delegate: delegate).dataTask(with: url).resume()
        try await eventually { delegate.log.ends == 1 }
        return delegate.log.parts.map { String(decoding: $0, as: UTF8.self) }
    }

    private static let answer = ["[{\"text\": \"Hel\"}", ",\r\n{\"text\": \"lo\"}", ",\r\n{\"text\": \"!\"}\n]"]

    @Test(arguments: [BodyEncoding.base64, .readable], ["application/json", "text/plain", nil])
    func `a stream whose format has no parts is played in those that the server sent`(
        encoding: BodyEncoding,
        type: String?
    ) async throws {
        let url = try await record(Self.answer, type: type) { $0.bodyEncoding = encoding }
        let played = try await played(url)
        #expect(played == Self.answer)
    }

    @Test func `events without a content type are played one by one, however they arrived`() async throws {
        let url = try await record(["data: 1\n\ndata: 2\n", "\ndata: 3\n\n"], type: nil)
        #expect(try await played(url) == ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"])
        #expect(try !directory.text(of: "a.json").contains("timing"))
    }

    @Test func `a secret in a part leaves the others as they are`() async throws {
        let parts = ["{\"n\":1}", "{\"password\":\"Sommer-2024!\"}", "{\"n\":3}"]
        let url = try await record(parts, type: "text/plain")
        let played = try await played(url)
        try #require(played.count == 3)
        #expect(played[0] == parts[0] && !played[1].contains("Sommer") && played[2] == parts[2])
    }

    @Test func `recording again leaves the file as it is, wherever the network has cut the body`() async throws {
        let parts = Lock(Self.answer)
        let server = try server(of: { parts.withLock { $0 } }, type: "application/json")
        try await record(Self.answer, from: server)
        let first = try directory.text(of: "a.json")
        #expect(first.contains("timing"))
        let other = [Self.answer[0] + Self.answer[1], Self.answer[2]]
        parts.withLock { $0 = other }
        try await record(other, from: server)
        #expect(try directory.text(of: "a.json") == first)
    }

    @Test func `a body with its length is whole`() async throws {
        let server = try LoopbackServer()
        let recording = network(.recording)
        _ = try await recording.session.data(from: server.url("/json"))
        try recording.finishRecording()
        #expect(try !directory.text(of: "a.json").contains("timing"))
    }

    private struct Arrival: Sendable {
        let times: [Double]
        let lengths: [Int]
        let parts: [Int]

        static let all = [
            Arrival(times: [0, 0.02, 0.04], lengths: [10, 20, 30], parts: [10, 20, 30]),
            // Together as long as there is no pause in between.
            Arrival(times: [0, 0.004, 0.02, 0.024], lengths: [10, 20, 30, 40], parts: [30, 70]),
            Arrival(times: [0, 0.005], lengths: [10, 20], parts: [10, 20]),
            // All at once, and nothing.
            Arrival(times: [0, 0.001, 0.002], lengths: [10, 20, 30], parts: []),
            Arrival(times: [0], lengths: [10], parts: []),
            Arrival(times: [], lengths: [], parts: []),
            // Eight kilobytes and more a part: the network has cut the body.
            Arrival(times: [0, 0.1], lengths: [8192, 8192], parts: []),
            Arrival(times: [0, 0.1], lengths: [8192, 8190], parts: [8192, 8190]),
        ]
    }

    @Test(arguments: Arrival.all)
    private func `parts end where the server paused`(arrival: Arrival) {
        let pieces = zip(arrival.times, arrival.lengths).map { Pace.Chunk(seconds: $0, length: $1) }
        #expect(Pace.parts(of: pieces) == arrival.parts.map { Pace.Chunk(seconds: 0, length: $0) })
    }

    @Test(arguments: [
        // The range that three bytes replace, and the lengths of the parts of 10, 10 and 10 bytes.
        (0..<0, [13, 10, 10]), (9..<10, [12, 10, 10]), (10..<15, [10, 8, 10]), (5..<15, [13, 10]), (5..<25, [13]),
        (0..<30, [3]), (25..<30, [10, 10, 8]), (30..<30, [10, 10, 10]),
    ])
    func `an edit changes the parts that it touches`(range: Range<Int>, lengths: [Int]) {
        var pace = Pace(chunks: (0..<3).map { _ in Pace.Chunk(seconds: 0, length: 10) })
        pace.apply([Edit(range: range, text: Array("abc".utf8))])
        #expect(pace.chunks.map(\.length) == lengths)
    }

    @Test func `redaction in several parts of a stream keeps the parts and their times`() throws {
        let parts = [
            "data: {\"access_token\":\"k9Zx4Tq7Wm2R\"}\n\n", "data: 1\n\n",
            "data: {\"access_token\":\"b3Nf6Hs1Vc8J\"}\n\n",
        ]
        var stub = Stub.answer(parts.joined(), fields: ["Content-Type": "text/event-stream"])
        stub.response.pace.chunks = parts.enumerated().map { Pace.Chunk(seconds: Double($0), length: $1.utf8.count) }
        let stored = Redactor(.standard, environment: [:]).redact(stub).response
        let body = try #require(stored.body)
        #expect(!String(decoding: body, as: UTF8.self).contains("Vc8J"))
        #expect(stored.pace.chunks.map(\.seconds) == [0, 1, 2])
        #expect(stored.pace.chunks[1].length == parts[1].utf8.count)
        #expect(stored.pace.chunks.reduce(0) { $0 + $1.length } == body.count)
    }

    @Test(arguments: [
        ("a\nb\nc", "a\nb\nc", [Range<Int>]()), ("aXb\nc\ndYY\n", "ab\nc\ndZY\n", [1..<2, 7..<8]),
        ("a\nb\nc", "a\nc", [2..<4]), ("a\n", "a", [1..<2]),
    ])
    func `a body is changed line by line, unless the number of its lines changes`(
        old: String,
        new: String,
        ranges: [Range<Int>]
    ) {
        #expect(Edit.all(from: Data(old.utf8), to: Data(new.utf8)).map(\.range) == ranges)
    }
}
