import Foundation
import LoopbackServer

/// `process-under-test`, started with a stub file of its own.
final class ChildProcess: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let errors: URL

    init(_ count: Int, atATime width: Int, of url: URL, environment: [String: String], directory: TemporaryDirectory)
        throws
    {
        process.executableURL = try executable(named: "process-under-test")
        process.arguments = [String(count), String(width), url.absoluteString]
        process.environment = ["TESTING": "1", "STUB_PATH": directory.path].merging(environment) { $1 }
        process.standardOutput = output
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        errors = directory.file("errors-\(UUID().uuidString).txt")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Reads until so many exchanges have ended; the numbers of those that had an answer.
    func answered(_ count: Int = .max) -> [Int] {
        var text = ""
        while text.split(separator: "\n", omittingEmptySubsequences: false).count <= count {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            text += String(decoding: data, as: UTF8.self)
        }
        // A line that is cut off was not said.
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            line.hasSuffix("failed") ? nil : line.split(separator: " ").first.flatMap { Int($0) }
        }
    }

    /// How the process ended, and what it wrote to standard error.
    func wait() throws -> (status: Int32, errors: String) {
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
