import Foundation
import Testing

/// `stubborn serve`: recordings over HTTP.
@Suite(.timeLimit(.minutes(5)))
struct ServeTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func serve(_ stubs: String..., options: [String] = []) async throws -> RunningTool {
        try directory.write("[" + stubs.joined(separator: ",\n") + "]", to: "stubs.json")
        return try await RunningTool(["serve", "stubs.json"] + options, in: directory.url)
    }

    private func stub(_ url: String, _ response: String, method: String = "GET") -> String {
        #"{ "request": { "method": "\#(method)", "url": "\#(url)" }, \#(response) }"#
    }

    private func text(_ url: String, _ text: String, fields: [String] = []) -> String {
        let fields = fields.map { "\"\($0)\"" }.joined(separator: ", ")
        return stub(url, #""text": ["\#(text)"], "response": { "statusCode": 200, "headerFields": [\#(fields)] }"#)
    }

    // MARK: Which stub answers

    @Test func `a stub answers under the path of its URL`() async throws {
        let server = try await serve(text("https://api.example.com/users/42?a=1", "Ada", fields: ["X-Kind[:::]user"]))

        #expect(
            try server.curl("/users/42?a=1", "--include").output == """
                HTTP/1.1 200 OK\r
                Content-Length: 3\r
                X-Kind: user\r
                \r
                Ada
                """
        )
    }

    @Test func `equal requests get the recorded responses in their order, and then the last one again`() async throws {
        let server = try await serve(text("https://a.example/next", "one"), text("https://a.example/next", "two"))

        #expect(try (1...3).map { _ in try server.curl("/next").output } == ["one", "two", "two"])
    }

    @Test func `with the order sequence a further request is unstubbed`() async throws {
        let server = try await serve(text("https://a.example/next", "one"), options: ["--order", "sequence"])

        #expect(try server.curl("/next").output == "one")
        #expect(try server.curl("/next", "--output", "/dev/null", "--write-out", "%{http_code}").output == "404")
    }

    @Test func `a request that no stub answers gets the report`() async throws {
        let server = try await serve(text("https://api.example.com/users?page=1", "one"))

        let answer = try server.curl("/users?page=2", "--include").output

        #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(answer.contains("Content-Type: text/plain; charset=utf-8\r\n"))
        #expect(
            answer.contains("No stub answers GET https://api.example.com/users?page=2 (playback, stubs.json, 1 stub")
        )
        #expect(answer.contains(#"  url.query.page: recorded "1", requested "2""#))
        #expect(answer.contains("stubborn record --upstream https://api.example.com --to stubs.json --add"))
        #expect(server.errors.contains("GET /users: no stub answers"))
    }

    @Test(arguments: [0, 99, 100, 101, 103, 199])
    func `a status that is not final is not sent, and the server goes on`(status: Int) async throws {
        let server = try await serve(
            stub("https://a.example/odd", #""text": ["body"], "response": { "statusCode": \#(status) }"#),
            text("https://a.example/next", "one")
        )
        let answer = try server.curl("/odd", "--include").output
        #expect(answer.hasPrefix("HTTP/1.1 502 "))
        #expect(answer.contains("The response has the status \(status), which is not final"))
        #expect(try server.curl("/next").output == "one")
    }

    @Test func `a token in a path is not on standard error`() async throws {
        let token = "glpat-" + "Zx8kQ2mN7pLr4TvWy1Bc"
        let server = try await serve(text("https://a.example/hooks/\(token)", "one"), options: ["--verbose"])
        #expect(try server.curl("/hooks/\(token)").output == "one")
        _ = try server.curl("/other/\(token)")
        #expect(!server.errors.contains(token))
        #expect(server.errors.contains("GET /hooks/") && server.errors.contains("no stub answers"))
    }

    @Test func `a POST is matched by its body`() async throws {
        let post = { (name: String, text: String) in
            """
            { "request": { "method": "POST", "url": "https://a.example/users", "requestJSON": { "name": "\(name)" },
                "headerFields": ["Content-Type[:::]application/json"] },
              "text": ["\(text)"], "response": { "statusCode": 201 } }
            """
        }
        let server = try await serve(post("Ada", "first"), post("Grace", "second"))

        let type = "Content-Type: application/json"
        #expect(try server.curl("/users", "--header", type, "--data", #"{ "name" : "Grace" }"#).output == "second")
        #expect(try server.curl("/users", "--header", type, "--data", #"{"name":"Ada"}"#).output == "first")
    }

    @Test func `what the directory's settings ignore is ignored`() async throws {
        try directory.write(#"{ "matching": { "ignoredQueryItems": ["ts"] } }"#, to: ".stubborn.json")
        let server = try await serve(text("https://a.example/now?ts=1", "now"))

        #expect(try server.curl("/now?ts=2").output == "now")
    }

    // MARK: Hosts

    @Test func `a path with a placeholder or an ignored parameter is answered by any file and host`() async throws {
        try directory.write(
            #"{ "matching": { "ignoredPathParameters": ["/reports/:time"] } }"#,
            to: "Stubs/.stubborn.json"
        )
        try directory.write("[\(text("https://a.example/one", "one"))]", to: "Stubs/A.json")
        try directory.write("[\(text("https://a.example/hooks/REDACTED-link-1", "hook"))]", to: "Stubs/B.json")
        try directory.write("[\(text("https://b.example/reports/1", "report"))]", to: "Stubs/C.json")
        let server = try await RunningTool(["serve", "Stubs"], in: directory.url)
        #expect(try server.curl("/hooks/T1a2b3c4d5e6").output == "hook")
        #expect(try server.curl("/reports/2").output == "report")
        #expect(try server.curl("/two", "--output", "/dev/null", "--write-out", "%{http_code}").output == "404")
    }

    @Test func `recorded hosts are tried in their order, and --host chooses one`() async throws {
        let stubs = [text("https://a.example/same", "a"), text("http://b.example:8080/same", "b")]
        let both = try await serve(stubs[0], stubs[1])
        let second = try await serve(stubs[0], stubs[1], options: ["--host", "b.example"])

        #expect(try both.curl("/same").output == "a")
        #expect(try second.curl("/same").output == "b")
    }

    @Test func `a host is the same in upper case`() async throws {
        let stubs = [text("https://a.example/same", "a"), text("https://B.Example/same", "b")]
        for host in ["B.EXAMPLE", "b.example", "b.example:443"] {
            let server = try await serve(stubs[0], stubs[1], options: ["--host", host])
            #expect(try server.curl("/same").output == "b", "--host \(host)")
        }
        let server = try await serve(stubs[0], stubs[1])
        #expect(try server.curl("/same", "--header", "Host: B.EXAMPLE").output == "b")
        #expect(try server.curl("/same", "--header", "Host: A.Example:443").output == "a")
        for url in ["http://B.EXAMPLE/same", "HTTP://b.example/same"] {
            let proxied = try Tool.run(
                program: ["curl", "--silent", "--noproxy", "", "--proxy", server.url, url],
                in: directory.url
            )
            #expect(proxied.output == "b", "\(url)")
        }
    }

    @Test func `a client that names a recorded host gets its stubs only`() async throws {
        let server = try await serve(text("https://a.example/same", "a"), text("https://b.example/same", "b"))

        #expect(try server.curl("/same", "--header", "Host: b.example").output == "b")
        let proxied = try Tool.run(
            program: ["curl", "--silent", "--noproxy", "", "--proxy", server.url, "http://b.example/same"],
            in: directory.url
        )
        #expect(proxied.output == "b")
    }

    @Test func `a redirect to a recorded host leads back to the server`() async throws {
        let server = try await serve(
            stub(
                "https://a.example/old",
                #""response": { "statusCode": 302, "headerFields": ["Location[:::]https://b.example/new?x=1"] }"#
            ),
            text("https://b.example/new?x=1", "new")
        )

        #expect(try server.curl("/old", "--location").output == "new")
    }

    @Test func `a redirect to a recorded host in upper case leads back too`() async throws {
        let server = try await serve(
            stub(
                "https://a.example/old",
                #""response": { "statusCode": 302, "headerFields": ["LOCATION[:::]HTTPS://B.EXAMPLE/new"] }"#
            ),
            text("https://b.example/new", "new")
        )

        #expect(try server.curl("/old", "--location").output == "new")
    }

    @Test func `cookies are for the server, one field each`() async throws {
        let server = try await serve(
            text(
                "https://a.example/",
                "ok",
                fields: [
                    "Set-Cookie[:::]a=1; Domain=a.example; Secure; Expires=Wed, 21 Oct 2030 07:28:00 GMT, b=2; Path=/"
                ]
            )
        )

        #expect(
            try server.curl("/", "--include").output == """
                HTTP/1.1 200 OK\r
                Content-Length: 2\r
                Set-Cookie: a=1; Expires=Wed, 21 Oct 2030 07:28:00 GMT\r
                Set-Cookie: b=2; Path=/\r
                \r
                ok
                """
        )
    }

    // MARK: Bodies, errors and times

    @Test func `a body that was recorded encoded is served decoded, with its own length`() async throws {
        let server = try await serve(
            text("https://a.example/", "plain", fields: ["Content-Encoding[:::]gzip", "Content-Length[:::]900"])
        )

        #expect(try server.curl("/", "--include").output == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain")
    }

    @Test func `a HEAD request gets the recorded length and no body`() async throws {
        let server = try await serve(
            stub(
                "https://a.example/big",
                #""response": { "statusCode": 200, "headerFields": ["Content-Length[:::]900"] }"#,
                method: "HEAD"
            )
        )

        #expect(try server.curl("/big", "--head").output == "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")
    }

    @Test func `a recorded error closes the connection without a response`() async throws {
        let server = try await serve(
            stub("https://a.example/lost", #""error": { "domain": "NSURLErrorDomain", "code": -1005 }"#)
        )

        // "Empty reply from server".
        #expect(try server.curl("/lost").status == 52)
    }

    @Test(arguments: ["Content-Length[:::]100", "Transfer-Encoding[:::]chunked"])
    func `a response that broke off breaks off again`(field: String) async throws {
        let server = try await serve(
            stub(
                "https://a.example/half",
                """
                "data": "aGFsZg==", "response": { "statusCode": 200, "headerFields": ["\(field)"] },
                "error": { "domain": "NSURLErrorDomain", "code": -1005 }
                """
            )
        )

        let result = try server.curl("/half")
        #expect(result.output == "half")
        // "Partial file", for curl.
        #expect(result.status == 18)
    }

    @Test func `a timeout leaves the connection open`() async throws {
        let server = try await serve(
            stub("https://a.example/never", #""error": { "domain": "NSURLErrorDomain", "code": -1001 }"#)
        )

        // "Operation timed out": curl has waited as long as it was told.
        #expect(try server.curl("/never", "--max-time", "1").status == 28)
    }

    @Test func `recorded times are played only with --speed`() async throws {
        let hour = stub(
            "https://a.example/late",
            #""text": ["late"], "response": { "statusCode": 200 }, "timing": { "firstByte": 3600 }"#
        )

        #expect(try await serve(hour).curl("/late").output == "late")
        #expect(try await serve(hour, options: ["--speed", "recorded"]).curl("/late", "--max-time", "1").status == 28)
        #expect(try await serve(hour, options: ["--speed", "0.00001"]).curl("/late").output == "late")
    }

    @Test func `the chunks of a body come one after the other`() async throws {
        let server = try await serve(
            stub(
                "https://a.example/chunks",
                """
                "text": ["abcdef"], "response": { "statusCode": 200 },
                "timing": { "firstByte": 0, "chunks": [[0, 3], [3600, 3]] }
                """
            ),
            options: ["--speed", "recorded"]
        )

        let result = try server.curl("/chunks", "--no-buffer", "--max-time", "2")
        #expect(result.output == "abc")
        #expect(result.status == 28)
    }

    // MARK: Files, ports and signals

    @Test func `a directory is served with all its stub files`() async throws {
        try directory.write("[\(text("https://a.example/one", "one"))]", to: "Stubs/One.json")
        try directory.write("[\(text("https://a.example/two", "two"))]", to: "Stubs/Deeper/Two.json")
        try directory.write(#"{ "not": "stubs" }"#, to: "Stubs/other.json")
        let server = try await RunningTool(["serve", "Stubs"], in: directory.url)

        #expect(try ["/one", "/two"].map { try server.curl($0).output } == ["one", "two"])
    }

    @Test func `a file that is damaged, a wrong path, an unknown host and a used port are errors with the status 2`()
        async throws
    {
        let server = try await serve(text("https://a.example/", "a"))
        try directory.write(#"[ { "request": } ]"#, to: "damaged.json")
        let port = server.url.components(separatedBy: ":").last ?? ""

        let calls = [
            (["damaged.json"], "damaged.json"),
            (["nowhere.json"], "nowhere.json"),
            (["stubs.json", "--host", "c.example"], "No stub is for c.example. The recorded hosts are a.example."),
            (["stubs.json", "--port", port], "Port \(port) cannot be used: "),
        ]
        for (arguments, message) in calls {
            let result = try Tool.run(["serve"] + arguments, in: directory.url)
            #expect(result.status == 2)
            #expect(result.errors.contains(message), "\(result.errors)")
            #expect(result.output.isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends the server with the status 0`(signal: Int32) async throws {
        let server = try await serve(text("https://a.example/", "a"))
        #expect(try server.curl("/").output == "a")

        #expect(server.end(by: signal) == 0)
    }

    // MARK: Clients

    @Test(
        .enabled(if: Tool.isInstalled("python3")),
        arguments: [
            "import sys, urllib.request as u; print(u.urlopen(sys.argv[1] + '/users/42').read().decode(), end='')",
            "import sys, http.client as c; h = c.HTTPConnection(sys.argv[1][7:]); h.request('GET', '/users/42'); "
                + "a = h.getresponse().read(); h.request('GET', '/users/42'); print(h.getresponse().read().decode(), end='')",
        ]
    )
    func `Python reads a stub`(script: String) async throws {
        let server = try await serve(text("https://a.example/users/42", "Ada"))

        #expect(try Tool.run(program: ["python3", "-c", script, server.url], in: directory.url).output == "Ada")
    }

    @Test(.enabled(if: Tool.isInstalled("node")))
    func `JavaScript reads a stub`() async throws {
        let server = try await serve(text("https://a.example/users/42", "Ada"))
        let script = "fetch(process.argv[1] + '/users/42').then(r => r.text()).then(t => process.stdout.write(t))"

        #expect(try Tool.run(program: ["node", "-e", script, server.url], in: directory.url).output == "Ada")
    }

    @Test(.enabled(if: Tool.isInstalled("wrk")))
    func `64 connections at once get nothing but stubs`() async throws {
        let server = try await serve(text("https://a.example/users/42", "Ada"))

        let result = try Tool.run(program: ["wrk", "-t2", "-c64", "-d1s", server.url + "/users/42"], in: directory.url)

        #expect(result.output.contains("requests in"))
        #expect(!result.output.contains("Socket errors"), "\(result.output)")
        #expect(!result.output.contains("Non-2xx"), "\(result.output)")
    }

    // MARK: Clients in other languages

    @Test(arguments: [
        ("/q?filter%5Bname%5D=a%20b", "/q?filter[name]=a%20b"), ("/q?filter%5Bname%5D=a%20b", "/q?filter[name]=a+b"),
        ("/q?filter%5Bname%5D=a+b", "/q?filter%5Bname%5D=a%20b"), ("/q?a=1%7C2&b=%2F", "/q?a=1|2&b=%2F"),
    ])
    func `a query is the same in the spelling of another client`(recorded: String, asked: String) async throws {
        let server = try await serve(text("https://a.example\(recorded)", "found"))
        #expect(try server.curl(asked).output == "found")
    }

    @Test func `a plus that was recorded as such is no space`() async throws {
        let server = try await serve(text("https://a.example/q?a=1%2B1", "found"))
        #expect(try server.curl("/q?a=1+1", "--output", "/dev/null", "--write-out", "%{http_code}").output == "404")
    }

    @Test func `a request that no stub answers is told from a recorded 404, and its report is about the command`()
        async throws
    {
        let server = try await serve(
            text("https://a.example/users?page=1", "one"),
            stub("https://a.example/gone", #""response": { "statusCode": 404 }"#)
        )
        let unmatched = try server.curl("/users?page=2", "--include").output
        #expect(unmatched.contains("X-Stubborn: unmatched\r\n"))
        #expect(unmatched.contains("start the server with: --matching lenient"))
        for code in ["swift", "network", "[.httpMethod"] { #expect(!unmatched.contains(code), "\(unmatched)") }
        let recorded = try server.curl("/gone", "--include").output
        #expect(recorded.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(!recorded.contains("X-Stubborn"))
    }

    // MARK: Browsers

    @Test func `pages of other origins may read responses, and preflights are answered`() async throws {
        let url = "https://a.example/users"
        let fields = ["Access-Control-Allow-Origin[:::]https://real.example", "X-Kind[:::]user"]
        let server = try await serve(text(url, "Ada", fields: fields), options: ["--cors"])

        let origin = "Origin: http://localhost:3000"
        let answer = try server.curl("/users", "--include", "--header", origin).output
        #expect(answer.contains("Access-Control-Allow-Origin: http://localhost:3000\r\n"))
        #expect(answer.contains("Access-Control-Allow-Credentials: true\r\n"))
        #expect(answer.contains("Access-Control-Expose-Headers: Vary, X-Kind\r\n"))
        #expect(!answer.contains("real.example"))
        #expect(
            try server.curl("/other", "--include", "--header", origin).output.contains("Access-Control-Allow-Origin")
        )
        let preflight = try server.curl(
            "/users",
            "--include",
            "--request",
            "OPTIONS",
            "--header",
            origin,
            "--header",
            "Access-Control-Request-Method: PUT",
            "--header",
            "Access-Control-Request-Headers: x-token"
        ).output
        #expect(preflight.hasPrefix("HTTP/1.1 204 "))
        #expect(preflight.contains("Access-Control-Allow-Methods: PUT\r\n"))
        #expect(preflight.contains("Access-Control-Allow-Headers: x-token\r\n"))
    }

    @Test func `only the page of the origin that is named may read responses`() async throws {
        let server = try await serve(
            text("https://a.example/users", "Ada"),
            options: ["--cors", "http://localhost:3000"]
        )
        for (origin, isAllowed) in [("http://localhost:3000", true), ("http://localhost:3001", false)] {
            let answer = try server.curl("/users", "--include", "--header", "Origin: \(origin)").output
            #expect(answer.contains("Access-Control-Allow-Origin: \(origin)\r\n") == isAllowed)
            #expect(answer.hasSuffix("Ada"))
        }
    }

    @Test func `--cors takes an origin and not the path behind it`() async throws {
        try directory.write("[" + text("https://a.example/users", "Ada") + "]", to: "stubs.json")
        let server = try await RunningTool(["serve", "--cors", "stubs.json"], in: directory.url)
        let answer = try server.curl("/users", "--include", "--header", "Origin: http://localhost:3000").output
        #expect(answer.contains("Access-Control-Allow-Origin: http://localhost:3000\r\n"))
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is not installed"))
    func `a page in a browser reads a response of another origin only with --cors`() async throws {
        let page = stub(
            "https://page.example/",
            #""text": ["<p id=p></p>"], "response": { "statusCode": 200, "headerFields": ["Content-Type[:::]text/html"] }"#
        )
        let put = stub(
            "https://a.example/users",
            #""text": ["changed"], "response": { "statusCode": 200 }"#,
            method: "PUT"
        )
        let pages = try await serve(page)
        let closed = try await serve(put)
        let open = try await serve(put, options: ["--cors"])
        let browser = try Browser()
        defer { browser.end() }
        try browser.open(try #require(URL(string: pages.url)))
        for (server, expected) in [(closed, "TypeError"), (open, "changed")] {
            _ = try browser.value(
                """
                (p.textContent = "", fetch("\(server.url)/users", { method: "PUT", headers: { "X-Token": "1" } })
                  .then(r => r.text()).then(t => p.textContent = t, e => p.textContent = e.name))
                """
            )
            var text = ""
            for _ in 0..<200 where text.isEmpty {
                text = try browser.value("p.textContent")
                if text.isEmpty { try await Task.sleep(nanoseconds: 50_000_000) }
            }
            #expect(text == expected)
        }
    }
}
