import Foundation

/// The requests of processes under test, from the lines that they append to the file `STUB_REPORT`.
package struct RunReport: Sendable {
    package struct Network: Sendable, Codable, Equatable {
        package var mode: RecordMode
        /// The test, in the form for `swift test --filter`; `nil` if it is not known.
        package var test: String?
        package var file: String?
        /// The path of the stub file in its repository or package, which is the same on every machine.
        package var pathInPackage: String?
        /// The length of the stub file in bytes when it was read, which shows whether `unusedPositions` still apply.
        package var fileByteCount: Int?
        /// The files that the network shares with others.
        package var shared: [SharedFile]?
        package var summary = RunSummary()
        /// The number of requests that were sent to the real server; redirects and challenges are not counted again.
        package var networkAttempts = 0
        /// The first fifty stubs that the process has recorded, by method, URL and response.
        package var recorded: [String] = []
        /// The report on the recordings of the process, or on the servers that did not answer if there are none.
        package var recordingReport: String?
        /// The error that prevented a recording.
        package var recordingError: String?
        package var redaction: RedactionReport?
        /// The comparison of the stubs that were played in `.verifying` with the real server.
        package var verification: VerificationReport?
        /// The first fifty unstubbed requests.
        package var unstubbed: [UnstubbedRequestReport] = []
        /// The first fifty recorded stubs that no request used, by method and URL; of a network that has not ended, those of the
        /// first fifty that were unused when the file was read.
        package var unused: [String] = []
        /// The positions in the stub file, from 1, of all recorded stubs that no request used.
        package var unusedPositions: [Int]?
        package var processIdentifier: Int32?
        /// A Boolean value that indicates whether the process has exited; `false` for a killed process.
        package var hasExited: Bool?

        /// Lists only the stubs at some positions as unused.
        package mutating func keepUnused(_ positions: Set<Int>) {
            guard let all = unusedPositions else { return }
            unused = zip(all, unused).filter { positions.contains($0.0) }.map(\.1)
            unusedPositions = all.filter(positions.contains)
            summary.unused = positions.count
        }
    }

    /// The use of a stub file that belongs to another test.
    package struct SharedFile: Sendable, Codable, Equatable {
        package var file: String
        package var pathInPackage: String?
        package var fileByteCount: Int?
        package var unusedPositions: [Int]
    }

    /// The number of requests or stubs that each list has.
    static let maximumCount = 50

    package var networks: [Network]

    /// Reads a report; `nil` if the file is not one.
    ///
    /// A line that was cut off, by a kill or a full disk, is ignored.
    package init?(contentsOf file: URL) {
        let lines = (try? Data(contentsOf: file)).map(Line.all) ?? []
        if lines.isEmpty { return nil }
        let ofNetworks = Dictionary(grouping: lines.enumerated()) { [Int($1.process), $1.number ?? 0] }.values
        networks = ofNetworks.sorted { $0[0].offset < $1[0].offset }.compactMap { Network($0.map(\.element)) }
    }

    // MARK: The file

    /// A line of the file: an event of one network.
    ///
    ///     {"exchange":6,"mode":"playback","number":1,"outcome":"stubbed","process":4711,"unstubbedCount":0,"used":[3]}
    ///
    /// Only a line with a whole network is longer the more stubs there are.
    struct Line: Sendable, Codable, Equatable {
        var process = SystemProcess.current
        /// A Boolean value that indicates whether a test began the report, in the first line.
        var isShared: Bool?
        /// The directory in which each process also keeps a report on its networks: `STUB_REPORT` of the test's process.
        var directory: String?
        /// The number of the network in its process; `nil` in the first line.
        var number: Int?
        var mode: RecordMode?
        var unstubbedCount: Int?
        /// The network without its requests, when it begins or ends, or when it has read or recorded stubs.
        var network: Network?
        /// The number of a request in its network, and its outcome.
        var exchange: Int?
        var outcome: Exchange.Outcome?
        /// The positions of the stubs of the network's own file that were used for the first time.
        var used: [Int]?
        var unstubbed: UnstubbedRequestReport?
        var stored: [String]?
        var recordingError: String?
        var hasExited: Bool?

        static func all(in data: Data) -> [Line] {
            let decoder = JSONDecoder()
            return data.split(separator: UInt8(ascii: "\n")).compactMap { try? decoder.decode(Line.self, from: $0) }
        }
    }

    /// Returns a Boolean value that indicates whether a path is for a directory of reports: it ends in a slash, or is a directory.
    package static func isDirectory(_ path: String) -> Bool {
        path.hasSuffix("/") || (try? FileSystem.fingerprint(at: path))?.isDirectory == true
    }

    /// The variables of the processes for which this process has begun reports that it has not read since, by the reports' paths.
    private static let unread = Lock<[String: [String: String]]>([:])

    /// Notes that a report has been read, so that the next launch begins it again.
    package static func noteRead(_ file: URL) { unread.withLock { $0[file.path] = nil } }

    /// Begins the report that the processes of a test add to, unless this process has networks in it.
    ///
    /// A further launch with the same variables adds to a report that nobody has read. A process that cannot write the file writes
    /// a message to standard error.
    package static func begin(at file: URL, for variables: [String: String], copiedInto directory: String?) {
        guard !RunReportFile.begun.withLock({ $0.contains(file.path) }) else { return }
        let earlier = unread.withLock { $0.updateValue(variables, forKey: file.path) }
        if earlier == variables, FileSystem.exists(file.path) { return }
        try? RunReportFile.begin(file.path, Line(isShared: true, directory: directory))
    }
}

