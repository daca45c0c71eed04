import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Web sockets in stub files: what is recorded, and how it plays.
@Suite(.timeLimit(.minutes(10)))
struct WebSocketRecordingTests {
    private let scene = WebSocketScene()

    @Test func `a socket is one stub, with its frames in their order`() async throws {
        scene.serve { socket in
            socket.send(.string("hello"))
            for await message in socket.messages {
                socket.send(message)
                socket.send(.data(Data([0, 1])))
                socket.close(with: .goingAway, reason: Data("bye".utf8))
            }
        }
        try await scene.record { socket in
            _ = try await socket.text()
            _ = try await socket.answer(to: #"{"id":1}"#)
            _ = try await socket.text()
            _ = try? await socket.receive()
        }
        #expect(
            try scene.text == """
                [
                  {
                    "frames" : [
                      {"received":"hello"},
                      {"sent":"{\\"id\\":1}"},
                      {"received":"{\\"id\\":1}"},
                      {"received":"AAE=","type":"data"},
                      {"received":"1001 bye","type":"close"}
                    ],
                    "recordedAt" : "1970-01-01T00:00:00Z",
                    "request" : {
                      "method" : "GET",
                      "url" : "wss://api.test/live"
                    },
                    "response" : {
                      "statusCode" : 101
                    }
                  }
                ]

                """
        )
        let network = scene.network(.playback)
        let socket = network.webSocket(to: scene.url)
        #expect(try await socket.text() == "hello")
        // JSON is compared by its members.
        #expect(try await socket.answer(to: #"{ "id" : 1 }"#) == #"{"id":1}"#)
        #expect(try await socket.text() == "[0, 1]")
        await #expect(throws: POSIXError(.ENOTCONN)) { try await socket.receive() }
        #expect(socket.closeCode == .goingAway && socket.closeReason == Data("bye".utf8))
        #expect(network.unusedStubs.isEmpty && network.exchanges.map(\.outcome) == [.stubbed])
    }

