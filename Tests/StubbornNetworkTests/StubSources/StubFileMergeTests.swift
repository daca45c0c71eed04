import Foundation
import Testing

@testable import StubbornNetwork

struct StubFileMergeTests {
    private static func entry(_ stub: Stub) -> StubFileEntry {
        StubFileEntry(rendering: stub, bodyEncoding: .base64)
    }

    private static func entry(_ path: String, _ response: StubResponse) throws -> StubFileEntry {
        entry(try .get("http://a/\(path)", response))
    }

    struct Case: Sendable {
        var base = "", recorded = "", foreign = ""
        var replaces = true, drops = false
        var result: String
    }

    @Test(arguments: [
        // A run that adds comes after what was there.
        Case(base: "a:200 b:200", recorded: "c:200 a:404", replaces: false, result: "a:200 b:200 c:200 a:404"),
        Case(recorded: "a:200 b:200", result: "a:200 b:200"),
        Case(base: "a:200 b:200", result: "a:200 b:200"),
        Case(base: "a:200 b:200", drops: true, result: "a:200 b:200"),
        // A new stub stands after the one that the run asked for before it, and the first one in front.
        Case(base: "a:200 b:200 c:200", recorded: "c:201 n:200 a:201", result: "a:201 b:200 c:201 n:200"),
        Case(base: "a:200 b:200 c:200", recorded: "a:201 n:200 c:201", result: "a:201 n:200 b:200 c:201"),
        Case(base: "a:200 b:200", recorded: "n:200 b:201", result: "n:200 a:200 b:201"),
        Case(base: "a:200 b:200 c:200", recorded: "c:201 n:200 a:201", drops: true, result: "a:201 c:201 n:200"),
        // The run that began later wins, request by request, and nothing is dropped where two runs overlap.
        Case(base: "a:200 b:200", recorded: "b:201", foreign: "b:202 d:200", drops: true, result: "a:200 b:201 d:200"),
        Case(recorded: "b:201 b:202", foreign: "b:301 c:301 b:302", result: "b:201 c:301 b:202"),
        Case(recorded: "b:201", foreign: "b:301", replaces: false, result: "b:301 b:201"),
        // One place for each recorded stub, the first place first.
        Case(base: "a:1 b:200 a:2", recorded: "a:11 a:12 a:13", drops: true, result: "a:11 a:12 a:13"),
        Case(base: "a:1 b:200 a:2", recorded: "a:11", result: "a:11 b:200 a:2"),
        Case(base: "a:1 b:200 a:2", recorded: "a:11 b:200 a:12", result: "a:11 b:200 a:12"),
        // Each of several equal recordings is kept.
        Case(base: "a:1 a:1", recorded: "a:1 a:1", replaces: false, result: "a:1 a:1 a:1 a:1"),
        Case(base: "a:1 a:1", recorded: "a:1 a:1 a:1", result: "a:1 a:1 a:1"),
        // An error takes no place from a response, and the run does not know what is no longer asked for.
        Case(base: "a:200 b:200 c:200", recorded: "a:! c:201", drops: true, result: "a:200 b:200 c:201"),
        Case(base: "a:! b:200 c:200", recorded: "a:! c:201", drops: true, result: "a:! c:201"),
        Case(base: "a:!", recorded: "a:200", result: "a:200"),
        // Where each later answer has a position, an error leaves its own to the old answer.
        Case(base: "a:1 a:2 a:3", recorded: "a:11 a:! a:13", result: "a:11 a:2 a:13"),
        Case(base: "a:1 a:2", recorded: "a:! a:12", result: "a:1 a:12"),
        // The retry of a request that failed takes the place that the error did not take.
        Case(base: "a:200 b:200", recorded: "a:! a:201 b:200", drops: true, result: "a:201 b:200"),
        Case(base: "a:200", recorded: "a:! a:! a:201", result: "a:201"),
        Case(base: "a:1 a:2", recorded: "a:! a:11 a:12", result: "a:11 a:12"),
        Case(base: "a:200", recorded: "n:! a:200", result: "n:! a:200"),
        // A server that is down for a moment changes nothing; without a file, what a person records on purpose counts.
        Case(base: "a:200", recorded: "b:!", drops: true, result: "a:200"),
        Case(recorded: "b:!", result: "b:!"),
        Case(recorded: "b:!", replaces: false, result: ""),
        Case(recorded: "a:200 b:!", replaces: false, result: "a:200 b:!"),
        // A cancelled request takes the place of a response: that is what the client did.
        Case(base: "a:200 b:200", recorded: "a:x", result: "a:x b:200"),
        Case(base: "a:x", recorded: "a:200", result: "a:200"),
        Case(base: "a:x b:200", recorded: "a:! b:200", result: "a:! b:200"),
    ])
    func `merged stubs are in order`(run: Case) throws {
        let merge = MergedRun(
            base: try StubShorthand.entries(run.base),
            foreign: try StubShorthand.entries(run.foreign),
            recorded: try StubShorthand.entries(run.recorded),
            replaces: run.replaces,
            endsWell: run.drops
        )
        #expect(StubShorthand.text(try merge.document().entries) == run.result)
    }

