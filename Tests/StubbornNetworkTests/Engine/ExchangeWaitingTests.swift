import Foundation
import StubbornNetwork
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExchangeWaitingTests {
    private let url = URL(string: "https://api.test/login")!

    private func network() -> StubbornNetwork {
        let network = StubbornNetwork(.observing, environment: [:])
        network.stub(.path("/login"), with: .text("token"))
        return network
    }

    @Test func `an exchange that is logged already is returned at once`() async throws {
        let network = network()
        _ = try await network.session.data(from: url)
        let exchange = try await network.waitForExchange(matching: .path("/login"), timeout: .seconds(0))
        #expect(exchange.outcome == .stubbed)
        #expect(exchange.id == 0)
    }

    @Test func `an exchange that comes later is waited for, and others are ignored`() async throws {
        let network = network()
        async let waited = network.waitForExchange(matching: .path("/login"), timeout: .seconds(60))
        _ = try await network.session.data(from: url.appendingPathComponent("other"))
        _ = try await network.session.data(from: url)
        #expect(try await waited.request.url == url)
    }

    @Test func `many tasks wait, each for its own exchange`() async throws {
        let network = network()
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<50 {
                group.addTask {
                    let exchange = try await network.waitForExchange(
                        matching: .path("/\(number)"),
                        timeout: .seconds(60)
                    )
                    return (number, Int(exchange.request.url.lastPathComponent) ?? -1)
                }
                group.addTask {
                    _ = try await network.session.data(from: URL(string: "https://api.test/\(number)")!)
                    return (0, 0)
                }
            }
            for try await (wanted, found) in group { #expect(wanted == found) }
        }
    }

    @Test func `after the timeout the error lists the requests that were made`() async throws {
        let network = network()
        let none = await #expect(throws: StubbornNetworkError.self) {
            try await network.waitForExchange(matching: .path("/users"), timeout: .milliseconds(10))
        }
        #expect(none?.code == .noSuchExchange)
        #expect(
            none?.message == """
                No request matched in time: path /users. No requests were made.
                Check that the code under test uses a session of this network, or wait longer: timeout: .seconds(30).
                """
        )
        _ = try await network.session.data(from: url)
        let other = await #expect(throws: StubbornNetworkError.self) {
            try await network.waitForExchange(matching: .path("/users"), timeout: .milliseconds(10))
        }
        #expect(other?.message.contains("The requests were:\n  GET https://api.test/login\n") == true)
    }

    @Test func `a cancelled task stops waiting`() async {
        let network = network()
        let task = Task { try await network.waitForExchange(matching: .path("/users"), timeout: .seconds(3_000)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    private struct Login: Codable, Equatable {
        var user: String
    }

    @Test func `a body is decoded, or the error says why not`() throws {
        var request = StubRequest(method: "POST", url: url, body: Data(#"{"user":"ada"}"#.utf8))
        #expect(try request.decodedBody(as: Login.self) == Login(user: "ada"))
        request.body = nil
        let error = #expect(throws: StubbornNetworkError.self) { try request.decodedBody(as: Login.self) }
        #expect(error?.message == "The body of POST https://api.test/login cannot be decoded as Login: there is none.")
        request.body = Data("[]".utf8)
        #expect(throws: StubbornNetworkError.self) { try request.decodedBody(as: Login.self) }
    }
}
