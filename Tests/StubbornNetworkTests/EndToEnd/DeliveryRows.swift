import Foundation
import LoopbackServer
import StubbornNetwork

/// The table of what is delivered: a row for each behavior of a session.
enum DeliveryRows {
    /// What a client of each style is told of a response with a body.
    private static func calls(_ style: ClientStyle) -> String {
        switch style {
        case .delegate, .uploadDataByDelegate, .uploadFileByDelegate, .uploadStream: "response 200 data completion"
        case .completion, .async, .uploadData, .uploadFile, .uploadAsync, .uploadFileAsync: "completion"
        case .asyncWithDelegate, .uploadAsyncWithDelegate: "response 200 completion"
        }
    }

    static var styles: [ClientCase] {
        var rows: [ClientCase] = []
        for style in ClientStyle.dataTasks {
            let told = calls(style)
            let upload = summary(ofUpload: "posted")
            rows.append(ClientCase("GET", style, path: "/hello", expecting: ["status": "200", "calls": told]))
            rows.append(ClientCase("JSON", style, path: "/json", expecting: ["MIME type": "application/json"]))
            rows.append(
                ClientCase(
                    "POST",
                    style,
                    path: "/upload",
                    method: "POST",
                    body: "posted",
                    expecting: ["body": upload, "calls": told]
                )
            )
            for method in ["PUT", "PATCH", "DELETE", "OPTIONS"] {
                rows.append(
                    ClientCase(method, style, path: "/echo", method: method, body: method, expecting: ["status": "200"])
                )
            }
            rows.append(bodyStream(style, told: told))
        }
        for style in ClientStyle.uploads {
            for body in ["posted", String(repeating: "a longer body, ", count: 20_000)] {
                var row = ClientCase(
                    "upload of \(body.count) bytes",
                    style,
                    path: "/upload",
                    method: "POST",
                    body: body,
                    expecting: ["body": summary(ofUpload: body), "calls": calls(style)]
                )
                if style == .uploadStream { row.behaviour = ClientDelegate.Behaviour(bodyStream: Data(body.utf8)) }
                rows.append(row)
            }
        }
        return rows
    }