extension RunReport.Network {
    /// Creates a network from its lines; `nil` if none of them has the whole network.
    fileprivate init?(_ lines: [RunReport.Line]) {
        let whole = lines.lastIndex { $0.network != nil } ?? 0
        guard let network = lines[whole].network else { return nil }
        self = network
        processIdentifier = lines[whole].process
        mode = lines.compactMap(\.mode).last ?? mode
        let exchanges = lines.filter { $0.exchange != nil }
        let outcomes = Dictionary(exchanges.map { ($0.exchange, $0.outcome) }) { $1 }
        summary = summary + RunSummary(outcomes.values.compactMap(\.self), unused: 0)
        // These include values, and requests that were not cancelled in time.
        summary.unstubbed = lines.compactMap(\.unstubbedCount).last ?? summary.unstubbed
        let sent = exchanges.filter { $0.outcome == .recorded || $0.outcome == .passedThrough }
        networkAttempts += Set(sent.map(\.exchange)).count
        unstubbed += lines.compactMap(\.unstubbed)
        recordingError = lines.compactMap(\.recordingError).last ?? recordingError
        hasExited = lines.compactMap(\.hasExited).last ?? hasExited
        keepUnused(Set(unusedPositions ?? []).subtracting(lines[whole...].flatMap { $0.used ?? [] }))
        // The recording has not ended, or the process was killed.
        let stored = lines[whole...].dropFirst().flatMap { $0.stored ?? [] }
        recorded += stored
        let stubFile = file.map(URL.init(fileURLWithPath:))
        if !stored.isEmpty { recordingReport = RecordingReport.text(recorded, in: stubFile) }
        recorded = Array(recorded.prefix(RunReport.maximumCount))
    }
}

/// The file to which a network appends its part of the run report, as other networks and processes may do.
final class RunReportFile: Sendable {
    /// The paths of the files that this process has begun, or adds to.
    fileprivate static let begun = Lock<Set<String>>([])
    private static let count = Lock(0)
    private static let encoder = JSONEncoder.sortingKeys()

    let number = count.withLock { $0.increment() }
    /// The previous line without its event, the length of the stub file, and the number of unstubbed requests in the lines so far.
    let state = Lock((last: RunReport.Line(), byteCount: nil as Int?, unstubbedCount: 0))
    /// The path of the report, and of this process's copy if the test's process has a directory of reports.
    private let paths: [String]

    /// Opens the report at a path, or a new one in the directory at the path: each network has its own there.
    ///
    /// A report is replaced unless a test began it, or a process that still runs.
    /// If two processes begin a report at the same moment, the second one replaces the first one's.
    init(_ path: String) {
        let path = RunReport.isDirectory(path) ? Self.path(in: path, number) : path
        let first = (try? FileDescriptor.reading(path).availableData(in: 0..<16_384)).map(RunReport.Line.all)?.first
        let begunBy = first?.process == SystemProcess.current ? nil : first?.process
        let isOfRun = first?.isShared ?? begunBy.map(SystemProcess.exists) ?? false
        // The test may remove its own report, and `stubborn check` needs the copy.
        paths = [path] + [first?.directory].compactMap { $0.map { Self.path(in: $0, 0) } }
        Self.begun.withLock { begun in
            for file in paths where begun.insert(file).inserted {
                if file == path, isOfRun { continue }
                attempt { () throws(SystemError) in try Self.begin(file, RunReport.Line()) }
            }
        }
    }

    private static func path(in directory: String, _ number: Int) -> String {
        "\(directory)/\(SystemProcess.current)-\(number).json"
    }

    /// Replaces the file at a path by the first line of a report.
    fileprivate static func begin(_ path: String, _ line: RunReport.Line) throws(SystemError) {
        guard let data = try? encoder.encode(line) else { return }
        try FileSystem.createDirectory(FileSystem.directory(of: path))
        let new = FileSystem.hiddenPath(beside: path)
        _ = try FileSystem.createFile(at: new) { output in data.withBytes { output.add($0) } }
        try FileSystem.replaceFile(at: path, by: new)
    }

    /// Appends a line, in one write.
    func append(_ line: RunReport.Line) {
        guard let data = try? Self.encoder.encode(line) else { return }
        for path in paths {
            // The line break ends a line that was cut off.
            attempt { () throws(SystemError) in try FileDescriptor.appending(path).writeAll(Data("\n".utf8) + data) }
        }
    }

    /// Performs an operation, and writes an error to standard error once.
    private func attempt(_ operation: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try operation()
        } catch {
            // A test may remove its report before its networks end.
            if error.number == ENOENT { return }
            StandardError.writeOnce("STUB_REPORT is \(paths[0]), which cannot be written: \(error.reason).")
        }
    }
}
