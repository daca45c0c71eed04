import Foundation
import StubbornNetwork
import Testing

/// Gives each test a stubbed network of its own: `StubbornNetwork.current`. Made by `.stubbed`.
///
/// The network plays back `Stubs/<Suite>_<test>.json` beside the test's file; for a case of a parameterised test
/// `<Suite>_<test>_<argument>.json`. Everything is made when the test runs, so that parallel tests, repetitions and
/// retries never share a network.
///
/// The test fails, at its own line, for each request that no stub answers, with the whole diagnosis; for a recording
/// that could not be written; and for having recorded at all, so that no retry turns a missing recording green.
public struct StubbedTrait: TestTrait, SuiteTrait, TestScoping {
    /// Where the stub directory is.
    enum Directory: Sendable {
        case besideTest
        case path(String)
        /// In a bundle's resources, which are read and never written.
        case resources(URL)
    }

    var name: String?
    var directory = Directory.besideTest
    var recordMode: RecordMode?
    var matching: RequestMatcherOptions?
    var order: PlaybackOrder?
    /// Where the parameters stand: `LoginTests.swift:12`.
    var place = ""
    var redaction: Redaction = .standard
    var sharedSession = false
    var failsOnUnusedStubs = false
    var recordingPasses = false
    /// The variables that the networks go by; the process's.
    var environment = ProcessInfo.processInfo.environment
    var prepare: @Sendable (StubbornNetwork) throws -> Void = { _ in }

    /// A suite's trait holds for each of its tests.
    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let network = StubbornNetwork(try configuration(for: test, testCase), environment: environment)
        let failures = TestFailures()
        network.onUnstubbedRequest = failures.add
        network.setTest(filter: TestName(test, nil).filter)
        try setUp(network)
        // Cases may share a file, by name or because their arguments look alike: none of them asks for all that is in it.
        if test.isParameterized { network.keepUnrequestedStubs() }
        do {
            let hasFailed = try await recordsIssues { try await run(network, function) }
            // A test that failed may not have asked for all that it would have.
            if hasFailed { network.keepUnrequestedStubs() }
        } catch {
            // A test that broke off has not asked for all that it would have.
            network.keepUnrequestedStubs()
            tell(failures, network, at: test.sourceLocation)
            // What is told once, with all that is known, need not be told again.
            if !failures.hasTold(error) { throw error }
            return
        }
        tell(failures, network, at: test.sourceLocation)
        if failsOnUnusedStubs { tellUnusedStubs(network, at: test.sourceLocation) }
    }

    private func setUp(_ network: StubbornNetwork) throws {
        if let recordMode { network.setRecordMode(recordMode, by: ".stubbed(recordMode:) at \(place)") }
        if let matching { network.setRequestMatcherOptions(matching, by: ".stubbed(matching:) at \(place)") }
        if let order { network.setPlaybackOrder(order, by: ".stubbed(order:) at \(place)") }
        network.redaction = redaction
        try prepare(network)
        if case .resources(let directory) = directory, network.recordMode.isRecording {
            throw StubbornNetworkError(
                .invalidLocation,
                """
                Stubs cannot be recorded into \(directory.relativeDisplayPath): a bundle is a copy, made anew by the next \
                build. Record without `in: .module`, beside the test, and add the directory to the target's resources.
                """
            )
        }
    }

    private func run(_ network: StubbornNetwork, _ function: @Sendable () async throws -> Void) async throws {
        try await StubbornNetwork.$ofTest.withValue(network) {
            guard sharedSession else { return try await function() }
            try await SharedSessionTurn.take {
                try await network.interceptingSharedSession(function)
            }
        }
    }

    /// Runs a test, and returns a Boolean value that indicates whether it recorded an issue.
    ///
    /// - Throws: the error that the test throws.
    private func recordsIssues(_ function: () async throws -> Void) async throws -> Bool {
        let hasIssue = Lock(false)
        let thrown = Lock<(any Error)?>(nil)
        // The way to see a test's issues: none of them is known, so all are recorded as ever.
        await withKnownIssue(isIntermittent: true) {
            do {
                try await function()
            } catch {
                thrown.withLock { $0 = error }
            }
        } matching: { _ in
            hasIssue.withLock { $0 = true }
            return false
        }
        if let error = thrown.withLock({ $0 }) { throw error }
        return hasIssue.withLock { $0 }
    }

    private func tell(_ failures: TestFailures, _ network: StubbornNetwork, at location: SourceLocation) {
        for failure in failures.all {
            failure.attach(at: location)
            Issue.record(Comment(rawValue: failure.text), sourceLocation: location)
        }
        do {
            try network.finishRecording()
        } catch {
            Issue.record(error, sourceLocation: location)
        }
        guard !recordingPasses, let text = network.recordingFailure else { return }
        Issue.record(Comment(rawValue: text), sourceLocation: location)
    }

    private func tellUnusedStubs(_ network: StubbornNetwork, at location: SourceLocation) {
        // Where no request has been made, the stubs have not been read. A file that is not there holds none.
        do {
            try network.loadStubs()
        } catch let error as StubbornNetworkError where error.code == .stubFileNotFound {
        } catch {
            Issue.record(error, sourceLocation: location)
        }
        // What everything is recorded into is not asked for its stubs.
        for report in network.unusedStubReports where network.recordMode != .recording || report.position == nil {
            Issue.record(Comment(rawValue: report.description), sourceLocation: location)
        }
    }

    private func configuration(for test: Test, _ testCase: Test.Case?) throws -> StubbornNetworkConfiguration {
        let name = name ?? TestName(test, testCase).stubName
        let path =
            switch directory {
            case .besideTest: (test.sourceLocation.pathOfFile as NSString).deletingLastPathComponent + "/Stubs"
            case .path(let path): path
            case .resources(let directory): directory.path
            }
        guard let configuration = StubbornNetworkConfiguration.persistent(name: name, path: path) else {
            throw StubbornNetworkError(
                .invalidLocation,
                """
                \(name.quoted()) in \(path.quoted()) names no stub file. Give the trait a name of which something is left \
                without brackets and hyphens, and a directory.
                """
            )
        }
        return configuration
    }
}
