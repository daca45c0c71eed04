import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Conversations with language models, in the wire formats of four providers.
@Suite(.timeLimit(.minutes(5)))
struct LanguageModelTests {
    /// A wire format: header fields and parts of a streamed answer, with what is new in each run.
    enum Provider: String, CaseIterable, CustomTestStringConvertible {
        case chatCompletions, messages, generateContent, eventStream

        var testDescription: String { rawValue }

        func headers(_ run: Run) -> [(name: String, value: String)] {
            switch self {
            case .chatCompletions:
                [
                    ("Content-Type", "text/event-stream; charset=utf-8"), ("Date", run.date),
                    ("openai-processing-ms", "\(run.milliseconds)"),
                    ("x-ratelimit-remaining-tokens", "\(90_000 - run.milliseconds)"),
                    ("x-request-id", "req_\(run.id(32))"),
                ]
            case .messages:
                [
                    ("Content-Type", "text/event-stream; charset=utf-8"), ("request-id", "req_\(run.id(24))"),
                    ("anthropic-ratelimit-requests-remaining", "\(3_000 - run.milliseconds)"),
                    ("anthropic-ratelimit-requests-reset", run.time),
                ]
            case .generateContent:
                [
                    ("Content-Type", "application/json; charset=UTF-8"),
                    ("Server-Timing", "gfet4t7; dur=\(run.milliseconds)"),
                ]
            case .eventStream:
                [("Content-Type", "application/vnd.amazon.eventstream"), ("x-amzn-RequestId", run.uuid)]
            }
        }

        func parts(_ words: [String], _ run: Run) -> [Data] {
            switch self {
            case .chatCompletions:
                let chunks = words.map { word in
                    """
                    data: {"id":"chatcmpl-\(run.id(29))","object":"chat.completion.chunk","created":\(run.seconds),\
                    "system_fingerprint":"fp_\(run.hex(10))","choices":[{"index":0,"delta":{"content":"\(word) "}}]}\n\n
                    """
                }
                return (chunks + ["data: [DONE]\n\n"]).map { Data($0.utf8) }
            case .messages:
                let start = """
                    event: message_start
                    data: {"type":"message_start","message":{"id":"msg_01\(run.id(22))","usage":{"input_tokens":9}}}\n\n
                    """
                let deltas = words.map { word in
                    """
                    event: content_block_delta
                    data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"\(word) "}}\n\n
                    """
                }
                return ([start] + deltas).map { Data($0.utf8) }
            case .generateContent:
                let objects = words.map { word in
                    """
                    {
                      "candidates": [{"content": {"parts": [{"text": "\(word) "}], "role": "model"}}],
                      "responseId": "\(run.id(22))"
                    }
                    """
                }
                return objects.enumerated().map { number, object in
                    let end = number == objects.count - 1 ? "]" : ""
                    return Data(((number == 0 ? "[" : ",\r\n") + object + end).utf8)
                }
            case .eventStream:
                return words.map { word in
                    let content = Data("\u{0}\u{0}\u{0}\u{0}{\"text\":\"\(word) \"}".utf8)
                    return Data([0, 0, 0, UInt8(content.count + 4)]) + content
                }
            }
        }
    }

    /// What a server makes again in each run.
    struct Run: Sendable {
        let number: Int
        var milliseconds: Int { 100 + number * 37 }
        /// The server's clock, in seconds since 1970 and as it is in the field `Date`.
        var seconds: Int { 1_795_478_410 + number }
        var date: String { "Tue, 24 Nov 2026 00:00:1\(number) GMT" }
        var time: String { "2026-11-2\(number)T10:0\(number):17Z" }
        var uuid: String {
            UUID(
                uuid: (
                    UInt8(number), 0x6F, 0x1C, 0xD2, 0x7A, 0xE3, 0x4B, 0x18, 0x93, UInt8(number) &* 77, 0xC0, 0x5E,
                    0x21, 0xAF, 0x64, 0x3D
                )
            ).uuidString
        }

        func id(_ count: Int) -> String { letters("AbCd3EfGh7JkLm9NpQr2StUv5WxYz", count) }
        func hex(_ count: Int) -> String { letters("0123456789abcdef", count) }

        private func letters(_ alphabet: String, _ count: Int) -> String {
            let alphabet = Array(alphabet)
            var random = Generator(seed: UInt64(number))
            return String((0..<count).map { _ in alphabet.randomElement(using: &random)! })
        }
    }

    private let directory = TemporaryDirectory()
    private let run = Lock(Run(number: 1))
    private let answer = Lock(["It", "will", "rain."])
    private let provider = Lock(Provider.messages)
    private let server: LoopbackServer

