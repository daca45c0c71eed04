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
                      "code" : "network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: [\"page\"]), .requestBody]",
                      "purpose" : "To ignore it"
                    },
                    {
                      "code" : "STUB_RECORD_MODE=recording-missing swift test",
                      "purpose" : "To record it"
                    },
                    {
                      "code" : "network.stub(.get(\"https://api.test/users?page=2\"), with: .status(200))",
                      "purpose" : "To declare it"
                    }
                  ],
                  "interceptions" : [

                  ],
                  "nearest" : {
                    "differences" : [
                      "url.query.page: recorded \"1\", requested \"2\""
                    ],
                    "location" : "Stubs/users.json:2",
                    "stub" : "stub 1, GET https://api.test/users?page=1",
                    "unused" : false
                  },
                  "request" : "GET https://api.test/users?page=2",
                  "settings" : {
                    "bodyEncoding" : {
                      "origin" : "default",
                      "value" : "base64"
                    },
                    "matchers" : {
                      "origin" : "default",
                      "value" : "[.httpMethod, .url, .requestBody]"
                    },
                    "mode" : {
                      "origin" : "default",
                      "value" : "playback"
                    },
                    "order" : {
                      "origin" : "set in code",
                      "value" : "stateful"
                    },
                    "redactionOrigin" : "default"
                  },
                  "stubs" : 2,
                  "stubsForThisPath" : 1,
                  "usedStubsForThisPath" : 1,
                  "usedUp" : [

                  ]
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
        #expect(report.description.contains("\n  one\n  two\nThe real server was not asked."))
        #expect(report.jsonString.contains("\"interceptions\" : [\n    \"one\",\n    \"two\"\n  ]"))
        #expect(!report.jsonString.contains("token=s"))
    }
}
