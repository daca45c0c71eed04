import FlyingFox
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Header fields on their way through a loopback server.
enum ForwardedFields {
    /// The fields that describe one connection (RFC 9110, section 7.6.1).
    private static let ofConnection: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Returns the fields of a client's request without those of its connection.
    static func ofRequest(_ headers: HTTPHeaders) -> HeaderFields {
        let removed = ofConnection.union(["host", "content-length", "expect"])
        let names = headers.keys.filter { !removed.contains($0.rawValue.lowercased()) }
        return HeaderFields(
            names.map(\.rawValue).sorted().flatMap { name in
                headers.values(for: HTTPHeader(name)).map { HeaderFields.Field(name: name, value: $0) }
            }
        )
    }

    /// Returns the fields of a response for a client that reaches the origins under other URLs.
    ///
    /// Redirects lead back to the loopback server, and cookies are for its host. The body is not encoded.
    ///
    /// - Parameters:
    ///   - fields: the fields of the server that was recorded.
    ///   - rewrite: returns the loopback server's URL for a URL of the recorded server; `nil` for any other.
    /// - Returns: the fields for the client.
    static func ofResponse(_ fields: HeaderFields, rewrite: (URL) -> String?) -> HTTPHeaders {
        var headers = HTTPHeaders()
        let removed = ofConnection.union(["content-encoding", "content-length"])
        for field in fields where !removed.contains(field.name.lowercased()) && field.value.isFieldValue {
            let name = HTTPHeader(field.name)
            switch field.name.lowercased() {
            case "set-cookie":
                for cookie in hostless(cookies(in: field.value)) { headers.addValue(cookie, for: name) }
            case "location", "content-location":
                headers.addValue(URL(asWritten: field.value).flatMap(rewrite) ?? field.value, for: name)
            default:
                headers.addValue(field.value, for: name)
            }
        }
        return headers
    }

    /// Returns the cookies of a `Set-Cookie`, which Foundation joins by commas.
    static func cookies(in value: String) -> [String] {
        var cookies: [String] = []
        for part in value.components(separatedBy: ",") {
            let name = part.prefix { $0 != "=" && $0 != ";" }
            let beginsCookie = part.dropFirst(name.count).hasPrefix("=") && !name.drop { $0 == " " }.contains(" ")
            if beginsCookie || cookies.isEmpty {
                cookies.append(part)
            } else {
                // The rest of a date.
                cookies[cookies.count - 1] += "," + part
            }
        }
        return cookies
    }

    /// Returns cookies without their host and `Secure`.
    private static func hostless(_ cookies: [String]) -> [String] {
        cookies.map { cookie in
            cookie.components(separatedBy: ";")
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.lowercased() != "secure" && !$0.lowercased().hasPrefix("domain=") }
                .joined(separator: "; ")
        }
    }
}

extension HTTPResponse {
    /// Returns a message to the client in a body of plain text.
    static func text(_ text: String, status: Int) -> HTTPResponse {
        HTTPResponse(
            statusCode: HTTPStatusCode(code: status),
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: Data((text + "\n").utf8)
        )
    }

    /// The end of a connection without a response.
    static let closedConnection = HTTPResponse(webSocket: ConnectionCloser())
}

extension HTTPStatusCode {
    init(code: Int) {
        let phrase = HTTPURLResponse.localizedString(forStatusCode: code).capitalized
        self.init(code, phrase: code == 200 ? "OK" : phrase)
    }
}

/// A handler that ends the connection before a byte is written.
///
/// FlyingFox answers an error of an ordinary handler with 500. For an error of a WebSocket handler, it closes the
/// connection.
private struct ConnectionCloser: WSHandler {
    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        throw CancellationError()
    }
}
