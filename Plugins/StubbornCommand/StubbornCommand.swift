import Foundation
import PackagePlugin

/// `swift package stubborn`: builds the `stubborn` command of this package's folder `Tools`, and runs it.
///
/// The command is a package with dependencies that the library must not have, so it is built separately.
@main
struct StubbornCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let packages = [context.package] + context.package.dependencies.map(\.package)
        let tools = packages.map { $0.directoryURL.appendingPathComponent("Tools") }
            .first { FileManager.default.fileExists(atPath: $0.appendingPathComponent("Sources/stubborn").path) }
        guard let tools else { throw Failure(description: "There is no package with the stubborn command here.") }
        let scratch = context.pluginWorkDirectoryURL.path
        let package = ["--package-path", tools.path, "--scratch-path", scratch]
        // A plugin cannot ask questions, and its sandbox also applies to the build.
        let build = ["swift", "build", "--quiet", "--disable-sandbox", "--product", "stubborn"] + package
        if !FileManager.default.fileExists(atPath: "\(scratch)/debug/stubborn") {
            Diagnostics.progress("Building the command, which takes some minutes.")
        }
        let log = context.pluginWorkDirectoryURL.appendingPathComponent("build.log")
        try Data().write(to: log)
        let file = try FileHandle(forWritingTo: log)
        guard try Self.run(build, output: file, errors: file) == 0 else {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw Failure(description: "The stubborn command cannot be built.\n\(text)")
        }
        let messages = Pipe()
        let command = ["\(scratch)/debug/stubborn"] + arguments
        let status = try Self.run(command, output: FileHandle.standardOutput, errors: messages) {
            Self.report(messages.fileHandleForReading)
        }
        // SwiftPM ends with 1 for any status but 0.
        if status != 0 { exit(status) }
    }

    /// Reports each line of the command's standard error as progress, until the command ends.
    ///
    /// SwiftPM writes a plugin's standard error to standard output, between the command's data. It writes progress to its own
    /// standard error. Reporting an error instead of progress would change the exit status.
    private static func report(_ messages: FileHandle) {
        var rest = Data()
        while case let data = messages.availableData, !data.isEmpty {
            var lines = (rest + data).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = Data(lines.removeLast())
            for line in lines { Diagnostics.progress(String(decoding: line, as: UTF8.self)) }
        }
        if !rest.isEmpty { Diagnostics.progress(String(decoding: rest, as: UTF8.self)) }
    }

    private static func run(
        _ arguments: [String],
        output: FileHandle,
        errors: Any,
        whileRunning work: () -> Void = {}
    ) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        // SwiftPM locks the package for as long as a plugin runs: tests that the command starts would wait forever.
        process.environment = ProcessInfo.processInfo.environment.merging(["STUBBORN_IN_PLUGIN": "1"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        work()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
