import Foundation
import Testing

@testable import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct ReceivedExchangeTests {
    /// What the exchange is told, and what it says to that: whether it had not ended.
    private struct Told {
        var exchange: ReceivedExchange
        var answers: [Bool] = []

        init(type: String = "text/plain", collectsBody: Bool = true) {
            exchange = ReceivedExchange(collectsBody: collectsBody)
            _ = exchange.add(.head(ResponseHead(statusCode: 200, headerFields: ["Content-Type": type])))
        }

        mutating func add(_ event: ExchangeEvent) { answers.append(exchange.add(event)) }
        mutating func add(_ text: String) { add(.data(Data(text.utf8))) }
        mutating func cancel() { add(.failure(CancellationError())) }

        /// Returns a Boolean value that indicates whether the beginning of the stream is stored now.
        mutating func isDue(after byteCount: Int = 0) -> Bool {
            if byteCount > 0 { add(String(repeating: ".", count: byteCount)) }
            return exchange.beginning() != nil
        }

        func response() throws -> StubResponse? {
            exchange.response(for: Recording(try .get("http://a/b", .status(200)), requestNumber: 0, replaces: true))
        }
    }

    @Test func `a cancellation after the end changes nothing`() throws {
        var told = Told()
        told.add("whole")
        told.add(.end(body: nil))
        told.cancel()
        #expect(told.answers == [true, true, false])
        #expect(try told.response()?.failure == nil)
        #expect(try told.response()?.body == Data("whole".utf8))
    }

    @Test func `a cancellation before the end is the end`() throws {
        var told = Told()
        told.add("half")
        told.cancel()
        told.cancel()
        told.add("late")
        told.add(.end(body: nil))
        #expect(told.answers == [true, true, false, false, false])
        #expect(try told.response()?.failure == .cancelledByClient)
        #expect(told.exchange.body == Data("half".utf8))
    }

    @Test func `the first failure is the end, and keeps what has arrived`() throws {
        var told = Told()
        told.add("half")
        told.add(.failure(URLError(.networkConnectionLost)))
        told.add(.failure(URLError(.timedOut)))
        #expect(told.answers == [true, true, false])
        #expect(try told.response()?.failure?.code == URLError.Code.networkConnectionLost.rawValue)
        #expect(told.exchange.body == Data("half".utf8))
    }

    @Test func `nothing has arrived before the head, and a body is collected only where it is stored`() throws {
        let empty = ReceivedExchange(collectsBody: true)
        let recording = Recording(try .get("http://a/b", .status(200)), requestNumber: 0, replaces: true)
        #expect(empty.response(for: recording) == nil)
        var told = Told(collectsBody: false)
        told.add("body")
        #expect(told.answers == [true])
        #expect(told.exchange.body == nil)
    }

    @Test func `the beginning of a stream is stored with each part, until it is 16 KB long`() {
        var told = Told(type: "text/event-stream")
        var isDue = [told.isDue(), told.isDue(after: ReceivedExchange.shortByteCount - 1)]
        // Nothing has come since; then it gets its last byte.
        isDue += [told.isDue(), told.isDue(after: 1)]
        // From now on it has to grow by an eighth.
        isDue += [told.isDue(after: ReceivedExchange.shortByteCount / 8 - 1), told.isDue(after: 1)]
        #expect(isDue == [false, true, false, true, false, true])
        told.add("last")
        told.add(.end(body: nil))
        let isDueAfterEnd = told.isDue()
        #expect(!isDueAfterEnd)
    }

    @Test func `a body that is not a stream has no beginning`() {
        var told = Told()
        let isDue = told.isDue(after: 1)
        #expect(!isDue)
    }
}
