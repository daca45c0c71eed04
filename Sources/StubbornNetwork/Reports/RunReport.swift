import Foundation

/// What a process under test has asked of its networks, as it writes it to the file that `STUB_REPORT` names.
///
/// JSON, keys sorted, of this shape:
///
///     {
///       "networks" : [
///         {
///           "failed" : 0, "file" : "/…/Stubs/testLogin.json", "mode" : "playback", "networkAttempts" : 0,
///           "passedThrough" : 0, "recorded" : 0, "served" : 12,
///           "unstubbed" : [ { "diagnosis" : "No stub answers …", "request" : "GET https://…" } ],
///           "unstubbedCount" : 1, "unused" : [ "GET https://…" ], "unusedCount" : 1
///         }
///       ],
///       "processIdentifier" : 4711,
///       "version" : 1
///     }
package struct RunReport: Sendable, Codable, Equatable {
    /// What became of the requests of one network.
    package struct Network: Sendable, Codable, Equatable {
        package var mode: String
        package var file: String?
        /// By declared and recorded stubs.
        package var served = 0
        package var recorded = 0
        package var passedThrough = 0
        /// For another reason than a missing stub.
        package var failed = 0
        package var unstubbedCount = 0
        /// The first of them.
        package var unstubbed: [Unstubbed] = []
        package var unusedCount = 0
        /// The first of the recorded stubs that nobody asked for.
        package var unused: [String] = []
        /// How often the real server was asked.
        package var networkAttempts = 0
    }

    /// A request that no stub answered, and why.
    package struct Unstubbed: Sendable, Codable, Equatable {
        package var request: String
        package var diagnosis: String
    }

    package var version = 1
    package var processIdentifier: Int32
    package var networks: [Network] = []

    /// How many unstubbed requests and unused stubs are told in full.
    static let maximumCount = 50
}

/// One network's part in the run report, kept up to date by its engine.
final class RunReportEntry: Sendable {
    private let network: Lock<RunReport.Network>
    private let file: RunReportFile
    private let unused = Lock<(@Sendable () -> [String])?>(nil)

    /// - Parameter path: the value of `STUB_REPORT`.
    init(path: String, mode: RecordMode, stubFile: URL?) {
        network = Lock(RunReport.Network(mode: mode.rawValue, file: stubFile?.path))
        file = RunReportFile.at(path)
        file.add(self)
    }

    /// - Parameter stubs: gives the recorded stubs that nobody has asked for.
    func setUnused(_ stubs: @escaping @Sendable () -> [String]) {
        unused.withLock { $0 = stubs }
    }

    /// Counts what has become of a request. The file follows at once, on a queue of its own.
    func note(_ change: (inout RunReport.Network) -> Void) {
        network.withLock { change(&$0) }
        file.writeSoon()
    }

    /// Tells of an unstubbed request. It is in the file when this returns.
    func noteUnstubbed(_ request: String, _ diagnosis: String) {
        network.withLock { network in
            network.unstubbedCount += 1
            guard network.unstubbed.count < RunReport.maximumCount else { return }
            network.unstubbed.append(RunReport.Unstubbed(request: request, diagnosis: diagnosis))
        }
        file.write()
    }

    /// The network is gone: what it has not been asked for is known for good.
    func end() {
        countUnused()
        unused.withLock { $0 = nil }
        file.writeSoon()
    }

    /// What is to be written.
    var current: RunReport.Network {
        countUnused()
        return network.withLock { $0 }
    }

    private func countUnused() {
        guard let stubs = unused.withLock({ $0 })?() else { return }
        network.withLock { network in
            network.unusedCount = stubs.count
            network.unused = Array(stubs.prefix(RunReport.maximumCount))
        }
    }
}

/// The file of a process's run report.
private final class RunReportFile: Sendable {
    private static let files = Lock<[String: RunReportFile]>([:])

    static func at(_ path: String) -> RunReportFile {
        files.withLock { files in
            if let file = files[path] { return file }
            let made = RunReportFile(path: path)
            files[path] = made
            return made
        }
    }

    private struct State {
        var entries: [RunReportEntry] = []
        var isScheduled = false
        var hasFailed = false
    }

    private let path: String
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "StubbornNetwork.RunReport")

    private init(path: String) {
        self.path = path
    }

    func add(_ entry: RunReportEntry) {
        state.withLock { $0.entries.append(entry) }
        write()
    }

    func writeSoon() {
        let schedules = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        queue.async { self.writeNow() }
    }

    func write() {
        queue.sync { writeNow() }
    }

    /// Only on `queue`. Whoever reads the file finds a whole report.
    private func writeNow() {
        let entries = state.withLock { state in
            state.isScheduled = false
            return state.entries
        }
        let report = RunReport(
            processIdentifier: ProcessInfo.processInfo.processIdentifier,
            networks: entries.map(\.current)
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do throws(SystemError) {
            guard let data = try? encoder.encode(report) else { return }
            try FileSystem.createDirectory(FileSystem.directory(of: path))
            try FileSystem.replaceFile(at: path) { write throws(SystemError) in try write(data) }
        } catch {
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst { StandardError.write("STUB_REPORT is \(path), which cannot be written: \(error.reason).") }
        }
    }
}
