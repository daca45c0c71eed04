// The quickstart keeps its word, as often as it is run. It is run as a person runs it: as a program.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct QuickstartTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("quickstart-tests-\(UUID().uuidString)")

    @Test func `the quickstart can run repeatedly in the same directory`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        for _ in 1...2 {
            let run = try quickstart(directory.path)
            #expect(run.exitCode == 0)
            #expect(run.error == "")
            #expect(run.output.contains("   GET /cover.png   200  256 bytes   from the server\n"))
            #expect(run.output.contains("   GET /cover.png   200  256 bytes   from the file   the same\n"))
            #expect(
                run.output.contains(
                    "   6 requests reached the server, one of them after a redirect. Now it is stopped.\n"
                )
            )
            #expect(run.output.contains("   0 requests reached the server."))
            #expect(run.output.hasSuffix("\n\(directory.path)/Quickstart.json\n"))
            #expect(run.output.split(separator: "\n", omittingEmptySubsequences: false).count < 40)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["Quickstart.json"])
            let file = try Data(contentsOf: directory.appendingPathComponent("Quickstart.json"))
            #expect((try JSONSerialization.jsonObject(with: file) as? [Any])?.count == 6)
        }
    }

    @Test func `the quickstart ignores the shell's environment variables`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let variables = ["CI": "true", "STUB_RECORD_MODE": "live", "STUB_NAME": "x", "TESTING": "1"]
        #expect(try quickstart(directory.path, environment: variables).exitCode == 0)
    }

    @Test func `a directory that is a file is an error that names it`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("not a directory".utf8).write(to: directory)
        let run = try quickstart(directory.path)
        #expect(run.exitCode == 1)
        #expect(run.error.contains(directory.path))
        #expect(try Data(contentsOf: directory) == Data("not a directory".utf8))
    }

    @Test(arguments: ["--help", ""]) func `another argument prints the usage`(argument: String) throws {
        let run = try quickstart(argument)
        #expect(run.exitCode == 1)
        #expect(run.output == "")
        #expect(run.error.hasPrefix("Usage: quickstart [DIRECTORY]\n"))
    }

    /// Runs the program that was built next to the tests to its end.
    private func quickstart(
        _ arguments: String...,
        environment: [String: String] = [:]
    ) throws -> (exitCode: Int32, output: String, error: String) {
        // On a Mac the main bundle is the toolchain's.
        let tests = Bundle(for: Anchor.self).bundleURL
        let products = tests.pathExtension == "xctest" ? tests.deletingLastPathComponent() : tests
        let process = Process()
        let (output, error) = (Pipe(), Pipe())
        process.executableURL = products.appendingPathComponent("quickstart")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = error
        try process.run()
        // What the program prints fits into a pipe.
        process.waitUntilExit()
        return (
            process.terminationStatus,
            String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        )
    }
}

private final class Anchor {}
