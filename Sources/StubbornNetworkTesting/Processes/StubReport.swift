import Foundation
import StubbornNetwork
import Testing

/// The requests of a process under test, for the test that started it.
///
///     let report = try StubReport(contentsOf: url)
///     report.expectEverythingStubbed()
///     #expect(report.summary.stubbed == 12)
///
/// The process appends a line to the file in `STUB_REPORT` for each event, before its client sees the outcome. So the file
/// counts all that a killed process did. Processes that share the file each append to it. Reading the report adds the
/// recordings of a killed process to its stub files.
public struct StubReport: Sendable, CustomStringConvertible {
    private let report: RunReport
    private let file: URL

    /// Reads a report.
    ///
    /// - Throws: `StubbornNetworkError` when the file does not exist, or is not a run report.
    public init(contentsOf file: URL) throws {
        self.file = file
        guard FileManager.default.fileExists(atPath: file.path) else { throw Self.missingReport(file) }
        guard var read = RunReport(contentsOf: file) else {
            throw StubbornNetworkError(.unreadableStubFile, "\(file.path) is not a run report.", file: file)
        }
        read.networks.keepUnusedByAll()
        report = read
        RunReport.noteRead(file)
        // The test has begun the report, and no process has added to it.
        if report.networks.isEmpty { throw Self.missingReport(file) }
        for file in stubFiles { StubFileGeneration.takeOverRecordings(into: file) }
    }

    private static func missingReport(_ file: URL) -> StubbornNetworkError {
        StubbornNetworkError(
            .stubFileNotFound,
            """
            There is no run report at \(file.relativeDisplayPath). The process has not started, it ended before it used a \
            network, or it was started without STUB_REPORT. Start the process with \
            StubEnvironment(named:directory:report:).variables, use StubbornNetwork.standard in it, and read the report \
            after the process has made its requests.
            """,
            file: file
        )
    }

    package var stubFiles: [URL] { report.networks.compactMap(\.file).map { URL(fileURLWithPath: $0) } }

    /// The numbers of requests, of all networks together.
    public var summary: RunSummary { report.networks.map(\.summary).reduce(RunSummary(), +) }

    /// The number of requests that were sent to the real server; redirects and challenges are not counted again.
    public var networkAttempts: Int { report.networks.map(\.networkAttempts).reduce(0, +) }

    /// The requests that no stub answered; the first fifty of each network.
    public var unstubbed: [UnstubbedRequestReport] { report.networks.flatMap(\.unstubbed) }

    /// The stubs that were recorded, by method, URL and response; the first fifty of each network.
    public var recorded: [String] { report.networks.flatMap(\.recorded) }

    /// The recorded stubs that no request used, by method and URL; the first fifty of each network.
    public var unused: [String] { report.networks.flatMap(\.unused) }

    /// The comparisons of the stubs that were played in `.verifying` with the real server, one for each network.
    public var verifications: [VerificationReport] { report.networks.compactMap(\.verification) }

    /// The report on one line, and a line for each process that has not exited: it was killed, or is still running.
    ///
    ///     13 requests: 12 stubbed, 1 unstubbed. 2 stubs unused. 0 sent to the real server (playback).
    public var description: String {
        let modes = report.networks.map(\.mode.rawValue).joined(separator: ", ")
        let states = Set(report.networks.compactMap(\.stateOfProcess)).sorted()
        return (["\(summary) \(networkAttempts) sent to the real server (\(modes))."] + states)
            .joined(separator: "\n")
    }

