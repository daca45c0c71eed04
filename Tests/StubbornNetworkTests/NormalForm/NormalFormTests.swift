import Foundation
import Testing

@testable import StubbornNetwork

/// The table of what counts as the same in two recordings: each row is a sentence of the definition.
struct NormalFormTests {
    private static func stub(_ body: String, _ fields: HeaderFields = [:], status: Int = 200, path: String = "1") throws
        -> Stub
    {
        let all = HeaderFields(Array(fields) + [.init(name: "Date", value: "Sat, 28 Nov 2026 10:00:00 GMT")])
        return try .get("http://a/\(path)", .status(status, all, body: body))
    }

    /// The stubs of the old recording that are kept.
    private func kept(_ old: [Stub], _ new: [Stub], _ rules: MergeRules = MergeRules()) throws -> [Bool] {
        zip(try recordedAgain(old, new, rules), old).map { $0 == $1 }
    }

    /// The stubs of the file after the new recording.
    private func recordedAgain(
        _ old: [Stub],
        _ new: [Stub],
        _ rules: MergeRules = MergeRules(),
        endsWell: Bool = true
    ) throws -> [Stub] {
        let entries = [old, new].map { $0.map { StubFileEntry(rendering: $0, bodyEncoding: .base64) } }
        let run = MergedRun(base: entries[0], recorded: entries[1], replaces: true, endsWell: endsWell, rules: rules)
        return try run.document().entries.map(\.stub)
    }

