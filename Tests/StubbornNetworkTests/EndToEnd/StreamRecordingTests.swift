import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Streams that go on while they are recorded.
@Suite(.timeLimit(.minutes(5)))
struct StreamRecordingTests {
    private let directory = TemporaryDirectory()
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    /// The bodies that a process finds on the disk now, as if this one had been killed.
    private var found: [String] {
        get throws {
            let source = StubSource(file: directory.file("a.json"), run: .named(by: EnvironmentSettings(.newRun)))
            try source.load()
            return source.stubs().map { stub in
                "\(stub.response.waitsToBeCancelled ? "cancelled" : "whole") \(stub.response.text)"
            }
        }
    }

    private static func events(_ count: Int) -> String {
        (1...count).map { "id: \($0)\nevent: tick\ndata: event \($0)\n\n" }.joined()
    }

    @Test func `a stream is on the disk when the client has its end, once`() async throws {
        let recording = network(.recording)
        let delegate = ClientDelegate()
        recording.makeSession(delegate: delegate).dataTask(with: server.url("/sse?events=3")).resume()
        for number in 1...2 {
            server.signal("sse")
            try await eventually { delegate.log.text.contains("event \(number)\n") }
            #expect(!directory.contents.contains { $0.hasSuffix(".journal") })
        }
        server.signal("sse")
        try await eventually { delegate.log.ends == 1 }
        #expect(try found == ["whole \(Self.events(3))"])
        try recording.finishRecording()
        #expect(try found == ["whole \(Self.events(3))"])
        #expect(recording.recordedStubs.count == 1)
    }

    @Test func `a client that takes a body at once gets all parts of a stream`() async throws {
        let recording = network(.recording)
        for _ in 1...3 { server.signal("sse") }
        let live = try await recording.session.data(from: server.url("/sse?events=3")).0
        try recording.finishRecording()
        server.stop()
        let playing = network(.playback)
        #expect(String(decoding: live, as: UTF8.self) == Self.events(3))
        #expect(try await playing.session.data(from: server.url("/sse?events=3")).0 == live)
        let body = Lock<Data?>(nil)
        playing.session.dataTask(with: server.url("/sse?events=3")) { data, _, _ in body.withLock { $0 = data } }
            .resume()
        try await eventually { body.withLock { $0 } == live }
    }

    @Test func `an ordinary body is stored once, when it is complete`() async throws {
        let recording = network(.recording)
        let delegate = ClientDelegate()
        recording.makeSession(delegate: delegate).dataTask(with: server.url("/chunked/3")).resume()
        try await eventually { delegate.log.ends == 1 }
        let journal = try #require(directory.contents.first { $0.hasSuffix(".1.journal") })
        let lines = try directory.text(of: journal).split(separator: "\n")
        #expect(lines.count { $0.contains("\"recording\":") } == 1)
    }

    @Test func `a request that was cancelled after the second event is cancelled there again`() async throws {
        let recording = network(.recording)
        let delegate = ClientDelegate()
        let task = recording.makeSession(delegate: delegate).dataTask(with: server.url("/sse?events=9"))
        task.resume()
        for number in 1...2 {
            server.signal("sse")
            try await eventually { delegate.log.text.contains("event \(number)\n") }
        }
        task.cancel()
        try await eventually { delegate.log.ends == 1 }
        try recording.finishRecording()
        server.stop()
        #expect(try found == ["cancelled \(Self.events(2))"])

        let playing = network(.playback)
        playing.cancellationTimeout = .seconds(240)
        let played = ClientDelegate()
        let again = playing.makeSession(delegate: played).dataTask(with: server.url("/sse?events=9"))
        again.resume()
        try await eventually { played.log.parts.count == 2 }
        again.cancel()
        try await eventually { played.log.ends == 1 }
        #expect(played.log.text == Self.events(2))
        #expect(playing.unstubbedRequests.isEmpty)
    }

    @Test func `a secret in a stream is never on the disk, and is counted once`() async throws {
        let secret = "sk-live-4eC39HqLyjWDarjtT1zdp7dc"
        let server = try LoopbackServer { _ in
            LoopbackServer.Response(
                headers: [("Content-Type", "text/event-stream")],
                body: .chunked(
                    (1...3).flatMap { number -> [LoopbackServer.Step] in
                        [.send("data: {\"token\":\"\(secret)\",\"n\":\(number)}\n\n"), .waitForSignal("next")]
                    }
                )
            )
        }
        let recording = network(.recording)
        let delegate = ClientDelegate()
        recording.makeSession(delegate: delegate).dataTask(with: server.url("/")).resume()
        for number in 1...3 {
            try await eventually { delegate.log.text.contains("\"n\":\(number)}") }
            for name in directory.contents { #expect(try !directory.text(of: name).contains(secret)) }
            server.signal("next")
        }
        try await eventually { delegate.log.ends == 1 }
        try recording.finishRecording()
        #expect(try !directory.text(of: "a.json").contains(secret))
        #expect(recording.redactionReport.replacements.map(\.count) == [3])
    }

    /// A server that sends each part when it is told to.
    private func server(sending parts: [String]) throws -> LoopbackServer {
        try LoopbackServer { _ in
            LoopbackServer.Response(
                headers: [("Content-Type", "text/event-stream")],
                body: .chunked(parts.flatMap { [LoopbackServer.Step.send("data: \($0)\n\n"), .waitForSignal("next")] })
            )
        }
    }

    @Test func `a filter sees a stream once, as a whole, and what it leaves out is nowhere`() async throws {
        let server = try server(sending: ["first", "last"])
        let recording = network(.recording)
        let bodies = Lock<[Data?]>([])
        recording.recordingFilter = { exchange in
            bodies.withLock { $0.append(exchange.body) }
            return exchange.body?.range(of: Data("last".utf8)) == nil ? exchange : nil
        }
        let delegate = ClientDelegate()
        recording.makeSession(delegate: delegate).dataTask(with: server.url("/")).resume()
        for part in ["first", "last"] {
            try await eventually { delegate.log.text.contains(part) }
            server.signal("next")
        }
        try await eventually { delegate.log.ends == 1 }
        try recording.finishRecording()
        #expect(bodies.withLock { $0 } == [Data("data: first\n\ndata: last\n\n".utf8)])
        #expect(recording.recordedStubs.isEmpty)
        #expect(try found.isEmpty)
    }
}

extension StubResponse {
    fileprivate var text: String { String(decoding: bytes ?? Data(), as: UTF8.self) }
}
