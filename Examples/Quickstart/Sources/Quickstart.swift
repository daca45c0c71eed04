// `swift run --package-path Examples/Quickstart`: the whole idea in one command. A real HTTP server answers a few requests, which
// are recorded into a stub file. The server is stopped, and the same requests are answered from the file. The program ends with
// exit code 1 if anything that it prints is not true.

import Foundation

@main
enum Quickstart {
    static func main() async {
        // On Linux requests go through the proxy of the shell, which does not know this machine's loopback.
        setenv("no_proxy", "127.0.0.1", 1)
        // A client that disconnects must not end the server.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await Walkthrough(directory: directory(CommandLine.arguments.dropFirst())).run()
        } catch {
            FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }

    /// Returns the stub directory: the program's argument, or a new temporary directory.
    private static func directory(_ arguments: ArraySlice<String>) throws -> URL {
        guard let path = arguments.first else {
            let name = "stubborn-quickstart-\(UUID().uuidString.prefix(8))"
            return FileManager.default.temporaryDirectory.appendingPathComponent(name)
        }
        guard arguments.count == 1, !path.isEmpty, !path.hasPrefix("-") else { throw UsageError() }
        return URL(fileURLWithPath: path, isDirectory: true)
    }
}

private struct UsageError: LocalizedError {
    var errorDescription: String? { "Usage: quickstart [DIRECTORY]\nThe stub file is written to the directory." }
}
