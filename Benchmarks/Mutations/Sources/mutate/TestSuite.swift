import Foundation

/// The tests of a package of the copy.
struct TestSuite {
    struct Run {
        let seconds: Double
        /// The tests that failed, or that were running when their process ended or was killed, each with a reason.
        let failures: [Test: String]
        /// A description of what ended the run; `nil` if it passed.
        let problem: String?
        /// A Boolean value that indicates whether the run was killed because it no longer wrote anything.
        var hangs = false
        /// A Boolean value that indicates whether the process of the tests crashed.
        ///
        /// The test that was running is not always known: its beginning may not have been written yet.
        var crashes: Bool { problem?.contains(/Fatal error|unexpected signal/) == true }
    }

    private let checkout: Checkout
    /// The folder of the package in the checkout; empty for the root package.
    let package: String
    private let filter: String?
    /// The seconds without output after which a run counts as hanging.
    private let patience: Double
    /// The option that limits the number of parallel tests, as in `.ci/run`; empty before Swift 6.3.
    private let width: [String]

    init(_ checkout: Checkout, package: String = "", filter: String?, patience: Double) throws {
        self.checkout = checkout
        self.package = package
        self.filter = filter
        self.patience = patience
        let option = "--experimental-maximum-parallelization-width"
        let help = try ChildProcess.output(of: ["swift", "test", "--help-hidden"])
        width = help.contains(option) ? [option, "12"] : []
    }

    func build(log: String) throws -> (status: Int32, output: String) {
        let process = try ChildProcess(["swift", "build", "--build-tests"] + options, log: logFile(log))
        while process.isRunning { try process.wait() }
        return (process.status, try String(contentsOf: logFile(log), encoding: .utf8))
    }

    /// Runs some tests, or all.
    ///
    /// - Parameters:
    ///   - filters: The expressions of the tests; all tests for `nil`.
    ///   - stopsAtFailure: A Boolean value that indicates whether the run is ended by the first failure.
    ///   - log: The name of the file for the output.
    /// - Returns: The run.
    /// - Throws: `Interruption`, and the errors of starting the tests.
    func run(_ filters: [String]? = nil, stopsAtFailure: Bool = false, log: String) throws -> Run {
        let (output, events) = (try logFile(log), try logFile(log + "-events"))
        try Data().write(to: events)
        let filters = (filters ?? filter.map { [$0] } ?? []).flatMap { ["--filter", $0] }
        let start = DispatchTime.now().uptimeNanoseconds
        var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }
        let reporting = ["--event-stream-output-path", events.path, "--event-stream-version", "0"]
        let process = try ChildProcess(
            ["swift", "test", "--skip-build"] + width + reporting + options + filters,
            log: output
        )
        var report = try TestReport(output: output, events: events)
        var lastWord = seconds
        while true {
            let isRunning = process.isRunning
            if try report.read() { lastWord = seconds }
            if stopsAtFailure, !report.failures.isEmpty {
                process.killTree()
                return Run(seconds: seconds, failures: report.failures, problem: "a failure")
            }
            guard isRunning else { break }
            if seconds - lastWord > patience {
                process.killTree()
                report.blameRunning("hangs")
                return Run(seconds: seconds, failures: report.failures, problem: "it hangs", hangs: true)
            }
            try process.wait()
        }
        // A file that a test has left.
        process.killTree()
        if process.status == 0 { return Run(seconds: seconds, failures: [:], problem: nil) }
        let problem = "exit status \(process.status): \(Self.lastLine(of: output))"
        report.blameRunning(problem)
        return Run(seconds: seconds, failures: report.failures, problem: problem)
    }

    private static func lastLine(of log: URL) -> String {
        let lines = (try? String(contentsOf: log, encoding: .utf8))?.split(separator: "\n") ?? []
        let line = lines.last { $0.contains("Fatal error") } ?? lines.last { $0.contains("error:") } ?? lines.last
        return String((line ?? "no output").prefix(200))
    }

    /// The same for the build and the runs: with different ones, everything would be built again.
    private var options: [String] {
        [
            "--package-path", checkout.copyRoot.appendingPathComponent(package).path,
            "--scratch-path", scratch.appendingPathComponent("build").path,
            "-Xswiftc", "-suppress-warnings",
        ]
    }

    /// The folder for the build and the output: one for each package.
    private var scratch: URL { checkout.scratch.appendingPathComponent(package) }

    private func logFile(_ name: String) throws -> URL {
        let folder = scratch.appendingPathComponent("logs")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent("\(name).log")
    }
}
