import Foundation
import LoopbackServer
import StubbornNetwork

extension DeliveryRows {
    static var redirects: [ClientCase] {
        var rows: [ClientCase] = []
        for style in ClientStyle.dataTasks {
            for hops in [1, 3] {
                rows.append(ClientCase("\(hops) hops", style, path: "/redirect/\(hops)", expecting: hello))
            }
            for status in [302, 303, 307, 308] {
                let path = "/redirect-to?url=/echo&status=\(status)"
                rows.append(
                    ClientCase(
                        "POST \(status)",
                        style,
                        path: path,
                        method: "POST",
                        body: "posted",
                        expecting: ["status": "200"]
                    )
                )
            }
            rows.append(
                ClientCase("a loop", style, path: "/redirect-loop", expecting: ["error": "NSURLErrorDomain -1007"])
            )
            rows.append(toAnotherHost(style))
            rows.append(toNobody(style))
        }
        for style in [ClientStyle.completion, .delegate] { rows += delegates(style) }
        return rows
    }

    private static let hello: [String: String] = ["status": "200", "body": Seen.summary(of: Data("hello".utf8))]

    private static func toAnotherHost(_ style: ClientStyle) -> ClientCase {
        var row = ClientCase("to another host", style, path: "/", expecting: hello)
        row.request = { server in
            let target = server.url("/hello").absoluteString.replacingOccurrences(of: "127.0.0.1", with: "localhost")
            return URLRequest(url: server.url("/redirect-to?url=\(target)"))
        }
        return row
    }

    private static func toNobody(_ style: ClientStyle) -> ClientCase {
        ClientCase(
            "to a port where nobody listens",
            style,
            path: "/redirect-to?url=http://127.0.0.1:1/",
            expecting: ["error": "NSURLErrorDomain -1004"]
        )
    }

    /// What a delegate that is asked makes of redirects.
    private static func delegates(_ style: ClientStyle) -> [ClientCase] {
        let ok: String = style == .delegate ? "response 200 data completion" : "completion"
        let found: String = style == .delegate ? "response 302 data completion" : "completion"
        let first = "redirect 302 GET /redirect/1"
        let toJSON: @Sendable (URLRequest) -> URLRequest = { request in
            var request = request
            request.url = request.url.flatMap { URL(string: "/json", relativeTo: $0)?.absoluteURL }
            return request
        }
        let follows = ClientCase(
            "a delegate that follows",
            style,
            path: "/redirect/2",
            behaviour: ClientDelegate.Behaviour(),
            expecting: ["status": "200", "calls": "\(first) redirect 302 GET /hello \(ok)"]
        )
        let refuses = ClientCase(
            "a delegate that refuses",
            style,
            path: "/redirect/2",
            behaviour: ClientDelegate.Behaviour(redirects: .refuse),
            expecting: ["status": "302", "calls": "\(first) \(found)"]
        )
        let changes = ClientCase(
            "a delegate that changes the request",
            style,
            path: "/redirect/2",
            behaviour: ClientDelegate.Behaviour(redirects: .change(toJSON)),
            expecting: ["status": "200", "MIME type": "application/json", "calls": "\(first) \(ok)"]
        )
        let posts = ClientCase(
            "a delegate that sees a POST become a GET",
            style,
            path: "/redirect-to?url=/echo&status=303",
            method: "POST",
            body: "posted",
            behaviour: ClientDelegate.Behaviour(),
            expecting: ["status": "200", "calls": "redirect 303 GET /echo \(ok)"]
        )
        return [follows, refuses, changes, posts]
    }
}
