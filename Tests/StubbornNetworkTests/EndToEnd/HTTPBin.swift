import Foundation
import LoopbackServer
import Testing

/// A server that is not ours: the Python package `httpbin`, as a child process on a free port of 127.0.0.1.
final class HTTPBin: StoppableServer {
    static let variable = "STUBBORN_NETWORK_HTTPBIN_PYTHON"

    /// A python that can `import httpbin`; `nil` if none is named.
    static let python = ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }

    static let howToGetIt: Comment = """
        Name a python that can import httpbin in STUBBORN_NETWORK_HTTPBIN_PYTHON. .ci/run makes one; by hand: \
        python3 -m venv .build/httpbin && .build/httpbin/bin/pip install httpbin==0.10.2
        """

    private let process: SpawnedProcess
    private let port: Int

    /// Starts a server, and waits until it listens.
    ///
    /// It ends with its standard input, and so with this process, however that ends.
    init(in directory: TemporaryDirectory) async throws {
        try directory.write(Self.program, to: "server.py")
        let announcement = directory.file("port")
        process = try SpawnedProcess(
            URL(fileURLWithPath: try #require(Self.python, Self.howToGetIt)),
            [directory.file("server.py").path, announcement.path]
        )
        let process = process
        try await eventually {
            FileManager.default.fileExists(atPath: announcement.path) || !process.isRunning
        }
        let text = (try? String(contentsOf: announcement, encoding: .utf8)) ?? ""
        port = try #require(Int(text), "httpbin did not start; run \(Self.python ?? "python") -c 'import httpbin'")
    }

    deinit {
        stop()
    }

    func url(_ pathAndQuery: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(pathAndQuery)") ?? URL(fileURLWithPath: "/")
    }

    var isRunning: Bool { process.isRunning }

    /// Kills the server, without waiting until it has ended.
    func stop() {
        process.kill()
    }

    /// The port is written next to its file and moved there, so that a file that is there is whole.
    private static let program = """
        import os, sys, threading
        from werkzeug.serving import WSGIRequestHandler, make_server
        import httpbin

        def app(environ, start_response):
            # Some endpoints answer with a bytearray, which werkzeug's server refuses in the middle of the response.
            for part in httpbin.app(environ, start_response):
                yield bytes(part)

        WSGIRequestHandler.protocol_version = "HTTP/1.1"
        server = make_server("127.0.0.1", 0, app, threaded=True)
        with open(sys.argv[1] + ".new", "w") as file:
            file.write(str(server.server_port))
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        server.serve_forever()
        """
}