    init() throws {
        let (run, answer, provider) = (run, answer, provider)
        server = try LoopbackServer { request in
            let (run, provider) = (run.withLock { $0 }, provider.withLock { $0 })
            if request.query("fail") != nil, run.number < 9 {
                return .init(status: 529, body: .data(Data(#"{"type":"error","error":{"type":"overloaded"}}"#.utf8)))
            }
            let parts = provider.parts(answer.withLock { $0 }, run)
            let steps = parts.enumerated().flatMap { number, part -> [LoopbackServer.Step] in
                number == 0
                    ? [.send(part)] : [.waitForSignal("next \(run.number)"), .wait(milliseconds: 10), .send(part)]
            }
            return .init(headers: provider.headers(run), body: .chunked(steps))
        }
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.bodyEncoding = .readable
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func request(_ prompt: String = "Will it rain?") throws -> URLRequest {
        var request = URLRequest(url: server.url("/v1/answer"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer sk-proj-\(UUID().uuidString)", forHTTPHeaderField: "Authorization")
        request.httpBody = try JSONSerialization.data(
            withJSONObject: ["messages": [["role": "user", "content": prompt]], "stream": true] as [String: Any]
        )
        return request
    }

    /// Records an answer, of which the client cancels the rest after some parts, and returns the file.
    private func record(_ provider: Provider, run number: Int, cancelledAfter count: Int? = nil) async throws -> String
    {
        self.provider.withLock { $0 = provider }
        run.withLock { $0 = Run(number: number) }
        let recording = network(.recording)
        let delegate = ClientDelegate()
        let task = recording.makeSession(delegate: delegate).dataTask(with: try request())
        task.resume()
        let partCount = provider.parts(answer.withLock { $0 }, Run(number: number)).count
        for received in 1..<(count ?? partCount) {
            try await eventually { delegate.log.parts.count == received }
            server.signal("next \(number)")
        }
        if let count {
            try await eventually { delegate.log.parts.count == count }
            task.cancel()
        }
        try await eventually { delegate.log.ends == 1 }
        try recording.finishRecording()
        return try directory.text(of: "a.json")
    }

    @Test(arguments: Provider.allCases)
    func `an answer is played in its parts, with any key`(provider: Provider) async throws {
        _ = try await record(provider, run: 1)
        server.stop()
        let delegate = ClientDelegate()
        network(.playback).makeSession(delegate: delegate).dataTask(with: try request()).resume()
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.parts == provider.parts(["It", "will", "rain."], Run(number: 1)))
    }

    @Test(arguments: Provider.allCases)
    func `the same answer, recorded again, leaves the file as it is`(provider: Provider) async throws {
        let first = try await record(provider, run: 1)
        let second = try await record(provider, run: 2)
        #expect(second == first, "\(first)\(second)")
    }

    @Test(arguments: Provider.allCases)
    func `another answer is in the file`(provider: Provider) async throws {
        let first = try await record(provider, run: 1)
        answer.withLock { $0[2] = "snow." }
        let second = try await record(provider, run: 2)
        #expect(first != second)
    }

    @Test(arguments: Provider.allCases)
    func `an answer that is cancelled in its middle keeps its parts`(provider: Provider) async throws {
        let first = try await record(provider, run: 1, cancelledAfter: 2)
        #expect(try await record(provider, run: 2, cancelledAfter: 2) == first)
        let delegate = ClientDelegate()
        let playback = network(.playback)
        playback.cancellationTimeout = .seconds(240)
        let task = playback.makeSession(delegate: delegate).dataTask(with: try request())
        task.resume()
        try await eventually { delegate.log.parts.count == 2 }
        #expect(delegate.log.parts == provider.parts(["It", "will", "rain."], Run(number: 1)).prefix(2).map { $0 })
        task.cancel()
        try await eventually { delegate.log.ends == 1 }
    }

    @Test(arguments: Provider.allCases)
    func `a prompt that changed by its last word is not answered`(provider: Provider) async throws {
        _ = try await record(provider, run: 1)
        let playback = network(.playback)
        await #expect(throws: (any Error).self) { try await playback.session.data(for: request("Will it snow?")) }
        #expect(playback.unstubbedRequests.count == 1)
    }

    @Test func `a refusal and the answer after it are played in this order`() async throws {
        run.withLock { $0 = Run(number: 1) }
        answer.withLock { $0 = [] }
        var request = try request()
        request.url = server.url("/v1/answer?fail=1")
        func statuses(_ network: StubbornNetwork, _ second: () -> Void) async throws -> [Int?] {
            var statuses: [Int?] = []
            for number in 1...2 {
                if number == 2 { second() }
                statuses.append((try await network.session.data(for: request).1 as? HTTPURLResponse)?.statusCode)
            }
            return statuses
        }
        let recording = network(.recording)
        let live = try await statuses(recording) { run.withLock { $0 = Run(number: 9) } }
        try recording.finishRecording()
        server.stop()
        #expect(live == [529, 200])
        #expect(try await statuses(network(.playback)) {} == [529, 200])
    }
}
