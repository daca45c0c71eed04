import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling
import Testing

/// `stubborn import`: stubs from files of other programs.
@Suite(.timeLimit(.minutes(5)))
struct ImportTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Imports a string, and returns the stubs that the library reads in the new stub file.
    private func imported(_ text: String, as name: String, _ options: String...) throws -> [Stub] {
        try directory.write(text, to: name)
        let result = try Tool.run(["import", name, "--to", "new.json"] + options, in: directory.url)
        guard result.status == 0 else { throw Tool.Failure(message: result.errors) }
        errors.value = result.errors
        return try StubFile(contentsOf: directory.file("new.json")).stubs
    }

    /// What the last import wrote to standard error.
    private let errors = Box()
    private final class Box { var value = "" }

    private func lines(_ stubs: [Stub]) -> [String] {
        stubs.map { stub in
            let body = stub.response.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
            return "\(stub.request) \(stub.response.head.map { "\($0.statusCode)" } ?? "failed")\(body)"
        }
    }

    // MARK: HAR

    @Test func `an archive as Chrome writes it`() throws {
        let stubs = try imported(Archive.chrome, as: "chrome.har")

        #expect(
            lines(stubs) == [
                #"GET https://api.example.com/users/42?lang=de 200 {"name":"Zoë"}"#,
                "POST https://api.example.com/login 302",
                "GET https://api.example.com/logo.png 200 PNG",
                "GET https://api.example.com/slow failed",
                #"GET wss://api.example.com/socket 101 {"sent":"hi"}"# + "\n",
            ]
        )
        #expect(stubs[0].request.headerFields.map(\.name) == ["accept", "authorization"])
        #expect(
            stubs[1].request.body.map { String(decoding: $0, as: UTF8.self) } == "user=ada&password=REDACTED-password-1"
        )
        #expect(stubs[1].response.head?.headerFields.values(named: "set-cookie").count == 2)
        #expect(stubs[3].response.failure?.code == URLError.Code.timedOut.rawValue)
        #expect(try !directory.text("new.json").contains("c2VjcmV0c2VjcmV0c2VjcmV0"))
        #expect(errors.value.contains("chrome.har: 2 entries other than HTTP, left out."))
        #expect(errors.value.contains("chrome.har: 1 entry without a response, left out."))
        #expect(errors.value.contains("5 stubs in new.json."))
    }

    /// Chrome writes bytes in base64 and no closes; mitmproxy writes the URL of the handshake, pings and closes.
    @Test func `the messages of a WebSocket are its frames, without secrets`() throws {
        let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
        let messages = """
            { "type": "send", "time": 1763719205.25, "opcode": 1, "data": "{\\"token\\":\\"\(token)\\"}" },
            { "type": "receive", "time": 1763719205.5, "opcode": 2, "data": "AAEC" },
            { "type": "receive", "time": 1763719206, "opcode": 9, "data": "" }
            """
        let stubs = try imported(
            Archive.of(
                """
                { "request": { "method": "GET", "url": "wss://a.example/chrome",
                    "headers": [ { "name": "Sec-WebSocket-Key", "value": "a2V5" }, { "name": "Origin", "value": "https://a.example" },
                      { "name": "Sec-WebSocket-Protocol", "value": "v1" }, { "name": "Upgrade", "value": "websocket" } ] },
                  "response": { "status": 101 }, "_resourceType": "websocket", "_webSocketMessages": [ \(messages) ],
                  "startedDateTime": "2025-11-21T10:00:05.000Z" }
                """,
                """
                { "request": { "method": "GET", "url": "http://a.example:8080/mitmproxy" },
                  "response": { "status": 101 }, "_webSocketMessages": [], "startedDateTime": "2025-11-21T10:00:06.000Z" }
                """,
                """
                { "request": { "method": "GET", "url": "wss://a.example/none" }, "response": { "status": 101 } }
                """
            ),
            as: "sockets.har",
            "--timing"
        )
        #expect(stubs.map { "\($0.request)" } == ["GET wss://a.example/chrome", "GET ws://a.example:8080/mitmproxy"])
        #expect(stubs[0].request.headerFields.map(\.name) == ["Origin", "Sec-WebSocket-Protocol"])
        let frames = try #require(stubs[0].response.webSocketFrames)
        #expect(frames.map(\.isSent) == [true, false] && frames.map(\.seconds) == [0.25, 0.5])
        #expect(frames.map(\.kind) == [.text, .data] && frames[1].data == Data([0, 1, 2]))
        #expect(stubs[1].response.webSocketFrames == [])
        #expect(try !directory.text("new.json").contains(token))
        #expect(errors.value.contains("sockets.har: 1 entry of a WebSocket without its pings and closes."))
        #expect(errors.value.contains("sockets.har: 1 entry of a WebSocket without messages, left out."))
    }

    @Test func `a body that Playwright keeps in a file next to the archive is read, and one elsewhere is not`() throws {
        try directory.write("[1]", to: "4f2a.json")
        try directory.write("secret", to: "elsewhere.json")
        let entries = ["4f2a.json", "../\(directory.url.lastPathComponent)/elsewhere.json"].map { name in
            """
            { "request": { "method": "GET", "url": "https://api.example.com/a", "headers": [] },
              "response": { "status": 200, "headers": [], "content": { "size": 3, "_file": "\(name)" } } }
            """
        }
        let stubs = try imported(Archive.of(entries[0], entries[1]), as: "playwright.har")
        #expect(lines(stubs) == ["GET https://api.example.com/a 200 [1]", "GET https://api.example.com/a 200"])
        #expect(errors.value.contains("1 entry without the body of the response."))
    }

    @Test func `numbers that are too large for anything are no crash, and a body in brotli is named`() throws {
        let stubs = try imported(
            Archive.of(
                """
                { "time": 1e300, "request": { "method": "GET", "url": "https://api.example.com/a", "headers": [
                    { "name": "X-Number", "value": 1e300 } ] }, "response": { "status": 1e300 } }
                """,
                """
                { "request": { "method": "GET", "url": "https://api.example.com/b", "headers": [] },
                  "response": { "status": 200, "headers": [ { "name": "Content-Encoding", "value": "br" } ],
                    "content": { "mimeType": "application/json", "text": "GwIA+KWAUA==", "encoding": "base64" } } }
                """
            ),
            as: "large.har",
            "--timing"
        )
        #expect(stubs.map(\.request.url.path) == ["/b"])
        #expect(errors.value.contains("1 entry without a response, left out."))
        #expect(errors.value.contains("1 entry with a body in br, which cannot be decoded."))
    }

    @Test func `an archive as Firefox writes it`() throws {
        let stubs = try imported(Archive.firefox, as: "firefox.har")

        #expect(
            lines(stubs) == ["POST https://api.example.com/search 200 ok", "GET https://api.example.com/image 200"]
        )
        #expect(stubs[0].request.body.map { String(decoding: $0, as: UTF8.self) } == "q=a+b%26c&page=1")
        #expect(errors.value.contains("1 entry without the body of the response."))
    }

    @Test func `an archive as Safari writes it`() throws {
        let stubs = try imported(Archive.safari, as: "safari.har")

        #expect(lines(stubs) == ["GET https://api.example.com/page 200 <p>é</p>"])
        #expect(stubs[0].response.head?.headerFields["Content-Type"] == "text/html")
    }

    @Test func `an archive as Charles writes it`() throws {
        let stubs = try imported(Archive.charles, as: "charles.har")

        #expect(lines(stubs) == ["GET https://api.example.com/latin 200 caf\u{FFFD}"])
        // The bytes are those of the character set that the response names.
        #expect(stubs[0].response.body == Data([0x63, 0x61, 0x66, 0xE9]))
    }

    @Test func `an archive as mitmproxy writes it`() throws {
        let stubs = try imported(Archive.mitmproxy, as: "mitm.har")

        #expect(
            lines(stubs) == ["PUT https://api.example.com/items/1 204", "GET https://api.example.com/items 200 []"]
        )
        #expect(stubs[0].request.body == Data([0xFF, 0x00, 0x01]))
    }

    @Test func `requests are in the order in which they started`() throws {
        let entry = { (path: String, start: String) in
            """
            { "startedDateTime": "\(start)", "request": { "method": "GET", "url": "https://a.example\(path)" },
              "response": { "status": 200 } }
            """
        }
        let stubs = try imported(
            Archive.of(
                entry("/3", "2026-11-21T10:00:00.200Z"),
                entry("/1", "2026-11-21T11:00:00.100+01:00"),
                entry("/2", "2026-11-21T10:00:00.100500+00:00")
            ),
            as: "order.har"
        )

        #expect(stubs.map(\.request.url.path) == ["/1", "/2", "/3"])
    }

    @Test func `times are kept with --timing`() throws {
        let text = Archive.of(
            """
            { "request": { "method": "GET", "url": "https://a.example/" },
              "response": { "status": 200, "content": { "text": "abc" } },
              "timings": { "blocked": 100, "dns": -1, "connect": -1, "send": 50, "wait": 350, "receive": 250 } }
            """
        )
        let without = try imported(text, as: "times.har")
        let with = try imported(text, as: "times.har", "--timing", "--replace")

        #expect(without[0].response.timing == nil)
        let timing = try #require(with[0].response.timing)
        #expect(timing.secondsToFirstByte == 0.5)
        #expect(timing.chunks.map(\.seconds) == [0.25])
        #expect(timing.chunks.map(\.byteCount) == [3])
    }

    @Test(arguments: ["b.example", "B.EXAMPLE"])
    func `one host can be chosen`(host: String) throws {
        let stubs = try imported(
            Archive.of(
                #"{ "request": { "method": "GET", "url": "https://a.example/" }, "response": { "status": 200 } }"#,
                #"{ "request": { "method": "GET", "url": "https://b.example/" }, "response": { "status": 200 } }"#,
                #"{ "request": { "method": "GET", "url": "https://B.Example/" }, "response": { "status": 200 } }"#
            ),
            as: "hosts.har",
            "--host",
            host
        )

        #expect(stubs.map { $0.request.url.host?.lowercased() } == ["b.example", "b.example"])
    }

    @Test(arguments: [
        ("{", "is not a HAR file: it is not JSON."), ("[]", "has no list"), (#"{ "log": {} }"#, "has no list"),
        (#"{ "log": { "entries": [] } }"#, "There is nothing to import in bad.har."),
        (#"{ "log": { "entries": [1, null, {}, { "request": {} }] } }"#, "There is nothing to import in bad.har."),
    ])
    func `a file that is no archive is an error with the status 2`(text: String, message: String) throws {
        try directory.write(text, to: "bad.har")

        let result = try Tool.run(["import", "bad.har", "--to", "new.json"], in: directory.url)

        #expect(result.status == 2)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: directory.file("new.json").path))
    }

    // MARK: HTTP messages

    @Test(arguments: ["\r\n", "\n"])
    func `an HTTP message is read`(lineBreak: String) throws {
        let message = [
            "HTTP/2 201", "Content-Type: text/plain", "Set-Cookie: a=b", "Set-Cookie: c=d", "", "one", "two",
        ]
        let stubs = try imported(
            message.joined(separator: lineBreak),
            as: "user.response",
            "--url",
            "https://a.example/users",
            "--method",
            "POST"
        )

        #expect(lines(stubs) == ["POST https://a.example/users 201 one\(lineBreak)two"])
        #expect(stubs[0].response.head?.headerFields.values(named: "Set-Cookie").count == 2)
    }

    @Test(arguments: ["HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/2 302\r\nlocation: /b\r\n\r\n"])
    func `the last of the responses that curl writes for a proxy or for redirects is read`(first: String) throws {
        let stubs = try imported(
            first + "HTTP/2 200\r\nContent-Type: text/plain\r\n\r\nHTTP/2 is new",
            as: "user.response",
            "--url",
            "https://a.example/users"
        )

        #expect(lines(stubs) == ["GET https://a.example/users 200 HTTP/2 is new"])
        #expect(stubs[0].response.head?.headerFields["Content-Type"] == "text/plain")
    }

    @Test func `a message without a URL, or that is none, is an error`() throws {
        try directory.write("HTTP/1.1 200 OK\r\n\r\n", to: "user.response")
        try directory.write("hello", to: "text.response")

        let nameless = try Tool.run(["import", "user.response", "--to", "new.json"], in: directory.url)
        let text = try Tool.run(
            ["import", "text.response", "--to", "new.json", "--url", "https://a.example"],
            in: directory.url
        )

        #expect(nameless.status == 2)
        #expect(nameless.errors.contains("Give the URL of its request"))
        #expect(text.status == 2)
        #expect(text.errors.contains("text.response is not an HTTP response"))
    }

    @Test func `a form with files is put together, and a file that the archive does not have is named`() throws {
        let archive = Archive.of(
            """
            { "request": { "method": "POST", "url": "https://a.example/upload",
                "headers": [ { "name": "Content-Type", "value": "multipart/form-data; boundary=XX" } ],
                "postData": { "params": [ { "name": "title", "value": "Ada" },
                  { "name": "photo", "fileName": "ada.png", "contentType": "image/png" } ] } },
              "response": { "status": 204 } }
            """
        )
        let stubs = try imported(archive, as: "form.har")
        #expect(
            String(decoding: stubs[0].request.body ?? Data(), as: UTF8.self).components(separatedBy: "\r\n") == [
                "--XX", #"Content-Disposition: form-data; name="title""#, "", "Ada",
                "--XX", #"Content-Disposition: form-data; name="photo"; filename="ada.png""#, "Content-Type: image/png",
                "", "", "--XX--", "",
            ]
        )
        #expect(errors.value.contains("1 entry without the file that was uploaded."))
    }

    // MARK: The stub file

    @Test func `an existing file is added to, written over, or left alone`() throws {
        let paths = { (stubs: [Stub]) in stubs.map(\.request.url.path) }
        #expect(try imported(Archive.get("https://a.example/1"), as: "one.har").count == 1)
        let second = Archive.get("https://a.example/2")
        #expect(throws: Tool.Failure.self) { try imported(second, as: "two.har") }
        #expect(try paths(imported(second, as: "two.har", "--add")) == ["/1", "/2"])
        #expect(try paths(imported(Archive.get("https://a.example/3"), as: "three.har", "--replace")) == ["/3"])
    }

    @Test func `the directory's settings hold`() throws {
        try directory.write(
            #"{ "bodyEncoding": "readable", "redaction": { "queryItems": ["tenant"] } }"#,
            to: ".stubborn.json"
        )

        let stubs = try imported(Archive.get("https://a.example/?tenant=acme"), as: "a.har")

        #expect(stubs[0].request.url.absoluteString.contains("tenant=REDACTED"))
        #expect(try directory.text("new.json").contains("\"text\" : [ \"Ada\" ]"))
    }

    @Test func `standard input is imported with a format`() throws {
        let result = try Tool.run(
            ["import", "-", "--format", "har", "--to", "Deep/new.json"],
            in: directory.url,
            input: Data(Archive.get("https://a.example/1").utf8)
        )

        #expect(result.status == 0)
        #expect(try StubFile(contentsOf: directory.file("Deep/new.json")).stubs.count == 1)
    }

    // MARK: Other programs' spellings

    @Test func `a URL keeps its bytes apart from what a URL cannot hold`() throws {
        let stubs = try imported(
            Archive.get("https://api.example.com/q?filter[name]=a%20b&c=1|2&d=%2F"),
            as: "a.txt",
            "--format",
            "har"
        )
        #expect(
            stubs.map(\.request.url.absoluteString)
                == ["https://api.example.com/q?filter%5Bname%5D=a%20b&c=1%7C2&d=%2F"]
        )
    }

    @Test(arguments: [true, false])
    func `imports at the same time all keep their stubs`(fileExists: Bool) async throws {
        if fileExists { try directory.write("[]\n", to: "new.json") }
        let directory = directory.url
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try Tool.run(
                        ["import", "-", "--format", "har", "--to", "new.json", "--add"],
                        in: directory,
                        input: Data(Archive.get("https://api.example.com/\(number)").utf8)
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 0, count: 8))
        let stubs = try StubFile(contentsOf: directory.appendingPathComponent("new.json")).stubs
        #expect(Set(stubs.map(\.request.url.path)) == Set((0..<8).map { "/\($0)" }))
    }

    @Test(arguments: [
        ("G E T", "X", "a"), ("", "X", "a"), ("GET", "X Y", "a"), ("GET", "X:", "a"),
        ("GET", "X", "a\\r\\nSet-Cookie: b=1"),
        ("GET", "X", "a\\u0000"),
    ])
    func `an entry that is not HTTP is left out`(method: String, name: String, value: String) throws {
        func entry(_ method: String, _ name: String, _ value: String) -> String {
            """
            { "request": { "method": "\(method)", "url": "https://a.example/\(method.count)", "headers": [] },
              "response": { "status": 200, "headers": [{ "name": "\(name)", "value": "\(value)" }],
                "content": { "mimeType": "text/plain", "text": "a" } } }
            """
        }
        let entries = [entry(method, name, value), entry("DELETE", "X", "b")].joined(separator: ", ")
        let directory = try TemporaryDirectory()
        try directory.write("{ \"log\": { \"entries\": [\(entries)] } }", to: "a.har")
        let result = try Tool.run(["import", "a.har", "--to", "A.json"], in: directory.url)
        #expect(result.status == 2)
        #expect(result.errors.contains("a.har: a request was left out."))
        #expect(try directory.text("A.json").components(separatedBy: "\"method\"").count == 2)
    }
}
