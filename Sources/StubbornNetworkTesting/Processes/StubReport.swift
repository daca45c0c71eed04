import Foundation
import StubbornNetwork
import Testing
import XCTest

/// What a process under test has asked of its networks: read in the test that started it.
///
///     let report = try StubReport(contentsOf: url)
///     report.expectEverythingStubbed()
///     #expect(report.served == 12)
///
/// The process writes it where `STUB_REPORT` says, from its start on, after each request; it is there also when the
/// process has been killed.
public struct StubReport: Sendable, CustomStringConvertible {
    /// A request that no stub answered.
    public struct UnstubbedRequest: Sendable, Hashable {
        /// Method and URL.
        public let request: String
        /// The whole diagnosis.
        public let diagnosis: String
    }

    private let report: RunReport
    private let file: URL

    /// Reads a report.
    ///
    /// - Throws: `StubbornNetworkError` where there is none, or something else is there.
    public init(contentsOf file: URL) throws {
        self.file = file
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw StubbornNetworkError(
                .stubFileNotFound,
                """
                There is no run report at \(file.relativeDisplayPath): the process has not used a network yet, or it was not \
                started with STUB_REPORT. Start it with StubEnvironment(named:directory:report:).variables, and have it use \
                StubbornNetwork.standard.
                """,
                file: file
            )
        }
        do {
            report = try JSONDecoder().decode(RunReport.self, from: Data(contentsOf: file))
        } catch {
            throw StubbornNetworkError(
                .unreadableStubFile,
                "\(file.relativeDisplayPath) is no run report: \(error)",
                file: file,
                underlyingError: error
            )
        }
    }

    /// The record mode of each network, in the order in which they were made.
    public var modes: [String] { report.networks.map(\.mode) }

    /// The stub file of each network that has one.
    public var stubFiles: [URL] { report.networks.compactMap(\.file).map { URL(fileURLWithPath: $0) } }

    /// How many requests stubs answered, declared and recorded ones.
    public var served: Int { sum(\.served) }
    /// How many exchanges were recorded.
    public var recorded: Int { sum(\.recorded) }
    /// How many requests the real server answered without being recorded.
    public var passedThrough: Int { sum(\.passedThrough) }
    /// How many requests failed for another reason than a missing stub.
    public var failed: Int { sum(\.failed) }
    /// How often the real server was asked.
    public var networkAttempts: Int { sum(\.networkAttempts) }
    /// How many requests no stub answered.
    public var unstubbedCount: Int { sum(\.unstubbedCount) }
    /// How many recorded stubs nobody asked for.
    public var unusedCount: Int { sum(\.unusedCount) }

    /// The first fifty requests of each network that no stub answered.
    public var unstubbed: [UnstubbedRequest] {
        report.networks.flatMap(\.unstubbed).map { UnstubbedRequest(request: $0.request, diagnosis: $0.diagnosis) }
    }

    /// The first fifty recorded stubs of each network that nobody asked for, by method and URL.
    public var unused: [String] { report.networks.flatMap(\.unused) }

    private func sum(_ count: KeyPath<RunReport.Network, Int>) -> Int {
        report.networks.reduce(0) { $0 + $1[keyPath: count] }
    }

    /// `12 served, 0 recorded, 1 unstubbed, 2 unused, 0 sent to the real server (playback)`.
    public var description: String {
        """
        \(served) served, \(recorded) recorded, \(unstubbedCount) unstubbed, \(unusedCount) unused, \(networkAttempts) sent \
        to the real server (\(modes.joined(separator: ", ")))
        """
    }

    /// Fails the running test, of Swift Testing or XCTest, for each request that no stub answered, with its diagnosis.
    public func expectEverythingStubbed(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        var failures = unstubbed.map { "In the process under test: \($0.diagnosis)" }
        let more = unstubbedCount - failures.count
        if more > 0 {
            let requests = more == 1 ? "1 more request was" : "\(more) more requests were"
            failures.append("In the process under test \(requests) answered by no stub.")
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
