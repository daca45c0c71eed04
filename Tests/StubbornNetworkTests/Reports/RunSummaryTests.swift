import Foundation
import Testing

@testable import StubbornNetwork

struct RunSummaryTests {
    @Test(
        arguments: [
            ([], 0, "No requests."), ([], 2, "No requests. 2 stubs unused."),
            ([.stubbed], 1, "1 request: 1 stubbed. 1 stub unused."),
            (
                [.stubbed, .stubbed, .recorded, .passedThrough, .unstubbed, .failed, nil], 0,
                "7 requests: 2 stubbed, 1 recorded, 1 passed through, 1 unstubbed, 1 failed, 1 running."
            ),
        ] as [([Exchange.Outcome?], Int, String)]
    )
    func `a summary is one line`(outcomes: [Exchange.Outcome?], unused: Int, text: String) {
        #expect(RunSummary(outcomes, unused: unused).description == text)
    }

    @Test func `the sum of two summaries has the sums of all numbers`() {
        let one = RunSummary([.stubbed, .recorded, .passedThrough, .unstubbed, .failed, nil], unused: 1)
        #expect(
            (one + one).description == """
                12 requests: 2 stubbed, 2 recorded, 2 passed through, 2 unstubbed, 2 failed, 2 running. 2 stubs unused.
                """
        )
    }

    @Test func `unused stubs are listed, recorded before declared ones`() throws {
        let scene = try ReportScene(
            .get("https://a.test/users?page=1"),
            .get("https://a.test/used"),
            .get("https://far.test/away")
        ) { network in
            network.stub(.post("/login") && .header("X-A"), with: .status(200), file: "A.swift", line: 1)
            network.stub(.host("far.test"), with: .status(200), file: "A.swift", line: 2)
        }
        let network = scene.network
        for request in [
            StubRequest.get("https://a.test/used"), .get("https://a.test/other"), .get("https://a.test/users?page=2"),
            .get("https://a.test/users?page=2"), .make("POST", "https://a.test/login?token=s3cr3t-abcdef"),
        ] { _ = try? network.response(to: request.urlRequest) }
        let summary = network.summary
        #expect(summary.description == "5 requests: 1 stubbed, 4 unstubbed. 4 stubs unused.")
        #expect((summary.stubbed, summary.unstubbed, summary.unused) == (1, 4, 4))
        let file = network.stubFile?.path ?? ""
        #expect(
            network.unusedStubReports.map { $0.description.replacingOccurrences(of: file, with: "A.json") }
                .joined(separator: "\n") == """
                    No request used stub 1, GET https://a.test/users?page=1 (A.json:2).
                    To remove it:  STUB_RECORD_MODE=recording swift test
                    No request used stub 3, GET https://far.test/away (A.json:10).
                    To remove it:  STUB_RECORD_MODE=recording swift test
                    No request used declared stub POST /login and header X-A (A.swift:1).
                    To remove it:  delete it at A.swift:1
                    No request used declared stub host far.test (A.swift:2).
                    To remove it:  delete it at A.swift:2
                    """
        )
    }

    @Test func `the stubs of a network that was never asked are unused once they are read`() throws {
        let scene = try ReportScene(.get("https://a.test/a"), .get("https://a.test/b"))
        #expect(scene.network.unusedStubs.isEmpty)
        try scene.network.loadStubs()
        #expect(scene.network.unusedStubs.map(\.request.url.path) == ["/a", "/b"])
        #expect(scene.network.summary.description == "No requests. 2 stubs unused.")
    }

    @Test func `stubs that a run has recorded are not unused`() {
        var stubs = RecordedStubs()
        stubs.append(Stub(request: .get("https://a.test/old"), response: .status(200)))
        stubs.insert(Stub(request: .get("https://a.test/new"), response: .status(200)), requestNumber: 0)
        #expect(stubs.unused.map(\.request.url.path) == ["/old"])
    }
}