    /// A body with a JSON Web Token that is issued to a user at a time, and has a placeholder as its signature.
    private static func webToken(_ user: String, _ time: Int) -> String {
        let parts = [#"{"alg":"HS256"}"#, #"{"sub":"\#(user)","iat":\#(time),"jti":"\#(UUID())"}"#]
        let encoded = parts.map { Data($0.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "") }
        return #"{"t":"\#(encoded.joined(separator: ".")).REDACTED0000000000000001A"}"#
    }

    /// A body with the beginning of an image in base64.
    private static func image(_ end: String, _ start: String = "") -> String {
        #"{"image":"\#(start)iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4/\#(end)"}"#
    }

    @Test(arguments: [
        (#"{"t":"5f2b0c1e-77aa-4c7e-9d8e-0b7c2f6a1d3e"}"#, #"{"t":"0d9ff4a2-1b1b-4f0e-8c55-aa07d1c2b3e4"}"#),
        (#"{"h":"9d4e1e23bd5b727046a9"}"#, #"{"h":"2fd4e1c67a2d28fced84"}"#),
        (#"{"h":"0123456789ab"}"#, #"{"h":"bcbcbcbcbcb1"}"#),
        (#"{"t":"msg_015Tco2dV5ohKq73Ab"}"#, #"{"t":"msg_01B9xPq7Lz2WmR5tYc"}"#),
        (#"{"at":"2026-11-28T10:00:01.250Z"}"#, #"{"at":"2026-11-28T11:30:07.125Z"}"#),
        (#"{"at":1795860001}"#, #"{"at":1795863000}"#), (#"{"at":1795860001000}"#, #"{"at":1795863000000}"#),
        (#"{"q":"1795860001..1795863601"}"#, #"{"q":"1795863000..1795866600"}"#),
        (#"{"u":"/f?X-Amz-Date=20261128T100001Z"}"#, #"{"u":"/f?X-Amz-Date=20261128T103007Z"}"#),
        (webToken("ann", 1_795_860_001), webToken("ann", 1_795_863_000)),
        // From two days before the recording to 32 days after it.
        (#"{"at":"2026-11-27T10:00:00Z"}"#, #"{"at":"2026-12-28T10:00:00Z"}"#),
        (#"{"request_id":"a"}"#, #"{"request_id":"b"}"#), (#"{"traceId":"a"}"#, #"{"traceId":"b"}"#),
        ("<RequestId>a</RequestId>", "<RequestId>b</RequestId>"), (#"{"a":1,"b":2}"#, #"{ "b" : 2.0, "a" : 1 }"#),
    ])
    func `what is made for each recording keeps the stub`(old: String, new: String) throws {
        #expect(try kept([Self.stub(old)], [Self.stub(new)]) == [true])
    }

    @Test(arguments: [
        (#"{"m":"claude-3-7-sonnet-20250219"}"#, #"{"m":"claude-4-0-sonnet-20260101"}"#),
        (#"{"h":"9d4e1e23bd5b727046a9"}"#, #"{"h":"2fd4e1c67a2d28fc"}"#),
        (#"{"h":"9d4e1e23bd5b727046a9"}"#, #"{"h":"2FD4E1C67A2D28FCED84"}"#),
        (#"{"t":"msg_015Tco2dV5ohKq73Ab"}"#, #"{"t":"run_01B9xPq7Lz2WmR5tYc"}"#),
        (#"{"at":"2026-11-25T10:00:00Z"}"#, #"{"at":"2026-11-24T10:00:00Z"}"#),
        (#"{"at":"2027-01-05T10:00:00Z"}"#, #"{"at":"2027-01-06T10:00:00Z"}"#),
        (#"{"trace":"a"}"#, #"{"trace":"b"}"#), ("<OrderId>a</OrderId>", "<OrderId>b</OrderId>"),
        (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#), (#"{"t":"REDACTED-token-1"}"#, #"{"t":"token"}"#),
        (#"{"at":"2026-11-28T10:00:01Z"}"#, #"{"at":"2026-11-28T10:00:01+02:00"}"#),
        (#"{"at":1795860001}"#, #"{"at":1795860001000}"#),
        (#"{"at":"2001-01-01T00:00:00Z"}"#, #"{"at":"2002-01-01T00:00:00Z"}"#),
        (#"{"at":"20010101T000000Z"}"#, #"{"at":"20020101T000000Z"}"#),
        (webToken("ann", 1_795_860_001), webToken("bob", 1_795_860_001)),
        (webToken("ann", 1_795_860_001), webToken("ann", 1_995_860_001)),
        (#"{"build":"r1.1795860001"}"#, #"{"build":"r1.1795863000"}"#),
        (#"{"p":-8.080582899440611e-06}"#, #"{"p":-8.833004228238548e-06}"#),
        (#"{"p":"0.1234567890123456"}"#, #"{"p":"0.9876543210987654"}"#),
        (#"{"tracking":"9400100105807075742053"}"#, #"{"tracking":"9400100208303109500638"}"#),
        (image("9d4e1e23bd5b727046a9"), image("2fd4e1c67a2d28fced84")),
        (
            image("9d4e1e23bd5b727046a9", "data:image/png;base64,"),
            image("2fd4e1c67a2d28fced84", "data:image/png;base64,")
        ),
        (#"{"took":33}"#, #"{"took":12.34}"#), (#"{"expires_in":3599}"#, #"{"expires_in":7198}"#),
        (#"{"price":49}"#, #"{"price":54}"#), (#"{"id":5}"#, #"{"id":"5"}"#), (#"{"name":"Ada"}"#, #"{"name":"Eve"}"#),
    ])
    func `data, and another format, is a change`(old: String, new: String) throws {
        #expect(try kept([Self.stub(old)], [Self.stub(new)]) == [false])
    }

    @Test(arguments: [(71, 72), (40863, 40870)], [200, 201, 202])
    func `an id that a later request sends keeps both stubs, whatever its size and the status`(
        ids: (Int, Int),
        status: Int
    ) throws {
        func conversation(_ id: Int) throws -> [Stub] {
            [
                try Self.stub(
                    #"{"number":\#(id),"title":"a"}"#,
                    ["Location": "/issues/\(id)"],
                    status: status,
                    path: "issues"
                ),
                try Self.stub(#"{"number":\#(id)}"#, path: "issues/\(id)/labels"),
                // Nobody sends this one back, but it is under the same key path.
                try Self.stub(#"{"number":\#(id + 1),"title":"b"}"#, path: "last"),
            ]
        }
        let (old, new) = (try conversation(ids.0), try conversation(ids.1))
        #expect(try kept(old, new) == [true, true, true])
    }

    @Test func `of several requests with the same form, the one that was sent again is replaced`() throws {
        func image(_ number: Int, _ text: String = "a") throws -> Stub {
            try Self.stub(#"{"text":"\#(text)"}"#, path: "images/5f2b0c1e-77aa-4c7e-9d8e-0b7c2f6a1\(number)")
        }
        let images = try (100..<200).map { try image($0) }
        let changed = try image(199, "b")
        #expect(try recordedAgain(images, [changed], endsWell: false) == images.dropLast() + [changed])

        func lookUp(_ id: Int) throws -> Stub {
            var stub = try Self.stub(#"{"found":\#(id)}"#, path: "lookup")
            (stub.request.method, stub.request.body) = ("POST", Data(#"{"id":\#(id)}"#.utf8))
            return stub
        }
        // The member `id` of the first response makes any value under this key path an id.
        let user = [try Self.stub(#"{"id":12345}"#, path: "me"), try Self.stub("{}", path: "users/12345")]
        let old = try user + [lookUp(7), lookUp(8)]
        #expect(try recordedAgain(old, user + [lookUp(8)], endsWell: false) == old)
    }

    @Test func `an id in a binary frame of a web socket, or with letters outside ASCII, is known again`() throws {
        func socket(_ id: String) throws -> [Stub] {
            let response = StubResponse.frames([.data(Data(#"{"id":"\#(id)"}"#.utf8))])
            let socket = Stub(request: StubRequest(url: try URL.parsed("ws://a/live")), response: response)
            return [socket, try Self.stub("{}", path: "orders/\(id)")]
        }
        let old = try socket("order-12345")
        #expect(try recordedAgain(old, socket("order-67890")) == old)

        func cafe(_ id: Int) throws -> [Stub] {
            var order = try Self.stub("{}", path: "orders")
            order.request.body = Data(#"{"ref":"café-\#(id)"}"#.utf8)
            return [try Self.stub(#"{"ref":"caf\u00e9-\#(id)"}"#, path: "refs"), order]
        }
        let cafes = try cafe(12345)
        #expect(try recordedAgain(cafes, cafe(67890)) == cafes)
    }

    @Test func `an id under another key path, and in the text of the response to it, keeps the stubs`() throws {
        func conversation(_ id: Int, missing: Int) throws -> [Stub] {
            [
                try Self.stub(#"{"order":{"id":\#(id)}}"#, path: "orders"),
                try Self.stub(#"{"id":\#(id)}"#, path: "orders/\(id)"),
                // No request sends the second id, but the first one is known as an id.
                try Self.stub(#"{"all":[{"id":\#(id)},{"id":\#(id + 1)}]}"#, path: "all"),
                try Self.stub(#"{"error":"no order \#(missing) here"}"#, status: 404, path: "orders/\(id)"),
            ]
        }
        let old = try conversation(7, missing: 7)
        #expect(try kept(old, conversation(12, missing: 12)) == [true, true, true, true])
        #expect(try kept(old, conversation(12, missing: 7)).last == false)
    }

    @Test func `a changed login takes along the requests that send its JSON Web Token`() throws {
        func conversation(_ time: Int, price: Int) throws -> [Stub] {
            let body = Self.webToken("ann", time)
            let request = StubRequest.make("POST", "http://a/refresh", ["Content-Type": "application/json"], body: body)
            return [
                try Self.stub("{\"price\":\(price),\(body.dropFirst())", path: "login"),
                Stub(request: request, response: .status(200, body: "ok")),
            ]
        }
        let old = try conversation(1_795_860_001, price: 1)
        #expect(try kept(old, conversation(1_795_863_000, price: 1)) == [true, true])
        #expect(try kept(old, conversation(1_795_863_000, price: 2)) == [false, false])
    }

    @Test func `the stubs of a failed test are written as they came`() throws {
        let old = try [Self.stub(#"{"request_id":"a"}"#), Self.stub("x", path: "2")]
        let new = try [Self.stub(#"{"request_id":"b"}"#), Self.stub("x", path: "2")]
        #expect(try recordedAgain(old, new, endsWell: true) == old)
        #expect(try recordedAgain(old, new, endsWell: false) == new)
    }

    @Test(arguments: ["null", "-1", #""596591613""#, "5965.5"])
    func `an id of another type or sign is a change`(value: String) throws {
        func conversation(_ id: String, sent: String) throws -> [Stub] {
            [
                try Self.stub(#"{"id":\#(id)}"#, status: 201, path: "orders"),
                try Self.stub("ok", path: "orders/\(sent)"),
            ]
        }
        let old = try conversation("596591600", sent: "596591600")
        #expect(try kept(old, conversation(value, sent: "596591613")).first == false)
    }

    @Test func `a named member and a volatile field never break pairing`() throws {
        func conversation(_ id: Int) throws -> [Stub] {
            [
                try Self.stub(#"{"taskUid":\#(id)}"#, status: 202, path: "new"),
                try Self.stub("done", path: "tasks/\(id)"),
            ]
        }
        let rules = MergeRules(volatileJSONKeyPaths: ["taskUid"])
        #expect(try kept(conversation(40863), conversation(40901), rules) == [true, true])
        let fields = ["\"a1\"", "\"b2\""].map { HeaderFields([.init(name: "ETag", value: $0)]) }
        #expect(try kept([Self.stub("a", fields[0])], [Self.stub("a", fields[1])]) == [true])
    }

    @Test func `a stub that changed takes along those that send its id, and no other`() throws {
        func conversation(_ id: String, price: Int) throws -> [Stub] {
            [
                try Self.stub(#"{"id":"\#(id)","price":\#(price)}"#, path: "orders"),
                try Self.stub("open", path: "orders/\(id)"),
                try Self.stub(#"{"at":"2026-11-28T10:00:0\#(price)Z"}"#, path: "clock"),
            ]
        }
        let old = try conversation("d4b99d18d35e5de9", price: 1)
        #expect(try kept(old, conversation("c157c16b13ffb2be", price: 1)) == [true, true, true])
        #expect(try kept(old, conversation("c157c16b13ffb2be", price: 2)) == [false, false, true])
    }

    @Test(arguments: [
        ("Set-Cookie", "sid=a1; Path=/; Max-Age=60", "sid=b2; Path=/; Max-Age=60", true),
        ("Set-Cookie", "sid=a1; Path=/", "uid=a1; Path=/", false),
        ("Set-Cookie", "sid=a1; Path=/", "sid=a1; Path=/; Secure", false),
        ("Last-Modified", "Sat, 28 Nov 2020 10:00:00 GMT", "Sun, 29 Nov 2020 10:00:00 GMT", true),
        ("X-Modified-By", "ada", "eve", false),
    ])
    func `a field of the list keeps its name, and a cookie its name and attributes`(
        name: String,
        old: String,
        new: String,
        isKept: Bool
    ) throws {
        let stubs = try [old, new].map { try Self.stub("a", HeaderFields([.init(name: name, value: $0)])) }
        #expect(try kept([stubs[0]], [stubs[1]]) == [isKept])
        #expect(try kept([stubs[0]], [Self.stub("a")]) == [false])
    }

    @Test(arguments: [
        ("?q=a%2Cb&p=1", "", "", "?p=1&q=a,b", "", "", true), ("?q=a%2Cb", "", "", "?q=a,c", "", "", false),
        ("", "a=1; b=2", "", "", "b=2; a=1", "", true), ("", "a=1; b=2", "", "", "a=1; b=3", "", false),
        ("", "", "a=x%20y&b=2", "", "", "b=2&a=x+y", true), ("", "", "a=1&b=2", "", "", "a=2&b=1", false),
    ])
    func `another spelling or order of items, cookies and form fields keeps the stub, and another value does not`(
        query: String,
        cookies: String,
        form: String,
        newQuery: String,
        newCookies: String,
        newForm: String,
        isKept: Bool
    ) throws {
        func stub(_ query: String, _ cookies: String, _ form: String) -> Stub {
            let type = "application/x-www-form-urlencoded"
            let request = StubRequest.make(
                "POST",
                "http://a/x\(query)",
                ["Cookie": cookies, "Content-Type": type],
                body: form
            )
            return Stub(request: request, response: .status(200, body: "a"))
        }
        #expect(try kept([stub(query, cookies, form)], [stub(newQuery, newCookies, newForm)]) == [isKept])
    }

    @Test func `a word that a request sends first is the client's, and no id`() throws {
        func conversation(_ model: String) throws -> [Stub] {
            [
                try Self.stub(#"{"model":"\#(model)"}"#, path: "models/\(model)"),
                try Self.stub("ok", path: "models/\(model)/limits"),
            ]
        }
        #expect(try kept(conversation("large-2"), conversation("large-3")) == [false, false])
        let answered = { (model: String) in try [Self.stub(#"{"m":"\#(model)"}"#, path: "models")] + conversation(model)
        }
        #expect(try kept(answered("large-2"), answered("large-3")) == [true, true, true])
    }

    @Test(arguments: [("1234567890", "1345678901"), ("2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z")])
    func `what looks like a time, but not near the recording, may be an id`(old: String, new: String) throws {
        func conversation(_ id: String) throws -> [Stub] {
            [try Self.stub(#"{"id":"\#(id)"}"#, path: "new"), try Self.stub("ok", path: "items?id=\(id)")]
        }
        #expect(try kept(conversation(old), conversation(new)) == [true, true])
    }

    @Test(arguments: [("0.25", "0.75"), ("1.25.3", "2.0.0"), ("7100", "7200")])
    func `a decimal, a version or a small number that a later request sends is data, and no id`(
        old: String,
        new: String
    ) throws {
        func conversation(_ text: String) throws -> [Stub] {
            [try Self.stub(#"{"latest":"\#(text)"}"#, path: "now"), try Self.stub("ok", path: "notes?of=\(text)")]
        }
        #expect(try kept(conversation(old), conversation(new)) == [false, false])
    }

    @Test(arguments: [
        HeaderFields.Field(name: "Connection", value: "close"), .init(name: "Keep-Alive", value: "timeout=5"),
        .init(name: "Transfer-Encoding", value: "chunked"), .init(name: "Content-Length", value: "7"),
        .init(name: "Content-Encoding", value: "gzip"),
    ])
    func `a field that only says how a message was transferred keeps the stub`(field: HeaderFields.Field) throws {
        #expect(try kept([Self.stub("a")], [Self.stub("a", HeaderFields([field]))]) == [true])
        let other = HeaderFields([.init(name: "X-\(field.name)", value: field.value)])
        #expect(try kept([Self.stub("a")], [Self.stub("a", other)]) == [false])
    }

    @Test func `the boundaries of multipart bodies keep the stub, at any depth`() throws {
        func batch(_ boundary: String, _ text: String) throws -> Stub {
            let inner = "--\(boundary)\r\nX: 1\r\n\r\n\(text)\r\n--\(boundary)--"
            let head = "Content-Type: multipart/mixed; boundary=\(boundary)"
            return try Self.stub(
                "--outer\r\n\(head)\r\n\r\n\(inner)\r\n--outer--\r\n",
                ["Content-Type": "multipart/mixed; boundary=outer"]
            )
        }
        #expect(try kept([batch("first", "a")], [batch("second", "a")]) == [true])
        #expect(try kept([batch("first", "a")], [batch("first", "b")]) == [false])
    }

    @Test func `a response that the client cancelled is no whole response`() throws {
        var cancelled = try Self.stub("[1]")
        cancelled.response.failure = .cancelledByClient
        let whole = try Self.stub("[1]")
        #expect(try kept([cancelled], [whole]) == [false] && kept([whole], [whole]) == [true])
    }

    @Test func `an id needs no digit in a member that settings name`() throws {
        func pages(_ cursor: String) throws -> [Stub] {
            [try Self.stub(#"{"cursor":"\#(cursor)"}"#), try Self.stub("[]", path: "2?after=\(cursor)")]
        }
        let rules = MergeRules(volatileJSONKeyPaths: ["cursor"])
        #expect(try kept(pages("first-page"), pages("other-page"), rules) == [true, true])
    }

    @Test func `a time that is near only one of both recordings is the same if it has not changed`() throws {
        func stub(_ day: Int, _ created: String, _ now: String) throws -> Stub {
            let date = "\(day) Nov 2026 10:00:00 GMT"
            return try .get("http://a/b", .status(200, ["Date": date], body: #"{"at":"\#(created)","now":"\#(now)"}"#))
        }
        let old = try stub(10, "2026-11-09T10:00:00Z", "2026-11-10T10:00:00Z")
        #expect(try kept([old], [stub(28, "2026-11-09T10:00:00Z", "2026-11-28T10:00:00Z")]) == [true])
        #expect(try kept([old], [stub(28, "2026-11-09T11:00:00Z", "2026-11-28T10:00:00Z")]) == [false])
        // The same as another time of the old recording.
        #expect(try kept([old], [stub(28, "2026-11-10T10:00:00Z", "2026-11-28T10:00:00Z")]) == [false])
        let expiring = { now in try stub(10, "2026-12-30T10:00:00Z", now) }
        let later = try stub(28, "2026-12-30T10:00:00Z", "2026-11-28T10:00:00Z")
        #expect(try kept([expiring("2026-11-10T10:00:00Z")], [later]) == [true])
    }

    @Test(arguments: [
        ("runs/k7Qx9ZpL2vTn4WcB", "runs/b3YmR8sDf6HjK1aE"), ("search?from=1795860001", "search?from=1795863000"),
    ])
    func `a random word or a time that no response gave is written if a request sends another one, with all stubs`(
        old: String,
        new: String
    ) throws {
        // The client may have made it from the challenge.
        func conversation(_ challenge: String, _ path: String) throws -> [Stub] {
            [try Self.stub(#"{"challenge":"\#(challenge)"}"#, path: "login"), try Self.stub("ok", path: path)]
        }
        let (first, second) = try (conversation("9d4e1e23bd5b7270", old), conversation("2fd4e1c67a2d28fc", new))
        #expect(try recordedAgain(first, second) == second)
        // These matchers do not compare it.
        #expect(try recordedAgain(first, second, MergeRules(otherKey: { _ in 7 })) == first)
    }

    @Test func `of requests that send an id, the one that sends the same words is the same`() throws {
        let runs = ["k7Qx9ZpL2vTn4WcB", "b3YmR8sDf6HjK1aE"]
        func conversation(_ id: String, _ runs: [String]) throws -> [Stub] {
            try [Self.stub(#"{"id":"\#(id)"}"#, path: "items")]
                + runs.map { try Self.stub("of \($0.prefix(1))", path: "items/\(id)?run=\($0)") }
        }
        let old = try conversation("9d4e1e23bd5b7270", runs)
        #expect(try recordedAgain(old, conversation("2fd4e1c67a2d28fc", runs.reversed())) == old)
    }

    @Test func `a placeholder with another number is written if a new stub has it, and kept otherwise`() throws {
        func login(_ user: String, _ number: Int) throws -> Stub {
            try Self.stub(#"{"token":"REDACTED-token-\#(number)"}"#, path: "login/\(user)")
        }
        // Ada's token would otherwise stay the first one, which is now Bob's.
        let old = [try login("ada", 1), try Self.stub("old", path: "news")]
        let withBob = [try login("bob", 1), try login("ada", 2)]
        #expect(try recordedAgain(old, withBob) == withBob)
        #expect(try kept(old, [login("ada", 2), Self.stub("new", path: "news")]) == [true, false])
    }

    @Test func `what only clients send keeps its number, unless a written stub gives the number to another`() throws {
        func answer(_ path: String, _ key: Int, _ body: String) throws -> Stub {
            try Self.stub(body, path: "\(path)?key=REDACTED-key-\(key)")
        }
        let old = [try answer("items", 1, "a"), try answer("news", 1, "old")]
        #expect(try kept(old, [answer("items", 2, "a"), answer("news", 2, "new")]) == [true, false])
        // The first key is the one of another user now.
        let withBob = [try answer("items", 2, "a"), try answer("news", 1, "new")]
        #expect(try recordedAgain(old, withBob) == withBob)
    }
}