    /// Fails the running test, of Swift Testing or XCTest, unless stubs answered the requests of the process.
    ///
    /// The test fails for:
    /// - each request that no stub answered, with its diagnosis;
    /// - each stub file that the process recorded into, with the recordings;
    /// - a recording that could not be stored, or that no server answered;
    /// - in `.verifying`, differences between the recording and the real server. Stubs that could not be verified are
    ///   listed on standard error.
    ///
    /// - Parameters:
    ///   - failsOn: what fails the test; `.standard` by default. With `.unused`, so do recorded stubs that a process has not
    ///     used, if the process played its file and has exited.
    ///   - fileID: the identifier of the file of the call.
    ///   - filePath: the path of the file of the call.
    ///   - line: the line of the call, at which failures are reported.
    ///   - column: the column of the call.
    public func expectEverythingStubbed(
        failsOn: FailureReasons = .standard,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        var texts = failsOn.contains(.unstubbed) ? unstubbed.map(\.description) : []
        let more = summary.unstubbed - unstubbed.count
        if more > 0, failsOn.contains(.unstubbed) { texts.append("No stub answered \(more.counting("more request")).") }
        let environment = EnvironmentSettings(ProcessInfo.processInfo.environment)
        let failsOn = failsOn.subtracting(environment.recordsCopies ? .recorded : [])
        for network in report.networks {
            if let file = network.file, !network.recorded.isEmpty {
                RecordingSummary.ofProcess.withLock { summary in
                    summary.note(network.summary.recorded, in: URL(fileURLWithPath: file), before: nil)
                }
            }
            let isFailure = network.recorded.isEmpty || failsOn.contains(.recorded)
            texts += [network.recordingError, isFailure ? network.recordingFailure : nil].compactMap(\.self)
        }
        texts += verifications.compactMap { $0.failure(of: failsOn.severity) }
        if failsOn.contains(.unused) { texts += report.networks.compactMap(\.unusedFailure) }
        for text in texts {
            let failure = "In the process under test: \(text)"
            guard Test.current != nil else {
                failXCTest(failure, file: filePath, line: line)
                continue
            }
            let location = SourceLocation(
                fileID: "\(fileID)",
                filePath: "\(filePath)",
                line: Int(line),
                column: Int(column)
            )
            Issue.record(Comment(rawValue: failure), sourceLocation: location)
        }
    }
}

extension [RunReport.Network] {
    /// Lists a stub as unused only if no network of its file has used it.
    ///
    /// Launches continue where the previous one ended. The first network of a file has the list.
    fileprivate mutating func keepUnusedByAll() {
        let played = indices.filter { self[$0].file != nil && self[$0].mode == .playback }
        for indices in Dictionary(grouping: played, by: { self[$0].file }).values {
            let unused = indices.compactMap { self[$0].unusedPositions.map(Set.init) }
            let common = unused.dropFirst().reduce(unused.first ?? []) { $0.intersection($1) }
            for index in indices { self[index].keepUnused(index == indices[0] ? common : []) }
        }
    }
}

extension RunReport.Network {
    /// The state of another process that has not exited; `nil` for a process that has, and for this process.
    fileprivate var stateOfProcess: String? {
        guard let process = processIdentifier, hasExited != true,
            process != ProcessInfo.processInfo.processIdentifier
        else { return nil }
        if SystemProcess.exists(process) {
            return "Process \(process) is still running: its further requests are not in this report."
        }
        guard mode.isRecording else { return "Process \(process) was killed." }
        return "Process \(process) was killed: its recordings are in the stub file, or in a journal next to it."
    }

    /// The report on the recordings of the process, and its state if it has not exited; `nil` if there is nothing to
    /// report.
    fileprivate var recordingFailure: String? {
        recordingReport.map { [$0, stateOfProcess].compactMap(\.self).joined(separator: "\n") }
    }

    /// The failure of a test whose process did not use all stubs; `nil` if the process used all of them, or if that is
    /// not known.
    fileprivate var unusedFailure: String? {
        guard mode == .playback, hasExited == true, !unused.isEmpty else { return nil }
        let file = file.map { URL(fileURLWithPath: $0).relativeDisplayPath } ?? "memory"
        return (["No request used these stubs of \(file):"] + unused.map { "  \($0)" }).joined(separator: "\n")
    }
}
