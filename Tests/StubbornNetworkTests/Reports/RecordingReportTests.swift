import Foundation
import Testing

@testable import StubbornNetwork

/// What a test that recorded says.
struct RecordingReportTests {
    private func stub(_ url: String, _ response: StubResponse) -> Stub {
        Stub(request: .make("GET", url), response: response)
    }

    private let offline = StubResponse(failure: StubFailure(domain: "NSURLErrorDomain", code: -1009))
    private let file = URL(fileURLWithPath: "/project/Stubs/UserTests_list.json")

    @Test func `a recording by code in Xcode says how a build server prevents it`() {
        let report = RecordingReport(
            recorded: [stub("https://a.example/users", .status(204))],
            discarded: [],
            file: file,
            mayHideContinuousIntegration: true
        )
        #expect(
            report.description.hasSuffix(
                """
                xcodebuild does not pass CI on to tests. On a build server, set TEST_RUNNER_CI=1, so that a mode in code \
                does not record.
                """
            )
        )
    }

    @Test(arguments: [
        (["XCTestConfigurationFilePath": "/a"], true), (["XCTestSessionIdentifier": "1"], true), ([:], false),
        (["XCTestConfigurationFilePath": "/a", "CI": "1"], false),
        (["XCTestConfigurationFilePath": "/a", "STUB_RECORD_MODE": "recording"], false),
    ])
    func `CI may be hidden only from tests in Xcode that code makes record`(variables: [String: String], mayHide: Bool)
    {
        #expect(EnvironmentSettings(variables).mayHideContinuousIntegration == mayHide)
    }

    @Test func `every exchange is listed, with its query and its outcome`() {
        let report = RecordingReport(
            recorded: [
                stub("https://a.example/users?page=1", .status(302)),
                stub("https://b.example/users?page=1", .text("hello")),
                stub("https://a.example/users?page=2", offline),
                stub("https://a.example/search?q=a", StubResponse(failure: .cancelledByClient)),
            ],
            discarded: [],
            file: file
        )
        #expect(
            report.description == """
                4 exchanges were recorded into /project/Stubs/UserTests_list.json, 1 of them an error:
                  GET https://a.example/users?page=1: 302
                  GET https://b.example/users?page=1: 200, 5 bytes
                  GET https://a.example/users?page=2: a.example did not answer, NSURLErrorDomain -1009
                  GET https://a.example/search?q=a: cancelled by the client
                An error is played back as it was recorded. If the server should have answered, record again with \
                STUB_RECORD_MODE=recording.
                """
        )
        #expect(!report.isWithoutAnswer)
    }

    @Test func `an error alone is reported`() {
        let report = RecordingReport(recorded: [stub("https://a.example/", offline)], discarded: [], file: nil)
        #expect(
            report.description.hasPrefix("1 exchange was recorded into memory, an error:\n  GET https://a.example/: ")
        )
    }

    @Test func `an error in whose place an earlier response stays is not recorded`() {
        let report = RecordingReport(
            recorded: [stub("https://a.example/users", .text("hello"))],
            discarded: [stub("https://a.example/news", offline)],
            file: file
        )
        #expect(
            report.description == """
                1 exchange was recorded into /project/Stubs/UserTests_list.json:
                  GET https://a.example/users: 200, 5 bytes
                Not recorded, because there was no answer; the file keeps the earlier response:
                  GET https://a.example/news: a.example did not answer, NSURLErrorDomain -1009
                """
        )
        #expect(!report.isWithoutAnswer)
    }

    @Test func `what a filter has left out is counted`() {
        let report = RecordingReport(
            recorded: [stub("https://a.example/users", .text("hello"))],
            discarded: [],
            leftOutCount: 2,
            file: file
        )
        #expect(
            report.description == """
                1 exchange was recorded into /project/Stubs/UserTests_list.json:
                  GET https://a.example/users: 200, 5 bytes
                Left out by recordingFilter or the stub directory's settings: 2 exchanges.
                """
        )
    }

    @Test func `a long list is cut, and counted`() {
        let stubs = (1...60).map { stub("https://a.example/\($0)", .status(200)) }
        let lines = RecordingReport(recorded: stubs, discarded: [], file: file).description.split(separator: "\n")
        #expect(lines.first == "60 exchanges were recorded into /project/Stubs/UserTests_list.json:")
        #expect(lines[50] == "  GET https://a.example/50: 200")
        #expect(lines[51] == "  and 10 more")
    }

    @Test func `servers that did not answer are named, each once`() {
        let report = RecordingReport(
            recorded: [],
            discarded: ["http://127.0.0.1:8765/a", "http://127.0.0.1:8765/b", "https://a.example/", "http://[::1]:1/"]
                .map { stub($0, offline) },
            file: file
        )
        #expect(
            report.description == """
                127.0.0.1:8765, a.example, [::1]:1 did not answer; nothing was recorded.
                Check that the server runs and that this machine is online, and record again.
                """
        )
        #expect(report.isWithoutAnswer)
    }

    @Test func `a run that recorded nothing has an empty report`() {
        #expect(RecordingReport(recorded: [], discarded: [], file: file).description == "")
    }
}
