import Foundation
import LoopbackServer
import Testing

/// `stubborn record --proxy` and `stubborn serve --proxy`, with a program that is not Swift.
@Suite(.timeLimit(.minutes(5)), .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
struct ProxyCommandTests {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("command-\(UUID())")

    /// Runs `stubborn`, which is built next to the tests, and returns its status, standard output and standard error.
    private func stubborn(
        _ call: String,
        _ program: [String] = []
    ) throws -> (status: Int32, output: String, errors: String) {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let process = Process()
        // On a Mac the main bundle is the toolchain's.
        let tests = Bundle(for: Anchor.self).bundleURL
        let products = tests.pathExtension == "xctest" ? tests.deletingLastPathComponent() : tests
        process.executableURL = products.appendingPathComponent("stubborn")
        process.arguments = call.split(separator: " ").map(String.init) + program
        process.currentDirectoryURL = directory
        let environment = ProcessInfo.processInfo.environment
        process.environment = environment.filter { !$0.key.lowercased().hasSuffix("_proxy") && $0.key != "CI" }
        let output = Pipe()
        process.standardOutput = output
        let errors = directory.appendingPathComponent("errors")
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: data, as: UTF8.self),
            try String(contentsOf: errors, encoding: .utf8)
        )
    }

    @Test func `what a program asks for is recorded, and played without the server`() async throws {
        let server = try LoopbackServer()
        let secure = try await SecureServer(for: server)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(secure.certificatePEM.utf8).write(to: directory.appendingPathComponent("upstream.pem"))
        let curl = [
            "--", "curl", "--silent", secure.url("/hello"), secure.url("/json"), server.url("/hello").absoluteString,
        ]
        let recorded = try stubborn("record --proxy --to App.json --upstream-ca upstream.pem", curl)
        #expect(recorded.status == 0)
        #expect(recorded.output.hasPrefix("hello{"))
        #expect(server.requestCount(path: "/hello") == 2)
        try await secure.stop()
        server.stop()
        let played = try stubborn("serve App.json --proxy", curl)
        #expect(played.status == 0)
        #expect(played.output == recorded.output)
    }

    @Test(.enabled(if: Python.hasWebSockets))
    func `the web sockets of a program are recorded, and played without the server`() throws {
        let script = """
            import pathlib, sys
            from threading import Thread
            from websockets.sync.client import connect
            from websockets.sync.server import serve
            def echo(socket):
                for message in socket: socket.send(message)
            if sys.argv[1] == "record":
                server = serve(echo, "127.0.0.1", 0)
                Thread(target=server.serve_forever, daemon=True).start()
                pathlib.Path("port").write_text(str(server.socket.getsockname()[1]))
            port = pathlib.Path("port").read_text()
            with connect(f"ws://127.0.0.1:{port}/live", subprotocols=["v1"]) as socket:
                for message in ["one", bytes(range(256)) * 400, "ä"]:
                    socket.send(message)
                    print(socket.subprotocol, socket.recv(timeout=20) == message)
            """
        let recorded = try stubborn(
            "record --proxy --to App.json",
            ["--", "/usr/bin/env", Python.command, "-c", script, "record"]
        )
        #expect(recorded.status == 0 && recorded.output == String(repeating: "v1 True\n", count: 3), "\(recorded)")
        let program = ["--", "/usr/bin/env", Python.command, "-c", script]
        let played = try stubborn("serve App.json --proxy", program + ["play"])
        #expect(played.status == 0 && played.output == recorded.output, "\(played)")
        // The socket of a different path.
        let other = script.replacingOccurrences(of: "/live", with: "/other")
        let missing = try stubborn(
            "serve App.json --proxy",
            ["--", "/usr/bin/env", Python.command, "-c", other, "play"]
        )
        #expect(missing.status == 1 && missing.errors.contains("HTTP 404"), "\(missing)")
    }

    @Test func `a command has the status of the program that it runs, and leaves no file behind`() throws {
        let script = "printf %s \"$SSL_CERT_FILE\"; test -r \"$SSL_CERT_FILE\" && exit 7"
        let result = try stubborn("record --proxy --to App.json", ["--", "sh", "-c", script])
        #expect(result.status == 7)
        #expect(result.output.hasSuffix("/ca.pem"))
        #expect(
            !FileManager.default.fileExists(
                atPath: URL(fileURLWithPath: result.output).deletingLastPathComponent().path
            )
        )
    }

    @Test func `a request that no stub answers gets a report with the command that records it`() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let stub =
            #"[{ "request": { "method": "GET", "url": "https://api.example.invalid/users" }, "text": ["Ada"], "response": { "statusCode": 200 } }]"#
        try Data(stub.utf8).write(to: directory.appendingPathComponent("App.json"))
        let urls = ["https://api.example.invalid/users", "http://api.example.invalid/users"]
        let result = try stubborn("serve App.json --proxy", ["--", "curl", "--silent", "--include"] + urls)
        #expect(result.output.contains("Ada"))
        // The stub is for https:// only.
        #expect(result.output.contains("X-Stubborn: unmatched"))
        #expect(result.output.contains("stubborn record --proxy --to App.json --add"))
    }

    @Test func `a token in a path is not on standard error`() throws {
        let token = "glpat-" + "Zx8kQ2mN7pLr4TvWy1Bc"
        let server = try LoopbackServer()
        let url = server.url("/projects/\(token)/members").absoluteString
        let recorded = try stubborn("record --proxy --to App.json", ["--", "curl", "--silent", url])
        #expect(recorded.errors.contains("/projects/") && !recorded.errors.contains(token), "\(recorded.errors)")
        let played = try stubborn("serve App.json --proxy --verbose", ["--", "curl", "--silent", url, url + "/more"])
        #expect(played.errors.contains("no stub answers") && !played.errors.contains(token), "\(played.errors)")
    }

    /// curl ends the handshake with an alert, s_client ends it well and then closes the connection, as wget does.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")),
        arguments: [
            "unset SSL_CERT_FILE CURL_CA_BUNDLE; curl --silent https://api.example.invalid/",
            "openssl s_client -connect api.example.invalid:443 -proxy \"${HTTPS_PROXY#http://}\" < /dev/null",
        ]
    )
    func `a client that does not trust the proxy gets a hint`(script: String) throws {
        let hint = "api.example.invalid: the client ended TLS without a request"
        let result = try stubborn("record --proxy --to App.json", ["--", "sh", "-c", script])
        #expect(result.errors.components(separatedBy: hint).count == 2, "\(result.errors)")
        #expect(result.errors.contains("--ca-certificate=\"$SSL_CERT_FILE\""))
    }
}

private enum Python {
    static let command = ProcessInfo.processInfo.environment["STUBBORN_NETWORK_HTTPBIN_PYTHON"] ?? "python3"

    static let hasWebSockets: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command, "-c", "import websockets.sync.client"]
        process.standardError = FileHandle.nullDevice
        try? process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

private final class Anchor {}
