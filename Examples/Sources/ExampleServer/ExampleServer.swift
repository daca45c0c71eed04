// A small real HTTP server for the examples, on a port of 127.0.0.1, that runs for as long as a closure does. It counts
// the requests that reach it: so an example can show whether an answer came from the server or from a stub.

import FlyingFox
import FlyingSocks
import Foundation

package struct ExampleServer: Sendable {
    /// The server's URL, such as `http://127.0.0.1:41235`.
    package let url: URL

    private let counter: RequestCounter

    /// The number of requests that have reached the server so far.
    package var requestCount: Int {
        get async { await counter.count }
    }

    /// Runs a server while `body` uses it, and stops it.
    ///
    /// When this function returns, nothing listens on the port any more.
    ///
    ///     let count = try await ExampleServer.run { server in
    ///         try await client.byteCount(of: server.url.appendingPathComponent("417"))
    ///     }
    ///
    /// The server listens on `port`, or on any free one.
    package static func run<Result: Sendable>(
        port: UInt16 = 0,
        _ body: @Sendable (ExampleServer) async throws -> Result
    ) async throws -> Result {
        let counter = RequestCounter()
        let server = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port),
            logger: .disabled,
            handler: ClosureHTTPHandler { request in
                await counter.increment()
                return try await Routes.response(to: request)
            }
        )
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            try await server.waitUntilListening()
            let result = try await body(ExampleServer(url: try await server.url, counter: counter))
            await server.stop()
            return result
        }
    }
}

private actor RequestCounter {
    private(set) var count = 0

    func increment() {
        count += 1
    }
}

extension HTTPServer {
    fileprivate var url: URL {
        get throws {
            guard case .ip4(let address, let port)? = listeningAddress,
                let url = URL(string: "http://\(address):\(port)")
            else { throw URLError(.cannotFindHost) }
            return url
        }
    }
}
