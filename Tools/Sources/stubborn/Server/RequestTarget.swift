import FlyingFox
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The address that a client has requested from a loopback server.
struct RequestTarget: Sendable {
    /// The path and the query as they were sent: `/users?page=2`.
    let path: String

    /// The path without the query.
    var pathWithoutQuery: Substring { path.prefix { $0 != "?" } }

    /// The host and port: of the URL for a client that uses the server as a proxy, otherwise of `Host`.
    let host: String

    /// The host without its port, in lower case.
    var hostWithoutPort: String {
        let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : host.firstIndex(of: ":")
        return host[..<(end ?? host.endIndex)].lowercased()
    }

    /// The URL in front of the path; `nil` unless the client uses the server as a proxy.
    let proxiedOrigin: String?

    init(_ request: HTTPRequest) {
        isExact = false
        let target = request.target.rawValue
        if let scheme = target.range(of: "://"), !target.hasPrefix("/") {
            let end = target[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? target.endIndex
            host = String(target[scheme.upperBound..<end])
            proxiedOrigin = String(target[..<end])
            path = target[end...].hasPrefix("/") ? String(target[end...]) : "/" + target[end...]
        } else {
            host = request.headers[.host] ?? "127.0.0.1"
            proxiedOrigin = nil
            path = target
        }
    }

    /// A Boolean value that indicates whether only stubs with the same scheme answer, because the client itself has requested
    /// `https://`.
    let isExact: Bool

    /// Creates the target of a request for a whole URL.
    init?(_ url: URL) {
        guard let origin = Origin(url) else { return nil }
        host = origin.hostAndPort
        proxiedOrigin = origin.description
        let rest = url.absoluteString.dropFirst(url.originLength)
        path = rest.hasPrefix("/") ? String(rest) : "/" + rest
        isExact = true
    }

    /// Returns the URL under which the client reaches an origin of the recordings.
    func origin(for recorded: Origin) -> String {
        proxiedOrigin == nil ? "http://\(host)" : "http://\(recorded.hostAndPort)"
    }
}

extension StubRequest {
    /// The method and the path, for messages of a server on this machine.
    var pathName: String { "\(method) \(RequestTarget(url)?.pathWithoutQuery ?? "/")" }
}

extension URL {
    /// Reads the URL of a server from an option; the paths of requests are added to it.
    init(server text: String) throws {
        guard let url = URL(asWritten: text), ["http", "https"].contains(url.scheme?.lowercased()), Origin(url) != nil
        else { throw ToolError("\(text) is not the URL of a server. Write it as https://api.example.com.") }
        guard url.query == nil, url.fragment == nil else {
            throw ToolError("\(text) has a query or a fragment. Leave it out: each request has its own.")
        }
        self = url
    }
}

/// Scheme, host and port of a URL, without the scheme's own port: `https://api.example.com`.
struct Origin: Sendable, Hashable, CustomStringConvertible {
    private(set) var scheme: String
    let host: String
    let port: Int?

    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), !host.isEmpty,
            UInt16(exactly: url.port ?? 0) != nil
        else { return nil }
        self.scheme = scheme
        self.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        port = url.port == (["https", "wss"].contains(scheme) ? 443 : 80) ? nil : url.port
    }

    var hostAndPort: String { host + (port.map { ":\($0)" } ?? "") }

    var description: String { "\(scheme)://\(hostAndPort)" }

    /// A Boolean value that indicates whether it is of a web socket.
    var isOfWebSockets: Bool { scheme == "ws" || scheme == "wss" }

    private var isSecure: Bool { scheme == "https" || scheme == "wss" }

    /// Returns the origin of the server's web sockets, or of its other requests.
    func with(isOfWebSockets: Bool) -> Origin {
        var origin = self
        origin.scheme = (isOfWebSockets ? "ws" : "http") + (isSecure ? "s" : "")
        return origin
    }

    /// Returns a Boolean value that indicates whether a host, with or without a port, names this origin.
    func isNamed(by name: String) -> Bool {
        let name = name.lowercased()
        return name == hostAndPort || name == host || name == "\(host):\(isSecure ? 443 : 80)"
    }
}
