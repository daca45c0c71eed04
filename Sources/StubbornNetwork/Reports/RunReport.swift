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
