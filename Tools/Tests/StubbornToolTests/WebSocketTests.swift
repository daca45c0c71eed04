import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling
import Testing

/// Web sockets through `stubborn record` and `stubborn serve`, with a server and a client of Python's `websockets`.
@Suite(.timeLimit(.minutes(5)), .enabled(if: PythonWebSockets.isInstalled))
struct WebSocketTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Returns the output of a client: what it receives, and the end of the socket.
    private func talk(_ tool: RunningTool, path: String, _ messages: String) throws -> [String] {
        let url = tool.url.replacingOccurrences(of: "http://", with: "ws://") + path
        let script = """
            import sys
            from websockets.exceptions import ConnectionClosed
            from websockets.sync.client import connect
            with connect(sys.argv[1], subprotocols=["v1"], proxy=None) as socket:
                print(socket.subprotocol)
                try:
                    for message in [\(messages)]:
                        if message is not None: socket.send(message)
                        print(repr(socket.recv(timeout=20)))
                except ConnectionClosed as error:
                    print(error.rcvd.code if error.rcvd else "lost", error.rcvd.reason if error.rcvd else "")
            """
        return try Tool.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            [PythonWebSockets.command, "-c", script, url],
            in: directory.url
        ).output.split(separator: "\n").map(String.init)
    }

    @Test func `a socket is recorded frame by frame, and served without the server`() async throws {
        let server = try PythonWebSockets()
        let recorder = try await RunningTool(
            ["record", "--upstream", server.url, "--to", "live.json"],
            in: directory.url
        )
        let messages = #"'{"id":1,"token":"hunter2hunter2"}', b"\x00\x01", "", b"", "ä" * 70000"#
        let echoed = try talk(recorder, path: "/echo?a=1", messages)
        let realtime = try talk(recorder, path: "/realtime", #"None, '{"type":"response.create","n":1}', None"#)
        #expect(echoed.count == 6 && echoed.dropFirst(2).first == #"b'\x00\x01'"#)
        #expect(realtime.last == "1000 done")
        #expect(recorder.end(by: SIGINT) == 0)
        server.stop()

        let stubs = try StubFile(contentsOf: directory.file("live.json")).stubs
        #expect(stubs.map(\.request.url.absoluteString).map { $0.suffix(9) } == ["/echo?a=1", "/realtime"])
        #expect(stubs.first?.response.webSocketFrames?.count == 11)
        #expect(try !directory.text("live.json").contains("hunter2"))

        let served = try await RunningTool(["serve", "live.json"], in: directory.url)
        #expect(try talk(served, path: "/echo?a=1", messages) == echoed)
        #expect(
            try talk(served, path: "/realtime", #"None, '{"type":"response.create","n":1}', None"#) == realtime
        )
    }

    @Test func `a frame that is not recorded closes the socket with the reason, and a request gets no socket`()
        async throws
    {
        try directory.write(
            """
            [ { "request": { "method": "GET", "url": "wss://api.example.com/live" },
                "frames": [ {"sent":"a"}, {"received":"b"} ], "response": { "statusCode": 101 } } ]
            """,
            to: "live.json"
        )
        let served = try await RunningTool(["serve", "live.json"], in: directory.url)
        #expect(try talk(served, path: "/live", #""a", "c""#) == ["v1", "'b'", "1011 No frame is left."])
        #expect(served.errors.contains("No frame is left for SEND wss://api.example.com/live"))
        let request = try served.curl("/live", "--include").output
        #expect(request.hasPrefix("HTTP/1.1 404 "))
        let upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"].flatMap {
            ["--header", $0]
        }
        let other = try Tool.run(
            program: ["curl", "--silent", "--noproxy", "*", "--include"] + upgrade
                + ["--header", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", served.url + "/other"],
            in: directory.url
        ).output
        #expect(other.hasPrefix("HTTP/1.1 404 ") && other.contains("No stub answers GET wss://api.example.com/other"))
    }

    @Test func `a server that refuses a socket, and one that is not there, are errors for the client`() async throws {
        let real = try await RunningTool(["serve", "live.json"], in: directoryWithRequest())
        for (url, status) in [(real.url, 502), ("http://127.0.0.1:1", 502), ("https://127.0.0.1:1", 501)] {
            let recorder = try await RunningTool(
                ["record", "--upstream", url, "--to", "\(UUID()).json"],
                in: directory.url
            )
            let answer = try recorder.curl(
                "/none",
                "--include",
                "--header",
                "Upgrade: websocket",
                "--header",
                "Connection: Upgrade"
            ).output
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        }
    }

    private func directoryWithRequest() throws -> URL {
        try directory.write(
            #"[ { "request": { "method": "GET", "url": "https://a.example/one" }, "response": { "statusCode": 200 } } ]"#,
            to: "live.json"
        )
        return directory.url
    }
}

