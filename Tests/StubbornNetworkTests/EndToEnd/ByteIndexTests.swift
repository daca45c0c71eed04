import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// The indices of all bytes that leave the library, which begin at 0, as those of a session do.
@Suite(.timeLimit(.minutes(5)))
struct ByteIndexTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])
    private let url = URL(string: "http://api.test/a")!

    /// Bytes that are a part of other data.
    private static let part = Data("data: 1\n\ndata: 2\n\ndata: 3\n\n".utf8).dropFirst(9)
    private var part: Data { Self.part }

    private static let events = Data("data: 1\n\ndata: 2\n\ndata: 3\n\n".utf8)
    static let responses: [StubResponse] = [
        .data(part), .data(Data(count: 300_000)), .data(events, contentType: "text/event-stream"),
        .data(events, contentType: "application/x-ndjson"),
        .data(events).chunked(byteCount: 4, every: .milliseconds(1)),
        .data(events).throttled(to: .wiFi), .data(events).dropped(afterByteCount: 12),
        .data(Data("--b\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b--".utf8), contentType: "multipart/mixed; boundary=b"),
    ]

    @Test(arguments: responses)
    func `a delegate gets parts that begin at 0`(response: StubResponse) async throws {
        network.stub(.any, with: response)
        let delegate = ClientDelegate()
        network.makeSession(delegate: delegate).dataTask(with: url).resume()
        try await eventually { delegate.log.ends == 1 }
        #expect(!delegate.log.parts.isEmpty)
        #expect(delegate.log.parts.allSatisfy { $0.startIndex == 0 })
    }

    @Test(arguments: responses)
    func `other callers get bytes that begin at 0`(response: StubResponse) async throws {
        network.stub(.any, with: response)
        if response.failure == nil {
            #expect(try await network.session.data(from: url).0.startIndex == 0)
            #expect(try network.response(to: URLRequest(url: url)).0.startIndex == 0)
        }
        let parts = try await network.streamedResponse(to: StubRequest(url: url)) { _ in
            throw URLError(.badServerResponse)
        }.parts
        do {
            for try await part in parts { #expect(part.startIndex == 0) }
        } catch {
            #expect(response.failure != nil)
        }
    }

    @Test func `the parts of another client's server are passed on from 0`() async throws {
        network.recordMode = .recording
        let response = try await network.streamedResponse(to: StubRequest(url: url)) { [part] _ in
            StreamedResponse(
                head: ResponseHead(statusCode: 200),
                parts: AsyncStream { continuation in
                    continuation.yield(part)
                    continuation.finish()
                }
            )
        }
        var count = 0
        for try await part in response.parts {
            #expect(part.startIndex == 0)
            count += 1
        }
        #expect(count == 1)
    }

    @Test func `code that a test gives gets bytes that begin at 0`() async throws {
        struct Halves: BodyDataProcessor {
            let seen: @Sendable (Data?) -> Data?
            func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? {
                seen(data ?? request.httpBody)
            }
            func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? { seen(data) }
            func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? { seen(data) }
        }
        let starts = Lock<[Int]>([])
        let see: @Sendable (Data?) -> Data? = { data in
            if let data { starts.withLock { $0.append(data.startIndex) } }
            return data?.dropFirst()
        }
        network.bodyDataProcessor = Halves(seen: see)
        network.recordingFilter = { exchange in
            var exchange = exchange
            exchange.body = see(exchange.body)
            exchange.request.body = see(exchange.request.body)
            _ = see(exchange.body)
            return exchange
        }
        network.recordMode = .recording
        var request = StubRequest(method: "POST", url: url, body: part)
        _ = try await network.response(to: request) { [part] request in
            _ = see(request.body)
            return StubResponse(head: ResponseHead(statusCode: 200), body: part)
        }
        network.recordMode = .playback
        request.url = URL(string: "http://api.test/b")!
        network.stub(.path("/b")) { request in
            _ = see(request.body)
            return .data(see(request.body) ?? Data())
        }
        #expect(try await network.response(to: request) { _ in .status(500) }.body?.startIndex == 0)
        for exchange in network.exchanges { _ = see(exchange.request.body) }
        #expect(starts.withLock { $0.count } > 8)
        #expect(starts.withLock { $0 }.allSatisfy { $0 == 0 })
    }

    @Test func `recorded stubs, changes of them, and faults have bytes that begin at 0`() async throws {
        let directory = TemporaryDirectory()
        var stub = Stub(request: StubRequest(method: "POST", url: url, body: part), response: .data(part))
        stub.response.head?.headerFields["Content-Type"] = "text/event-stream"
        let file = StubFile([stub], at: directory.file("a.json"))
        try file.write()
        let read = try StubFile(contentsOf: file.url).stubs
        #expect(read.allSatisfy { $0.request.body?.startIndex == 0 && $0.response.bytes?.startIndex == 0 })
        let network = StubbornNetwork(.stubFile(at: file.url), environment: [:])
        for fault in try network.faults() { #expect(fault.response.bytes?.startIndex ?? 0 == 0) }
        network.stub(
            .any,
            with: .recorded { exchange in
                #expect(exchange.body?.startIndex == 0)
                exchange.body = exchange.body?.dropFirst(2)
                #expect(exchange.body?.startIndex == 0)
            }
        )
        #expect(try network.response(to: stub.request.urlRequest).0.startIndex == 0)
        let steps = try ServedStubs(of: StubbornNetwork(.stubFile(at: file.url), environment: [:])).steps(
            for: stub.request
        )
        let parts = steps.compactMap { if case .data(let data) = $0.event { data } else { nil } }
        #expect(parts.map(\.startIndex) == [0, 0])
    }
}
