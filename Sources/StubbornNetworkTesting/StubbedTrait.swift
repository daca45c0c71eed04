import Foundation
import StubbornNetwork
import Testing

/// Gives each test a stubbed network of its own: `StubbornNetwork.current`. Made by `.stubbed`.
///
/// The network plays back `Stubs/<Suite>_<test>.json` beside the test's file; for a case of a parameterised test
/// `<Suite>_<test>_<argument>.json`. Each request that no stub answers fails the
/// test, at the test's line, with the whole diagnosis.
public struct StubbedTrait: TestTrait, SuiteTrait, TestScoping {
    var name: String?
    var directory: String?
    var recordMode: RecordMode = .playback
    var matching: RequestMatcherOptions = .standard
    var order: PlaybackOrder = .sequenceThenLast
    var redaction: Redaction = .standard
    var failsOnUnusedStubs = false
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
        let network = StubbornNetwork(try configuration(for: test, testCase))
        let reports = Reports()
        network.onUnstubbedRequest = reports.add
        network.recordMode = recordMode
        network.requestMatcherOptions = matching
        network.playbackOrder = order
        network.redaction = redaction
        try prepare(network)
        // Cases may share a file, by name or because their arguments look alike: none of them asks for all that is in it.
        if test.isParameterized { network.keepUnrequestedStubs() }
        do {
            try await StubbornNetwork.$ofTest.withValue(network, operation: function)
        } catch {
            // A test that broke off has not asked for all that it would have.
            network.keepUnrequestedStubs()
            record(reports, network, at: test.sourceLocation)
            throw error
        }
        record(reports, network, at: test.sourceLocation)
        guard failsOnUnusedStubs else { return }
        let unused = network.unusedStubs.map(\.request.description) + network.unusedDeclaredStubs.map(\.description)
        for stub in unused {
            Issue.record("No request asked for the stub \(stub)", sourceLocation: test.sourceLocation)
        }
    }

    private func record(_ reports: Reports, _ network: StubbornNetwork, at location: SourceLocation) {
        for report in reports.all { Issue.record(Comment(rawValue: report), sourceLocation: location) }
        do {
            try network.finishRecording()
        } catch {
            Issue.record(error, sourceLocation: location)
        }
    }

    private func configuration(for test: Test, _ testCase: Test.Case?) throws -> StubbornNetworkConfiguration {
        let name = name ?? TestName(test, testCase).stubName
        let directory = directory ?? test.sourceLocation.pathOfFile.directory + "/Stubs"
        guard let configuration = StubbornNetworkConfiguration.persistent(name: name, path: directory) else {
            throw UnusableStubName(name: name)
        }
        return configuration
    }
}

extension Trait where Self == StubbedTrait {
    /// A stubbed network for each test, played back from `Stubs/` beside the test's file.
    ///
    ///     @Test(.stubbed) func login() async throws { … StubbornNetwork.current.session … }
    public static var stubbed: Self { StubbedTrait() }

    /// A stubbed network for each test, as told.
    ///
    ///     @Suite(.stubbed(recordMode: .recordingOnce, matching: .strict)) struct APITests { … }
    ///
    /// - Parameters:
    ///   - name: the stub file's; by default the suite's and the test's, as in `APITests_login`.
    ///   - directory: the stub directory; by default `Stubs` beside the test's file.
    ///   - failsOnUnusedStubs: whether a stub that no request asked for, recorded or declared, fails the test.
    public static func stubbed(
        named name: String? = nil,
        in directory: String? = nil,
        recordMode: RecordMode = .playback,
        matching: RequestMatcherOptions = .standard,
        order: PlaybackOrder = .sequenceThenLast,
        redaction: Redaction = .standard,
        failsOnUnusedStubs: Bool = false
    ) -> Self {
        StubbedTrait(
            name: name,
            directory: directory,
            recordMode: recordMode,
            matching: matching,
            order: order,
            redaction: redaction,
            failsOnUnusedStubs: failsOnUnusedStubs
        )
    }

    /// A stubbed network for each test, prepared before the test runs.
    ///
    ///     @Test(.stubbed { $0.stub(.any, with: .status(503)) }) func outage() async throws { … }
    public static func stubbed(_ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void) -> Self {
        StubbedTrait(prepare: prepare)
    }
}

/// A name of which no file name is left.
struct UnusableStubName: LocalizedError {
    var name: String

    var errorDescription: String? {
        "\"\(name)\" names no stub file: nothing is left of it without brackets and hyphens. Give the trait another name."
    }
}

/// The reports on a test's unstubbed requests, from any thread.
private final class Reports: Sendable {
    private let reports = Lock<[String]>([])

    var all: [String] { reports.withLock { $0 } }

    func add(_ report: UnstubbedRequestReport) {
        reports.withLock { $0.append(report.description) }
    }
}

extension String {
    /// The directory of a path.
    fileprivate var directory: String { (self as NSString).deletingLastPathComponent }
}
