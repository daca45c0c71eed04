import Foundation

/// The requests of a process under test, as the process writes them to the file that `STUB_REPORT` names.
package struct RunReport: Sendable, Codable, Equatable {
    package struct Network: Sendable, Codable, Equatable {
        package var mode: RecordMode
        package var file: String?
        /// The path of the stub file in its repository or package, which is the same on another machine.
        package var pathInPackage: String?
        /// The length of the stub file in bytes when it was read, which shows whether `unusedPositions` are about it as it is.
        package var fileByteCount: Int?
        /// The files that the network shares with others.
        package var shared: [SharedFile]?
        package var summary = RunSummary()
        /// The number of requests that were sent to the real server.
        package var networkAttempts = 0
        /// The first fifty stubs that the process has recorded, by method, URL and response.
        package var recorded: [String] = []
        package var recordedCount: Int?
        /// The first fifty stubs that were removed from the file, because no request of the run asked for them.
        package var removed: [String]?
        /// The text that says which servers did not answer, if nothing was recorded because of that.
        package var withoutAnswer: String?
        /// The error because of which something was not recorded.
        package var recordingError: String?
        package var redaction: RedactionReport?
        /// The comparison of the stubs that were played in `.verifying` with the real server.
        package var verification: VerificationReport?
        /// The first fifty unstubbed requests.
        package var unstubbed: [UnstubbedRequestReport] = []
        /// The first fifty recorded stubs that no request asked for, by method and URL.
        package var unused: [String] = []
        /// The positions in the stub file, from 1, of all recorded stubs that no request asked for.
        package var unusedPositions: [Int]?
        package var processIdentifier: Int32?
        /// A Boolean value that indicates whether the process has exited; a process that is killed has not.
        package var hasExited: Bool?
    }

    /// The use of a stub file that belongs to another test.
    package struct SharedFile: Sendable, Codable, Equatable {
        package var file: String
        package var pathInPackage: String?
        package var fileByteCount: Int?
        package var unusedPositions: [Int]
    }

    package var version = 1
    /// The process that wrote the report last.
    package var processIdentifier: Int32
    package var networks: [Network] = []
    /// A Boolean value that indicates whether each process adds its networks instead of beginning the report again.
    package var isShared: Bool?
    /// The directory in which each process keeps its networks too: the one that `STUB_REPORT` of the test's process names.
    package var directory: String?

    /// Begins the report that the processes of a test add to; one that cannot write the file says so.
    package static func begin(at file: URL, copiedInto directory: String?) {
        let process = ProcessInfo.processInfo.processIdentifier
        let report = RunReport(processIdentifier: process, isShared: true, directory: directory)
        let data = try? JSONEncoder().encode(report)
        try? FileSystem.createDirectory(FileSystem.directory(of: file.path))
        try? data?.write(to: file, options: .atomic)
    }
}

/// One network's part of the run report, kept up to date by its engine.
final class RunReportEntry: Sendable {
    /// The number of requests or stubs that each list has.
    private static let maximumCount = 50

    private struct State {
        /// The entry, in which a request counts as recorded until it is known that nothing was stored.
        var network: RunReport.Network
        /// The network's recorded stubs; `nil` when the network has been freed, and the entry is final.
        var stubs: StubSource?
    }

    private let state: Lock<State>
    private let file: RunReportFile
    private let shared: [StubSource]
    private let verified: @Sendable () -> [VerificationReport.Stub]
    /// The comparisons with the real server that have not ended.
    let verifications: DispatchGroup
    private let redactor: Lock<Redactor>
    private let redaction: @Sendable () -> RedactionReport

    /// Creates the entry of a network and adds it to the report at a path, the value of `STUB_REPORT`.
    init(
        path: String,
        mode: RecordMode,
        _ stubs: StubSource,
        shared: [StubSource],
        verified: @escaping @Sendable () -> [VerificationReport.Stub],
        _ verifications: DispatchGroup,
        _ redactor: Lock<Redactor>,
        _ redaction: @escaping @Sendable () -> RedactionReport
    ) {
        (self.redactor, self.redaction, self.shared) = (redactor, redaction, shared)
        (self.verified, self.verifications) = (verified, verifications)
        var network = RunReport.Network(mode: mode, file: stubs.file?.path)
        network.pathInPackage = stubs.file.flatMap { StubDirectorySettings.pathInPackage(of: $0.path) }
        state = Lock(State(network: network, stubs: stubs))
        file = RunReportFile.at(path)
        file.add(self)
    }