    /// A stub with all parts, to change one of.
    private static func stub(_ change: (inout Stub) -> Void = { _ in }) throws -> Stub {
        var stub = Stub(
            request: StubRequest(
                method: "POST",
                url: try URL.parsed("http://a/b"),
                headers: ["Accept": "*/*", "X-Request-Id": "1"],
                body: Data(#"{"a":1,"b":2}"#.utf8)
            ),
            response: .status(
                200,
                ["Content-Type": "application/json", "Date": "Mon", "Content-Length": "13"],
                body: #"{"c":[1,2.0]}"#
            )
        )
        change(&stub)
        return stub
    }

    private func keepsBytes(_ new: Stub, of old: Stub? = nil) throws -> Bool {
        let old = Self.entry(try old ?? Self.stub())
        let document = try MergedRun(base: [old], recorded: [Self.entry(new)], replaces: true).document()
        #expect(document.entries.count == 1)
        return document.entries.first == old
    }

    @Test(
        arguments: [
            { _ in },
            { $0.response.head?.headerFields["date"] = "Tue" },
            { $0.request.headerFields["x-request-id"] = "2" },
            { $0.response.head?.url = $0.request.url },
            { $0.response.bytes = Data(" {\"c\":[1.0,2]}".utf8) },
            {
                $0.response.bytes = Data("{\"c\": [1,2]}".utf8)
                $0.response.head?.headerFields["content-length"] = "12"
            },
            { $0.request.body = Data(#"{"b":2,"a":1}"#.utf8) },
            { $0.response.head?.headerFields["Content-Length"] = "7" },
            // Times are never the same.
            { $0.response.pace = Pace(secondsToFirstByte: 1) },
        ] as [@Sendable (inout Stub) -> Void]
    )
    func `a stub keeps its bytes after these changes`(change: @Sendable (inout Stub) -> Void) throws {
        #expect(try keepsBytes(Self.stub(change)))
    }

    @Test(
        arguments: [
            { $0.response.head?.statusCode = 201 },
            { $0.request.headerFields["Accept"] = "text/plain" },
            { $0.response.head?.url = URL(string: "http://a/c") },
            { $0.response.bytes = Data(#"{"c":[2.0,1]}"#.utf8) },
            { $0.response.bytes = nil },
            // The presence of a field is never volatile.
            { $0.response.head?.headerFields["Date"] = nil },
            { $0.response.head?.headerFields.append(name: "Date", value: "Mon") },
            { $0.response.head?.headerFields["CF-Ray"] = "7" },
            { $0.response.head?.headerFields["Expires"] = "0" },
            { $0.request.headerFields["X-Request-Id"] = nil },
            { $0.request.headerFields["Idempotency-Key"] = "9f8a7b6c5d4e3f2a" },
        ] as [@Sendable (inout Stub) -> Void]
    )
    func `a stub is written again after these changes`(change: @Sendable (inout Stub) -> Void) throws {
        #expect(try !keepsBytes(Self.stub(change)))
    }

    @Test func `recorded times stay when times are no longer recorded`() throws {
        #expect(try keepsBytes(Self.stub(), of: Self.stub { $0.response.pace = Pace(secondsToFirstByte: 1) }))
    }

    @Test func `a response that broke off is replaced by a whole one, and a whole one not by one that broke off`()
        throws
    {
        let broken = try Self.stub { $0.response.failure = StubFailure(domain: "D", code: 1) }
        #expect(try keepsBytes(broken))
        #expect(try !keepsBytes(Self.stub(), of: broken))
        #expect(try keepsBytes(broken, of: broken))
    }

    @Test func `edits by hand stay until the stub changes`() throws {
        let edited =
            #"{ "comment": "by hand", "request":{"url":"http://a/a","method":"GET"}, "response":{"statusCode":200}}"#
        let base = try StubFileDocument("[\(edited)]").entries
        let same = MergedRun(
            base: base,
            recorded: try StubShorthand.entries("a:200"),
            replaces: true,
            endsWell: true
        )
        #expect(try same.document().text == "[\n  \(edited)\n]\n")
        let changed = MergedRun(base: base, recorded: try StubShorthand.entries("a:201"), replaces: true)
        #expect(try !changed.document().text.contains("by hand"))
    }

    @Test func `more header fields can be called volatile`() throws {
        let other = Self.entry(try Self.stub { $0.response.head?.headerFields["X-Build"] = "7" })
        let base = Self.entry(try Self.stub { $0.response.head?.headerFields["X-Build"] = "6" })
        var merge = MergedRun(base: [base], recorded: [other], replaces: true)
        #expect(try merge.document().entries.first == other)
        merge.rules.volatileHeaderFields = .standard.including("x-build")
        #expect(try merge.document().entries.first == merge.base.first)
    }

    @Test func `recordings that differ only in placeholder numbers count as equal`() throws {
        func stub(_ number: Int) throws -> Stub {
            var stub = try Stub.get(
                "http://a/b?token=REDACTED-token-\(number)",
                .status(
                    200,
                    ["X-Auth-Token": "REDACTED-token-\(number + 3)"],
                    body: #"{"token":"REDACTED-token-\#(number)"}"#
                )
            )
            stub.request.headerFields["Authorization"] = "Bearer REDACTED-token-\(number)"
            return stub
        }
        var merge = MergedRun(
            base: [Self.entry(try stub(1))],
            recorded: [Self.entry(try stub(7))],
            replaces: true,
            endsWell: true
        )
        #expect(try merge.document().entries == merge.base)
        merge.recorded[0] = Self.entry(try .get("http://a/b?token=REDACTED-token-1", .status(201)))
        #expect(try merge.document().entries == merge.recorded)
    }

    @Test func `recording the same again changes nothing, whatever the order`() throws {
        var generator = Generator(seed: 7)
        let entries = try (0..<200).map { try Self.entry("\($0)", .status(200)) }
        let document = try MergedRun(
            base: entries,
            recorded: entries.shuffled(using: &generator),
            replaces: true,
            endsWell: true
        ).document()
        #expect(document.data == StubFileDocument(entries: entries).data)
    }

    @Test(.timeLimit(.minutes(5))) func `five thousand equal stubs are merged with their recordings`() throws {
        let entry = try Self.entry("same", .status(200))
        let entries = Array(repeating: entry, count: 5_000)
        let document = try MergedRun(base: entries, recorded: entries, replaces: true).document()
        #expect(document.entries.count == 5_000)
    }
}
