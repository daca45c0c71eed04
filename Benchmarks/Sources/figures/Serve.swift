import ArgumentParser
import FlyingFox
import FlyingSocks
import Foundation

/// The command `figures serve`, which runs a server on a free port of 127.0.0.1.
///
/// It is a separate process, so that its work is not measured. It prints the server's address, and ends when its
/// standard input does.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves 1 KB to every request until standard input ends.",
        shouldDisplay: false
    )

    func run() async throws {
        let server = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0),
            pool: PromptPool(),
            logger: .disabled,
            handler: ClosureHTTPHandler { _ in
                HTTPResponse(statusCode: .ok, headers: [.contentType: "text/plain"], body: ConstantAnswer.body)
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            try await server.waitUntilListening()
            guard case .ip4(let address, let port)? = await server.listeningAddress else {
                throw ExitCode.failure
            }
            FileHandle.standardOutput.write(Data("http://\(address):\(port)\n".utf8))
            await Self.waitForEndOfInput()
            await server.stop()
        }
    }

    private static func waitForEndOfInput() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                _ = FileHandle.standardInput.readDataToEndOfFile()
                continuation.resume()
            }
        }
    }
}

/// FlyingFox's own pool, except that its sockets send at once.
///
/// The server writes head and body separately. Without this, the body waits 40 ms on Linux for the client's
/// acknowledgement of the head, and only this wait would be measured.
private struct PromptPool: AsyncSocketPool {
    private let pool: any AsyncSocketPool = HTTPServer.defaultPool()

    func prepare() async throws { try await pool.prepare() }
    func run() async throws { try await pool.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        try await pool.suspendSocket(socket, untilReadyFor: events)
    }
}