    func setMode(_ mode: RecordMode) {
        state.withLock { $0.network.mode = mode }
        file.writeSoon()
    }

    /// Counts a request, except for an unstubbed one, which `add` counts.
    func count(_ outcome: Exchange.Outcome) {
        guard outcome != .unstubbed else { return }
        // The end of the run forgets the error, and may come before the file is written.
        let error = outcome == .failed ? state.withLock({ $0.stubs })?.recordingError?.message : nil
        state.withLock { state in
            state.network.summary.count(outcome)
            state.network.recordingError = error ?? state.network.recordingError
            if outcome == .recorded || outcome == .passedThrough { state.network.networkAttempts += 1 }
        }
        file.writeSoon()
    }

    /// Counts a request as passed through that a filter has left out of the recording.
    func noteLeftOut() {
        state.withLock { state in
            state.network.summary.recorded -= 1
            state.network.summary.passedThrough += 1
        }
        file.writeSoon()
    }

    /// Counts a request that is sent to the real server to verify a stub.
    func countVerification() {
        state.withLock { $0.network.networkAttempts += 1 }
        file.writeSoon()
    }

    /// Notes that a stub was verified, or could not be.
    func noteVerification() { file.writeSoon() }

    /// Notes the end of an exchange, which may have been recorded.
    func noteEnd() {
        if state.withLock({ $0.network.summary.recorded > 0 }) { file.writeSoon() }
    }

    /// Counts and lists an unstubbed request, which the file holds when this returns.
    func add(_ report: UnstubbedRequestReport) {
        state.withLock { state in
            state.network.summary.count(.unstubbed)
            if state.network.unstubbed.count < Self.maximumCount { state.network.unstubbed.append(report) }
        }
        file.write()
    }

    /// Ends the entry: the network has been freed, and its unused stubs are final.
    func end() {
        let final = current
        state.withLock { ($0.network, $0.stubs) = (final, nil) }
        file.writeSoon()
    }

    /// The entry as it is written now.
    var current: RunReport.Network {
        let (counted, stubs) = state.withLock { ($0.network, $0.stubs) }
        guard let stubs else { return counted }
        var network = counted
        let (unused, redactor, redaction) = (stubs.unusedStubs(), redactor.withLock { $0 }, redaction())
        let (recorded, discardedStubs) = stubs.recordedStubs()
        let report = RecordingReport(recorded: recorded, discarded: discardedStubs, file: stubs.file)
        let discarded = min(report.discarded.count, network.summary.recorded)
        network.summary.recorded -= discarded
        network.summary.failed += discarded
        network.summary.unused = unused.count
        network.unused = unused.prefix(Self.maximumCount).map(\.request.description)
        network.unusedPositions = unused.map(\.position)
        network.fileByteCount = stubs.byteCount
        network.shared = shared.isEmpty ? nil : shared.compactMap(RunReport.SharedFile.init)
        let verification = VerificationReport(file: stubs.file?.relativeDisplayPath, stubs: verified())
        network.verification = verification.stubs.isEmpty ? nil : verification
        network.recorded = report.recorded.prefix(Self.maximumCount).map {
            RecordingReport.text($0, redact: redactor.redact(text:))
        }
        network.recordedCount = report.recorded.count
        let removed = stubs.removedStubs.prefix(Self.maximumCount).map(\.request.description)
        network.removed = removed.isEmpty ? nil : removed
        network.withoutAnswer = report.isWithoutAnswer ? report.description : nil
        network.redaction = redaction == RedactionReport() ? nil : redaction
        return network
    }
}

