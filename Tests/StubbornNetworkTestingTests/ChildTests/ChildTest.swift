import Foundation
import LoopbackServer
import StubbornNetworkTesting
import Testing
import XCTest

/// A test that fails on purpose, as a user's test would.
///
/// It runs in a child process, which `ChildTestRun` starts, and does nothing in an ordinary run.
struct ChildTest {
    /// How the test ends after its requests.
    enum Ending: String {
        case succeeds, fails, throwsError
        /// The test is skipped after its requests, which only XCTest does.
        case skips
        /// The test throws the error of its request.
        case throwsRequestError
        /// An expectation fails in the closure that answers the request.
        case failsInAnswer
        /// The test uses the network of a trait that it does not have.
        case usesCurrent
        /// The test has a handler for unstubbed requests.
        case handlesRequest
        /// The test ends while it holds its request.
        case holdsRequest
    }

    struct OnPurpose: Error {}

    static let variables = (
        url: "CHILD_TEST_URL", directory: "CHILD_TEST_STUBS", ending: "CHILD_TEST_ENDING", passes: "CHILD_TEST_PASSES",
        checksUnused: "CHILD_TEST_UNUSED", timeout: "CHILD_TEST_TIMEOUT", mode: "CHILD_TEST_MODE",
        program: "CHILD_TEST_PROGRAM"
    )

    /// The test that this process was started for; `nil` in an ordinary run.
    static let current = ChildTest(ProcessInfo.processInfo.environment)

    /// The URL that the test asks for; `nil` if it asks for nothing.
    let url: URL?
    let directory: String
    let ending: Ending
    let failsOn: FailureReasons
    /// The timeout of its requests, in seconds.
    let timeout: TimeInterval
    /// The mode that the test's code names.
    let recordMode: RecordMode?
    /// A Boolean value that indicates whether the URL is asked for by a program that the test starts.
    let startsProgram: Bool

    private init?(_ environment: [String: String]) {
        guard let directory = environment[Self.variables.directory] else { return nil }
        self.directory = directory
        url = environment[Self.variables.url].flatMap(URL.init(string:))
        ending = environment[Self.variables.ending].flatMap(Ending.init) ?? .succeeds
        var failsOn = FailureReasons.standard
        if environment[Self.variables.passes] != nil { failsOn.remove(.recorded) }
        if environment[Self.variables.checksUnused] != nil { failsOn.insert(.unused) }
        self.failsOn = failsOn
        timeout = environment[Self.variables.timeout].flatMap(TimeInterval.init) ?? 60
        recordMode = environment[Self.variables.mode].flatMap(RecordMode.init)
        startsProgram = environment[Self.variables.program] != nil
    }

    /// Loads the URL as an app would that hides its errors from its tests.
    ///
    /// - Throws: the error of the request, where the test is to end with it.
    func load(on session: URLSession) async throws {
        guard let url, ending != .holdsRequest else { return }
        do {
            _ = try await session.data(for: URLRequest(url: url, timeoutInterval: timeout))
        } catch  where ending != .throwsRequestError {}
    }

    /// Does what the ending needs before the request.
    func prepare(_ network: StubbornNetwork) async {
        switch ending {
        case .handlesRequest: network.onUnstubbedRequest = { _ in }
        case .holdsRequest:
            guard let url else { return }
            let held = network.hold(.any, with: .text(""))
            let session = network.session
            Task { _ = try? await session.data(from: url) }
            await held.requested(within: .seconds(60))
        case .succeeds, .fails, .throwsError, .skips, .throwsRequestError, .failsInAnswer, .usesCurrent: break
        }
    }

    /// Runs a program that loads the URL, and reads its report.
    func runProgram(named name: String) throws {
        let stubs = URL(fileURLWithPath: directory)
        let report = stubs.appendingPathComponent("report")
        let environment = try StubEnvironment(named: name, directory: stubs, recordMode: recordMode, report: report)
        let program = try SpawnedProcess(
            executable(named: "process-under-test"),
            ["1", "1", url?.absoluteString ?? ""],
            environment: environment.variables
        )
        program.wait()
        try StubReport(contentsOf: report).expectEverythingStubbed(failsOn: failsOn)
    }
}

final class ChildXCTests: XCTestCase {
    static let line = #line + 5

    func testChild() async throws {
        guard let child = ChildTest.current else { return }
        if child.startsProgram { return try child.runProgram(named: "-[ChildXCTests testChild]") }
        let network = stubbedNetwork(
            in: child.directory,
            recordMode: child.recordMode,
            failsOn: child.failsOn
        )
        if child.ending == .failsInAnswer {
            network.stub(.any) { _ in
                XCTFail("failed in the answer")
                return .text("")
            }
        }
        await child.prepare(network)
        try await child.load(on: network.session)
        switch child.ending {
        case .succeeds, .throwsRequestError, .failsInAnswer, .handlesRequest, .holdsRequest: break
        case .usesCurrent: StubbornNetwork.current.stub(.any, with: .status(200))
        case .fails: XCTFail("failed on purpose")
        case .throwsError: throw ChildTest.OnPurpose()
        case .skips: throw XCTSkip("skipped on purpose")
        }
    }
}

struct ChildTraitTests {
    static let line = #line + 2

    @Test(
        .stubbed(
            in: ChildTest.current?.directory,
            recordMode: ChildTest.current?.recordMode,
            failsOn: ChildTest.current?.failsOn
        )
    )
    func child() async throws {
        guard let child = ChildTest.current else { return }
        if child.startsProgram { return try child.runProgram(named: "ChildTraitTests_child") }
        if child.ending == .failsInAnswer {
            StubbornNetwork.current.stub(.any) { _ in
                Issue.record("failed in the answer")
                return .text("")
            }
        }
        await child.prepare(StubbornNetwork.current)
        try await child.load(on: StubbornNetwork.current.session)
        switch child.ending {
        case .succeeds, .skips, .throwsRequestError, .usesCurrent, .failsInAnswer, .handlesRequest, .holdsRequest: break
        case .fails: Issue.record("failed on purpose")
        case .throwsError: throw ChildTest.OnPurpose()
        }
    }
}
