import Foundation
import StubbornNetwork
import Testing

/// The trait that gives each test a stubbed network of its own, `StubbornNetwork.current`.
///
/// Use it as `.stubbed`.
///
/// The network plays back `Stubs/<Suite>_<test>.json` beside the test's file; for a case of a parameterized test
/// `<Suite>_<test>_<argument>.json`. It is created when the test runs, so parallel tests, repetitions and retries never
/// share a network.
///
/// The test fails, at its own line, for:
/// - each request that no stub answers, with the whole diagnosis;
/// - a recording that could not be written, or that no server answered;
/// - having recorded at all, so that a retry does not pass on a file that nobody reviewed. The failure lists everything
///   that was stored.
public struct StubbedTrait: TestTrait, SuiteTrait, TestScoping {
    /// The stub directory.
    enum Directory: Sendable {
        case besideTest
        case path(String)
        /// A directory of a bundle's resources, which is read and never written.
        case resources(URL)
    }

    var name: String?
    var directory = Directory.besideTest
    var recordMode: RecordMode?
    var matching: RequestMatcherOptions?
    var order: PlaybackOrder?
    /// The file and line of the trait: `LoginTests.swift:12`.
    var location = ""
    var redaction: Redaction = .standard
    var sharedSession = false
    var failsOnUnusedStubs = false
    var recordingPasses = false
    /// The environment of the networks; that of the process by default.
    var environment = ProcessInfo.processInfo.environment
    var prepare: @Sendable (StubbornNetwork) throws -> Void = { _ in }

    /// A Boolean value that indicates whether the trait of a suite applies to each of its tests: always `true`.
    public var isRecursive: Bool { true }

    /// Returns this trait for a test case; `nil` for a suite, and for a test apart from its cases.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    /// Runs a test with a stubbed network of its own, and records the failures of the network afterwards.
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
        // Cases may share a file, by name or by similar arguments, so none of them requests all its stubs.
        if test.isParameterized { network.keepUnrequestedStubs() }
        do {
            let hasFailed = try await recordsIssues { try await run(network, function) }
            // A test that failed may not have made all its requests.
            if hasFailed { network.keepUnrequestedStubs() }
        } catch {
            // A test that throws has not made all its requests.
            network.keepUnrequestedStubs()
            record(failures, network, at: test.sourceLocation)
            // The error of a request that has been recorded with its diagnosis would be the same issue again.
            if !failures.contains(error) { throw error }
            return
        }
        record(failures, network, at: test.sourceLocation)
        if failsOnUnusedStubs { recordUnusedStubs(of: network, at: test.sourceLocation) }
    }

    private func setUp(_ network: StubbornNetwork) throws {
        if let recordMode { network.setRecordMode(recordMode, by: ".stubbed(recordMode:) at \(location)") }
        if let matching { network.setRequestMatcherOptions(matching, by: ".stubbed(matching:) at \(location)") }
        if let order { network.setPlaybackOrder(order, by: ".stubbed(order:) at \(location)") }
        network.redaction = redaction
        try prepare(network)
        if case .resources(let directory) = directory, network.recordMode.isRecording {
            throw StubbornNetworkError(
                .invalidLocation,
                """
                Stubs cannot be recorded into \(directory.relativeDisplayPath): a bundle is a copy that the next build \
                replaces. Record without `in: .module`, beside the test, and add the directory to the target's resources.
                """
            )
        }
    }

    private func run(_ network: StubbornNetwork, _ function: @Sendable () async throws -> Void) async throws {
        try await StubbornNetwork.$ofTest.withValue(network) {
            guard sharedSession else { return try await function() }
            try await SharedSessionQueue.run {
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
        // Only this function lets a trait see a test's issues. None of them matches, so all are recorded as usual.
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

    private func record(_ failures: TestFailures, _ network: StubbornNetwork, at location: SourceLocation) {
        for failure in failures.all { failure.attach(at: location) }
        for text in failures.all.map(\.text) + network.finishTest(recordingPasses: recordingPasses) {
            Issue.record(Comment(rawValue: text), sourceLocation: location)
        }
    }

    private func recordUnusedStubs(of network: StubbornNetwork, at location: SourceLocation) {
        // Without a request the stubs have not been read. A file that does not exist holds none.
        do {
            try network.loadStubs()
        } catch let error as StubbornNetworkError where error.code == .stubFileNotFound {
        } catch {
            Issue.record(error, sourceLocation: location)
        }
        // In `.recording` no recorded stub answers, so only declared ones count.
        for report in network.unusedStubReports where network.recordMode != .recording || report.isDeclared {
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
            throw StubbornNetworkError.unusableName(name, origin: path.isEmpty ? "in an empty directory" : "in \(path)")
        }
        return configuration
    }
}
