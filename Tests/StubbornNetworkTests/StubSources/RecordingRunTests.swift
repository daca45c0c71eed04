import Foundation
import Testing

@testable import StubbornNetwork

struct RecordingRunTests {
    private func entry(_ path: String, _ response: StubResponse) -> StubFileEntry {
        let request = StubRequest(url: URL(string: "http://api.test\(path)")!)
        return StubFileEntry(rendering: Stub(request: request, response: response), bodyEncoding: .base64)
    }

    private let refused = StubResponse(failure: StubFailure(domain: NSURLErrorDomain, code: -1004))

    private func paths(
        _ base: [StubFileEntry],
        _ recorded: StubFileEntry...,
        keepsErrorsAlone: Bool = true,
        isEnd: Bool = false
    ) throws -> [String] {
        try MergedRun(
            base: base,
            recorded: recorded,
            replaces: true,
            keepsErrorsAlone: keepsErrorsAlone,
            dropsUnrequested: isEnd
        ).document().entries.map { entry in
            let body = entry.stub.response.bytes.map { String(decoding: $0, as: UTF8.self) }
            return "\(entry.stub.request.url.path) \(body ?? "!")"
        }
    }

    @Test func `a run in which no server answered leaves an old file as it is`() throws {
        #expect(try paths([entry("/a", .text("a"))], entry("/b", refused), isEnd: true) == ["/a a"])
    }

    @Test func `without an old file errors are recorded as what they are, by a run that records on purpose`() throws {
        #expect(try paths([], entry("/b", refused)) == ["/b !"])
        #expect(try paths([], entry("/b", refused), keepsErrorsAlone: false) == [])
    }

    @Test func `errors are recorded beside answers`() throws {
        let found = try paths([], entry("/a", .text("a")), entry("/b", refused), keepsErrorsAlone: false)
        #expect(found == ["/a a", "/b !"])
    }

    @Test func `stubs that were not asked for stay until the run ends without errors`() throws {
        let base = [entry("/a", .text("a")), entry("/b", .text("b"))]
        #expect(try paths(base, entry("/a", .text("new"))) == ["/a new", "/b b"])
        #expect(try paths(base, entry("/a", .text("new")), isEnd: true) == ["/a new"])
    }

    @Test
    func `a request that had a response and got an error keeps the response, and the run does not end without errors`()
        throws
    {
        let base = [entry("/a", .text("a")), entry("/b", .text("b")), entry("/c", .text("c"))]
        let found = try paths(base, entry("/a", .text("new")), entry("/b", refused), isEnd: true)
        #expect(found == ["/a new", "/b b", "/c c"])
    }

    @Test func `an error that was recorded before is no reason to keep unused stubs`() throws {
        let base = [entry("/b", refused), entry("/c", .text("c"))]
        #expect(try paths(base, entry("/a", .text("a")), entry("/b", refused), isEnd: true) == ["/b !", "/a a"])
    }

    /// The bodies of the file after each of several merges of one run.
    private func merged(base: [String] = [], replaces: Bool, _ steps: [(number: Int, body: String)]) throws -> [String]
    {
        var file = try base.map { body in
            let entry = entry("/a", .text(body))
            return try IdentifiedEntry(entry)
        }
        var run = RecordingRun()
        run.base = file.reduce(into: [:]) { $0[$1.identity, default: 0] += 1 }
        for (number, body) in steps {
            let entry = entry("/a", .text(body))
            run.add(.init(entry, requestNumber: number, replaces: replaces, keepsErrorsAlone: true))
            run.merge(into: &file)
        }
        return file.map { String(decoding: $0.entry.stub.response.bytes ?? Data(), as: UTF8.self) }
    }

    @Test func `recordings are in the order in which their requests started, whenever they were folded`() throws {
        #expect(try merged(replaces: false, [(2, "2"), (0, "0"), (1, "1")]) == ["0", "1", "2"])
        #expect(try merged(base: ["x"], replaces: false, [(2, "2"), (0, "0")]) == ["x", "0", "2"])
        #expect(try merged(base: ["x", "y"], replaces: true, [(2, "2"), (0, "0"), (1, "1")]) == ["0", "1", "2"])
        #expect(try merged(base: ["x", "y"], replaces: true, [(1, "1"), (0, "0")]) == ["0", "1"])
    }

    @Test func `each of several equal recordings is kept`() throws {
        #expect(try merged(base: ["x", "x"], replaces: false, [(0, "x"), (1, "x")]) == ["x", "x", "x", "x"])
        #expect(try merged(base: ["x", "x"], replaces: true, [(0, "x"), (1, "x"), (2, "x")]) == ["x", "x", "x"])
    }

    @Test func `what was folded is not added again when somebody has removed or changed it`() throws {
        var file: [IdentifiedEntry] = []
        var run = RecordingRun()
        for number in 0..<3 {
            let entry = entry("/\(number)", .text("a"))
            run.add(.init(entry, requestNumber: number, replaces: false, keepsErrorsAlone: true))
        }
        run.merge(into: &file)
        file.remove(at: 1)
        run.add(.init(entry("/3", .text("a")), requestNumber: 3, replaces: false, keepsErrorsAlone: true))
        run.merge(into: &file)
        #expect(file.map(\.entry.stub.request.url.path) == ["/0", "/2", "/3"])
    }
}
