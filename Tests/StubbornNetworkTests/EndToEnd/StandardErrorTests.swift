import Foundation
import Testing

/// What a process without a handler says about unstubbed requests.
@Suite(.timeLimit(.minutes(2)))
struct StandardErrorTests {
    private let directory = TemporaryDirectory()

    private func errors(_ address: String, _ environment: [String: String] = [:]) throws -> String {
        let url = try #require(URL(string: address))
        let variables = ["STUB_NAME": "-[AppTests testStart]"].merging(environment) { $1 }
        let child = try ChildProcess(5, atATime: 1, of: url, environment: variables, directory: directory)
        #expect(child.answered() == [])
        return try child.wait().errors
    }

    @Test func `a request that fails repeatedly is reported once`() throws {
        #expect(
            try errors("https://api.test/start#") == """
                StubbornNetwork: No stub answers GET https://api.test/start#1 (playback, \
                \(directory.path)/AppTests_testStart.json): there is no such file. The network was not touched.
                To record it:  STUB_RECORD_MODE=recording-missing STUB_NAME='-[AppTests testStart]' \
                STUB_PATH=\(directory.path) swift test --filter AppTests.testStart
                To declare it:  network.stub(.get("https://api.test/start"), with: .status(200))

                """
        )
    }

    @Test func `each different request is reported`() throws {
        let errors = try errors("https://api.test/start?n=")
        #expect(errors.components(separatedBy: "No stub answers ").count == 6)
    }

    @Test func `each different body that is sent to one URL is reported`() throws {
        let errors = try errors("https://api.test/graphql", ["POSTS": "1"])
        #expect(errors.components(separatedBy: "No stub answers POST https://api.test/graphql ").count == 6)
    }
}
