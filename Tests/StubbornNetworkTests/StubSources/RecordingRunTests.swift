import Foundation
import Testing

@testable import StubbornNetwork

struct RecordingRunTests {
    private func entry(_ path: String, _ response: StubResponse) -> StubFileEntry {
        let request = StubRequest(url: URL(string: "http://api.test\(path)")!)
        return StubFileEntry(rendering: Stub(request: request, response: response), bodyEncoding: .base64)
    }

    private let refused = StubResponse(failure: StubFailure(domain: NSURLErrorDomain, code: -1004))

    private func run(
        base: [StubFileEntry],
        _ recorded: StubFileEntry...,
        keepsErrorsAlone: Bool = true
    ) -> RecordingRun {
        var run = RecordingRun()
        run.base = StubFileDocument(entries: base)
        for (place, entry) in recorded.enumerated() {
            run.add(
                StoredRecording(
                    entry: entry,
                    requestNumber: place,
                    replaces: true,
                    keepsErrorsAlone: keepsErrorsAlone
                )
            )
        }
        return run
    }

    private func paths(_ document: StubFileDocument?) -> [String]? {
        document?.entries.map(\.stub.request.url.path)
    }

    @Test func `a run in which no server answered leaves an old file as it is`() {
        let run = run(base: [entry("/a", .text("a"))], entry("/b", refused))
        #expect(run.document == nil)
        #expect(!run.endsCleanly)
    }

    @Test func `without an old file errors are recorded as what they are, by a run that records on purpose`() {
        #expect(paths(run(base: [], entry("/b", refused)).document) == ["/b"])
        #expect(run(base: [], entry("/b", refused), keepsErrorsAlone: false).document == nil)
    }

    @Test func `errors are recorded beside answers`() {
        let run = run(base: [], entry("/a", .text("a")), entry("/b", refused), keepsErrorsAlone: false)
        #expect(paths(run.document) == ["/a", "/b"])
    }

    @Test func `stubs that were not asked for stay until the run ends without errors`() {
        var run = run(base: [entry("/a", .text("a")), entry("/b", .text("b"))], entry("/a", .text("new")))
        #expect(paths(run.document) == ["/a", "/b"])
        #expect(run.endsCleanly)
        run.dropsUnrequested = true
        #expect(paths(run.document) == ["/a"])
    }

    @Test
    func `a request that had a response and got an error keeps the response, and the run does not end without errors`()
    {
        let run = run(
            base: [entry("/a", .text("a")), entry("/b", .text("b"))],
            entry("/a", .text("new")),
            entry("/b", refused)
        )
        #expect(!run.endsCleanly)
        #expect(run.document?.entries.last?.stub.response.bytes == Data("b".utf8))
    }

    @Test func `an error that was an error before does not count`() {
        #expect(run(base: [entry("/b", refused)], entry("/a", .text("a")), entry("/b", refused)).endsCleanly)
    }
}
