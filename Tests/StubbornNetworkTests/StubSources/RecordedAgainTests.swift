import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

struct RecordedAgainTests {
    private static func entry(_ stub: Stub) -> StubFileEntry {
        StubFileEntry(rendering: stub, bodyEncoding: .base64)
    }

    private static func stub(_ path: String = "b", _ change: (inout Stub) -> Void = { _ in }) throws -> Stub {
        var stub = Stub(
            request: StubRequest(
                method: "POST",
                url: try URL.parsed("http://a/\(path)"),
                headers: ["Accept": "*/*", "X-Request-Id": "old-id", "X-Sent": "8:00"],
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

    @Test(
        arguments: [
            { $0.response.head?.headerFields["X-Kind"] = "two" }, { $0.response.head?.statusCode = 201 },
            { $0.request.headerFields["Accept"] = "text/plain" }, { $0.response.bytes = Data(#"{"c":[2,1]}"#.utf8) },
            { $0.response.head?.headerFields["ETag"] = nil },
        ] as [@Sendable (inout Stub) -> Void]
    )
    func `a stub that changed is the new recording, with nothing of the old one`(
        change: @Sendable (inout Stub) -> Void
    ) throws {
        let new = try Self.stub {
            $0.request.headerFields["X-Request-Id"] = "new-id"
            $0.request.body = Data(#"{"sentAt":"8:00","a":1}"#.utf8)
            $0.response.head?.headerFields["Date"] = "Tuesday"
            $0.response.head?.headerFields["ETag"] = "\"new-tag\""
        }
        var changed = new
        change(&changed)
        #expect(try recordedAgain([try Self.stub()], [new]) == [Self.stub()])
        #expect(try recordedAgain([try Self.stub()], [changed]) == [changed])
    }

    @Test func `an empty body is the same as none: the stub stays as it is`() throws {
        for bodies in [(nil, Data()), (Data(), nil)] as [(Data?, Data?)] {
            let old = try Self.stub { $0.request.body = bodies.0 }
            let result = try recordedAgain([old], [try Self.stub { $0.request.body = bodies.1 }])
            #expect(result == [old])
        }
    }

    @Test func `an id before the extension of a file is known again, and ties`() throws {
        func orders(_ id: String, _ text: String = "") throws -> [Stub] {
            [
                try .get("http://a/orders", .status(200, body: #"[{"id":"\#(id)"}]"#)),
                try .get("http://a/orders/\(id).json", .status(200, body: #"{"id":"\#(id)"}\#(text)"#)),
            ]
        }
        let old = try orders("d4b99d18d35e5de9")
        #expect(try recordedAgain(old, orders("c157c16b13ffb2be")) == old)
        #expect(try recordedAgain(old, orders("c157c16b13ffb2be", "x")) == orders("c157c16b13ffb2be", "x"))
    }

    @Test(.timeLimit(.minutes(5)))
    func `ten thousand requests that share an id, and send short ids of one list, are merged in time`() throws {
        let ids = (0..<10_000).map { 20_000 + $0 * 3 }
        let list = "[" + ids.map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
        func conversation(_ account: String, _ first: String) throws -> [Stub] {
            var stubs: [Stub] = [
                try .get("http://a/accounts", .status(200, body: #"{"account":"\#(account)"}"#)),
                try .get("http://a/\(account)/items", .status(200, body: list)),
            ]
            for id in ids {
                let text = id == 20_000 ? first : "a"
                let body = #"{"id":\#(id),"text":"\#(text)"}"#
                stubs.append(try .get("http://a/\(account)/items/\(id)", .status(200, body: body)))
            }
            return stubs
        }
        let new = try conversation("acc-51833", "b")
        #expect(try recordedAgain(conversation("acc-90417", "a"), new) == new)
    }

    @Test func `a request that failed and was sent again leaves one conversation`() throws {
        func orders(_ id: Int) throws -> [Stub] {
            var create = try Stub.get("http://a/orders", .status(201, body: #"{"id":\#(id)}"#))
            create.request.method = "POST"
            return [create, try .get("http://a/orders/\(id)", .status(200, body: #"{"id":\#(id),"state":"open"}"#))]
        }
        var failed = try orders(52345)[0]
        failed.response = .lostConnection
        let result = try recordedAgain(orders(41234), [failed] + orders(52345))
        #expect(try [orders(41234), orders(52345)].contains(result))
    }

    @Test func `a cancelled stream keeps its bytes if the new recording agrees as far as both go`() throws {
        func stream(_ count: Int, _ name: String = "n", isCancelled: Bool = true) throws -> Stub {
            let body = (0..<count).map { "data: \(name) \($0)\n\n" }.joined()
            var stub = try Stub.get("http://a/stream", .status(200, ["Content-Type": "text/event-stream"], body: body))
            if isCancelled { stub.response.failure = .cancelledByClient }
            return stub
        }
        for (old, new) in [(4, 18), (18, 4)] {
            #expect(try recordedAgain([stream(old)], [stream(new)]) == [stream(old)])
            #expect(try recordedAgain([stream(old)], [stream(new, "m")]) == [stream(new, "m")])
            #expect(
                try recordedAgain([stream(old)], [stream(new, isCancelled: false)]) == [stream(new, isCancelled: false)]
            )
        }
    }

    @Test func `a cancelled response with a different JSON object is written again`() throws {
        func poll(_ state: String) throws -> Stub {
            let body = #"{"state":"\#(state)"}"#
            var stub = try Stub.get("http://a/poll", .status(200, ["Content-Type": "application/json"], body: body))
            stub.response.failure = .cancelledByClient
            return stub
        }
        #expect(try recordedAgain([poll("open")], [poll("open")]) == [poll("open")])
        #expect(try recordedAgain([poll("open")], [poll("closed")]) == [poll("closed")])
    }

    @Test func `the presence of what the matchers ignore is never volatile`() throws {
        let rules = MergeRules(
            ignored: IgnoredParts(queryItems: ["ts"], jsonKeyPaths: ["sentAt"], bodyFields: ["nonce"]),
            otherKey: { _ in 7 }
        )
        func form(_ body: String) throws -> Stub {
            try Self.stub {
                $0.request.headerFields["Content-Type"] = "application/x-www-form-urlencoded"
                $0.request.body = Data(body.utf8)
            }
        }
        let json = { (text: String) in try Self.stub { $0.request.body = Data(text.utf8) } }
        for (old, same, other) in [
            (try Self.stub("b?ts=8"), try Self.stub("b?ts=9"), try Self.stub("b")),
            (try form("a=1&nonce=8"), try form("a=1&nonce=9"), try form("a=1")),
            (try json(#"{"a":1,"sentAt":8}"#), try json(#"{"a":1,"sentAt":9}"#), try json(#"{"a":1}"#)),
        ] {
            #expect(try recordedAgain([old], [same], rules) == [old])
            #expect(try recordedAgain([old], [other], rules) == [other])
            #expect(try recordedAgain([other], [old], rules) == [old])
        }
    }

    @Test func `a multipart body with another boundary keeps its bytes, and a changed part is a new stub`() throws {
        func upload(_ title: String, _ boundary: String) throws -> Stub {
            try Self.stub {
                $0.request.headerFields["Content-Type"] = "multipart/form-data; boundary=\(boundary)"
                let head = "Content-Disposition: form-data; name=\"title\""
                $0.request.body = Data("--\(boundary)\r\n\(head)\r\n\r\n\(title)\r\n--\(boundary)--\r\n".utf8)
            }
        }
        let old = try upload("one", "B-1")
        #expect(try recordedAgain([old], [upload("one", "B-22")]) == [old])
        let other = try upload("two", "B-22")
        #expect(try recordedAgain([old], [other], MergeRules(otherKey: { _ in 7 })) == [other])
    }

    /// Conversations of any length, in which one response may change.
    ///
    /// Responses give values to later requests, and repeat those of other responses. A client takes a value from the last
    /// response that has it.
    @Test func `after any change each stub is one that was recorded, and each request gets its response`() throws {
        enum Place: CaseIterable { case path, query, field }
        var generator = Generator(seed: 40)
        for _ in 0..<300 {
            let count = Int.random(in: 2...9, using: &generator)
            func earlier(_ index: Int, oneIn share: Int) -> [Int] {
                (0..<index).filter { _ in Int.random(in: 0..<share, using: &generator) == 0 }
            }
            // For each exchange, the earlier ones with values that its request carries, and its response repeats.
            let carried = (0..<count).map { index in
                earlier(index, oneIn: 3).map { ($0, Place.allCases.randomElement(using: &generator)!) }
            }
            let repeated = (0..<count).map { earlier($0, oneIn: 4) }
            // Some requests differ only in what they carry.
            let paths = (0..<count).map { Bool.random(using: &generator) ? "same" : "\($0)" }
            func request(_ index: Int, carrying values: [Int: String]) throws -> StubRequest {
                var (path, query, fields) = (paths[index], "", HeaderFields())
                for (source, place) in carried[index] {
                    let value = try #require(values[source])
                    switch place {
                    case .path: path += "/\(value)"
                    case .query: query += "&v\(source)=\(value)"
                    case .field: fields.append(name: "X-\(source)", value: value)
                    }
                }
                return StubRequest(url: try URL.parsed("http://a/\(path)?\(query)"), headers: fields)
            }
            func conversation(_ run: String, changing changed: Int? = nil) throws -> [Stub] {
                let values = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, "v-\($0)-\(run)") })
                return try (0..<count).map { index in
                    let given = ([index] + repeated[index]).map { #""v\#($0)":"\#(values[$0] ?? "")""# }
                    let kind = changed == index ? "new" : "old"
                    let body = #"{"kind":"\#(kind)","n":\#(index),\#(given.joined(separator: ","))}"#
                    let date = Int.random(in: 10...99, using: &generator)
                    let response = StubResponse.status(200, ["Date": "\(date)"], body: body)
                    return Stub(request: try request(index, carrying: values), response: response)
                }
            }
            let old = try conversation("run1")
            let changed = Bool.random(using: &generator) ? Int.random(in: 0..<count, using: &generator) : nil
            let new = try conversation("run2", changing: changed)
            let result = try recordedAgain(old, new, MergeRules(volatileJSONKeyPaths: (0..<count).map { "v\($0)" }))
            #expect(result.count == count)
            #expect(zip(result, zip(old, new)).allSatisfy { $0 == $1.0 || $0 == $1.1 })
            if let changed { #expect(result[changed] == new[changed]) } else { #expect(result == old) }

            let played = StubSource(ofFile: result)
            var values: [Int: String] = [:]
            for index in 0..<count {
                let request = try request(index, carrying: values)
                let body = try #require(played.take(for: request, by: PlaybackRules())?.response.bytes)
                let json = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
                #expect(json["n"] as? Int == index)
                for source in [index] + repeated[index] { values[source] = json["v\(source)"] as? String }
            }
        }
    }

    @Test func `what the matchers ignore does not make another stub`() throws {
        let matchers: RequestMatcherOptions = [
            .httpMethod, .url(ignoringQueryItems: ["time stamp"]), .headers(ignoring: ["X-Sent"]),
            .requestBody(ignoringJSONKeyPaths: ["sentAt"]),
        ]
        let rules = MergeRules(
            volatileHeaderFields: .standard.including(matchers.ignored.headerFields),
            ignored: matchers.ignored,
            otherKey: { matchers.key(of: $0) }
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

    @Test func `the placeholder of a value that differs each time ties no stubs`() throws {
        func stub(_ path: String, signedAt number: Int, _ text: String, date: String) throws -> Stub {
            try Self.stub(path) {
                $0.request.headerFields["X-Amz-Date"] = "VOLATILE-x_amz_date-\(number)"
                $0.response.head?.headerFields["Date"] = date
                $0.response.bytes = Data(text.utf8)
            }
        }
        let old = [
            try stub("b", signedAt: 2, "one", date: "Monday"), try stub("c", signedAt: 3, "two", date: "Monday"),
        ]
        // A request before them is signed in the same second now.
        let new = [
            try stub("b", signedAt: 1, "one", date: "Tuesday"), try stub("c", signedAt: 2, "2", date: "Tuesday"),
        ]
        #expect(try recordedAgain(old, new) == [old[0], new[1]])
    }

    @Test func `a time behind a percent-encoded space is a time`() throws {
        func search(_ seconds: Int, date: String) throws -> Stub {
            try Self.stub("b?q=since%20\(seconds)") {
                $0.response.head?.headerFields["Date"] = date
            }
        }
        let old = try search(1_450_434_001, date: "Fri, 18 Dec 2015 10:20:01 GMT")
        let later = try search(1_450_434_900, date: "Fri, 18 Dec 2015 10:35:00 GMT")
        #expect(try recordedAgain([old], [later], MergeRules(otherKey: { _ in 7 })) == [old])
        let other = try Self.stub("b?q=timestamp%2B1") { $0.response = old.response }
        let plus = try Self.stub("b?q=timestamp+1") { $0.response = old.response }
        #expect(try recordedAgain([other], [plus], MergeRules(otherKey: { _ in 7 })) == [plus])
    }

    @Test func `a value that is redacted now is not taken back from the older stub`() throws {
        let old = try Self.stub("b?ts=secret")
        let new = try Self.stub("b?ts=REDACTED-ts-1") {
            $0.request.body = Data(#"{"a":1,"sentAt":"REDACTED-time-1"}"#.utf8)
            $0.request.headerFields["X-Request-Id"] = "REDACTED-id-1"
            $0.response.head?.headerFields["Date"] = "REDACTED-date-1"
        }
        let rules = MergeRules(
            ignored: IgnoredParts(queryItems: ["ts"], jsonKeyPaths: ["sentAt"]),
            otherKey: { _ in 7 }
        )
        #expect(try recordedAgain([old], [new], rules) == [new])
    }

    @Test(arguments: [BodyEncoding.readable, .base64])
    func `recording with another encoding writes all bodies in it`(encoding: BodyEncoding) throws {
        let other: BodyEncoding = encoding == .base64 ? .readable : .base64
        let stubs = [try Self.stub(), try Self.stub("image") { $0.response.bytes = Data([0, 1, 2]) }]
        let text = StubFileDocument(entries: stubs.map { StubFileEntry(rendering: $0, bodyEncoding: other) })
            .data
        let base = try StubFileDocument(String(decoding: text, as: UTF8.self)).entries
        let new = StubFileEntry(rendering: try Self.stub("new"), bodyEncoding: encoding)
        for recorded in [new, StubFileEntry(rendering: stubs[0], bodyEncoding: encoding)] {
            for replaces in [true, false] where replaces || recorded == new {
                let rules = MergeRules(bodyEncoding: encoding)
                let merge = MergedRun(base: base, recorded: [recorded], replaces: replaces, rules: rules)
                var expected = stubs.map { StubFileEntry(rendering: $0, bodyEncoding: encoding) }
                // The first request of a run that replaces is at the front.
                if recorded == new { expected.insert(new, at: replaces ? 0 : expected.count) }
                #expect(try merge.document().data == StubFileDocument(entries: expected).data)
            }
        }
    }

    @Test(arguments: [#""text":["a"]"#, #""data":"/w==""#])
    func `a readable stub whose body has another key keeps its bytes when it is recorded again`(response: String) throws
    {
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

    @Test(.timeLimit(.minutes(5)))
    func `a test that is recorded again has a diff only if the server changed something`()
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
        #expect(third.contains(#"      "run" : 1"#) && third.contains { $0.contains("tag-2") })
        #expect(try await record() == third)
    }
}
