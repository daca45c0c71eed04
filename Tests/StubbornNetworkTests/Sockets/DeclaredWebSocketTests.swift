import Foundation
import Testing

@testable import StubbornNetwork

/// Web sockets whose server is declared in code, and the errors that their clients get.
@Suite(.timeLimit(.minutes(2)))
struct DeclaredWebSocketTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])
    private let url = URL(string: "wss://api.test/live")!

    init() { network.onUnstubbedRequest = { _ in } }

    @Test func `a function of the test plays the server`() async throws {
        network.stub(webSocket: .path("/live")) { socket in
            socket.send(.string("hello \(socket.request.url.host ?? "")"))
            for await message in socket.messages { socket.send(message) }
        }
        let socket = network.webSocket(to: url)
        #expect(try await socket.text() == "hello api.test")
        #expect(try await socket.answer(to: "a") == "a")
        try await socket.send(.data(Data([1, 2])))
        #expect(try await socket.text() == "[1, 2]")
        #expect(network.exchanges.map(\.outcome) == [.stubbed])
    }

    @Test func `a list of frames is played by cause`() async throws {
        network.stub(webSocket: .path("/live"), with: .frames(["hello", .sent("more"), "bye", .data(Data([7]))]))
        let socket = network.webSocket(to: url)
        #expect(try await socket.text() == "hello")
        let next = Task { try await socket.text() }
        try await socket.send("more")
        #expect(try await next.value == "bye")
        #expect(try await socket.text() == "[7]")
    }

    @Test func `a binary frame is not the text with the same bytes`() async throws {
        network.onUnstubbedRequest = { _ in }
        network.stub(webSocket: .path("/live"), with: .frames([.sent("a"), "b"]))
        let socket = network.webSocket(to: url)
        try await socket.send(.data(Data("a".utf8)))
        await expectStubbornNetworkError { try await socket.receive() }
    }

    @Test func `the socket is closed when the function returns, and fails with its error`() async throws {
        network.stub(webSocket: .path("/live"), times: 1) { $0.send(.string("bye")) }
        network.stub(webSocket: .path("/lost")) { _ in throw URLError(.networkConnectionLost) }
        let socket = network.webSocket(to: url)
        #expect(try await socket.text() == "bye")
        await #expect(throws: POSIXError(.ENOTCONN)) { try await socket.receive() }
        #expect(socket.closeCode == .normalClosure)
        let lost = network.webSocket(to: URL(string: "wss://api.test/lost")!)
        await #expect(throws: URLError(.networkConnectionLost)) { try await lost.receive() }
    }

    @Test func `a message and a close that arrive while the first call opens the socket are received`() async throws {
        let socket = try #require(network.webSocket(to: url) as? StubbedWebSocket)
        network.stub(.webSocket) { _ in
            // As the task of a quick server does on another thread.
            socket.deliver(.string("bye"))
            socket.end(with: StubbedWebSocket.notConnected, .normalClosure)
            return .frames([])
        }
        #expect(try await socket.text() == "bye")
        await #expect(throws: POSIXError(.ENOTCONN)) { try await socket.receive() }
        await #expect(throws: POSIXError(.ENOTCONN)) { try await socket.send("late") }
        network.removeAllStubs()
    }

    @Test func `the server closes with a code and a reason, after what it has sent`() async throws {
        network.stub(webSocket: .any) { socket in
            socket.send(.string("last"))
            socket.close(with: .goingAway, reason: Data("restart".utf8))
        }
        let socket = network.webSocket(to: url)
        #expect(try await socket.text() == "last")
        await #expect(throws: POSIXError(.ENOTCONN)) { try await socket.receive() }
        await #expect(throws: POSIXError(.ENOTCONN)) { try await socket.send("late") }
        #expect(socket.closeCode == .goingAway)
        #expect(socket.closeReason == Data("restart".utf8))
    }

    @Test func `after the client has closed, each call fails like that of the system's task`() async throws {
        network.stub(webSocket: .any, with: .frames(["unread"]))
        let (closed, cancelled) = (network.webSocket(to: url), network.webSocket(to: url))
        #expect(closed.closeCode == .invalid)
        closed.resume()
        closed.cancel(with: .goingAway, reason: nil)
        await #expect(throws: POSIXError(.ENOTCONN)) { try await closed.send("a") }
        await #expect(throws: POSIXError(.ENOTCONN)) { try await closed.receive() }
        #expect(closed.closeCode == .goingAway)
        cancelled.cancel()
        await #expect(throws: URLError(.cancelled)) { try await cancelled.receive() }
        let pong = await withCheckedContinuation { call in
            closed.sendPing { error in call.resume(returning: error != nil) }
        }
        #expect(pong)
    }

    @Test func `a server answers a ping while the socket is open`() async throws {
        network.stub(webSocket: .any, with: .frames([]))
        let socket = network.webSocket(to: url)
        let error = await withCheckedContinuation { call in socket.sendPing { call.resume(returning: $0) } }
        #expect(error == nil)
    }

    @Test func `a cancelled task stops waiting, and the next message is not lost`() async throws {
        network.stub(webSocket: .any, with: .frames([.sent("go"), "a"]))
        let socket = network.webSocket(to: url)
        let waiting = Task { try await socket.text() }
        try await Task.sleep(nanoseconds: 5_000_000)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await socket.text()
        }
        await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
        #expect(try await socket.answer(to: "go") == "a")
    }

    @Test func `a declared response refuses a socket, and a failure is its error`() async throws {
        network.stub(webSocket: .path("/live"), with: .status(401))
        network.stub(.path("/down"), with: .failure(URLError(.notConnectedToInternet)))
        let (live, down) = (network.webSocket(to: url), network.webSocket(to: URL(string: "wss://api.test/down")!))
        await #expect(throws: URLError(.badServerResponse)) { try await live.receive() }
        await #expect(throws: URLError(.badServerResponse)) { try await live.send("a") }
        await #expect(throws: URLError.self) { try await down.receive() }
    }

    @Test func `a declared socket does not answer a request, and other URLs are refused`() async throws {
        network.stub(webSocket: .path("/live"), with: .frames(["a"]))
        let request = URL(string: "https://api.test/live")!
        let error = await expectStubbornNetworkError { try await network.session.data(from: request) }
        #expect(error?.code == .unstubbedRequest)
        let socket = network.webSocket(to: request)
        let refused = await expectStubbornNetworkError { try await socket.receive() }
        #expect(refused?.message.contains("stubs answer only ws and wss URLs") == true)
    }

    @Test func `a socket that nothing answers fails with the report, and no server is called`() async throws {
        let socket = network.webSocket(with: URLRequest(url: url)) { _ in throw URLError(.cannotConnectToHost) }
        let error = await expectStubbornNetworkError { try await socket.receive() }
        #expect(error?.report?.request == "GET wss://api.test/live")
        #expect(network.unstubbedRequests.map(\.url) == [url])
    }

    @Test func `the protocols of the client are in the request`() async throws {
        network.stub(webSocket: .header("Sec-WebSocket-Protocol", equals: "v2, v1"), with: .frames(["two"]))
        #expect(try await network.webSocket(to: url, protocols: ["v2", "v1"]).text() == "two")
    }

    @Test func `a hundred sockets at once keep their messages apart`() async throws {
        network.stub(webSocket: .any) { socket in
            for await message in socket.messages { socket.send(message) }
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask { [network, url] in
                    let socket = network.webSocket(to: url)
                    for message in 0..<20 {
                        guard try await socket.answer(to: "\(number) \(message)") == "\(number) \(message)" else {
                            return false
                        }
                    }
                    return true
                }
            }
            for try await isApart in group { #expect(isApart) }
        }
    }
}
