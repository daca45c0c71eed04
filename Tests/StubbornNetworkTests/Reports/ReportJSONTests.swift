import Foundation
import Testing

@testable import StubbornNetwork

struct ReportJSONTests {
    @Test func `a report is one JSON object`() throws {
        let scene = try ReportScene(.get("https://api.test/users?page=1"), .get("https://api.test/posts"), asked: 1) {
            $0.playbackOrder = .stateful
        }
        let report = try scene.full(on: .get("https://api.test/users?page=2"))
        let directory = (try #require(report.file) as NSString).deletingLastPathComponent
        #expect(
            report.jsonString.replacingOccurrences(of: directory, with: "Stubs") == #"""
                {
                  "cause" : "no stub matches",
                  "file" : "Stubs/users.json",
                  "fixes" : [
                    {
                      "code" : "STUB_RECORD_MODE=recording-missing swift test",
                      "purpose" : "To record it"
                    },
                    {
                      "code" : "network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: [\"page\"]), .requestBody]",
                      "purpose" : "To ignore it"
                    },
                    {
                      "code" : "network.stub(.get(\"https://api.test/users?page=2\"), with: .status(200))",
                      "purpose" : "To declare it"
                    }
                  ],
                  "nearest" : {
                    "differences" : [
                      "url.query.page: recorded \"1\", requested \"2\""
                    ],
                    "location" : "Stubs/users.json:2",
                    "stub" : "stub 1, GET https://api.test/users?page=1"
                  },
                  "request" : "GET https://api.test/users?page=2",
                  "text" : "No stub answers GET https://api.test/users?page=2 (playback, Stubs/users.json, 2 stubs, \#
                1 for this path, 1 used). The network was not touched.\nMatched by [.httpMethod, .url, .requestBody] \#
                (default), order .stateful (set in code), mode playback (default).\nClosest is stub 1, \#
                GET https://api.test/users?page=1:\n  at Stubs/users.json:2\n  url.query.page: recorded \"1\", requested \#
                \"2\"\nTo record it:  STUB_RECORD_MODE=recording-missing swift test\nTo ignore it:  \#
                network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: [\"page\"]), .requestBody]\nTo \#
                declare it:  network.stub(.get(\"https://api.test/users?page=2\"), with: .status(200))"
                }
                """#
        )
        #expect(try JSONDecoder().decode(UnstubbedRequestReport.self, from: Data(report.jsonString.utf8)) == report)
    }

    @Test func `the error of an ambiguous interception has a report`() throws {
        let error = StubbornNetworkError.ambiguousInterception(
            URL(string: "https://a.test/x?token=s"),
            inForce: ["one", "two"]
        )
        let report = try #require(error.report)
        #expect(report.cause == .ambiguous)
        #expect(error.message == report.description)
        #expect(report.description.contains("\n  one\n  two\nThe real server was not called."))
        #expect(!report.jsonString.contains("token=s"))
    }
}
