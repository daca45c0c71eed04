import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling
import Testing

/// `stubborn record`: a server in between that records.
///
/// `stubborn serve` is the real server here.
@Suite(.timeLimit(.minutes(5)))
struct RecordTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(
            """
            [
              { "request": { "method": "GET", "url": "https://real.example/users/42?token=hunter2hunter2hunter2" },
                "json": { "name": "Ada" },
                "response": { "statusCode": 200, "headerFields": ["Content-Type[:::]application/json"] } },
              { "request": { "method": "POST", "url": "https://real.example/users", "requestText": ["name=Grace"] },
                "text": ["made"], "response": { "statusCode": 201 } },
              { "request": { "method": "GET", "url": "https://real.example/old" },
                "response": { "statusCode": 302, "headerFields": ["Location[:::]https://real.example/new"] } },
              { "request": { "method": "GET", "url": "https://real.example/new" },
                "text": ["new"], "response": { "statusCode": 200 } },
              { "request": { "method": "GET", "url": "https://real.example/slow" }, "text": ["slow"],
                "response": { "statusCode": 200 }, "timing": { "firstByte": 2 } }
            ]
            """,
            to: "real.json"
        )
    }

    private func realServer() async throws -> RunningTool {
        try await RunningTool(["serve", "real.json", "--speed", "recorded", "--verbose"], in: directory.url)
    }

    private func record(_ upstream: String, _ options: String...) async throws -> RunningTool {
        try await RunningTool(["record", "--upstream", upstream, "--to", "new.json"] + options, in: directory.url)
    }

    /// The stubs of the recording: `GET http://127.0.0.1:8080/new 200`.
    private func recorded() throws -> [String] {
        try StubFile(contentsOf: directory.file("new.json")).stubs.map { stub in
            "\(stub.request) \(stub.response.head.map { "\($0.statusCode)" } ?? "failed")"
        }
    }

    @Test func `exchanges are recorded under the URLs of the real server, without secrets`() async throws {
        let server = try await realServer()
        let recorder = try await record(server.url)

        #expect(try recorder.curl("/users/42?token=hunter2hunter2hunter2").output == #"{"name":"Ada"}"#)
        #expect(try recorder.curl("/users", "--data", "name=Grace").output == "made")
        #expect(recorder.end(by: SIGINT) == 0)

        let stubs = try recorded()
        #expect(stubs.count == 2)
        #expect(stubs.first?.hasPrefix("GET \(server.url)/users/42?token=REDACTED") == true)
        #expect(stubs.last == "POST \(server.url)/users 201")
        #expect(!(try directory.text("new.json").contains("hunter2")))
        #expect(recorder.errors.contains("Recorded 2 stubs in new.json."))
        #expect(recorder.errors.contains("request URL, token (token-fields)"))
    }

    @Test func `a recording is served as it was recorded`() async throws {
        let server = try await realServer()
        let recorder = try await record(server.url)
        #expect(try recorder.curl("/users/42?token=hunter2hunter2hunter2").output == #"{"name":"Ada"}"#)
        recorder.end()
        server.end()

        let copy = try await RunningTool(["serve", "new.json"], in: directory.url)
        #expect(try copy.curl("/users/42?token=anotherSecret1234567").output == #"{"name":"Ada"}"#)
    }

    @Test func `a redirect is recorded, and leads the client back to the recorder`() async throws {
        let server = try await realServer()
        let recorder = try await record(server.url)

        #expect(try recorder.curl("/old", "--location").output == "new")
        recorder.end()

        #expect(try recorded() == ["GET \(server.url)/old 302", "GET \(server.url)/new 200"])
    }

    @Test func `a file that exists is not touched without --add or --replace`() async throws {
        try directory.write("[]", to: "new.json")

        let result = try Tool.run(
            ["record", "--upstream", "http://127.0.0.1:1", "--to", "new.json"],
            in: directory.url
        )

        #expect(result.status == 2)
        #expect(result.errors.contains("new.json exists. Use --add to add to it, or --replace to record it again."))
        #expect(try directory.text("new.json") == "[]")
    }

    @Test func `--add answers what is in the file and records the rest`() async throws {
        let server = try await realServer()
        try directory.write(
            """
            [ { "request": { "method": "GET", "url": "\(server.url)/new" }, "text": ["kept"], "response": { "statusCode": 200 } } ]
            """,
            to: "new.json"
        )
        let recorder = try await record(server.url, "--add")

        #expect(try recorder.curl("/new").output == "kept")
        #expect(try recorder.curl("/users", "--data", "name=Grace").output == "made")
        recorder.end()

        #expect(
            try recorded() == [
                "GET \(server.url)/new 200", "POST \(server.url)/users 201",
            ]
        )
    }

    @Test func `--replace removes what no client asked for`() async throws {
        let server = try await realServer()
        try directory.write(
            """
            [ { "request": { "method": "GET", "url": "\(server.url)/gone" }, "response": { "statusCode": 200 } } ]
            """,
            to: "new.json"
        )
        let recorder = try await record(server.url, "--replace")

        #expect(try recorder.curl("/new").output == "new")
        recorder.end()

        #expect(try recorded() == ["GET \(server.url)/new 200"])
    }

    // A shell and the system both say that a terminal was closed.
    @Test(arguments: [[SIGTERM], [SIGHUP, SIGHUP]])
    func `a request that is running when the signal comes is recorded`(signals: [Int32]) async throws {
        let server = try await realServer()
        let recorder = try await record(server.url)
        let client = Task.detached { [url = recorder.url, directory = directory.url] in
            try Tool.run(program: ["curl", "--silent", "--noproxy", "", url + "/slow"], in: directory)
        }
        // The real server says that it has the request before it waits for two seconds.
        for _ in 0..<3_000 where !server.errors.contains("GET /slow") { try await Task.sleep(nanoseconds: 10_000_000) }
        for signal in signals {
            recorder.send(signal)
            try await Task.sleep(nanoseconds: 100_000_000)
        }

        #expect(try await client.value.output == "slow")
        #expect(recorder.exitStatus() == 0)
        #expect(try recorded().count == 1)
    }

    @Test func `what was recorded before a crash is served`() async throws {
        let server = try await realServer()
        let recorder = try await record(server.url)
        #expect(try recorder.curl("/new").output == "new")
        recorder.end(by: SIGKILL)

        let copy = try await RunningTool(["serve", "new.json"], in: directory.url)
        #expect(try copy.curl("/new").output == "new")
    }

    @Test func `it records although CI is set`() async throws {
        let server = try await realServer()
        let recorder = try await RunningTool(
            ["record", "--upstream", server.url + "/", "--to", "new.json"],
            in: directory.url,
            environment: ["CI": "true", "STUB_RECORD_MODE": "playback"]
        )

        #expect(try recorder.curl("/new").output == "new")
        recorder.end()

        #expect(try recorded().count == 1)
    }

    @Test func `a server that cannot be reached is a 502, and the error is recorded`() async throws {
        // Not a server that has ended: another test may get its port.
        let recorder = try await record("http://127.0.0.1:1")

        let answer = try recorder.curl("/new", "--include").output

        #expect(answer.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(answer.contains("http://127.0.0.1:1/new does not answer: "))
        #expect(recorder.end() == 0)
        #expect(try recorded() == ["GET http://127.0.0.1:1/new failed"])
    }

    @Test(arguments: ["api.example.com", "ftp://api.example.com", "https://api.example.com/?a=1"])
    func `an upstream that is no server's URL is an error`(url: String) throws {
        let result = try Tool.run(["record", "--upstream", url, "--to", "new.json"], in: directory.url)

        #expect(result.status == 2)
        #expect(result.errors.contains(url))
    }

    @Test func `the bytes of a URL reach the server as the client has sent them`() async throws {
        let server = try await realServer()
        let recorder = try await record(server.url)
        for path in ["/q?filter[name]=a%20b", "/a|b?c=%2F"] { _ = try recorder.curl(path) }
        recorder.end()

        #expect(
            try recorded() == ["GET \(server.url)/q?filter%5Bname%5D=a%20b 404", "GET \(server.url)/a%7Cb?c=%2F 404"]
        )
    }

    @Test func `a token in a path is neither in the file nor on standard error`() async throws {
        let token = "glpat-" + "Zx8kQ2mN7pLr4TvWy1Bc"
        let server = try await realServer()
        let recorder = try await record(server.url)
        _ = try recorder.curl("/projects/\(token)/members")
        recorder.end()
        #expect(try !directory.text("new.json").contains(token))
        #expect(!recorder.errors.contains(token))
        #expect(recorder.errors.contains("GET /projects/") && recorder.errors.contains("/members: 404"))
    }

    @Test func `a request with the name of another host is refused, unless that name is given`() async throws {
        let server = try await realServer()
        let strict = try await record(server.url, "--to", "strict.json")
        let open = try await record(server.url, "--to", "open.json", "--host", "evil.example")
        let status = { (recorder: RunningTool, host: String) in
            try recorder.curl(
                "/new",
                "--output",
                "/dev/null",
                "--write-out",
                "%{http_code}",
                "--header",
                "Host: \(host)"
            )
            .output
        }
        for host in ["evil.example", "evil.example:80", "localhost.evil.example"] {
            #expect(try status(strict, host) == "421", "\(host)")
        }
        for host in ["localhost:8080", "127.0.0.1", "app.localhost", "[::1]:80"] {
            #expect(try status(strict, host) == "200", "\(host)")
        }
        #expect(try status(open, "evil.example") == "200")
        #expect(server.errors.components(separatedBy: "GET /new: answered").count == 6)
    }

    @Test func `pages of other origins may record, and a preflight is not passed on`() async throws {
        let server = try await realServer()
        let recorder = try await record(server.url, "--cors")
        let origin = "Origin: http://localhost:3000"
        let preflight = try recorder.curl(
            "/new",
            "--include",
            "--request",
            "OPTIONS",
            "--header",
            origin,
            "--header",
            "Access-Control-Request-Method: GET"
        ).output
        #expect(preflight.hasPrefix("HTTP/1.1 204 "))
        let answer = try recorder.curl("/new", "--include", "--header", origin).output
        #expect(answer.contains("Access-Control-Allow-Origin: http://localhost:3000\r\n"))
        #expect(answer.contains("\r\n\r\n") && answer.contains("new"))
        recorder.end()

        #expect(try recorded() == ["GET \(server.url)/new 200"])
    }

    @Test(
        .enabled(if: Tool.isInstalled("openssl") && Tool.isInstalled("python3"), "openssl or python3 is not installed")
    )
    func `an own certificate that is not trusted is explained`() async throws {
        _ = try Tool.run(
            program: [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "ca.pem",
            ],
            in: directory.url
        )
        try directory.write(
            """
            import http.server, ssl
            server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain("ca.pem", "key.pem")
            server.socket = context.wrap_socket(server.socket, server_side=True)
            open("port", "w").write(str(server.server_port) + "\\n")
            server.serve_forever()
            """,
            to: "server.py"
        )
        try directory.write("hello", to: "hello.txt")
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", "server.py"]
        python.currentDirectoryURL = directory.url
        python.standardError = FileHandle.nullDevice
        try python.run()
        defer { kill(python.processIdentifier, SIGKILL) }
        var port = ""
        for _ in 0..<500 where !port.hasSuffix("\n") {
            try await Task.sleep(nanoseconds: 20_000_000)
            port = (try? directory.text("port")) ?? ""
        }
        let upstream = "https://localhost:\(port.dropLast())"
        let recorder = try await RunningTool(
            ["record", "--upstream", upstream, "--to", "new.json"],
            in: directory.url
        )
        #expect(try recorder.curl("/hello.txt").output.contains("add the authority to those that this machine trusts"))
    }

    #if !Proxy
        @Test(arguments: [["record", "--to", "new.json"], ["serve", "real.json"]])
        func `a command without the proxy says how to get one`(arguments: [String]) throws {
            let result = try Tool.run(arguments + ["--proxy", "--", "true"], in: directory.url)
            #expect(result.status == 2)
            #expect(result.errors.contains("swift run --package-path Tools --traits Proxy stubborn"))
            #expect(result.errors.contains("Tools/install --proxy PREFIX"))
        }
    #endif

    @Test(
        arguments: [
            "record --to new.json", "record --to new.json --proxy --upstream http://127.0.0.1:1",
            "record --to new.json --proxy --cors", "serve real.json --proxy --cors",
            "record --upstream http://127.0.0.1:1 --to new.json -- true",
            "record --upstream http://127.0.0.1:1 --to new.json --upstream-ca ca.pem",
        ]
    )
    func `options that exclude each other are a wrong call`(call: String) throws {
        let arguments = call.split(separator: " ").map(String.init)
        #expect(try Tool.run(arguments, in: directory.url).status == 64)
    }
}
