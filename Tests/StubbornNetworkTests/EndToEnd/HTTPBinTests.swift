import Foundation
import StubbornNetwork
import Testing

/// The table once more, against a server that others wrote.
@Suite(.timeLimit(.minutes(5)), .enabled(if: HTTPBin.python != nil, HTTPBin.howToGetIt))
struct HTTPBinTests {
    @Test func `responses from httpbin are played back after it has stopped`() async throws {
        let directory = TemporaryDirectory()
        let server = try await HTTPBin(in: directory)
        var recorded: [(row: ClientCase, run: LiveAndPlayed, live: Seen)] = []
        for row in HTTPBinRows.all {
            let run = LiveAndPlayed()
            recorded.append((row, run, try await run.record(row, at: server)))
        }
        server.stop()
        try await eventually { !server.isRunning }
        for (row, run, live) in recorded {
            let played = try await run.play(row, at: server)
            LiveAndPlayed.expect(row, live: live, played: played)
        }
    }
}

enum HTTPBinRows {
    static var all: [ClientCase] { methods + contents + bodies + streams + redirects + authentication }

    private static var methods: [ClientCase] {
        var rows: [ClientCase] = []
        for style in ClientStyle.dataTasks {
            rows.append(ClientCase("get", style, path: "/get?a=1&b=%20", expecting: ["status": "200"]))
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                let path = "/\(method.lowercased())"
                rows.append(
                    ClientCase(method, style, path: path, method: method, body: "text", expecting: ["status": "200"])
                )
            }
            rows.append(ClientCase("anything", style, path: "/anything/a/b?c=d", expecting: ["status": "200"]))
            rows.append(ClientCase("HEAD", style, path: "/get", method: "HEAD", expecting: ["status": "200"]))
        }
        for status in [200, 201, 204, 304, 400, 403, 404, 418, 429, 500, 503] {
            rows.append(ClientCase("\(status)", path: "/status/\(status)", expecting: ["status": "\(status)"]))
        }
        return rows
    }

    private static let contents: [ClientCase] = [
        ("/gzip", ["status": "200", "MIME type": "application/json"]),
        ("/deflate", ["status": "200", "MIME type": "application/json"]),
        ("/brotli", ["status": "200", "MIME type": "application/json"]),
        ("/encoding/utf8", ["text encoding": "utf-8"]),
        ("/image/png", ["MIME type": "image/png"]),
        ("/image/svg", ["MIME type": "image/svg+xml"]),
        ("/image/jpeg", ["MIME type": "image/jpeg"]),
        ("/bytes/10000?seed=1", ["expected length": "10000"]),
        ("/xml", ["MIME type": "application/xml"]),
        ("/html", ["MIME type": "text/html"]),
        ("/json", ["MIME type": "application/json"]),
        ("/robots.txt", ["MIME type": "text/plain"]),
        ("/links/5/0", ["MIME type": "text/html"]),
        ("/etag/tag", ["field etag": "tag"]),
        ("/cache", ["status": "200"]),
        ("/cache/60", ["field cache-control": "public, max-age=60"]),
        ("/response-headers?X-A=1&X-A=2&Content-Disposition=attachment;%20filename=%22a.txt%22", ["field x-a": "1, 2"]),
        ("/headers", ["status": "200"]),
        ("/user-agent", ["status": "200"]),
        ("/uuid", ["status": "200"]),
    ].flatMap { path, expecting in
        [ClientStyle.completion, .delegate].map { ClientCase(path, $0, path: path, expecting: expecting) }
    }

    private static var bodies: [ClientCase] {
        var rows: [ClientCase] = [
            ClientCase(
                "form",
                path: "/post",
                method: "POST",
                body: "a=1&b=two%20words",
                headers: ["Content-Type": "application/x-www-form-urlencoded"],
                expecting: ["status": "200"]
            ),
            ClientCase(
                "JSON",
                path: "/post",
                method: "POST",
                body: #"{"id":1,"name":"Ada"}"#,
                headers: ["Content-Type": "application/json"],
                expecting: ["status": "200"]
            ),
            ClientCase(
                "multipart",
                path: "/post",
                method: "POST",
                body: "--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
                    + "Content-Type: text/plain\r\n\r\nhello\r\n--line--\r\n",
                headers: ["Content-Type": "multipart/form-data; boundary=line"],
                expecting: ["status": "200"]
            ),
        ]
        for style in ClientStyle.uploads {
            // A stream is sent in chunks, as by a bare session, and the server of httpbin takes none.
            let status = style == .uploadStream ? "501" : "200"
            var row = ClientCase("binary", style, path: "/post", method: "POST", expecting: ["status": status])
            row.upload = Data((0...255).map { UInt8($0) })
            if style == .uploadStream { row.behaviour = ClientDelegate.Behaviour(bodyStream: row.upload) }
            rows.append(row)
        }
        return rows
    }

    private static let streams: [ClientCase] = [
        "/stream-bytes/10000?seed=1&chunk_size=1000", "/stream/5", "/drip?duration=0.2&numbytes=4&delay=0",
        "/range/1000?chunk_size=100",
    ].flatMap { path in
        ClientStyle.dataTasks.map { ClientCase(path, $0, path: path, expecting: ["status": "200"]) }
    }

    private static var redirects: [ClientCase] {
        var rows: [ClientCase] = []
        for style in [ClientStyle.completion, .delegate, .async] {
            for path in ["/redirect/3", "/relative-redirect/2", "/absolute-redirect/2"] {
                rows.append(ClientCase(path, style, path: path, expecting: ["status": "200"]))
            }
            for status in [301, 302, 303, 307, 308] {
                let path = "/redirect-to?url=/anything&status_code=\(status)"
                rows.append(
                    ClientCase(path, style, path: path, method: "POST", body: "text", expecting: ["status": "200"])
                )
            }
            let cookies = "a=1; path=/; domain=127.0.0.1, b=2; path=/; domain=127.0.0.1"
            let setting = ClientCase(
                "cookies",
                style,
                path: "/cookies/set?a=1&b=2",
                expecting: ["status": "200", "cookies": cookies]
            )
            rows.append(setting)
        }
        return rows
    }

    private static var authentication: [ClientCase] {
        var rows: [ClientCase] = [
            ClientCase("no token", path: "/bearer", expecting: ["status": "401"]),
            ClientCase(
                "a token",
                path: "/bearer",
                headers: ["Authorization": "Bearer a"],
                expecting: ["status": "200"]
            ),
        ]
        let paths = ["/basic-auth/user/passwd", "/hidden-basic-auth/user/passwd", "/digest-auth/auth/user/passwd"]
        for style in [ClientStyle.completion, .delegate] {
            for path in paths {
                let isHidden = path.hasPrefix("/hidden")
                // A digest challenge is delivered as the 401 that it is.
                let answered = isHidden ? "404" : path.hasPrefix("/digest") ? "401" : "200"
                var row = ClientCase(path, style, path: path, expecting: ["status": answered])
                row.behaviour = ClientDelegate.Behaviour(challenges: .credential(user: "user", password: "passwd"))
                rows.append(row)
                rows.append(
                    ClientCase("\(path), nobody", style, path: path, expecting: ["status": isHidden ? "404" : "401"])
                )
            }
        }
        return rows
    }
}