    private static func bodyStream(_ style: ClientStyle, told: String) -> ClientCase {
        let expecting: [String: String] = ["body": summary(ofUpload: "streamed"), "calls": told]
        var row = ClientCase("POST of a body stream", style, path: "/upload", expecting: expecting)
        row.request = { server in
            var request = URLRequest(url: server.url("/upload"))
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("streamed".utf8))
            return request
        }
        return row
    }

    /// What `/upload` answers, as a fact.
    private static func summary(ofUpload body: String) -> String {
        let checksum = LoopbackServer.checksum(of: Data(body.utf8))
        return Seen.summary(of: Data("{\"byteCount\":\(body.utf8.count),\"checksum\":\"\(checksum)\"}".utf8))
    }

    /// A path, the headers that it is asked with, and what comes of it.
    private static let simpleResponses: [(String, [String: String], [String: String])] = [
        ("/status/204", [:], ["status": "204", "body": Seen.summary(of: Data())]),
        ("/etag", ["If-None-Match": "\"v1\""], ["status": "304", "body": Seen.summary(of: Data())]),
        ("/etag", [:], ["status": "200", "field etag": "\"v1\""]),
        ("/empty", [:], ["status": "200", "expected length": "0"]),
        ("/gzip", [:], ["body": compressed, "text encoding": "utf-8"]),
        ("/deflate", [:], ["body": compressed]),
        ("/chunked/5", [:], ["status": "200", "expected length": "-1"]),
        ("/headers", [:], ["field x-utf8": "Grüße", "field x-repeated": "one, two"]),
        ("/bytes/1000", [:], ["MIME type": "application/octet-stream", "expected length": "1000"]),
        ("/status/404", [:], ["status": "404"]),
        ("/status/500", [:], ["status": "500"]),
        ("/status/299", [:], ["status": "299"]),
        ("/status/407", [:], ["status": "407"]),
    ]

    static var responses: [ClientCase] {
        var rows: [ClientCase] = []
        for style in ClientStyle.dataTasks {
            for (path, headers, expecting) in simpleResponses {
                let condition = headers.keys.first.map { " with \($0)" } ?? ""
                rows.append(
                    ClientCase(path + condition, style, path: path, headers: headers, expecting: expecting)
                )
            }
            let length: [String: String] = ["field content-length": "1234", "expected length": "1234"]
            rows.append(ClientCase("HEAD", style, path: "/bytes/1234", method: "HEAD", expecting: length))
            let cookies: [String: String] = [
                "cookies": "first=1; path=/; domain=127.0.0.1, second=2; path=/; domain=127.0.0.1",
                "field set-cookie": "first=1; Path=/, second=2; Path=/",
            ]
            rows.append(ClientCase("cookies", style, path: "/cookies/set?first=1&second=2", expecting: cookies))
        }
        return rows
    }

    private static let compressed = Seen.summary(of: Data(LoopbackServer.compressedText.utf8))

    static var largeBodies: [ClientCase] {
        var rows: [ClientCase] = []
        for style in ClientStyle.dataTasks {
            for count in [1_000_000, 20_000_000] {
                let expecting: [String: String] = ["expected length": "\(count)", "calls": calls(style)]
                rows.append(ClientCase("\(count) bytes", style, path: "/bytes/\(count)", expecting: expecting))
            }
        }
        return rows
    }

    /// What a broken connection's error is: curl's codes for these two have no counterpart in Foundation on Linux.
    #if canImport(FoundationNetworking)
        private static let lostInBody = -1
        private static let noTLS = -1
    #else
        private static let lostInBody = -1005
        private static let noTLS = -1200
    #endif

    /// Rows that Foundation on Linux brings to an end itself, and to the same one each time.
    ///
    /// Left out: challenges (basic without an answer never ends), what it tells a task's own
    /// delegate, timeouts of a request's own (it has none), the 100 that it tells an upload's, the body that it loses at
    /// 307 and 308, and that of a redirect which was refused.
    static var comparedWithBareSessions: [ClientCase] {
        let rows = styles + responses + redirects + failures
        let left: Set<String> = ["POST 307", "POST 308", "to a port where nobody listens", "a delegate that refuses"]
        return rows.filter {
            !$0.name.hasPrefix("timed out") && !$0.style.hasOwnDelegate && $0.style != .uploadStream
                && !left.contains($0.name)
        }
    }

    static var failures: [ClientCase] {
        var rows: [ClientCase] = []
        for style in ClientStyle.dataTasks {
            var refused = ClientCase("refused", style, path: "/", expecting: ["error": "NSURLErrorDomain -1004"])
            refused.request = { _ in URLRequest(url: URL(string: "http://127.0.0.1:1/")!) }
            rows.append(refused)

            let calls: String =
                switch style {
                case .delegate: "response 200 data failure \(lostInBody)"
                case .asyncWithDelegate: "response 200 failure \(lostInBody)"
                default: "failure \(lostInBody)"
                }
            let lost: [String: String] = ["error": "NSURLErrorDomain \(lostInBody)", "calls": calls]
            rows.append(ClientCase("broken off", style, path: "/cut", expecting: lost))
            rows.append(ClientCase("reset", style, path: "/reset", expecting: ["error": "NSURLErrorDomain -1005"]))

            let timedOut: [String: String] = ["error": "NSURLErrorDomain -1001"]
            var late = ClientCase("timed out", style, path: "/", expecting: timedOut)
            late.request = { URLRequest(url: $0.url("/hang"), timeoutInterval: 0.3) }
            rows.append(late)
            var lateForSession = ClientCase("timed out", style, path: "/hang", expecting: timedOut)
            lateForSession.name = "timed out by the session's configuration"
            lateForSession.configure = { $0.timeoutIntervalForRequest = 1 }
            rows.append(lateForSession)

            var secure = ClientCase("TLS", style, path: "/", expecting: ["error": "NSURLErrorDomain \(noTLS)"])
            secure.request = { server in
                let plain = server.url("/hello").absoluteString
                return URLRequest(url: URL(string: plain.replacingOccurrences(of: "http:", with: "https:"))!)
            }
            rows.append(secure)
        }
        return rows
    }
}