/// Web sockets in stub files, as the other commands show and check them.
@Suite(.timeLimit(.minutes(2)))
struct WebSocketStubTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try write("old.json", price: "181.25")
        try write("new.json", price: "182.5")
        try write("secret.json", price: #"\"ghp_16C7e42F292c6912E7710c838347Ae178B4a\""#)
    }

    private func write(_ name: String, price: String) throws {
        let frames = [
            #"{"sent":"{\"subscribe\":\"AAPL\"}"}"#, #"{"received":"{\"price\":\#(price)}"}"#,
            #"{"received":"AAEC","type":"data"}"#, #"{"received":"1000 bye","type":"close"}"#,
        ]
        try directory.write(
            """
            [ { "request": { "method": "GET", "url": "wss://api.example.com/live" },
                "frames": [ \(frames.joined(separator: ",\n")) ], "response": { "statusCode": 101 } } ]
            """,
            to: name
        )
    }

    @Test func `list, show, diff and check know frames`() throws {
        let list = try Tool.run(["list", "old.json"], in: directory.url)
        #expect(list.status == 0 && list.output.contains("GET       101"), "\(list)")
        let show = try Tool.run(["show", "old.json"], in: directory.url)
        #expect(show.output.contains(#"{"received":"{\"price\":181.25}"}"#), "\(show)")
        let diff = try Tool.run(["diff", "old.json", "new.json"], in: directory.url)
        #expect(diff.output.contains("181.25") && diff.output.contains("182.5"), "\(diff)")
        #expect(try Tool.run(["check", "old.json"], in: directory.url).status == 0)
        let check = try Tool.run(["check", "secret.json"], in: directory.url)
        #expect(check.status == 1 && check.output.contains("ghp_") == false, "\(check)")
    }

    @Test func `report and review show the frame that has changed`() throws {
        try Tool.git("init", in: directory.url)
        try Tool.git("add", "old.json", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        try write("old.json", price: "182.5")
        let review = try Tool.run(["review", "--list"], in: directory.url, input: Data())
        #expect(review.output.contains("181.25") && review.output.contains("182.5"), "\(review)")
        #expect(try Tool.run(["report", ".", "--output", "report.html"], in: directory.url).status == 0)
        #expect(try directory.text("report.html").contains("182.5"))
    }
}

/// A process with the server of the library's tests.
private final class PythonWebSockets {
    static let command = ProcessInfo.processInfo.environment["STUBBORN_NETWORK_HTTPBIN_PYTHON"] ?? "python3"
    static let isInstalled =
        (try? Tool.run(program: [command, "-c", "import websockets.sync.client"], in: URL(fileURLWithPath: "/")))?
        .status == 0

    private let process = Process()
    let url: String

    init() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../Tests")
        let (output, input) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [Self.command, tests.appendingPathComponent("StubbornNetworkTests/Sockets/server.py").path]
        process.standardOutput = output
        // The server ends with its input.
        process.standardInput = input
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = "http://127.0.0.1:" + port.trimmingCharacters(in: .newlines)
    }

    deinit { stop() }

    func stop() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
