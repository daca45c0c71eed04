import Foundation
import PackagePlugin

/// `swift package stubborn`: builds the `stubborn` command of this package's folder `Tools`, and runs it.
///
/// The command is a package with dependencies that the library must not have, so a build of its own makes it.
@main
struct StubbornCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let packages = [context.package] + context.package.dependencies.map(\.package)
        let tools = packages.map { $0.directoryURL.appendingPathComponent("Tools") }
            .first { FileManager.default.fileExists(atPath: $0.appendingPathComponent("Sources/stubborn").path) }
        guard let tools else { throw Failure(description: "There is no package with the stubborn command here.") }
        let scratch = context.pluginWorkDirectoryURL.path
        let package = ["--package-path", tools.path, "--scratch-path", scratch]
        // Nothing can be asked in a plugin, and its own sandbox holds for the build.
        let build = ["swift", "build", "--quiet", "--disable-sandbox", "--product", "stubborn"] + package
        // SwiftPM writes what a plugin says on standard error to standard output too, between the data of a command.
        let log = context.pluginWorkDirectoryURL.appendingPathComponent("build.log")
        try Data().write(to: log)
        guard try Self.run(build, output: FileHandle(forWritingTo: log), mergesErrors: true) == 0 else {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw Failure(description: "The stubborn command cannot be built.\n\(text)")
        }
        let status = try Self.run(["\(scratch)/debug/stubborn"] + arguments, output: .standardOutput)
        // SwiftPM ends with 1 for any status but 0.
        if status != 0 { exit(status) }
    }

    private static func run(_ arguments: [String], output: FileHandle, mergesErrors: Bool = false) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        // SwiftPM locks the package for as long as a plugin runs: tests that the command starts would wait for ever.
        process.environment = ProcessInfo.processInfo.environment.merging(["STUBBORN_IN_PLUGIN": "1"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        if mergesErrors { process.standardError = output }
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
