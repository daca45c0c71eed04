import Foundation

/// The requests of a process under test, as the process writes them to the file that `STUB_REPORT` names.
///
/// JSON, keys sorted, of this shape:
///
///     {
///       "networks" : [
///         {
///           "file" : "/…/Stubs/testLogin.json", "mode" : "playback", "networkAttempts" : 0, "recorded" : [ ],
///           "summary" : { "failed" : 0, "passedThrough" : 0, "recorded" : 0, "running" : 0, "served" : 12,
///                         "unstubbed" : 1, "unused" : 1 },
///           "unstubbed" : [ { "cause" : "no stub matches", … } ], "unused" : [ "GET https://…" ],
///           "processIdentifier" : 4711, "hasExited" : true
///         }
///       ],
///       "processIdentifier" : 4711,
///       "version" : 1
///     }
package struct RunReport: Sendable, Codable, Equatable {
    /// The requests of one network.
    package struct Network: Sendable, Codable, Equatable {
        package var mode: RecordMode
        package var file: String?
        package var summary = RunSummary()
        /// The number of requests that were sent to the real server.
        package var networkAttempts = 0
        /// The stubs that the process has recorded, by method, URL and response; the first fifty.
        package var recorded: [String] = []
        /// The number of stubs that the process has recorded.
        package var recordedCount: Int?
        /// The text that says which servers did not answer, so that nothing was recorded; `nil` where that is not so.
        package var withoutAnswer: String?
        /// The error because of which something was not recorded; `nil` if there was none.
        package var recordingError: String?
        /// What redaction replaced in recordings, and what looks random and was left; `nil` where there is neither.
        package var redaction: RedactionReport?
        /// The unstubbed requests, the first fifty.
        package var unstubbed: [UnstubbedRequestReport] = []
        /// The recorded stubs that no request asked for, by method and URL; the first fifty.
        package var unused: [String] = []
        /// The process of the network.
        package var processIdentifier: Int32?
        /// A Boolean value that indicates whether the process has exited; a process that is killed has not.
        package var hasExited: Bool?
    }

    package var version = 1
    /// The process that wrote the report last.
    package var processIdentifier: Int32
    package var networks: [Network] = []
    /// A Boolean value that indicates whether each process adds its networks; otherwise a new process begins the report anew.
    package var isShared: Bool?

    /// Begins the report that the processes of a test add to, in place of an older one.
    ///
    /// A file that cannot be written is left to the process, which says so.
    package static func begin(at file: URL) {
        let process = ProcessInfo.processInfo.processIdentifier
        let data = try? JSONEncoder().encode(RunReport(processIdentifier: process, isShared: true))
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try? data?.write(to: file, options: .atomic)
    }
}

/// One network's part of the run report, kept up to date by its engine.
final class RunReportEntry: Sendable {
    /// The number of unstubbed requests, of recorded and of unused stubs that are listed.
    private static let maximumCount = 50

    /// The entry, in which a recorded request counts as recorded until it is known that nothing was stored.
    private let network: Lock<RunReport.Network>
    private let file: RunReportFile
    /// The network's recorded stubs; `nil` when the network has been freed.
    private let stubs: Lock<(any StubSource)?>
    /// The number of requests that were sent, but not recorded, because no server answered.
    private let discardedCount = Lock(0)
    private let redact: @Sendable (String) -> String
    private let redaction: @Sendable () -> RedactionReport

    /// Creates the entry of a network and adds it to the report.
    ///
    /// - Parameters:
    ///   - path: the value of `STUB_REPORT`.
    ///   - mode: the record mode.
    ///   - stubFile: the stub file; `nil` for stubs in memory.
    ///   - stubs: the network's recorded stubs.
    ///   - redaction: returns what the network has replaced so far.
    ///   - redact: returns a text without the secrets that the network has recognised so far.
    init(
        path: String,
        mode: RecordMode,
        stubFile: URL?,
        _ stubs: any StubSource,
        redaction: @escaping @Sendable () -> RedactionReport,
        redact: @escaping @Sendable (String) -> String
    ) {
        (self.redact, self.redaction) = (redact, redaction)
        network = Lock(RunReport.Network(mode: mode, file: stubFile?.path))
        self.stubs = Lock(stubs)
        file = RunReportFile.at(path)
        file.add(self)
    }

    func setMode(_ mode: RecordMode) {
        network.withLock { $0.mode = mode }
        file.writeSoon()
    }

    /// Counts a request, except for an unstubbed one, which `add` counts.
    ///
    /// The file is written soon after, on a queue of its own.
    func count(_ outcome: Exchange.Outcome) {
        guard outcome != .unstubbed else { return }
        // The end of the run forgets the error, and may come before the file is written.
        let error = outcome == .failed ? stubs.withLock({ $0 })?.recordingError?.message : nil
        network.withLock { network in
            network.summary.count(outcome)
            network.recordingError = error ?? network.recordingError
            if outcome == .recorded || outcome == .passedThrough { network.networkAttempts += 1 }
        }
        file.writeSoon()
    }