    @Test func `a frame that was not recorded fails the client with the report`() async throws {
        scene.serveEcho()
        try await scene.record { socket in
            for id in 1...3 { _ = try await socket.answer(to: #"{"id":\#(id),"name":"Ada"}"#) }
        }
        let network = scene.network(.playback)
        let reports = Lock<[String]>([])
        network.onUnstubbedRequest = { report in reports.withLock { $0.append(report.description) } }
        let socket = network.webSocket(to: scene.url)
        _ = try await socket.answer(to: #"{"id":1,"name":"Ada"}"#)
        let waiting = Task { try await socket.receive() }
        try await socket.send(#"{"id":2,"name":"Eve"}"#)
        let error = await expectStubbornNetworkError { try await waiting.value }
        let again = await expectStubbornNetworkError { try await socket.send("a") }
        #expect(again?.message == error?.message)
        let text = try #require(reports.withLock { $0.first })
        #expect(error?.message == text)
        #expect(text.hasPrefix("No frame is left for SEND wss://api.test/live (playback, "))
        #expect(text.contains("2 other frames left). The network was not touched.\n"))
        #expect(text.contains("Closest is frame 1 of those left:\n"))
        #expect(text.contains(#"body.name: recorded "Ada", requested "Eve""#))
        #expect(text.contains("STUB_RECORD_MODE=recording"))
        #expect(!text.contains("To declare it"))
        #expect(network.unstubbedRequests.count == 1)
    }

    @Test func `frames may be sent in a different order, and the server's wait for those before them`() async throws {
        scene.serve { socket in
            var messages = socket.messages.makeAsyncIterator()
            _ = await (messages.next(), messages.next())
            socket.send(.string("both"))
            _ = await messages.next()
        }
        try await scene.record { socket in
            try await socket.send("a")
            try await socket.send("b")
            _ = try await socket.text()
        }
        let socket = scene.network(.playback).webSocket(to: scene.url)
        let hasSentBoth = Lock(false)
        let waiting = Task { (try await socket.text(), hasSentBoth.withLock { $0 }) }
        try await socket.send("b")
        hasSentBoth.withLock { $0 = true }
        try await socket.send("a")
        // The server's frame is not delivered before the client has sent both.
        #expect(try await waiting.value == ("both", true))
    }

    @Test func `an id that the matchers ignore is repeated with its new value`() async throws {
        scene.serveEcho()
        try await scene.record { _ = try await $0.answer(to: #"{"id":"a1","type":"start"}"#) }
        let network = scene.network(.playback)
        network.requestMatcherOptions = [.url, .requestBody(ignoringJSONKeyPaths: ["id"])]
        let socket = network.webSocket(to: scene.url)
        #expect(try await socket.answer(to: #"{"id":"b2","type":"start"}"#) == #"{"id":"b2","type":"start"}"#)
    }

    @Test func `secrets in frames and in the URL are placeholders, and play with any value`() async throws {
        let (token, known) = ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "correct-horse-battery")
        let url = URL(string: "wss://api.test/live?access_token=\(token)")!
        scene.serve { socket in
            for await message in socket.messages { socket.send(message) }
        }
        let network = scene.network(.recording)
        network.redaction = .standard.including(values: [known])
        let socket = scene.socket(of: network, url)
        let login = { (token: String, known: String) in #"{"type":"auth","token":"\#(token)","note":"\#(known)"}"# }
        #expect(try await socket.answer(to: login(token, known)) == login(token, known))
        try await socket.send(.data(Data("raw \(known)".utf8)))
        _ = try await socket.receive()
        socket.cancel(with: .normalClosure, reason: nil)
        try network.finishRecording()
        let text = try scene.text
        #expect(!text.contains(token) && !text.contains(known))
        #expect(!text.contains(Data("raw \(known)".utf8).base64EncodedString()))
        let played = scene.network(.playback).webSocket(to: URL(string: "wss://api.test/live?access_token=other")!)
        let answer = try await played.answer(to: login("other", "anything"))
        #expect(answer.contains("other"))
    }

    @Test func `a secret that is recognised late is removed from earlier frames`() async throws {
        let secret = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"
        scene.serveEcho()
        let network = scene.network(.recording)
        let socket = scene.socket(of: network)
        _ = try await socket.answer(to: "first \(String(secret.dropFirst(5)))")
        _ = try await socket.answer(to: #"{"password":"\#(String(secret.dropFirst(5)))"}"#)
        socket.cancel(with: .normalClosure, reason: nil)
        try network.finishRecording()
        #expect(try !scene.text.contains(secret.dropFirst(5)))
    }

    @Test func `a secret that only the session adds to a socket's request is known`() throws {
        let text = "ticket k9" + "Zx4Tq7Wm2Rb5"
        let network = scene.network(.recording)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer \(text.dropFirst(7))"]
        _ = network.makeSession(configuration: configuration)
        let redactor = network.engine.redactor.withLock { $0 }
        #expect(redactor.redact(text: text) == text)
        let request = URLRequest(url: try #require(URL(string: "ws://127.0.0.1:9/live")))
        network.engine.makeWebSocketTask(with: request).cancel()
        #expect(redactor.redact(text: text) == "ticket REDACTED-token-1")
    }

    @Test func `each socket of a client that reconnects is a stub`() async throws {
        scene.serve { socket in
            var messages = socket.messages.makeAsyncIterator()
            let first = await messages.next()
            if case .string(let text)? = first { socket.send(.string("\(text)!")) }
        }
        let network = scene.network(.recording)
        for text in ["one", "two"] {
            let socket = scene.socket(of: network)
            _ = try await socket.answer(to: text)
            _ = try? await socket.receive()
        }
        try network.finishRecording()
        #expect(try StubFile(contentsOf: scene.directory.file("a.json")).stubs.count == 2)
        let playing = scene.network(.playback)
        for text in ["one", "two"] {
            let socket = playing.webSocket(to: scene.url)
            #expect(try await socket.answer(to: text) == "\(text)!")
            await #expect(throws: POSIXError(.ENOTCONN)) { try await socket.receive() }
        }
    }

    @Test func `the close of a socket that the client drops at once is stored`() async throws {
        scene.serveEcho()
        let network = scene.network(.recording)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { [scene] in
                    let socket = scene.socket(of: network)
                    _ = try await socket.answer(to: "a")
                    socket.cancel(with: .normalClosure, reason: nil)
                }
            }
            try await group.waitForAll()
        }
        try network.finishRecording()
        let closes = try scene.text.components(separatedBy: #"{"sent":"1000","type":"close"}"#).count - 1
        #expect(closes == 100)
    }

    @Test func `two sockets at once are two stubs, in the order in which they opened`() async throws {
        scene.serveEcho()
        let network = scene.network(.recording)
        func talk(_ first: any WebSocketConnection, _ second: any WebSocketConnection) async throws -> [String] {
            var received: [String] = []
            for number in 0..<3 {
                received.append(try await second.answer(to: "second \(number)"))
                received.append(try await first.answer(to: "first \(number)"))
            }
            return received
        }
        let (first, second) = (scene.socket(of: network), scene.socket(of: network))
        _ = try await (first.answer(to: "1"), second.answer(to: "2"))
        let recorded = try await talk(first, second)
        first.cancel(with: .normalClosure, reason: nil)
        second.cancel(with: .normalClosure, reason: nil)
        try network.finishRecording()
        let stubs = try StubFile(contentsOf: scene.directory.file("a.json")).stubs
        #expect(stubs.map { $0.response.webSocketFrames?.first?.text } == ["1", "2"])
        let playing = scene.network(.playback)
        try playing.loadStubs()
        #expect(playing.unusedStubs.count == 2)
        let (one, two) = (playing.webSocket(to: scene.url), playing.webSocket(to: scene.url))
        _ = try await (one.answer(to: "1"), two.answer(to: "2"))
        #expect(playing.unusedStubs.isEmpty)
        #expect(try await talk(one, two) == recorded)
    }

    @Test func `empty frames, and a ping, are not lost`() async throws {
        scene.serveEcho()
        func talk(_ socket: any WebSocketConnection) async throws -> [String] {
            var received = [try await socket.answer(to: "")]
            let error = await withCheckedContinuation { call in socket.sendPing { call.resume(returning: $0) } }
            #expect(error == nil)
            try await socket.send(.data(Data()))
            received.append(try await socket.text())
            return received
        }
        try await scene.record { socket in
            let received = try await talk(socket)
            #expect(received == ["", "[]"])
        }
        let text = try scene.text
        #expect(text.contains(#"{"received":""}"#) && text.contains(#"{"sent":"","type":"data"}"#))
        let socket = scene.network(.playback).webSocket(to: scene.url)
        #expect(try await talk(socket) == ["", "[]"])
    }

    @Test func `a connection that is lost fails again, after what had arrived`() async throws {
        scene.serve { socket in
            socket.send(.string("a"))
            throw URLError(.networkConnectionLost)
        }
        try await scene.record { socket in
            _ = try await socket.text()
            _ = try? await socket.receive()
        }
        let socket = scene.network(.playback).webSocket(to: scene.url)
        #expect(try await socket.text() == "a")
        await #expect(throws: URLError.self) { try await socket.receive() }
    }

    @Test func `a server that refuses the socket is recorded as the failure`() async throws {
        scene.server.stub(webSocket: .any, with: .status(403))
        let network = scene.network(.recording)
        await #expect(throws: URLError(.badServerResponse)) { try await scene.socket(of: network).receive() }
        try network.finishRecording()
        #expect(try scene.text.contains(#""code" : -1011"#) && network.exchanges.map(\.outcome) == [.failed])
        let played = scene.network(.playback).webSocket(to: scene.url)
        await #expect(throws: URLError.self) { try await played.receive() }
    }

    @Test func `recorded times are played at the speed of playback`() async throws {
        scene.serve { socket in
            for _ in 0..<3 {
                try await Task.sleep(nanoseconds: 100_000_000)
                socket.send(.string("tick"))
            }
            for await _ in socket.messages {}
        }
        try await scene.record(setting: { $0.recordsTiming = true }) { socket in
            for _ in 0..<3 { _ = try await socket.text() }
        }
        #expect(try scene.text.contains(#""seconds":"#))
        // The same frames, with times that nobody waits for.
        let frames = (1...3).map { WebSocketFrame(isSent: false, .text, Data("tick".utf8), seconds: Double($0) * 50) }
        let stub = Stub(request: StubRequest(url: scene.url), response: .frames(frames))
        let document = StubFileDocument(entries: [StubFileEntry(rendering: stub, bodyEncoding: .readable)])
        try scene.directory.write(String(decoding: document.data, as: UTF8.self), to: "a.json")
        for (speed, seconds) in [(PlaybackSpeed.delays(scaledBy: 0.002), 0.25...60), (.immediate, 0...50)] {
            let network = scene.network(.playback)
            network.playbackSpeed = speed
            let (socket, start) = (network.webSocket(to: scene.url), Date())
            for _ in 0..<3 { #expect(try await socket.text() == "tick") }
            #expect(seconds.contains(Date().timeIntervalSince(start)))
        }
    }

    @Test func `recording the same frames again leaves the file as it is`() async throws {
        scene.serve { socket in
            socket.send(.string(#"{"session":"\#(UUID())"}"#))
            for await message in socket.messages { socket.send(message) }
        }
        func record(_ text: String) async throws -> String {
            try await scene.record { socket in
                _ = try await socket.text()
                _ = try await socket.answer(to: text)
            }
            return try scene.text
        }
        let first = try await record("same")
        #expect(try await record("same") == first)
        let changed = try await record("different")
        #expect(changed != first && changed.contains("different"))
        #expect(try StubFile(contentsOf: scene.directory.file("a.json")).stubs.count == 1)
    }

    @Test func `verifying compares the frames, and leaves the file as it is`() async throws {
        scene.serveEcho()
        try await scene.record { _ = try await $0.answer(to: "same") }
        let text = try scene.text
        for (sent, count) in [("same", 0), ("different", 1)] {
            let network = scene.network(.verifying)
            let socket = scene.socket(of: network)
            _ = try await socket.answer(to: sent)
            socket.cancel(with: .normalClosure, reason: nil)
            try network.finishRecording()
            #expect(network.engine.verify().stubs(atLeast: .values).count == count)
        }
        #expect(try scene.text == text)
    }

    @Test func `a socket that is still open is stored when the recording ends`() async throws {
        scene.serveEcho()
        let network = scene.network(.recording)
        let socket = scene.socket(of: network)
        _ = try await socket.answer(to: "a")
        try network.finishRecording()
        #expect(try scene.text.contains(#"{"received":"a"}"#))
        // What follows is stored with the next end.
        #expect(try await socket.answer(to: "b") == "b")
        socket.cancel(with: .normalClosure, reason: nil)
        try network.finishRecording()
        let frames = try StubFile(contentsOf: scene.directory.file("a.json")).stubs.map(\.response.webSocketFrames)
        #expect(frames.map { $0?.map(\.text) } == [["a", "a", "b", "b", "1000"]])
        #expect(scene.directory.contents == ["a.json"])
    }

    @Test func `a processor of bodies gets no frames`() async throws {
        struct Processor: BodyDataProcessor {
            func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { Data("processed".utf8) }
            func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? { Data("processed".utf8) }
            func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? { nil }
        }
        scene.serveEcho()
        try await scene.record(setting: { $0.bodyDataProcessor = Processor() }) { _ = try await $0.answer(to: "a") }
        #expect(try scene.text.contains(#"{"received":"a"}"#) && !scene.text.contains("processed"))
        let network = scene.network(.playback)
        network.bodyDataProcessor = Processor()
        #expect(try await network.webSocket(to: scene.url).answer(to: "a") == "a")
    }

    @Test func `calls of JSON-RPC are answered with their new ids`() async throws {
        scene.serveEcho()
        func call(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"a"}"# }
        try await scene.record { _ = try await $0.answer(to: call(1)) }
        let network = scene.network(.playback)
        network.requestMatcherOptions = [.url, .requestBody(ignoringJSONKeyPaths: ["id"])]
        #expect(try await network.webSocket(to: scene.url).answer(to: call(7)) == call(7))
    }

    @Test func `a socket that is passed through is not recorded`() async throws {
        scene.serveEcho()
        let network = scene.network(.recording)
        network.passThrough(.path("/live"))
        #expect(try await scene.socket(of: network).answer(to: "a") == "a")
        network.removeAllStubs()
        network.recordingFilter = { _ in nil }
        #expect(try await scene.socket(of: network).answer(to: "b") == "b")
        try network.finishRecording()
        #expect(scene.directory.contents.isEmpty)
        #expect(network.exchanges.map(\.outcome) == [.passedThrough, .passedThrough])
    }

    /// `true`: with new values of a member that the matchers ignore, which each client's frame is compared without.
    @Test(arguments: [false, true])
    func `ten thousand frames are played in their order`(withNewIDs: Bool) async throws {
        let texts = (0..<500).map { #"{"n":\#($0),"id":"\#(withNewIDs ? "new" : "old")"}"# }
        let more = (1...18).map { "more \($0)" }
        let recorded = texts.map { $0.replacingOccurrences(of: "new", with: "old") }
        let frames = recorded.flatMap { [WebSocketFrame.sent($0), .text($0)] + more.map(WebSocketFrame.text) }
        let stub = Stub(request: StubRequest(url: scene.url), response: .frames(frames))
        let document = StubFileDocument(entries: [StubFileEntry(rendering: stub, bodyEncoding: .readable)])
        try scene.directory.write(String(decoding: document.data, as: UTF8.self), to: "a.json")
        let network = scene.network(.playback)
        network.requestMatcherOptions = [.url, .requestBody(ignoringJSONKeyPaths: ["id"])]
        let socket = network.webSocket(to: scene.url)
        for text in texts {
            var received = [try await socket.answer(to: text)]
            for _ in more { received.append(try await socket.text()) }
            if received != [text] + more { Issue.record("\(text) was answered with \(received)") }
        }
    }

    @Test func `a thousand frames are recorded, each once`() async throws {
        scene.serveEcho()
        try await scene.record { socket in
            for number in 0..<1_000 { _ = try await socket.answer(to: "\(number)") }
        }
        let stub = try #require(StubFile(contentsOf: scene.directory.file("a.json")).stubs.first)
        let frames = try #require(stub.response.webSocketFrames)
        let texts = (0..<1_000).map { "\($0)" }
        #expect(frames.filter(\.isSent).map(\.text) == texts + ["1000"])
        #expect(frames.filter { !$0.isSent }.map(\.text) == texts)
        #expect(scene.directory.contents == ["a.json"])
    }

    @Test func `a frame that this format does not have is an error that shows its line`() throws {
        let text = #"[{"frames":["# + "\n" + #"{"pushed":"a"}],"request":{"method":"GET","url":"wss://a.test"}}]"#
        try scene.directory.write(text, to: "a.json")
        let error = #expect(throws: StubbornNetworkError.self) { try scene.network(.playback).loadStubs() }
        #expect(
            error?.message.contains("frames such as") == true && error?.message.contains(":2:") == true,
            "\(error?.message ?? "")"
        )
    }
}
