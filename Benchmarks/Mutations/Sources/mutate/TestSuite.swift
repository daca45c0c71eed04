import Foundation

/// The suite of the copy.
struct TestSuite {
    struct Run {
        let seconds: Double
        /// The first sign of a failure; `nil` if the run passed.
        let failure: String?
    }

    private let checkout: Checkout
    private let filter: String?
    /// The option for a few tests at a time, as `.ci/run` gives it; empty before Swift 6.3.
    private let width: [String]

    init(_ checkout: Checkout, filter: String?) throws {
        self.checkout = checkout
        self.filter = filter
        let option = "--experimental-maximum-parallelization-width"
        let help = try ChildProcess.output(of: ["swift", "test", "--help-hidden"])
        width = help.contains(option) ? [option, "12"] : []
    }

    func build(log: String) throws -> (status: Int32, output: String) {
        let process = try ChildProcess(["swift", "build", "--build-tests"] + options, log: logFile(log))
        while process.isRunning { Thread.sleep(forTimeInterval: 0.2) }
        return (process.status, try String(contentsOf: logFile(log), encoding: .utf8))
    }

    /// Runs the tests until the first failure or for so many seconds.
    func run(upTo limit: Double, log: String) throws -> Run {
        let log = try logFile(log)
        let filtered = filter.map { ["--filter", $0] } ?? []
        let start = DispatchTime.now().uptimeNanoseconds
        let process = try ChildProcess(["swift", "test", "--skip-build"] + width + options + filtered, log: log)
        let file = try FileHandle(forReadingFrom: log)
        defer { try? file.close() }
        var rest = Data()
        var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }
        while true {
            let isRunning = process.isRunning
            rest += try file.readToEnd() ?? Data()
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = Data(rest[(end + 1)...])
                if let failure = Self.failure(in: line) {
                    process.killTree()
                    return Run(seconds: seconds, failure: failure)
                }
            }
            guard isRunning else { break }
            if seconds > limit {
                process.killTree()
                return Run(seconds: seconds, failure: "the time limit: \(Self.lastLine(of: log))")
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        let failure = process.status == 0 ? nil : "exit status \(process.status): \(Self.lastLine(of: log))"
        return Run(seconds: seconds, failure: failure)
    }

    /// The name of the failing test where a line says that one failed, Swift Testing's or XCTest's.
    private static func failure(in line: String) -> String? {
        if let match = line.firstMatch(of: /Test (.+?) recorded an issue.*? at (\S+)/) {
            return "\(match.1) at \(match.2)"
        }
        if let match = line.firstMatch(of: /^(\S+?): error: (\S+) : (.*)/) { return "\(match.2) at \(match.1)" }
        return line.contains("Fatal error:") ? line.trimmingCharacters(in: .whitespaces) : nil
    }

    private static func lastLine(of log: URL) -> String {
        let lines = (try? String(contentsOf: log, encoding: .utf8))?.split(separator: "\n") ?? []
        return String((lines.last { $0.contains("error:") } ?? lines.last ?? "no output").prefix(200))
    }

    /// The same for the build and the runs: with others everything would be built again.
    private var options: [String] {
        [
            "--package-path", checkout.copyRoot.path,
            "--scratch-path", checkout.scratch.appendingPathComponent("build").path,
            "-Xswiftc", "-suppress-warnings",
        ]
    }

    private func logFile(_ name: String) throws -> URL {
        let folder = checkout.scratch.appendingPathComponent("logs")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent("\(name).log")
    }
}
