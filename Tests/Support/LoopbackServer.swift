import Foundation

/// A small HTTP/1.1 server on a free port of 127.0.0.1, for tests.
///
///     let server = try LoopbackServer()
///     let (data, _) = try await session.data(from: server.url("/hello"))     // "hello"
///     #expect(server.requestCount(path: "/hello") == 1)
///
/// With routes of its own, and a test that decides when the body goes on:
///
///     let server = try LoopbackServer { _ in
///         .init(body: .chunked([.send("first"), .waitForSignal("more"), .send("second")]))
///     }
///     server.signal("more")
///
/// It keeps connections alive, reads bodies of up to 200 MB by length or in chunks, answers `Expect: 100-continue`, and
/// gives each connection a thread, on which the handler runs. It refuses what it cannot read with 400, 413 or 431.
public final class LoopbackServer: Sendable {
    /// The port, free until then, on which the server listens from its first moment.
    public let port: UInt16

    private let core: ServerCore

    /// Starts to listen; throws if the system gives no socket.
    ///
    /// Bodies are read slowly, about 2 MB in a second, for the first `slowSeconds` of a connection.
    public init(
        readingSlowlyFor slowSeconds: TimeInterval = 0,
        handler: @escaping @Sendable (Request) -> Response = LoopbackServer.standardRoutes
    ) throws {
        let (listener, port) = try Socket.listening()
        do {
            if slowSeconds > 0 { listener.setReceiveBuffer(byteCount: 65_536) }
            let core = try ServerCore(slowSeconds: slowSeconds, handler: handler)
            core.acceptConnections(from: listener)
            self.core = core
            self.port = port
        } catch {
            listener.close()
            throw error
        }
    }

    deinit {
        core.stop()
        core.state.withLock { $0.portHolder }?.close()
    }

    /// The address of a path and query: `http://127.0.0.1:50123/search?q=a`.
    ///
    /// What cannot be part of a URL makes the root's address.
    public func url(_ pathAndQuery: String) -> URL {
        var root = URLComponents()
        root.scheme = "http"
        root.host = "127.0.0.1"
        root.port = Int(port)
        root.path = "/"
        let base = root.url ?? URL(fileURLWithPath: "/")
        return URL(string: "http://127.0.0.1:\(port)\(pathAndQuery)") ?? base
    }

    /// Closes the port and all connections, ends what hangs or waits, and returns when all of it is over.
    ///
    /// From then on connecting is refused; log and counts stay readable. Called from a handler, it does
    /// not wait. A handler that never returns keeps it waiting.
    public func stop() {
        core.stop()
        let port = port
        core.state.change { state in
            if state.portHolder == nil { state.portHolder = Socket.holding(port) }
        }
    }

    /// How many connections were accepted so far: 0 shows that nobody used the network.
    public var connectionCount: Int {
        core.state.withLock { $0.connectionCount }
    }

    /// How many connections are open now.
    public var openConnectionCount: Int {
        core.state.withLock { $0.open.count }
    }

    /// The requests so far, each logged when its body has been read and before its handler runs.
    public var requests: [Request] {
        core.state.withLock { $0.requests }
    }

    /// How many requests for a path came so far, whatever their method and query.
    public func requestCount(path: String) -> Int {
        requests.count { $0.path == path }
    }

    /// Waits until so many requests for a path have come; false if they did not within 30 seconds.
    public func waitForRequests(path: String, count: Int = 1) async -> Bool {
        for _ in 0..<6_000 {
            if requestCount(path: path) >= count { return true }
            guard (try? await Task.sleep(nanoseconds: 5_000_000)) != nil else { return false }
        }
        return false
    }

    /// Lets one step that waits for this signal pass: one that waits already, or the next one that will.
    public func signal(_ name: String) {
        core.state.change { $0.signals[name, default: 0] += 1 }
    }

    /// A server that is not there: connecting to its port is refused for as long as it is held.
    public static func stopped() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.stop()
        return server
    }
}
