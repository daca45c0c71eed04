import Foundation

/// The file of a run report.
///
/// Several processes may write it: each replaces its own networks and keeps the others.
final class RunReportFile: Sendable {
    private static let files = Lock<[String: RunReportFile]>([:])
    /// Writes the reports once more when the process exits.
    private static let registration: Void = Run.atExit {
        for file in RunReportFile.files.withLock({ Array($0.values) }) { file.write() }
    }

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
            return files[path].orSet { RunReportFile(path: path) }
        }
    }

    private static func path(in directory: String, number: Int) -> String {
        "\(directory)/\(SystemProcess.current)-\(number).json"
    }

    private struct State {
        var entries: [RunReportEntry] = []
        var isScheduled = false
        var hasFailed = false
        /// The report without this process's networks.
        var others = RunReport(processIdentifier: SystemProcess.current)
        /// The state of the file after it was read or written.
        var known: FileFingerprint?
    }

    private let path: String
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "StubbornNetwork.RunReport")

    private init(path: String) { self.path = path }

    func add(_ entry: RunReportEntry) {
        state.withLock { $0.entries.append(entry) }
        write()
    }

    func writeSoon() {
        if state.withLock({ $0.isScheduled.setOnce() }) { queue.async { self.writeNow() } }
    }

    func write() { queue.sync { writeNow() } }

    /// Writes the report, on `queue` only, by replacing the file: a reader always finds a complete report.
    private func writeNow() {
        let entries = state.withLock { state in
            state.isScheduled = false
            return state.entries
        }
        let own = entries.map(\.current)
        do throws(SystemError) {
            let directory = FileSystem.directory(of: path)
            try FileSystem.createDirectory(directory)
            // The directory is locked, because each write replaces the file.
            let lock = try FileDescriptor.reading(directory)
            defer { try? lock.finish() }
            _ = try? lock.lock(forAtMost: StubFileStore.longestWait)
            var report = reportOfOthers()
            report.networks += own
            if let written = try Self.write(report, to: path) { state.withLock { $0.known = written } }
            guard let shared = report.directory else { return }
            // The test may remove its own report, and `stubborn check` needs this one.
            let copy = Self.path(in: shared, number: 0)
            try FileSystem.createDirectory(FileSystem.directory(of: copy))
            _ = try Self.write(RunReport(processIdentifier: SystemProcess.current, networks: own), to: copy)
        } catch {
            guard state.withLock({ $0.hasFailed.setOnce() }) else { return }
            StandardError.write("STUB_REPORT is \(path), which cannot be written: \(error.reason).")
        }
    }

    /// Replaces the file at a path by a report, and returns the state of the new file.
    private static func write(_ report: RunReport, to path: String) throws(SystemError) -> FileFingerprint? {
        guard let data = try? JSONEncoder.sortingKeys(.prettyPrinted).encode(report) else { return nil }
        let new = FileSystem.hiddenPath(beside: path)
        let written = try FileSystem.createFile(at: new) { output in data.withBytes { output.add($0) } }
        try FileSystem.replaceFile(at: path, by: new)
        return written
    }

    /// Returns the report without this process's networks, and reads the file only if another process has changed it.
    private func reportOfOthers() -> RunReport {
        let found = (try? FileSystem.fingerprint(at: path)) ?? nil
        return state.withLock { state in
            if let known = state.known, found?.hasSameContent(as: known) == true { return state.others }
            let report = try? JSONDecoder().decode(RunReport.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
            (state.others.isShared, state.others.directory) = (report?.isShared, report?.directory)
            // If no test began the report, an existing file is from an earlier run.
            let isOfThisRun = state.known != nil || report?.isShared == true
            let others = report?.networks.filter { $0.processIdentifier != SystemProcess.current }
            state.others.networks = isOfThisRun ? others ?? [] : []
            return state.others
        }
    }
}
