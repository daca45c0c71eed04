// A UI test of `bytes` as seen from outside: it has a name, a stub directory and, in one of its runs, a record mode.

import ExampleServer
import Foundation

struct BytesUITest: Sendable {
    let name = "-[BytesUITests testDownload]"
    let directory: TemporaryDirectory

    /// The file that it is recorded into.
    let fileName = "BytesUITests_testDownload.json"

    /// Runs `bytes` with a URL of the server.
    ///
    /// `mode` is the value of `STUB_RECORD_MODE`, which is unset by default. `environment` adds more variables.
    func download(
        _ path: String = "417",
        from server: ExampleServer,
        mode: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> BuiltProgram.Run {
        try await download(address: server.address(path), mode: mode, environment: environment)
    }

    /// Runs `bytes` with a URL.
    func download(
        address: String,
        mode: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> BuiltProgram.Run {
        var variables = ["TESTING": "1", "STUB_NAME": name, "STUB_PATH": directory.path]
        variables["STUB_RECORD_MODE"] = mode
        return try await BuiltProgram.bytes.run(address, environment: variables.merging(environment) { $1 })
    }
}

extension ExampleServer {
    /// A URL of the server as it is given to a program.
    func address(_ path: String) -> String { url.appendingPathComponent(path).absoluteString }
}