extension RunReport.SharedFile {
    /// Creates the entry of a source that another test records; `nil` for one in memory.
    init?(_ stubs: StubSource) {
        guard let path = stubs.file?.path else { return nil }
        self.init(
            file: path,
            pathInPackage: StubDirectorySettings.pathInPackage(of: path),
            fileByteCount: stubs.byteCount,
            unusedPositions: stubs.unusedStubs().map(\.position)
        )
    }
}

/// The file of a run report, in which each of several processes replaces its own networks and keeps the others.
private final class RunReportFile: Sendable {
    private static let files = Lock<[String: RunReportFile]>([:])
    /// Writes the reports once more when the process exits.
    private static let registration: Void = {
        atexit {
            for file in RunReportFile.files.withLock({ Array($0.values) }) {
                // The answers of the real server are a part of the report.
                for entry in file.state.withLock({ $0.entries }) {
                    _ = entry.verifications.wait(timeout: .now() + 10)
                }
                file.state.withLock { $0.hasExited = true }
                file.write()
            }
        }
    }()

    /// Returns the report at a path, or a new one in the directory at the path: each network has its own there.
    ///
    /// A path that ends in a slash is a directory.
    static func at(_ path: String) -> RunReportFile {
        _ = registration
        return files.withLock { files in
            var path = path
            if path.hasSuffix("/") || (try? FileSystem.fingerprint(at: path))?.isDirectory == true {
                path = Self.path(in: path, number: files.count + 1)
            }
            let file = files[path] ?? RunReportFile(path: path)
            files[path] = file
            return file
        }
    }

    private static func path(in directory: String, number: Int) -> String {
        "\(directory)/\(ProcessInfo.processInfo.processIdentifier)-\(number).json"
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
        let isScheduled = state.withLock { state in
            defer { state.isScheduled = true }
            return state.isScheduled
        }
        if !isScheduled { queue.async { self.writeNow() } }
    }

    func write() {
        queue.sync { writeNow() }
    }

    /// Writes the report, on `queue` only, by replacing the file: a reader always finds a complete report.
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
        do throws(SystemError) {
            let directory = FileSystem.directory(of: path)
            try FileSystem.createDirectory(directory)
            // The lock of the directory: the file itself is another one after each write.
            let lock = try FileDescriptor.reading(directory)
            defer { try? lock.finish() }
            _ = try? lock.lock()
            var report = reportOfOthers(than: process)
            report.networks += own
            if let written = try Self.write(report, to: path) { state.withLock { $0.known = written } }
            guard let shared = report.directory else { return }
            // The test may remove its own report, and `stubborn check` needs this one.
            let copy = Self.path(in: shared, number: 0)
            try FileSystem.createDirectory(FileSystem.directory(of: copy))
            _ = try Self.write(RunReport(processIdentifier: process, networks: own), to: copy)
        } catch {
            let hasFailed = state.withLock { state in
                defer { state.hasFailed = true }
                return state.hasFailed
            }
            if !hasFailed { StandardError.write("STUB_REPORT is \(path), which cannot be written: \(error.reason).") }
        }
    }

    /// Replaces the file at a path by a report, and returns the state of the new file.
    private static func write(_ report: RunReport, to path: String) throws(SystemError) -> FileFingerprint? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(report) else { return nil }
        let new = FileSystem.hiddenPath(beside: path)
        let written = try FileSystem.createFile(at: new) { write throws(SystemError) in try write(data) }
        try FileSystem.replaceFile(at: path, by: new)
        return written
    }

    /// Returns the report without this process's networks, and reads the file only if another process has changed it.
    private func reportOfOthers(than process: Int32) -> RunReport {
        let found = (try? FileSystem.fingerprint(at: path)) ?? nil
        return state.withLock { state in
            if let known = state.known, found?.hasSameContent(as: known) == true { return state.others }
            let report = try? JSONDecoder().decode(RunReport.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
            (state.others.isShared, state.others.directory) = (report?.isShared, report?.directory)
            // Without a test that began the report, what a process finds is of an earlier run.
            let isOfThisRun = state.known != nil || report?.isShared == true
            state.others.networks = report?.networks.filter { $0.processIdentifier != process && isOfThisRun } ?? []
            return state.others
        }
    }
}
