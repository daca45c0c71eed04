import Foundation

extension Engine {
    /// Appends a line to the run report, if anything has changed since the previous line.
    ///
    /// The line is in the file before the client sees the outcome, so a kill loses no request that a client saw answered.
    func updateReport(_ exchange: Int? = nil, _ event: (inout RunReport.Line) -> Void = { _ in }) {
        guard let file = report else { return }
        file.state.withLock { state in
            var line = RunReport.Line(number: file.number, mode: recordMode, unstubbedCount: log.unstubbed.count)
            line.exchange = exchange
            line.outcome = exchange.flatMap(log.decision)
            let counts = line
            let (used, stored) = recorded.recorded.withLock { stubs in
                defer { stubs.news = ([], []) }
                return stubs.news
            }
            line.used = used.isEmpty ? nil : used
            // The end of the recording decides which errors are kept.
            let kept = stored.filter { !$0.response.endsWithError }
            let report = RecordingReport(recorded: kept, redactor: redactor.withLock { $0 })
            line.stored = kept.isEmpty ? nil : report.lines
            let byteCount = recorded.byteCount
            if byteCount != state.byteCount { line.network = reportedNetwork }
            event(&line)
            if line.unstubbed != nil, state.unstubbedCount.increment() > RunReport.maximumCount { line.unstubbed = nil }
            if line != state.last { file.append(line) }
            (state.last, state.byteCount) = (counts, byteCount)
        }
    }

    /// Adds the whole network: it begins or ends, its recording has ended, or the process exits.
    func reportNetwork() { updateReport { $0.network = reportedNetwork } }

    private var reportedNetwork: RunReport.Network {
        let unused = recorded.unusedStubs()
        let (kept, lost) = recorded.recordedStubs()
        let redactor = redactor.withLock { $0 }
        let report = RecordingReport(recorded: kept, discarded: lost, file: recorded.file, redactor: redactor)
        var network = RunReport.Network(mode: recordMode)
        network.test = test.withLock { $0.filter }
        network.file = recorded.file?.path
        network.pathInPackage = network.file.flatMap(StubDirectorySettings.pathInPackage)
        network.fileByteCount = recorded.byteCount
        network.shared = shared.map { source in
            let path = source.file?.path ?? ""
            let package = StubDirectorySettings.pathInPackage(of: path)
            let unused = source.unusedStubs().map(\.position)
            return .init(file: path, pathInPackage: package, fileByteCount: source.byteCount, unusedPositions: unused)
        }
        network.recorded = report.lines
        network.recordingReport = report.description.isEmpty ? nil : report.description
        network.redaction = redactor.report == RedactionReport() ? nil : redactor.report
        network.verification = network.mode == .verifying ? verify() : nil
        network.unused = unused.prefix(RunReport.maximumCount).map(\.request.description)
        network.unusedPositions = unused.map(\.position)
        return network
    }
}
