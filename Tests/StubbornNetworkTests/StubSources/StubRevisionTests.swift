import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

struct StubRevisionTests {
    private static func entry(_ stub: Stub) -> StubFileEntry {
        StubFileEntry(rendering: stub, bodyEncoding: .base64)
    }

    private static func stub(_ path: String = "b", _ change: (inout Stub) -> Void = { _ in }) throws -> Stub {
        var stub = Stub(
            request: StubRequest(
                method: "POST",
                url: try URL.parsed("http://a/\(path)"),
                headerFields: ["Accept": "*/*", "X-Request-Id": "old-id", "X-Sent": "8:00"],
                body: Data(#"{"a":1,"sentAt":"8:00"}"#.utf8)
            ),
            response: .status(200, ["Date": "Monday", "ETag": "\"old-tag\"", "X-Kind": "one"], body: #"{"c":[1,2]}"#)
        )
        change(&stub)
        return stub
    }

    /// The stubs that a file of old ones has when new ones are recorded.
    private func recordedAgain(_ old: [Stub], _ new: [Stub], _ rules: MergeRules = MergeRules()) throws -> [Stub] {
        let merge = MergedRun(
            base: old.map(Self.entry),
            recorded: new.map(Self.entry),
            replaces: true,
            rules: rules
        )
        return try merge.document().entries.map(\.stub)
    }

    @Test func `a changed stub keeps the values that change each time`() throws {
        let old = try Self.stub()
        let new = try Self.stub {
            $0.request.headerFields["X-Request-Id"] = "new-id"
            $0.response.head?.headerFields = [
                "Date": "Tuesday", "ETag": "\"new-tag\"", "X-Kind": "two", "CF-Ray": "77",
            ]
        }
        let result = try recordedAgain([old], [new])
        let expected = try Self.stub { $0.response.head?.headerFields["X-Kind"] = "two" }
        #expect(result == [expected])
    }

    @Test func `a changed stub keeps the order of the keys in its request's body`() throws {
        let new = try Self.stub {
            $0.request.body = Data(#"{"sentAt":"8:00","a":1}"#.utf8)
            $0.response.head?.statusCode = 201
        }
        let result = try #require(try recordedAgain([try Self.stub()], [new]).first)
        #expect(try result.request.body == Self.stub().request.body)
        #expect(result.response.head?.statusCode == 201)
    }

    @Test func `a call of JSON-RPC keeps its old id where the matchers ignore the whole body, as its response does`()
        throws
    {
        func call(_ id: String, _ method: String = "add", result: Int = 3) throws -> Stub {
            try Self.stub {
                $0.request.body = Data(#"{"jsonrpc":"2.0","id":"\#(id)","method":"\#(method)"}"#.utf8)
                $0.response.content = .data(Data(#"{"id":"\#(id)","jsonrpc":"2.0","result":\#(result)}"#.utf8))
            }
        }
        let rules = MergeRules(key: { RequestMatcherOptions.lenient.key(of: $0) })
        let old = try call("e1a7c0de-1111")
        #expect(try recordedAgain([old], [try call("5eed5eed-2222")], rules) == [old])
        let changed = try recordedAgain([old], [try call("5eed5eed-2222", result: 4)], rules)
        #expect(changed == [try call("e1a7c0de-1111", result: 4)])
        // Another call keeps what it has sent.
        let other = try call("5eed5eed-2222", "sum")
        #expect(try recordedAgain([old], [other], rules) == [other])
    }

    @Test func `an empty body is the same as none: the stub stays as it is`() throws {
        for bodies in [(nil, Data()), (Data(), nil)] as [(Data?, Data?)] {
            let old = try Self.stub { $0.request.body = bodies.0 }
            let result = try recordedAgain([old], [try Self.stub { $0.request.body = bodies.1 }])
            #expect(result == [old])
        }
    }

    @Test func `a value that a later request carries is recorded`() throws {
        let old = [try Self.stub(), try Self.stub("c")]
        let new = [
            try Self.stub { $0.response.head?.headerFields["ETag"] = "\"new-tag\"" },
            try Self.stub("c") { $0.request.headerFields["If-None-Match"] = "\"new-tag\"" },
        ]
        let result = try recordedAgain(old, new)
        #expect(result.first?.response.head?.headerFields["ETag"] == "\"new-tag\"")
        #expect(result.last?.request.headerFields["If-None-Match"] == "\"new-tag\"")
        // The request of the stub itself, and earlier ones, do not count.
        #expect(
            try recordedAgain(old.reversed(), new.reversed()).last?.response.head?.headerFields["ETag"] == "\"old-tag\""
        )
    }

    @Test func `what the matchers ignore does not make another stub`() throws {
        let matchers: RequestMatcherOptions = [
            .httpMethod, .url(ignoringQueryItems: ["time stamp"]), .headers(ignoring: ["X-Sent"]),
            .requestBody(ignoringJSONKeys: ["sentAt"]),
        ]
        let rules = MergeRules(
            ignored: matchers.ignored,
            key: { matchers.key(of: $0) }
        )
        let old = try Self.stub("b?time%20stamp=8&x=1")
        let same = try Self.stub("b?x=1&time+stamp=9") {
            $0.request.body = Data(#"{"sentAt":"9:00","a":1}"#.utf8)
            $0.request.headerFields["X-Sent"] = "9:00"
        }
        #expect(try recordedAgain([old], [same], rules) == [old])
        let other = try Self.stub("b?x=2&time+stamp=9")
        #expect(try recordedAgain([old], [other], rules) == [other, old])
    }

    @Test func `a value that is redacted now is not taken back from the older stub`() throws {
        let old = try Self.stub("b?ts=secret")
        let new = try Self.stub("b?ts=REDACTED-ts-1") {
            $0.request.body = Data(#"{"a":1,"sentAt":"REDACTED-time-1"}"#.utf8)
            $0.request.headerFields["X-Request-Id"] = "REDACTED-id-1"
            $0.response.head?.headerFields["Date"] = "REDACTED-date-1"
        }
        let rules = MergeRules(ignored: IgnoredParts(queryItems: ["ts"], jsonKeys: ["sentAt"]), key: { _ in 7 })
        #expect(try recordedAgain([old], [new], rules) == [new])
    }

    @Test(arguments: [BodyEncoding.readable, .base64])
    func `recording with another encoding writes all bodies in it`(encoding: BodyEncoding) throws {
        let other: BodyEncoding = encoding == .base64 ? .readable : .base64
        let stubs = [try Self.stub(), try Self.stub("image") { $0.response.bytes = Data([0, 1, 2]) }]
        let text = try StubFileDocument(entries: stubs.map { StubFileEntry(rendering: $0, bodyEncoding: other) })
            .rendered()
        let base = try StubFileDocument(String(decoding: text, as: UTF8.self)).entries
        let new = StubFileEntry(rendering: try Self.stub("new"), bodyEncoding: encoding)
        for recorded in [new, StubFileEntry(rendering: stubs[0], bodyEncoding: encoding)] {
            for replaces in [true, false] where replaces || recorded == new {
                let rules = MergeRules(bodyEncoding: encoding)
                let merge = MergedRun(base: base, recorded: [recorded], replaces: replaces, rules: rules)
                var expected = stubs.map { StubFileEntry(rendering: $0, bodyEncoding: encoding) }
                // The first request of a run that replaces is at the front.
                if recorded == new { expected.insert(new, at: replaces ? 0 : expected.count) }
                #expect(try merge.document().rendered() == StubFileDocument(entries: expected).rendered())
            }
        }
    }

    @Test(arguments: [#""text":["a"]"#, #""data":"/w==""#])
    func `a readable stub of an older version keeps its bytes when it is recorded again`(response: String) throws {
        let text =
            #"{\#(response),"request":{"method":"POST","requestJSON":{"query":"{\na}"},"url":"http://a/b"},"response":{"statusCode":200}}"#
        let base = try StubFileDocument("[\(text)]").entries
        let merge = MergedRun(
            base: base,
            recorded: [Self.entry(try Self.stub("new")), Self.entry(base[0].stub)],
            replaces: true,
            rules: MergeRules(bodyEncoding: .readable)
        )
        #expect(try merge.document().entries.last?.text == text)
        #expect(base[0].encodingBodies(as: .readable, renewsKeys: true).text.contains("requestGraphQL"))
    }

    @Test func `a stub with keys of people is not converted`() throws {
        let text =
            #"{"data":"YWJj","x-note":"mine","request":{"method":"GET","url":"http://a/b"},"response":{"statusCode":200}}"#
        let merge = MergedRun(
            base: try StubFileDocument("[\(text)]").entries,
            recorded: [Self.entry(try Self.stub())],
            rules: MergeRules(bodyEncoding: .readable)
        )
        #expect(try merge.document().entries.first?.text == text)
    }

    @Test(.timeLimit(.minutes(5))) func `only what the server changed is in the diff of a test that is recorded again`()
        async throws
    {
        let directory = TemporaryDirectory()
        let state = Lock(0)
        let server = try LoopbackServer { _ in
            let run = state.withLock { $0 }
            var response = LoopbackServer.Response.json(#"{"run":\#(run / 2)}"#)
            response.headers += [("X-Request-Id", "id-\(run)"), ("ETag", "\"tag-\(run)\"")]
            return response
        }
        func record() async throws -> [Substring] {
            let network = StubbornNetwork(.persistent(name: "test", path: directory.path)!, environment: .newRun)
            network.recordMode = .recording
            network.bodyEncoding = .readable
            network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"]), .requestBody]
            let run = state.withLock { $0 }
            _ = try await network.session.data(from: server.url("/news?ts=\(run)"))
            try network.finishRecording()
            state.withLock { $0 += 1 }
            return try directory.text(of: "test.json").split(separator: "\n")
        }
        let first = try await record()
        #expect(try await record() == first)
        let third = try await record()
        #expect(third.count == first.count)
        #expect(zip(first, third).filter { $0 != $1 }.map { $1 } == [#"      "run" : 1"#])
    }
}
