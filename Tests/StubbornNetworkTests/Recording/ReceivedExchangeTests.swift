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
            _ = exchange.add(.head(ResponseHead(statusCode: 200, headers: ["Content-Type": type])))
        }

        mutating func add(_ event: ExchangeEvent) { answers.append(exchange.add(event)) }
        mutating func add(_ text: String) { add(.data(Data(text.utf8))) }
        mutating func cancel() { add(.failure(CancellationError())) }

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
}
