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

    @Test func `what is sent after the end is lost, and harmless`() async throws {
        for _ in 0..<50 {
            let (data, response) = try await session(TalkativeProtocol.self).data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "once")
            #expect(response.status == 200)
        }
    }

    @Test func `an end without a response is an error`() async throws {
        let error = await #expect(throws: URLError.self) { try await session(SilentProtocol.self).data(from: url) }
        #expect(error?.code == .badServerResponse)
    }

    #if canImport(FoundationNetworking)
        @Test func `resuming a running task delivers too, where the work queue has another name`() async throws {
            let session = session(BouncingProtocol.self)
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<200 {
                    group.addTask { String(decoding: try await session.data(from: url).0, as: UTF8.self) }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(answers == Array(repeating: "bounced", count: 200))
        }
    #endif
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

    func thread() -> any ClientThread { clientThread() }
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

private final class SilentProtocol: DeliveringProtocol {
    override class var answer: @Sendable (ClientDelivery, URLResponse) -> Void {
        { delivery, _ in delivery.send(.end(body: nil)) }
    }
}

#if canImport(FoundationNetworking)
    private final class BouncingProtocol: DeliveringProtocol {
        override func thread() -> any ClientThread { ResumeBounceThread(task: task!) }

        override class var answer: @Sendable (ClientDelivery, URLResponse) -> Void {
            { delivery, response in
                delivery.send(.response(response, needsSession: false))
                delivery.send(.data(Data("bounced".utf8)))
                delivery.send(.end(body: nil))
            }
        }
    }
#endif
