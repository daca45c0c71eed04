import Foundation

/// The built command, run as a process.
enum Tool {
    struct Result {
        let status: Int32
        let outputData: Data
        let errors: String

        var output: String { String(decoding: outputData, as: UTF8.self) }
    }

    /// The executable, which is next to the tests.
    static let executable = {
        let bundle = Bundle(for: Marker.self).bundleURL
        let directory = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        return directory.appendingPathComponent("stubborn")
    }()

    /// Runs `stubborn` with some arguments and waits for its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - directory: The current directory of the process.
    ///   - input: The standard input.
    ///   - environment: Variables in addition to those of the tests. `nil` takes one away.
    /// - Returns: The exit status and what the process wrote.
    /// - Throws: The error of starting it.
    static func run(
        _ arguments: [String],
        in directory: URL,
        input: Data = Data(),
        environment: [String: String?] = [:]
    ) throws -> Result {
        try run(executable, arguments, in: directory, input: input, environment: environment)
    }

    /// Runs any executable, `/usr/bin/env git` for example, in the same way.
    static func run(
        _ executable: URL,
        _ arguments: [String],
        in directory: URL,
        input: Data = Data(),
        environment: [String: String?] = [:]
    ) throws -> Result {
        let files = try TemporaryDirectory()
        let (inputFile, outputFile, errorFile) = (files.file("in"), files.file("out"), files.file("err"))
        try input.write(to: inputFile)
        try Data().write(to: outputFile)
        try Data().write(to: errorFile)
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(environment.compactMapValues(\.self)) { $1 }
            .filter { environment[$0.key] != .some(.none) }
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            outputData: try Data(contentsOf: outputFile),
            errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self)
        )
    }

    /// Runs git as someone without a configuration of their own.
    @discardableResult
    static func git(_ arguments: String..., in directory: URL, environment: [String: String] = [:]) throws -> String {
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]
        let result = try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["git"] + identity + arguments,
            in: directory,
            environment: environment.merging(["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"]) { $1 }
        )
        guard result.status == 0 else { throw Failure(message: "git \(arguments): \(result.errors)") }
        return result.output
    }

    struct Failure: Error {
        let message: String
        /// The exit status of a server that has ended instead of listening.
        var status: Int32?
    }

    private final class Marker {}
}
