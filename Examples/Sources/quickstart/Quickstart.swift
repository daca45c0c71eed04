// `swift run --package-path Examples quickstart`: the whole idea in one command. A real HTTP server answers a few
// requests, which are recorded into a stub file; the server is stopped; the same requests are answered from the file.
// It fails, with exit code 1, if anything is not as it says.

import ArgumentParser
import Foundation

@main
struct Quickstart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quickstart",
        abstract: "Records what a real HTTP server says, stops the server, and plays everything back."
    )

    @Option(help: "Where to keep the stub file; a new temporary directory by default.", transform: parseDirectory)
    var directory: URL?

    func run() async throws {
        // On Linux requests go through the proxy of the shell, which does not know this machine's loopback.
        setenv("no_proxy", "127.0.0.1", 1)
        do {
            try await Walkthrough(directory: directory ?? temporaryDirectory).run()
        } catch {
            FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
            throw ExitCode.failure
        }
    }

    private static func parseDirectory(_ path: String) throws -> URL {
        guard !path.isEmpty else { throw ValidationError("The directory is empty.") }
        return URL(fileURLWithPath: path, isDirectory: true)
    }

    private var temporaryDirectory: URL {
        let name = "stubborn-quickstart-\(UUID().uuidString.prefix(8))"
        return FileManager.default.temporaryDirectory.appendingPathComponent(name)
    }
}
