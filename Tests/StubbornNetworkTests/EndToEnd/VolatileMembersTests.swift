import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Members of JSON responses that differ each time.
@Suite(.timeLimit(.minutes(5)))
struct VolatileMembersTests {
    private let directory = TemporaryDirectory()
    private let body = Lock("")
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { [body] _ in .json(body.withLock { $0 }) }
    }

    private func record(_ json: String, _ paths: [String] = ["/"], keys: [String]? = ["at", "items.at"]) async throws {
        body.withLock { $0 = json }
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = .recording
        network.bodyEncoding = .readable
        if let keys { network.volatileJSONKeyPaths = keys }
        for path in paths { _ = try await network.session.data(from: server.url(path)) }
        try network.finishRecording()
    }

    private var recorded: String {
        get throws {
            let stub = try #require(try StubFile(contentsOf: directory.file("a.json")).stubs.first)
            return String(decoding: stub.response.bytes ?? Data(), as: UTF8.self)
        }
    }

    @Test func `a response that differs only in volatile members keeps its bytes`() async throws {
        try await record(#"{"at":1,"items":[{"at":"10:00","id":1},{"at":"10:01","id":2}],"name":"Ada"}"#)
        let file = try directory.text(of: "a.json")
        try await record(#"{"at":2,"items":[{"at":"11:00","id":1},{"at":"11:01","id":2}],"name":"Ada"}"#)
        #expect(try directory.text(of: "a.json") == file)
        try await record(#"{"at":[3],"items":[{"at":"11:00","id":1},{"at":"11:01","id":2}],"name":"Ada"}"#)
        #expect(try directory.text(of: "a.json") == file)
    }

    @Test(arguments: [
        #"{"at":2,"items":[{"at":"11:00","id":1},{"at":"11:01","id":2}],"name":"Eve"}"#,
        #"{"at":2,"items":[{"at":"11:00","id":1}]}"#, #"{"at":2,"items":[{"id":1}],"name":"Ada"}"#,
        #"{"items":[{"at":"10:00","id":1}],"name":"Ada"}"#,
    ])
    func `a response that differs in something else is recorded as it is`(new: String) async throws {
        try await record(#"{"at":1,"items":[{"at":"10:00","id":1}],"name":"Ada"}"#)
        try await record(new)
        #expect(try recorded == new)
        try await record(#"{"at":1,"items":[{"at":"10:00","id":1}],"name":"Ada"}"#)
        #expect(try recorded == #"{"at":1,"items":[{"at":"10:00","id":1}],"name":"Ada"}"#)
    }

    @Test func `a value that a later request carries stays in both stubs`() async throws {
        try await record(#"{"at":"cursor-one","name":"Ada"}"#, ["/", "/?from=cursor-one"])
        try await record(#"{"at":"cursor-two","name":"Ada"}"#, ["/", "/?from=cursor-two"])
        #expect(try recorded == #"{"at":"cursor-one","name":"Ada"}"#)
        try await record(#"{"at":"cursor-six","name":"Eve"}"#, ["/", "/?from=cursor-six"])
        let urls = try StubFile(contentsOf: directory.file("a.json")).stubs.map { $0.request.url.query }
        #expect(try recorded == #"{"at":"cursor-six","name":"Eve"}"#)
        #expect(urls == [nil, "from=cursor-six"])
    }

    @Test(arguments: [
        (
            "application/x-ndjson", "{\"at\":1,\"n\":1}\n{\"at\":2,\"n\":2}\n",
            "{\"at\":8,\"n\":1}\n{\"at\":9,\"n\":2}\n"
        ),
        (
            "text/event-stream", "event: a\ndata: {\"n\":1,\ndata: \"at\":1}\n\ndata: [DONE]\n\ndata: {\"at\":2}\n\n",
            "event: a\ndata: {\"n\":1,\ndata: \"at\":8}\n\ndata: [DONE]\n\ndata: {\"at\":9}\n\n"
        ),
    ])
    func `volatile members are found in each part of a stream`(type: String, old: String, new: String) throws {
        func kept(_ new: String) throws -> Bool {
            let stubs = try [old, new].map {
                try Stub.get("http://a/b", .status(200, ["Content-Type": type], body: $0))
            }
            let entries = stubs.map { StubFileEntry(rendering: $0, bodyEncoding: .readable) }
            let rules = MergeRules(volatileJSONKeyPaths: ["at"])
            let run = MergedRun(base: [entries[0]], recorded: [entries[1]], replaces: true, rules: rules)
            return try run.document().entries == [entries[0]]
        }
        #expect(try kept(new))
        #expect(try !kept(new.replacingOccurrences(of: "n\":1", with: "n\":3")))
        #expect(
            try !kept(
                new.replacingOccurrences(of: "n\":1,", with: "n\":1, ").replacingOccurrences(
                    of: "\"at\":9",
                    with: "\"on\":9"
                )
            )
        )
    }

    @Test func `members that are named after the first exchange of a run are volatile in all of it`() async throws {
        try await record(#"{"at":1}"#, ["/", "/more"])
        body.withLock { $0 = #"{"at":2}"# }
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = .recording
        network.bodyEncoding = .readable
        _ = try await network.session.data(from: server.url("/"))
        network.volatileJSONKeyPaths = ["at"]
        _ = try await network.session.data(from: server.url("/more"))
        try network.finishRecording()
        #expect(try recorded == #"{"at":1}"#)
    }

    @Test func `without the setting the members are recorded again`() async throws {
        try await record(#"{"at":1}"#, keys: nil)
        try await record(#"{"at":2}"#, keys: nil)
        #expect(try recorded == #"{"at":2}"#)
    }

    @Test func `the stub directory names volatile members too, and what code names is added to them`() async throws {
        try directory.write(#"{ "volatileJSONKeys" : [ "at" ] }"#, to: ".stubborn.json")
        try await record(#"{"at":1,"b":1}"#, keys: nil)
        try await record(#"{"at":2,"b":1}"#, keys: nil)
        #expect(try recorded == #"{"at":1,"b":1}"#)
        try await record(#"{"at":2,"b":2}"#, keys: ["b"])
        #expect(try recorded == #"{"at":1,"b":1}"#)
    }

    @Test func `a volatile member of a response is no difference when it is verified`() async throws {
        try await record(#"{"at":1,"b":1}"#)
        body.withLock { $0 = #"{"at":2,"b":1}"# }
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = .verifying
        network.volatileJSONKeyPaths = ["at"]
        _ = try await network.session.data(from: server.url("/"))
        #expect(await network.verificationReport().stubs.map(\.severity) == [.volatile])
        try directory.write(#"{ "volatileJSONKeys" : [ "at" ] }"#, to: ".stubborn.json")
        let rules = try StubDirectoryRules(for: directory.url)
        let stubs = [1, 2].map { Stub(request: .get("http://a/"), response: .json(["at": $0])) }
        let differences = rules.comparison([stubs[0]], [stubs[1]]).differences(0, 0)
        #expect(differences.map(\.severity) == [.volatile])
    }
}
