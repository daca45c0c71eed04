import Foundation
import LoopbackServer

/// `process-under-test`, started with a stub file of its own.
final class ChildProcess: @unchecked Sendable {
    private let process: SpawnedProcess
    private let errors: URL

    init(
        _ count: Int,
        atATime width: Int,
        of url: URL,
        environment: [String: String],
        directory: TemporaryDirectory,
        errors: URL? = nil
    ) throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        self.errors = errors ?? directory.file("errors-\(UUID().uuidString).txt")
        process = try SpawnedProcess(
            executable(named: "process-under-test"),
            [String(count), String(width), url.absoluteString],
            environment: ["TESTING": "1", "STUB_PATH": directory.path].merging(environment) { $1 },
            readsOutput: true,
            errors: self.errors
        )
    }

    func kill() {
        process.kill()
    }

    /// Reads until so many exchanges have ended; the numbers of those that had an answer.
    func answered(_ count: Int = .max) -> [Int] {
        var text = ""
        while text.split(separator: "\n", omittingEmptySubsequences: false).count <= count {
            guard let data = process.output?.availableData, !data.isEmpty else { break }
            text += String(decoding: data, as: UTF8.self)
        }
        // A line that is cut off was not said.
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            line.hasSuffix("failed") ? nil : line.split(separator: " ").first.flatMap { Int($0) }
        }
    }

    /// Waits until the process has ended, and returns its exit code, or the negative number of a signal.
    func waitForStatus() -> Int32 { process.wait() }

    /// How the process ended, and what it wrote to standard error.
    func wait() throws -> (status: Int32, errors: String) {
        (process.wait(), String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
