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

    @Test func `without an old file, errors alone are recorded only by an intentional recording`() {
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
    func `an error does not replace a recorded response, and the run ends with errors`() {
        let run = run(
            base: [entry("/a", .text("a")), entry("/b", .text("b"))],
            entry("/a", .text("new")),
            entry("/b", refused)
        )
        #expect(!run.endsCleanly)
        #expect(run.document?.entries.last?.stub.response.bytes == Data("b".utf8))
    }

    @Test func `a run that only repeats a recorded error ends without errors`() {
        #expect(run(base: [entry("/b", refused)], entry("/a", .text("a")), entry("/b", refused)).endsCleanly)
    }
}
