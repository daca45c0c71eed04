import Foundation
import Testing

@testable import StubbornNetwork

/// Events reach a protocol's client in order, on its thread, and nothing after the end.
@Suite(.timeLimit(.minutes(5)))
struct ClientDeliveryTests {
    private let url = URL(string: "http://api.test/a")!

    private func session(_ protocolClass: URLProtocol.Type, _ delegate: (any URLSessionDelegate)? = nil) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [protocolClass]
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    @Test func `events from many threads are delivered once each, in the order in which they were sent`() async throws {
        let delegate = CollectingDelegate()
        let session = session(CountingProtocol.self, delegate)
        session.dataTask(with: url).resume()
        try await eventually { delegate.isComplete }
        #expect(delegate.text == (0..<100).map { "\($0)," }.joined())
    }

    @Test func `events sent after the end are ignored`() async throws {
        for _ in 0..<50 {
            let (data, response) = try await session(TalkativeProtocol.self).data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "once")
            #expect(response.status == 200)
        }
    }

    private func plainResponse(byteCount: Int) -> URLResponse {
        URLResponse(url: url, mimeType: nil, expectedContentLength: byteCount, textEncodingName: nil)
    }

    @Test func `a client is called on its own thread alone, whoever sends`() throws {
        let client = WritingClient()
        let urlProtocol = URLProtocol(request: URLRequest(url: url), cachedResponse: nil, client: client)
        let thread = WaitingThread()
        let delivery = ClientDelivery(urlProtocol)
        delivery.setThread(thread.perform)
        delivery.send(.response(plainResponse(byteCount: 3), needsSession: false))
        #expect(client.calls == [])
        // As at the end of `startLoading`.
        delivery.deliverPending()
        #expect(client.calls == ["response"])
        for text in ["a", "b"] {
            DispatchQueue.global().sync { delivery.send(.data(Data(text.utf8))) }
        }
        delivery.send(.end(body: nil))
        #expect(client.calls == ["response"])
        thread.run()
        #expect(client.calls == ["response", "data a", "data b", "end"])
    }

    @Test func `events sent during a delivery keep their order, even on a queue`() {
        let queue = DispatchQueue(label: "client")
        let client = WritingClient()
        let urlProtocol = URLProtocol(request: URLRequest(url: url), cachedResponse: nil, client: client)
        let delivery = ClientDelivery(urlProtocol)
        delivery.setThread { queue.async(execute: $0) }
        client.onResponse.withLock {
            $0 = {
                delivery.send(.data(Data("a".utf8)))
                delivery.send(.end(body: nil))
                // What was put on the queue has been done after this.
                queue.sync {}
            }
        }
        delivery.send(.response(plainResponse(byteCount: 1), needsSession: false))
        delivery.deliverPending()
        queue.sync {}
        #expect(client.calls == ["response", "data a", "end"])
    }

    @Test func `a client receives no events after the end, even those already waiting`() {
        let client = WritingClient()
        let urlProtocol = URLProtocol(request: URLRequest(url: url), cachedResponse: nil, client: client)
        let delivery = ClientDelivery(urlProtocol)
        delivery.send(.response(plainResponse(byteCount: 1), needsSession: false))
        delivery.send(.data(Data("a".utf8)))
        delivery.send(.failure(URLError(.timedOut)))
        delivery.send(.data(Data("b".utf8)))
        delivery.send(.end(body: nil))
        delivery.deliverPending()
        #expect(client.calls == ["response", "data a", "failure"])
    }

    @Test func `another call of the client waits for its turn, and is not made after a stop`() {
        let client = WritingClient()
        let urlProtocol = URLProtocol(request: URLRequest(url: url), cachedResponse: nil, client: client)
        let thread = WaitingThread()
        let delivery = ClientDelivery(urlProtocol)
        delivery.setThread(thread.perform)
        delivery.deliverPending()
        let question: @Sendable (URLProtocol) -> Void = { $0.client?.urlProtocol($0, didLoad: Data("?".utf8)) }
        delivery.send(.response(plainResponse(byteCount: 1), needsSession: false))
        delivery.call(question)
        #expect(client.calls == [])
        thread.run()
        #expect(client.calls == ["response", "data ?"])
        delivery.call(question)
        delivery.stop()
        thread.run()
        delivery.call(question)
        thread.run()
        #expect(client.calls == ["response", "data ?"])
    }
}

/// A protocol whose answer is sent from a global queue.
private class DeliveringProtocol: URLProtocol {
    private var delivery: ClientDelivery?

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        if let delivery { return delivery.resume() }
        let delivery = ClientDelivery(self)
        self.delivery = delivery
        delivery.setThread(thread())
        let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
        let answer = type(of: self).answer
        DispatchQueue.global().async { answer(delivery, response) }
        delivery.deliverPending()
    }

    override func stopLoading() { delivery?.stop() }

    func thread() -> ClientThread { clientThread() }
    class var answer: @Sendable (ClientDelivery, URLResponse) -> Void { { _, _ in } }
}

private final class CountingProtocol: DeliveringProtocol {
    override class var answer: @Sendable (ClientDelivery, URLResponse) -> Void {
        { delivery, response in
            delivery.send(.response(response, needsSession: false))
            for number in 0..<100 {
                // One after the other, each from another thread.
                DispatchQueue.global().sync { delivery.send(.data(Data("\(number),".utf8))) }
            }
            delivery.send(.end(body: nil))
        }
    }
}

private final class TalkativeProtocol: DeliveringProtocol {
    override class var answer: @Sendable (ClientDelivery, URLResponse) -> Void {
        { delivery, response in
            delivery.send(.response(response, needsSession: false))
            delivery.send(.data(Data("once".utf8)))
            delivery.send(.end(body: nil))
            for _ in 0..<3 {
                delivery.send(.data(Data("twice".utf8)))
                delivery.send(.end(body: nil))
                delivery.send(.failure(URLError(.timedOut)))
            }
        }
    }
}

/// A client that writes down what it is told.
private final class WritingClient: NSObject, URLProtocolClient {
    private let log = ClientLog()

    var calls: [String] { log.calls }
    /// Called while the client is told of the response, before that is written down.
    let onResponse = Lock<@Sendable () -> Void>({})

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        onResponse.withLock { $0 }()
        log.call(policy == .notAllowed ? "response" : "response for a cache")
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        log.call("data \(String(decoding: data, as: UTF8.self))")
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { log.call("end") }
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { log.call("failure") }
    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {}
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {}
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}

/// A client's thread that does what it is given when the test says so.
private final class WaitingThread: Sendable {
    private let waiting = Lock<[@Sendable () -> Void]>([])

    func perform(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

    func run() {
        let work = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for item in work { item() }
    }
}
