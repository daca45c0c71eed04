import Foundation
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
    }

    struct OnPurpose: Error {}

    static let variables = (
        url: "CHILD_TEST_URL", directory: "CHILD_TEST_STUBS", ending: "CHILD_TEST_ENDING", passes: "CHILD_TEST_PASSES",
        checksUnused: "CHILD_TEST_UNUSED", timeout: "CHILD_TEST_TIMEOUT"
    )

    /// The test that this process was started for; `nil` in an ordinary run.
    static let current = ChildTest(ProcessInfo.processInfo.environment)

    /// The URL that the test asks for; `nil` where it asks for nothing.
    let url: URL?
    let directory: String
    let ending: Ending
    let recordingPasses: Bool
    let failsOnUnusedStubs: Bool
    /// The timeout of its requests, in seconds.
    let timeout: TimeInterval

    private init?(_ environment: [String: String]) {
        guard let directory = environment[Self.variables.directory] else { return nil }
        self.directory = directory
        url = environment[Self.variables.url].flatMap(URL.init(string:))
        ending = environment[Self.variables.ending].flatMap(Ending.init) ?? .succeeds
        recordingPasses = environment[Self.variables.passes] != nil
        failsOnUnusedStubs = environment[Self.variables.checksUnused] != nil
        timeout = environment[Self.variables.timeout].flatMap(TimeInterval.init) ?? 60
    }

    /// Loads the URL as an app would that hides its errors from its tests.
    func load(on session: URLSession) async {
        guard let url else { return }
        _ = try? await session.data(for: URLRequest(url: url, timeoutInterval: timeout))
    }
}

final class ChildXCTests: XCTestCase {
    static let line = #line + 4

    func testChild() async throws {
        guard let child = ChildTest.current else { return }
        let network = stubbedNetwork(in: child.directory, recordingPasses: child.recordingPasses)
        await child.load(on: network.session)
        switch child.ending {
        case .succeeds: break
        case .fails: XCTFail("failed on purpose")
        case .throwsError: throw ChildTest.OnPurpose()
        }
    }
}

struct ChildTraitTests {
    static let line = #line + 2

    @Test(
        .stubbed(
            in: ChildTest.current?.directory,
            failsOnUnusedStubs: ChildTest.current?.failsOnUnusedStubs == true,
            recordingPasses: ChildTest.current?.recordingPasses == true
        )
    )
    func child() async throws {
        guard let child = ChildTest.current else { return }
        await child.load(on: StubbornNetwork.current.session)
        switch child.ending {
        case .succeeds: break
        case .fails: Issue.record("failed on purpose")
        case .throwsError: throw ChildTest.OnPurpose()
        }
    }
}
