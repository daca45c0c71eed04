import Foundation

/// The requests of a process under test, as the process writes them to the file `STUB_REPORT`.
package struct RunReport: Sendable, Codable, Equatable {
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
        /// The number of requests that were sent to the real server.
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
        /// The first fifty recorded stubs that no request used, by method and URL.
        package var unused: [String] = []
        /// The positions in the stub file, from 1, of all recorded stubs that no request used.
        package var unusedPositions: [Int]?
        package var processIdentifier: Int32?
        /// A Boolean value that indicates whether the process has exited; `false` for a killed process.
        package var hasExited: Bool?

        fileprivate var isPlayed: Bool { file != nil && mode == .playback }

        /// Lists only the stubs at some positions as unused.
        fileprivate mutating func keepUnused(_ positions: Set<Int>) {
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

    package var version = 1
    /// The process that wrote the report last.
    package var processIdentifier: Int32
    package var networks: [Network] = []
    /// A Boolean value that indicates whether each process adds its networks, rather than starting the report over.
    package var isShared: Bool?
    /// The directory in which each process also keeps a report on its networks: `STUB_REPORT` of the test's process.
    package var directory: String?

    /// The networks.
    ///
    /// A stub is unused only if no network of its file has used it.
    ///
    /// Launches continue where the previous one ended. The first network of a file has the list.
    package var networksWithoutSharedUses: [Network] {
        var result = networks
        let ofFile = Dictionary(grouping: networks.indices.filter { networks[$0].isPlayed }) { networks[$0].file }
        for indices in ofFile.values {
            let unused = indices.compactMap { networks[$0].unusedPositions.map(Set.init) }
            let common = unused.dropFirst().reduce(unused.first ?? []) { $0.intersection($1) }
            for index in indices { result[index].keepUnused(index == indices[0] ? common : []) }
        }
        return result
    }

    /// Begins the report that the processes of a test add to.
    ///
    /// A process that cannot write the file writes a message to standard error.
    package static func begin(at file: URL, copiedInto directory: String?) {
        let report = RunReport(processIdentifier: SystemProcess.current, isShared: true, directory: directory)
        let data = try? JSONEncoder().encode(report)
        try? FileSystem.createDirectory(FileSystem.directory(of: file.path))
        try? data?.write(to: file, options: .atomic)
    }
}

extension RunReport.SharedFile {
    /// Creates the entry of a source that a different test records; `nil` for one in memory.
    init?(_ stubs: StubSource) {
        guard let path = stubs.file?.path else { return nil }
        let package = StubDirectorySettings.pathInPackage(of: path)
        let unused = stubs.unusedStubs().map(\.position)
        self.init(file: path, pathInPackage: package, fileByteCount: stubs.byteCount, unusedPositions: unused)
    }
}

extension RunReport.Network {
    /// The number of requests or stubs that each list has.
    fileprivate static let maximumCount = 50

    /// Creates the entry of a network from its stubs.
    init(_ stubs: StubSource, sharing shared: [StubSource], mode: RecordMode, _ redactor: Redactor) {
        let unused = stubs.unusedStubs()
        let (kept, lost) = stubs.recordedStubs()
        let report = RecordingReport(recorded: kept, discarded: lost, file: stubs.file, redactor: redactor)
        self.mode = mode
        file = stubs.file?.path
        pathInPackage = file.flatMap(StubDirectorySettings.pathInPackage)
        fileByteCount = stubs.byteCount
        self.shared = shared.isEmpty ? nil : shared.compactMap(RunReport.SharedFile.init)
        recorded = report.lines
        recordingReport = report.description.isEmpty ? nil : report.description
        redaction = redactor.report == RedactionReport() ? nil : redactor.report
        self.unused = unused.prefix(Self.maximumCount).map(\.request.description)
        unusedPositions = unused.map(\.position)
    }
}

/// One network's part of the run report, kept up to date by its engine.
final class RunReportEntry: Sendable {
    private struct State {
        var networkAttempts = 0
        var recordingError: String?
        var unstubbed: [UnstubbedRequestReport] = []
        /// Makes the rest of the entry; the final one when the network has been freed.
        var network: @Sendable () -> RunReport.Network
    }

    private let state: Lock<State>
    private let file: RunReportFile

    /// Creates the entry of a network and adds it to the report at a path, the value of `STUB_REPORT`.
    init(path: String, _ network: @escaping @Sendable () -> RunReport.Network) {
        state = Lock(State(network: network))
        file = RunReportFile.at(path)
        file.add(self)
    }

    /// Writes the entry soon, because the network has changed.
    func update() { file.writeSoon() }

    /// Counts a request that is sent to the real server, including one that follows a redirect or a challenge.
    func countNetworkAttempt() { state.withLock { $0.networkAttempts += 1 } }

    /// Notes the error that prevented a recording.
    ///
    /// The end of the run forgets the error, and may come before the file is written.
    func note(_ error: StubbornNetworkError) { state.withLock { $0.recordingError = error.message } }

    /// Lists an unstubbed request, which is in the file when this returns.
    func add(_ report: UnstubbedRequestReport) {
        state.withLock { state in
            if state.unstubbed.count < RunReport.Network.maximumCount { state.unstubbed.append(report) }
        }
        file.write()
    }

    /// Ends the entry: the network has been freed, and its unused stubs are final.
    func end() {
        let final = current
        state.withLock { $0.network = { final } }
        update()
    }

    /// The entry that would be written now.
    var current: RunReport.Network {
        let state = state.withLock { $0 }
        var network = state.network()
        network.networkAttempts = state.networkAttempts
        network.recordingError = state.recordingError
        network.unstubbed = state.unstubbed
        network.processIdentifier = SystemProcess.current
        network.hasExited = Run.process.isOver
        return network
    }
}
