import Foundation
import StubbornNetwork
import Testing
import XCTest

/// The requests of a process under test, for the test that started it.
///
///     let report = try StubReport(contentsOf: url)
///     report.expectEverythingStubbed()
///     #expect(report.summary.served == 12)
///
/// The process writes the file that `STUB_REPORT` names when it starts and after each request, so the file is there
/// even when the process was killed. Reading the report puts what a killed process has recorded into its stub files.
public struct StubReport: Sendable, CustomStringConvertible {
    private let report: RunReport
    private let file: URL

    /// Reads a report.
    ///
    /// - Throws: `StubbornNetworkError` when the file does not exist, or is not a run report.
    public init(contentsOf file: URL) throws {
        self.file = file
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw StubbornNetworkError(
                .stubFileNotFound,
                """
                There is no run report at \(file.relativeDisplayPath): the process has not used a network yet, or it was not \
                started with STUB_REPORT. Start it with StubEnvironment(named:directory:report:).variables, and use \
                StubbornNetwork.standard in it.
                """,
                file: file
            )
        }
        do {
            report = try JSONDecoder().decode(RunReport.self, from: Data(contentsOf: file))
        } catch {
            throw StubbornNetworkError(
                .unreadableStubFile,
                "\(file.relativeDisplayPath) is not a run report: \(error)",
                file: file,
                underlyingError: error
            )
        }
        for file in stubFiles { StubFileFold.takeOverRecordings(into: file) }
    }

    /// The record mode of each network, in the order in which they were created.
    public var modes: [RecordMode] { report.networks.map(\.mode) }

    /// The stub file of each network that has one.
    public var stubFiles: [URL] { report.networks.compactMap(\.file).map { URL(fileURLWithPath: $0) } }

    /// The numbers of requests, of all networks together.
    public var summary: RunSummary { report.networks.map(\.summary).reduce(RunSummary(), +) }

    /// The number of requests that were sent to the real server.
    public var networkAttempts: Int { report.networks.map(\.networkAttempts).reduce(0, +) }

    /// The requests that no stub answered; the first fifty of each network.
    public var unstubbed: [UnstubbedRequestReport] { report.networks.flatMap(\.unstubbed) }

    /// The recorded stubs that no request asked for, by method and URL; the first fifty of each network.
    public var unused: [String] { report.networks.flatMap(\.unused) }

    /// The report on one line.
    ///
    ///     13 requests: 12 served, 1 unstubbed. 2 stubs unused. 0 sent to the real server (playback).
    public var description: String {
        let modes = modes.map(\.rawValue).joined(separator: ", ")
        return "\(summary) \(networkAttempts) sent to the real server (\(modes))."
    }

    /// Fails the running test, of Swift Testing or XCTest, for each request that no stub answered, with its diagnosis.
    public func expectEverythingStubbed(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        var failures = unstubbed.map { "In the process under test: \($0)" }
        let more = summary.unstubbed - failures.count
        if more > 0 {
            let requests = more == 1 ? "1 more request" : "\(more) more requests"
            failures.append("In the process under test, no stub answered \(requests).")
        }
        for failure in failures {
            guard Test.current != nil else {
                XCTFail(failure, file: filePath, line: line)
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
