import Foundation

/// `stubborn serve` or `stubborn record`, running until the test ends it.
final class RunningTool {
    private let process = Process()
    private let files: TemporaryDirectory
    /// The first line of its standard output.
    let url: String

    /// Starts the command and waits until it says where it listens.
    init(_ arguments: [String], in directory: URL, environment: [String: String] = [:]) async throws {
        files = try TemporaryDirectory()
        try files.write("", to: "out")
        try files.write("", to: "err")
        process.executableURL = Tool.executable
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files.file("out"))
        process.standardError = try FileHandle(forWritingTo: files.file("err"))
        try process.run()
        var line: Substring?
        for _ in 0..<3_000 where line == nil && process.isRunning {
            try await Task.sleep(nanoseconds: 10_000_000)
            let text = try files.text("out")
            if text.contains("\n") { line = text.prefix { $0 != "\n" } }
        }
        guard let line else {
            let status = process.isRunning ? nil : process.terminationStatus
            process.terminate()
            throw Tool.Failure(message: "\(arguments) has no URL: \(try files.text("err"))", status: status)
        }
        url = String(line)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The standard error so far.
    var errors: String { (try? files.text("err")) ?? "" }

    /// Sends a signal and waits for the end.
    ///
    /// - Returns: The exit status, or the number of the signal that killed it.
    @discardableResult
    func end(by signal: Int32 = SIGTERM) -> Int32 {
        send(signal)
        return exitStatus()
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end, and returns the exit status.
    func exitStatus() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Runs curl with a URL of the server.
    ///
    /// - Returns: The exit status of curl, and what it wrote to standard output.
    func curl(_ path: String, _ options: String...) throws -> Tool.Result {
        try Tool.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["curl", "--silent", "--globoff", "--noproxy", "", "--max-time", "30"] + options + [url + path],
            in: files.url,
            environment: ["http_proxy": nil, "HTTP_PROXY": nil, "all_proxy": nil, "ALL_PROXY": nil]
        )
    }
}

extension Tool {
    /// Returns a Boolean value that indicates whether a program is installed.
    static func isInstalled(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// Runs a program that is in the path.
    static func run(program arguments: [String], in directory: URL) throws -> Result {
        try run(URL(fileURLWithPath: "/usr/bin/env"), arguments, in: directory)
    }
}
