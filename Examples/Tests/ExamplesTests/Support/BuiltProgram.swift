// Starts a program of this package the way a test of an app does: as a process, with an environment of its own.
// Nothing blocks a thread, because the servers of other tests run on the same few.

import Foundation

/// An executable that was built next to the tests.
struct BuiltProgram: Sendable {
    /// What a program said, and how it ended.
    struct Run: Sendable, Equatable {
        var exitCode: Int32
        var output: String
        var error: String
    }

    struct NotBuilt: LocalizedError {
        var name: String
        var directory: URL

        var errorDescription: String? {
            "There is no executable \(name) in \(directory.path), nor in a directory above it. Run `swift build` first."
        }
    }

    static let bytes = BuiltProgram(name: "bytes")

    let name: String

    /// Runs the program to its end, or terminates it when the test is cancelled.
    ///
    /// The program inherits the environment of the tests, without the variables that The Stubborn Network reads.
    /// `environment` is added to it.
    func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Run {
        let output = TemporaryDirectory()
        try output.create()
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        process.environment = Self.inherited.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try output.emptyFile("output")
        process.standardError = try output.emptyFile("error")
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in continuation.resume() }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
        } onCancel: {
            if process.isRunning { process.terminate() }
        }
        return Run(
            exitCode: process.terminationStatus,
            output: try output.text(of: "output"),
            error: try output.text(of: "error")
        )
    }

    private static let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
        !name.hasPrefix("STUB_") && !["CI", "TESTING", "THE_STUBBORN_NETWORK_UI_TESTING"].contains(name)
    }
    // On Linux requests go through the proxy of the shell, which does not know this machine's loopback.
    .merging(["no_proxy": "127.0.0.1"]) { $1 }

    /// Next to the test bundle, or in a directory above, wherever `--scratch-path` and `-c` have put it.
    private func executable() throws -> URL {
        // On a Mac the main bundle is the toolchain's.
        let start = Bundle(for: Anchor.self).bundleURL
        var directory = start
        for _ in 0..<4 {
            let candidate = directory.appendingPathComponent(name)
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isDirectory)
            if exists, !isDirectory.boolValue { return candidate }
            directory.deleteLastPathComponent()
        }
        throw NotBuilt(name: name, directory: start)
    }
}

private final class Anchor {}
