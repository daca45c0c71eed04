import Foundation
import StubbornNetwork
import Testing

/// The trait that gives each test its own stubbed network, `StubbornNetwork.current`.
///
/// Use it as `.stubbed`.
///
/// The network plays back `Stubs/<Suite>_<test>.json` next to the test's file; or, for a case of a parameterized test,
/// `<Suite>_<test>_<argument>.json`. It is created when the test runs, so parallel tests, repetitions and retries never
/// share a network.
///
/// A test inherits the trait of its suite, and a suite inherits the trait of the suite around it. A trait replaces only
/// the settings that it lists; the closures of all traits are called, from the outermost to the innermost. All other
/// settings come from the stub directory's `.stubborn.json`, or are the defaults.
///
/// A project can define its own trait in one place:
///
///     extension Trait where Self == StubbedTrait {
///         static var app: Self { .stubbed(matching: .strict) { $0.redaction = .app } }
///     }
///
/// The test fails, at its own line, for:
/// - each request that no stub answers, with the whole diagnosis;
/// - a recording that could not be written, or that no server answered;
/// - any recording, so that a retry does not pass on a file that nobody has reviewed. The failure lists everything
///   that was stored.
public struct StubbedTrait: TestTrait, SuiteTrait, TestScoping {
    /// The settings of the traits whose scopes the test has entered, the outermost first.
    ///
    /// Empty again in the scope of the innermost.
    @TaskLocal private static var entered: [TestSettings] = []

    let settings: TestSettings

    /// A Boolean value that indicates whether the trait of a suite applies to each of its tests: always `true`.
    public var isRecursive: Bool { true }

    /// Returns this trait for a test case; `nil` for a suite, and for a test apart from its cases.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    /// Runs a test with its own stubbed network, and records the failures of the network afterwards.
    ///
    /// If several such traits apply, the innermost creates the network, with the settings of all.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let entered = Self.entered + [settings]
        // The traits of a test include those that it inherits.
        guard entered.count >= test.traits.filter({ $0 is Self }).count else {
            return try await Self.$entered.withValue(entered, operation: function)
        }
        try await Self.$entered.withValue([]) {
            try await run(test, testCase, with: entered, function)
        }
    }

    private func run(
        _ test: Test,
        _ testCase: Test.Case?,
        with settings: [TestSettings],
        _ function: @Sendable () async throws -> Void
    ) async throws {
        let name = try TestName(test, testCase)
        let network = try TestNetwork(settings, for: name, in: test.sourceLocation.pathOfFile, target: .trait)
        // Cases may share a file, by name or by similar arguments, so none of them requests all its stubs.
        if test.isParameterized { network.network.keepUnrequestedStubs() }
        let (hasIssue, thrown) = await outcome(of: {
            try await observingIssues(of: test, testCase, { $0.error.map(network.noteIssue) }) {
                try await run(network, function)
            }
        })
        for (report, _) in network.unstubbed.withLock({ $0 }) { report.attach(at: test.sourceLocation) }
        for text in await network.end(isComplete: !hasIssue && thrown == nil) {
            Issue.record(Comment(rawValue: text), sourceLocation: test.sourceLocation)
        }
        // The error of a request that was reported with its diagnosis would be a duplicate issue.
        if let thrown, !network.hasReport(of: thrown) { throw thrown }
    }

    private func run(_ network: TestNetwork, _ function: @Sendable () async throws -> Void) async throws {
        try await StubbornNetwork.$ofTest.withValue(network.network) {
            network.adoptContext()
            guard network.sharedSession else { return try await function() }
            try await SharedSessionQueue.run {
                try await network.network.interceptingSharedSession(function)
            }
        }
    }

    /// Runs a test, and returns the error that it threw, if any, and whether it recorded an issue that fails it.
    private func outcome(of function: () async throws -> Void) async -> (hasIssue: Bool, thrown: (any Error)?) {
        let outcome = Lock<(hasIssue: Bool, thrown: (any Error)?)>((false, nil))
        // Only this function lets a trait see a test's issues. None of them matches, so all are recorded as usual.
        await withKnownIssue(isIntermittent: true) {
            do {
                try await function()
            } catch {
                outcome.withLock { $0.thrown = error }
            }
        } matching: { issue in
            if issue.failsTest { outcome.withLock { $0.hasIssue = true } }
            return false
        }
        return outcome.withLock { $0 }
    }
}