    /// Notes the end of an exchange, which may have been recorded.
    func noteEnd() {
        if network.withLock({ $0.summary.recorded > 0 }) { file.writeSoon() }
    }

    /// Counts and lists an unstubbed request.
    ///
    /// The file holds it when this returns.
    func add(_ report: UnstubbedRequestReport) {
        network.withLock { network in
            network.summary.count(.unstubbed)
            if network.unstubbed.count < Self.maximumCount { network.unstubbed.append(report) }
        }
        file.write()
    }

    /// Ends the entry: the network has been freed, and its unused stubs are final.
    func end() {
        updateStubs()
        stubs.withLock { $0 = nil }
        file.writeSoon()
    }

    /// The entry as it is written now.
    var current: RunReport.Network {
        updateStubs()
        var network = network.withLock { $0 }
        let discarded = min(discardedCount.withLock { $0 }, network.summary.recorded)
        network.summary.recorded -= discarded
        network.summary.failed += discarded
        let redaction = redaction()
        network.redaction = redaction == RedactionReport() ? nil : redaction
        return network
    }

    private func updateStubs() {
        guard let stubs = stubs.withLock({ $0 }) else { return }
        let (unused, recorded) = (stubs.unusedStubs(), stubs.recordedStubs())
        let report = RecordingReport(recorded: recorded, discarded: stubs.discardedStubs(), file: stubs.file)
        discardedCount.withLock { $0 = report.discarded.count }
        network.withLock { network in
            network.summary.unused = unused.count
            network.unused = unused.prefix(Self.maximumCount).map(\.request.description)
            network.recorded = recorded.prefix(Self.maximumCount).map { redact(RecordingReport.text($0)) }
            network.recordedCount = recorded.count
            network.withoutAnswer = report.isWithoutAnswer ? report.description : nil
        }
    }
}

/// The file of a process's run report.
///
/// Several processes may keep their reports in one file, at once or one after the other: each replaces the networks of
/// its own, and keeps those of the others.
private final class RunReportFile: Sendable {
    private static let files = Lock<[String: RunReportFile]>([:])

    /// Writes the reports once more when the process exits.
    private static let registration: Void = {
        atexit {
            for file in RunReportFile.files.withLock({ Array($0.values) }) {
                file.state.withLock { $0.hasExited = true }
                file.write()
            }
        }
    }()

    static func at(_ path: String) -> RunReportFile {
        _ = registration
        return files.withLock { files in
            if let file = files[path] { return file }
            let file = RunReportFile(path: path)
            files[path] = file
            return file
        }
    }

    private struct State {
        var entries: [RunReportEntry] = []
        var isScheduled = false
        var hasFailed = false
        var hasExited = false
        /// The report without this process's networks.
        var others = RunReport(processIdentifier: ProcessInfo.processInfo.processIdentifier)
        /// The state of the file after it was read or written.
        var known: FileFingerprint?
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
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.async { self.writeNow() } }
    }

    func write() {
        queue.sync { writeNow() }
    }

    /// Writes the report, on `queue` only.
    ///
    /// The file is replaced at once, so a reader always finds a complete report.
    private func writeNow() {
        let (entries, hasExited) = state.withLock { state in
            state.isScheduled = false
            return (state.entries, state.hasExited)
        }
        let process = ProcessInfo.processInfo.processIdentifier
        let own = entries.map { entry in
            var network = entry.current
            network.processIdentifier = process
            network.hasExited = hasExited
            return network
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do throws(SystemError) {
            let directory = FileSystem.directory(of: path)
            try FileSystem.createDirectory(directory)
            // The lock of the directory: the file itself is another one after each write.
            let lock = try FileDescriptor.reading(directory)
            defer { try? lock.finish() }
            _ = try? lock.lock()
            var report = reportOfOthers(than: process)
            report.networks += own
            guard let data = try? encoder.encode(report) else { return }
            try FileSystem.replaceFile(at: path) { write throws(SystemError) in
                try write(data)
            } beforeMove: { written in
                state.withLock { $0.known = written }
            }
        } catch {
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst { StandardError.write("STUB_REPORT is \(path), which cannot be written: \(error.reason).") }
        }
    }

    /// Returns the report without this process's networks, and reads the file only if another process has changed it.
    private func reportOfOthers(than process: Int32) -> RunReport {
        let found = (try? FileSystem.fingerprint(at: path)) ?? nil
        return state.withLock { state in
            if let known = state.known, found?.hasSameContent(as: known) == true { return state.others }
            let report = try? JSONDecoder().decode(RunReport.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
            state.others.isShared = report?.isShared
            // Without a test that began the report, what a process finds is of an earlier run.
            let isOfThisRun = state.known != nil || report?.isShared == true
            state.others.networks = report?.networks.filter { $0.processIdentifier != process && isOfThisRun } ?? []
            return state.others
        }
    }
}
