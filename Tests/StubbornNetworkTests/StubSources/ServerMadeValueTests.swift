import Foundation
import Testing

@testable import StubbornNetwork

/// Conversations in which the server makes values that later requests carry, recorded again with other values.
struct ServerMadeValueTests {
    /// Values of one kind, for two runs.
    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        let old: [String]
        let new: [String]

        var testDescription: String { name }

        init(_ name: String, _ old: [String], _ new: [String]) {
            (self.name, self.old, self.new) = (name, old, new)
        }
    }

    static let kinds = [
        Kind(
            "UUID",
            ["0b6d5a3e-93a1-4d7c-8f0e-2a51c7d90b11", "77c1f3a0-5b2e-4a88-9d16-f00e3b6a4c22"],
            ["c4e9b8d2-1f60-4b3a-a7d5-9e8c0f123433", "1d2a3b4c-5e6f-4071-8293-a4b5c6d7e844"]
        ),
        Kind(
            "ULID",
            ["01JDC8Z6Q4V0N7R2K5M9T3W1XB", "01JDC8Z6Q5H8P1D4F7G2J6S0YC"],
            ["01JDD2A9M3B6C1X8Z5V4N7Q0KE", "01JDD2A9M4T7W2R9Y6U3P8S1HF"]
        ),
        Kind("short random", ["V1StGXR8_Z5jdHi6B", "kx7Q2mP9_wL4tRn8C"], ["zT3vBq6Y-e1KfU9sD", "hN8cJr2W-g5MxA4oE"]),
        Kind(
            "hexadecimal",
            ["65f1c0ffee12ab34cd56ef78", "65f1c0ffee12ab34cd56ef79"],
            ["65f2dd01aa98bc76fe54dc32", "65f2dd01aa98bc76fe54dc33"]
        ),
        Kind("prefixed", ["ord_9fK2mXw7", "ord_3bTq8ZpL"], ["ord_Yd5Rc1Hs", "ord_6gNv0UjE"]),
        Kind("number", ["7", "8"], ["19", "20"]),
        Kind("long number", ["1050231995", "1050231996"], ["1050988120", "1050988121"]),
        Kind("base64", ["q1/Zr+x8Lw0aP4==", "Ma9+b/3kTe7uVc=="], ["Xy+7oPq2/RsT1u==", "e5Wd8/Kj+nB0vQ=="]),
    ]

    /// How a request carries a value.
    enum Carrier: String, CaseIterable {
        case path, query, json, form

        func request(_ id: String) throws -> StubRequest {
            let encoded = try #require(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            func post(_ type: String, _ body: String) throws -> StubRequest {
                StubRequest(
                    method: "POST",
                    url: try .parsed("http://a/find"),
                    headerFields: ["Content-Type": type],
                    body: Data(body.utf8)
                )
            }
            return switch self {
            case .path: StubRequest(url: try .parsed("http://a/orders/\(encoded)"))
            case .query: StubRequest(url: try .parsed("http://a/orders?order_id=\(encoded)&x=1"))
            case .json:
                try post(
                    "application/json",
                    #"{"id":\#(id.first?.isNumber == true && Int(id) != nil ? id : "\"\(id)\"")}"#
                )
            case .form: try post("application/x-www-form-urlencoded", "id=\(encoded)&x=1")
            }
        }
    }

    static func json(_ id: String, _ rest: String = "") -> String {
        #"{"id":\#(Int(id) == nil ? "\"\(id)\"" : id),"price":"19.90","count":7\#(rest)}"#
    }

    /// Makes two orders, reads both, and looks one of them up twice.
    static func conversation(_ ids: [String], _ carrier: Carrier, _ change: (inout [Stub]) -> Void = { _ in }) throws
        -> [Stub]
    {
        func stub(_ request: StubRequest, _ body: String) -> Stub {
            Stub(request: request, response: .status(200, ["Content-Type": "application/json"], body: body))
        }
        var result = try ids.enumerated().map { index, id in
            let request = StubRequest(
                method: "POST",
                url: try .parsed("http://a/orders"),
                body: Data("item \(index)".utf8)
            )
            return stub(request, json(id))
        }
        result += try ids.map { stub(try carrier.request($0), json($0, #","state":"open""#)) }
        result.append(stub(try carrier.request(ids[0]), json(ids[0], #","state":"paid""#)))
        change(&result)
        return result
    }

    static func recordedAgain(_ old: [Stub], _ new: [Stub], _ rules: MergeRules = MergeRules()) throws -> [Stub] {
        let merge = MergedRun(
            base: old.map { StubFileEntry(rendering: $0, bodyEncoding: .base64) },
            recorded: new.map { StubFileEntry(rendering: $0, bodyEncoding: .base64) },
            replaces: true,
            endsWell: true,
            rules: rules
        )
        return try merge.document().entries.map(\.stub)
    }

    @Test(arguments: kinds, Carrier.allCases)
    func `a conversation with other values of the server is the same conversation`(kind: Kind, carrier: Carrier) throws
    {
        let (old, new) = (try Self.conversation(kind.old, carrier), try Self.conversation(kind.new, carrier))
        #expect(try Self.recordedAgain(old, new) == old)
        // The orders are read in another order; the values that a request carries say which stub is meant.
        let swapped = [new[0], new[1], new[3], new[2], new[4]]
        let merged = try Self.recordedAgain(old, swapped)
        #expect(merged.count == old.count && old.allSatisfy(merged.contains))
    }

    @Test(
        arguments: kinds,
        [
            (#""price":"19.90""#, #""price":"24.90""#), (#""count":7"#, #""count":8"#), ("open", "held"),
            (#","state":"open""#, ""), (#""state":"open""#, #""state":true"#),
        ]
    )
    func `a change of the server is never hidden, and the file plays as one conversation`(
        kind: Kind,
        change: (old: String, new: String)
    ) throws {
        for carrier in Carrier.allCases {
            for index in 2...3 {
                let old = try Self.conversation(kind.old, carrier)
                let new = try Self.conversation(kind.new, carrier) { stubs in
                    let text = stubs[index].response.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
                    stubs[index].response.bytes = Data(text.replacingOccurrences(of: change.old, with: change.new).utf8)
                }
                let result = try Self.recordedAgain(old, new)
                #expect(result.count == 5)
                #expect(result[index] == new[index])
                // What carries the same value is renewed, and the rest stays.
                let renewed = index == 2 ? [0, 2, 4] : [1, 3]
                for other in result.indices {
                    #expect(result[other] == (renewed.contains(other) ? new[other] : old[other]), "\(carrier) \(other)")
                }
            }
        }
    }

    /// A request or a response with two ids, by these.
    static let places: [(name: String, stub: @Sendable ([String], Int) throws -> Stub)] = [
        ("a list in a query", { try .get("http://a/all?ids=\($0[0]),\($0[1])", .status(200, body: "\($1)")) }),
        ("a list in a path", { try .get("http://a/all/\($0[0]);\($0[1])", .status(200, body: "\($1)")) }),
        ("items of one name", { try .get("http://a/all?id[]=\($0[0])&id[]=\($0[1])", .status(200, body: "\($1)")) }),
        ("a segment in parentheses", { try .get("http://a/Orders(\($0[1]))", .status(200, body: "\($1)")) }),
        (
            "names of members",
            { try .get("http://a/all", .status(200, body: #"{"\#($0[0])":{"n":1},"\#($0[1])":{"n":\#($1)}}"#)) }
        ),
        (
            "names of a form's fields, joined with other words",
            { ids, number in
                let fields: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
                let body = Data("grade[\(ids[0])]=5&a+b=c&input_\(ids[1])_2=\(number)".utf8)
                let url = try URL.parsed("http://a/all")
                let request = StubRequest(method: "POST", url: url, headerFields: fields, body: body)
                return Stub(request: request, response: .status(200, body: "ok"))
            }
        ),
    ]

    @Test(arguments: places.indices)
    func `an id is known again in a list, in a name, and in a longer word`(place: Int) throws {
        // In the second run, the first id comes after the other one in the order of names.
        for kind in Self.kinds.prefix(4) {
            func stubs(_ ids: [String], _ number: Int = 1) throws -> [Stub] {
                let made = try ids.map { try Stub.get("http://a/new", .status(200, body: #"{"id":"\#($0)"}"#)) }
                return try made + [Self.places[place].stub(ids, number)]
            }
            let (old, ids) = (try stubs(kind.old), [kind.new[1], kind.new[0]].sorted().reversed() as [String])
            #expect(try Self.recordedAgain(old, stubs(ids)) == old, "\(Self.places[place].name), \(kind)")
            #expect(try Self.recordedAgain(old, stubs(ids, 2)).last == stubs(ids, 2).last)
        }
    }

    @Test func `names of members that are longer ids now make the body longer, and are no change`() throws {
        func stubs(_ ids: [String]) throws -> [Stub] {
            let body = #"{"\#(ids[0])":{"n":1},"\#(ids[1])":{"n":2}}"#
            let all = try Stub.get("http://a/all", .status(200, ["Content-Length": "\(body.utf8.count)"], body: body))
            let made = try ids.map { try Stub.get("http://a/new", .status(200, body: #"{"id":"\#($0)"}"#)) }
            return try made + ids.map { try Stub.get("http://a/orders/\($0)", .status(200, body: "{}")) } + [all]
        }
        let old = try stubs(["id5x8y7", "id9k4j3"])
        #expect(try Self.recordedAgain(old, stubs(["id7q8w9e0", "id1a2b3c4"])) == old)
    }

    @Test func `the new id is written into a form and a URL as the client has encoded them`() throws {
        let (old, new) = (Self.kinds[0].old[0], Self.kinds[0].new[0])
        let stubs = try [old, new].map { try Stub.get("http://a/new", .status(200, body: #"{"id":"\#($0)"}"#)) }
        var made = ServerMadeValues()
        made.add(StubChange(stubs[0], stubs[1], MergeRules()).values)
        func request(_ id: String) throws -> StubRequest {
            StubRequest(
                method: "POST",
                url: try .parsed("http://a/all?ids=\(id),7&note=a%20\(id)%2C"),
                headerFields: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Data("note=a+\(id)+1%2B2&ids=\(id),7".utf8)
            )
        }
        #expect(try made.live(request(old)) == request(new))
    }

    @Test func `a secret takes no part of another placeholder`() throws {
        let stubs = try ["REDACTED-key-1", "k9x8y7z6w5"].map {
            try Stub.get("http://a/new", .status(200, body: #"{"key":"\#($0)"}"#))
        }
        var made = ServerMadeValues()
        made.add(StubChange(stubs[0], stubs[1], MergeRules()).values)
        let keys = ["REDACTED-key-1", "REDACTED-key-1-1"].map { key in
            made.live(StubRequest(url: stubs[0].request.url, headerFields: ["X-Key": key])).headerFields["X-Key"]
        }
        #expect(keys == ["k9x8y7z6w5", "REDACTED-key-1-1"])
    }

    @Test func `a long number in an id that a request carries is made by the server, and a year in it is not`() throws {
        func stubs(_ number: Int, _ count: Int = 7) throws -> [Stub] {
            let change = #"{"id":"shop~\#(number)","by_\#(number)":\#(number),"count":\#(count)}"#
            let fields: HeaderFields = ["Content-Length": "\(change.utf8.count)"]
            return [
                try .get("http://a/new", .status(200, fields, body: change)),
                try .get("http://a/changes/shop~\(number)", .status(200, fields, body: change)),
            ]
        }
        #expect(try Self.recordedAgain(stubs(4_569_231), stubs(15_359_142)) == stubs(4_569_231))
        #expect(try Self.recordedAgain(stubs(4_569_231), stubs(15_359_142, 8)) == stubs(15_359_142, 8))
        func invoices(_ year: Int, _ number: Int, fiscalYear: Int) throws -> [Stub] {
            let body = #"{"id":"INV-\#(year)-000\#(number)","fiscal":{"year":\#(fiscalYear)}}"#
            return [
                try .get("http://a/new", .status(200, body: body)),
                try .get("http://a/invoices/INV-\(year)-000\(number)", .status(200, body: body)),
            ]
        }
        let old = try invoices(2025, 17, fiscalYear: 2025)
        let new = try invoices(2026, 23, fiscalYear: 2026)
        #expect(try Self.recordedAgain(old, new) == new)
        #expect(try Self.recordedAgain(old, invoices(2026, 23, fiscalYear: 2025)) == old)
    }

    @Test func `a checksum is none of the values of a server, although a version is the same`() throws {
        func stub(_ value: String) throws -> Stub {
            try .get("http://a/", .status(200, body: #"{"version":"\#(value)","sha":"\#(value)"}"#))
        }
        let (old, new) = (try stub("9d4e1e23bd5b727046a9"), try stub("2fd4e1c67a2d28fced84"))
        #expect(try Self.recordedAgain([old], [new]) == [new])
    }

    @Test func `a change inside a token is one, also where the token is known`() throws {
        func stubs(_ id: String, scope: String) throws -> [Stub] {
            let claims = Data(#"{"sub":"\#(id)","scope":"\#(scope)"}"#.utf8).base64EncodedString()
            let token = "eyJhbGciOiJIUzI1NiJ9.\(claims).c2lnbmF0dXJl"
            return [
                try .get("http://a/login", .status(200, body: #"{"session_id":"\#(token)"}"#)),
                try .get("http://a/me?session_id=\(token)", .status(200, body: "{}")),
            ]
        }
        let (old, id) = (try stubs(Self.kinds[0].old[0], scope: "read"), Self.kinds[0].new[0])
        let new = try stubs(id, scope: "write")
        #expect(try Self.recordedAgain(old, new) == new)
    }

    @Test func `an id that is counted is no price and no number of things, at the same place or elsewhere`() throws {
        func stubs(_ id: Int, price: Int, count: Int) throws -> [Stub] {
            [
                try .get("http://a/new", .status(200, body: #"{"id":\#(id),"price":\#(price),"items":[\#(count)]}"#)),
                try .get("http://a/orders/\(id)", .status(200, body: #"{"id":\#(id)}"#)),
            ]
        }
        let old = try stubs(7, price: 7, count: 7)
        #expect(try Self.recordedAgain(old, stubs(9, price: 7, count: 7)) == old)
        for new in [try stubs(9, price: 9, count: 7), try stubs(9, price: 7, count: 9)] {
            #expect(try Self.recordedAgain(old, new) == new)
        }
    }

    @Test func `a price with the digits of an id is no id, nor is a name that ends in them`() throws {
        func stubs(_ id: Int, _ rest: String) throws -> [Stub] {
            [
                try .get("http://a/new", .status(200, body: #"{"id":\#(id),"rest":\#(rest)}"#)),
                try .get("http://a/orders/\(id)", .status(200, body: #"{"id":\#(id)}"#)),
            ]
        }
        for (old, new) in [("7.5", "9.5"), (#""gate-7""#, #""gate-9""#), (#""gate7""#, #""gate9""#)] {
            let new = try stubs(9, new)
            #expect(try Self.recordedAgain(stubs(7, old), new) == new)
        }
    }

    /// A value that has an id in it, by the id.
    static let compositions: [@Sendable (Int) -> String] = [
        { "0.\($0)" }, { "repo_\($0)_x" },
        { Data("cursor:v2:\($0)".utf8).base64EncodedString().replacingOccurrences(of: "=", with: "") },
    ]

    @Test(arguments: compositions.indices)
    func `a value with a known id in it, also in base64, is made by the server, and with a word in it is not`(
        index: Int
    ) throws {
        func stubs(_ id: Int, _ value: String) throws -> [Stub] {
            [
                try .get("http://a/new", .status(200, body: #"{"id":\#(id),"node":"\#(value)","count":7}"#)),
                try .get("http://a/orders/\(id)", .status(200, body: #"{"id":\#(id)}"#)),
            ]
        }
        let compose = Self.compositions[index]
        let old = try stubs(1_296_269, compose(1_296_269))
        #expect(try Self.recordedAgain(old, stubs(1_301_177, compose(1_301_177))) == old)
        let other = try stubs(1_301_177, compose(1_301_178))
        #expect(try Self.recordedAgain(old, other) == other)
        let text = { (word: String) in Data("state of this: \(word)".utf8).base64EncodedString() }
        let held = try stubs(1_301_177, text("held"))
        #expect(try Self.recordedAgain(stubs(1_296_269, text("open")), held) == held)
    }

    @Test(
        arguments: [
            (#""tag":"premium""#, #""tag":"p2x4y1z""#, false),
            (#""tag":"premium""#, #""tag":"classic""#, false),
            (#""tag":7"#, #""tag":9"#, false), (#""tag":123456"#, #""tag":654321"#, false),
            // Long numbers are ids where ids are written.
            (#""tag":"12345678""#, #""tag":"87654321""#, true),
            (#""tag":1234567"#, #""tag":7654321"#, true),
        ]
    )
    func `a long number is an id where ids are written`(old: String, new: String, isSameAsID: Bool) throws {
        func stubs(_ member: String, named name: String) throws -> [Stub] {
            let body = "{\(member.replacingOccurrences(of: "tag", with: name))}"
            return [try .get("http://a/", .status(200, body: body))]
        }
        let tags = try (stubs(old, named: "tag"), stubs(new, named: "tag"))
        #expect(try Self.recordedAgain(tags.0, tags.1) == tags.1)
        for name in ["tag_id", "tagId", "tagUID", "gid", "guid", "tag-uuid"] {
            let ids = try (stubs(old, named: name), stubs(new, named: name))
            #expect(try Self.recordedAgain(ids.0, ids.1) == (isSameAsID ? ids.0 : ids.1), "\(name)")
        }
        let bids = try (stubs(old, named: "bid"), stubs(new, named: "bid"))
        #expect(try Self.recordedAgain(bids.0, bids.1) == bids.1)
    }

    @Test func `a number in an id in base64 that a request sends back is made by the server`() throws {
        func stubs(_ number: Int, _ other: Int = 5) throws -> [Stub] {
            let (id, plan) = (Data("Address:\(number)".utf8), Data("Plan:\(other)".utf8))
            let body = #"{"id":"\#(id.base64EncodedString())","planId":"\#(plan.base64EncodedString())"}"#
            let url = "http://a/address?id=\(id.base64EncodedString())"
            return [try .get("http://a/new", .status(200, body: body)), try .get(url, .status(200, body: "{}"))]
        }
        #expect(try Self.recordedAgain(stubs(5278), stubs(4415)) == stubs(5278))
        #expect(try Self.recordedAgain(stubs(5278), stubs(4415, 6)) == stubs(4415, 6))
    }

    @Test func `a short id of what was created is made by the server, and one of anything else is not`() throws {
        func stubs(_ status: Int, id: Int, owner: Int) throws -> [Stub] {
            let body = #"{"id":\#(id),"owner":{"name":"ada"},"owner_id":\#(owner),"count":7}"#
            return [
                try .get("http://a/notes", .status(status, body: body)),
                try .get("http://a/last", .status(200, body: #"{"note":{"id":\#(id)},"count":7}"#)),
            ]
        }
        let old = try stubs(201, id: 7, owner: 3)
        #expect(try Self.recordedAgain(old, stubs(201, id: 9, owner: 3)) == old)
        for (old, new) in [
            (old, try stubs(201, id: 7, owner: 4)), (try stubs(200, id: 7, owner: 3), try stubs(200, id: 9, owner: 3)),
        ] {
            #expect(try Self.recordedAgain(old, new).first == new.first)
        }
    }

    @Test func `a number in the URL of what was created is its id, wherever it is`() throws {
        func stub(_ status: Int, _ number: Int, count: Int = 7) throws -> Stub {
            let body = #"{"number":\#(number),"title":"note \#(number)","count":\#(count)}"#
            return try .get("http://a/notes", .status(status, ["Location": "/notes/\(number)"], body: body))
        }
        #expect(try Self.recordedAgain([stub(201, 418)], [stub(201, 431)]) == [stub(201, 418)])
        #expect(try Self.recordedAgain([stub(201, 418)], [stub(201, 431, count: 8)]) == [stub(201, 431, count: 8)])
        #expect(try Self.recordedAgain([stub(200, 418)], [stub(200, 431)]) == [stub(200, 431)])
        // A number of two digits is often a count.
        #expect(try Self.recordedAgain([stub(201, 41)], [stub(201, 43)]) == [stub(201, 43)])
    }

    @Test func `where the client cuts a value into segments of a path, the file plays as one conversation too`() throws
    {
        func stubs(_ id: String, name: String = "Ada") throws -> [Stub] {
            [
                try .get("http://a/search", .status(200, body: #"{"id":"\#(id)"}"#)),
                try .get("http://a/result/\(id)", .status(200, body: #"{"name":"\#(name)"}"#)),
            ]
        }
        let (old, new) = (try stubs("q1Zr8Lw0aP4nX7cK"), try stubs("Xy7oPq2/RsT1uB9m"))
        #expect(try [old, new].contains(Self.recordedAgain(old, new)))
        #expect(try [old, new].contains(Self.recordedAgain(new, old)))
        let renamed = try stubs("Xy7oPq2/RsT1uB9m", name: "Eve")
        #expect(try Self.recordedAgain(old, renamed) == renamed)
    }

    @Test func `two users who log in in another order keep their own stubs`() throws {
        func login(_ name: String, _ token: Int) throws -> Stub {
            let request = StubRequest(method: "POST", url: try .parsed("http://a/login"), body: Data(name.utf8))
            return Stub(request: request, response: .status(200, body: #"{"token":"REDACTED-token-\#(token)"}"#))
        }
        func me(_ name: String, _ token: Int) throws -> Stub {
            var stub = try Stub.get("http://a/me", .status(200, body: #"{"name":"\#(name)"}"#))
            stub.request.headerFields["Authorization"] = "Bearer REDACTED-token-\(token)"
            return stub
        }
        let old = [try login("ada", 1), try login("eve", 2), try me("ada", 1), try me("eve", 2)]
        let new = [try login("eve", 1), try login("ada", 2), try me("eve", 1), try me("ada", 2)]
        let again = try Self.recordedAgain(old, new)
        #expect(again.count == old.count && old.allSatisfy(again.contains))
        // One of them has another name now: all that has her token is renewed, and nobody gets the other one's.
        let renamed = [new[0], new[1], new[2], try me("Ada", 2)]
        for stub in try Self.recordedAgain(old, renamed) {
            #expect(renamed.contains(stub) || stub.request.body == Data("eve".utf8))
        }
    }

    @Test(
        arguments: [
            (#"{"at":"2026-01-05T10:00:07.123Z"}"#, #"{"at":"2026-03-09T08:30:02Z"}"#, true),
            (#"{"at":"2026-01-05 12:00:07+02:00"}"#, #"{"at":"2026-03-09 10:30:09+02:00"}"#, true),
            ("on Mon, 05 Jan 2026 10:00:01 GMT", "on Mon, 09 Mar 2026 08:30:03 GMT", true),
            ("until Mon, 05-Jan-26 10:30:01 GMT", "until Mon, 09-Mar-26 09:00:03 GMT", true),
            ("until Monday, 05-Jan-26 10:30:01 GMT", "until Tuesday, 10-Mar-26 09:00:03 GMT", false),
            ("on Mon, 5 Jan 2026 10:00:01 +0000", "on Mon, 9 Mar 2026 08:30:03 +0000", true),
            (#"{"exp":1767610800}"#, #"{"exp":1773048600}"#, true),
            (#"{"exp":1767610800123}"#, #"{"exp":1773048605000}"#, true),
            (#"{"due":"2026-01-08"}"#, #"{"due":"2026-03-12"}"#, true),
            ("report-20260105.csv", "report-20260309.csv", true), ("at 20260105T100007Z", "at 20260309T083001Z", true),
            (
                "<dateTime.iso8601>20260105T10:00:07</dateTime.iso8601>",
                "<dateTime.iso8601>20260309T08:30:01</dateTime.iso8601>", true
            ),
            (#"{"at":"2026-01-05.10:00:07"}"#, #"{"at":"2026-03-09.08:30:02"}"#, true),
            (#"{"day":"2026-01-08+01:00"}"#, #"{"day":"2026-03-12+01:00"}"#, true),
            ("report-20260105.csv", "report-20260310.csv", false),
            ("Mon Jan  5 10:00:07 2026", "Mon Mar  9 08:30:01 2026", true),
            ("[05/Jan/2026:10:00:07 +0000]", "[09/Mar/2026:08:30:01 +0000]", true),
            ("05-Jan-2026 10:00", "09-Mar-2026 08:29", true),
            (#"{"due":"Jan 8, 2026 1:45 PM"}"#, #"{"due":"Mar 12, 2026 12:15 PM"}"#, true),
            (#"{"due":"Jan 8, 2026 1:45 PM"}"#, #"{"due":"Mar 12, 2026 12:15 AM"}"#, false),
            ("opened Jan 5, 2026 10:00 AM", "closed Mar 9, 2026 8:30 AM", false),
            ("Sunrise 2026-01-05 10:00:07", "Sunset 2026-03-09 08:30:07", false),
            (#"{"opens":"2026-01-05T10:00:00Z"}"#, #"{"opens":"2026-03-09T08:31:00Z"}"#, false),
            // One recording may be some seconds slower than another; a minute is a change.
            (#"{"at":"2026-01-01T10:00:07Z"}"#, #"{"at":"2026-03-05T08:30:19Z"}"#, true),
            (#"{"at":"2026-01-01T10:00:07Z"}"#, #"{"at":"2026-03-05T08:30:52Z"}"#, false),
            // The clock moved by 63 days less an hour and a half; these did not.
            (#"{"at":"2026-01-05T10:00:07Z"}"#, #"{"at":"2026-03-09T10:00:07Z"}"#, false),
            (#"{"due":"2026-01-08"}"#, #"{"due":"2026-03-13"}"#, false),
            (#"{"born":"1985-01-08"}"#, #"{"born":"1985-03-13"}"#, false),
            (#"{"exp":1767610800}"#, #"{"exp":1773049600}"#, false),
            (#"{"seats":1000000000}"#, #"{"seats":1005437800}"#, false),
            // A lifetime is the seconds that are left; this is another time.
            (#"{"expires":1770202811}"#, #"{"expires":1780824622}"#, false),
            // Also where every second character differs.
            (#"{"opens":"2026-02-03T20:24:14Z"}"#, #"{"opens":"2031-11-17T08:05:30Z"}"#, false),
        ]
    )
    func `a time that moved with the clock is no change, and any other time is one`(
        old: String,
        new: String,
        isSame: Bool
    ) throws {
        func stub(_ body: String, _ date: String) throws -> Stub {
            var stub = try Stub.get("http://a/", .status(200, body: body))
            stub.recordedAt = UTCDate.date(of: date)
            return stub
        }
        let (old, new) = (try stub(old, "2026-01-05T10:00:00Z"), try stub(new, "2026-03-09T08:30:00Z"))
        #expect(try Self.recordedAgain([old], [new]) == [isSame ? old : new])
    }

    @Test func `the claims of a web token are compared one by one`() throws {
        func stub(_ date: String, exp: Int, scope: String = "read") throws -> Stub {
            let claims = Data(#"{"scope":"\#(scope)","exp":\#(exp),"sub":"REDACTED-sub-1"}"#.utf8).base64EncodedString()
            let token = "eyJhbGciOiJSUzI1NiJ9.\(claims.replacing("=", with: "")).REDACTED00000000001"
            var stub = try Stub.get("http://a/", .status(200, body: #"{"token":"\#(token)"}"#))
            stub.recordedAt = UTCDate.date(of: date)
            return stub
        }
        let old = try stub("2026-01-05T10:00:00Z", exp: 1_767_610_800)
        #expect(try Self.recordedAgain([old], [stub("2026-03-09T08:30:00Z", exp: 1_773_048_600)]) == [old])
        let changed = try stub("2026-03-09T08:30:00Z", exp: 1_773_048_600, scope: "send")
        #expect(try Self.recordedAgain([old], [changed]) == [changed])
    }

    @Test func `a meeting that somebody moved is a change, although its times have moved by as much`() throws {
        func stub(_ hour: Int) throws -> Stub {
            let times = [hour, hour + 1].map { "2027-03-04T\($0):00:00Z" }
            return try .get("http://a/", .status(200, body: #"{"start":"\#(times[0])","end":"\#(times[1])"}"#))
        }
        #expect(try Self.recordedAgain([stub(10)], [stub(11)]) == [stub(11)])
    }

    @Test(arguments: [
        (3599, 3598, true), (4952, 4135, true), (7199, 3599, false), (3600, 7200, false), (300, 299, false),
    ])
    func `the seconds that are left until something expires are no change, and a lifetime that somebody chose is one`(
        old: Int,
        new: Int,
        isSame: Bool
    ) throws {
        for name in ["expires_in", "refreshExpiresIn"] {
            let stubs = try [old, new].map { try Stub.get("http://a/", .status(200, body: #"{"\#(name)":\#($0)}"#)) }
            #expect(try Self.recordedAgain([stubs[0]], [stubs[1]]) == [isSame ? stubs[0] : stubs[1]])
        }
    }

    @Test(
        arguments: [
            ("Qk7dPz2m", "Wn4sTb8c", true), ("i55oew", "i9vmgk", true), ("rpc-a06ae0", "rpc-ea56c8", true),
            ("black2", "white1", false), ("v1.2.3", "v1.3.0", false), ("iPhone15", "iPhone16", false),
            ("orderShipped", "orderPending", false), ("OnHoldNow", "InTransit", false), ("12345678", "87654321", false),
            ("2024-Q3", "2025-Q1", false), ("12 ms", "7 ms", true), ("12 mm", "7 mm", false),
            ("M20x150", "M24x180", false),
        ]
    )
    func `two words are values of a server if both look drawn and are as long`(old: String, new: String, isSame: Bool)
        throws
    {
        let stubs = try [old, new].map { try Stub.get("http://a/", .status(200, body: #"{"kind":"\#($0)"}"#)) }
        #expect(try Self.recordedAgain([stubs[0]], [stubs[1]]) == [isSame ? stubs[0] : stubs[1]])
    }

    @Test func `a number that may be a time, next to a time that moved with the clock, changes nothing`() throws {
        func stub(_ id: Int, _ date: String) throws -> Stub {
            let body = #"{"id":\#(id),"last_id":\#(id),"url":"/notes#note-\#(id)","at":"\#(date)"}"#
            var stub = try Stub.get("http://a/", .status(201, body: body))
            stub.recordedAt = UTCDate.date(of: date)
            return stub
        }
        let old = try stub(998_877_665, "2026-01-05T10:00:00Z")
        #expect(try Self.recordedAgain([old], [stub(1_000_123_456, "2026-03-09T08:30:00Z")]) == [old])
        let long = try stub(2_599_761_783, "2026-01-05T10:00:00Z")
        #expect(try Self.recordedAgain([long], [stub(2_603_109_703, "2026-03-09T08:30:00Z")]) == [long])
    }

    @Test func `the clock of the server counts, where it says its time`() throws {
        func stub(_ day: Int, _ hour: Int, recorded: String) throws -> Stub {
            let fields: HeaderFields = [
                "Date": "Mon, 0\(day) Jan 2024 10:00:00 GMT", "X-Until": "Mon, 0\(day) Jan 2024 \(hour):00:00 GMT",
            ]
            var stub = try Stub.get("http://a/", .status(200, fields, body: #"{"at":"2024-01-0\#(day)T09:59:58Z"}"#))
            stub.recordedAt = UTCDate.date(of: recorded)
            return stub
        }
        let old = try stub(1, 11, recorded: "2026-01-05T10:00:00Z")
        #expect(try Self.recordedAgain([old], [stub(4, 11, recorded: "2026-01-05T10:00:07Z")]) == [old])
        let later = try stub(4, 12, recorded: "2026-01-05T10:00:07Z")
        #expect(try Self.recordedAgain([old], [later]) == [later])
    }

    @Test(
        arguments: [
            (["Vary": "Accept, Origin"], ["Vary": "Origin, Accept"], true),
            (["Vary": "Accept, Origin"], ["Vary": "Accept"], false),
            (["X-Sources": "'self' https://a https://b"], ["X-Sources": "https://b 'self' https://a"], true),
            (["Allow": "GET,HEAD,PUT"], ["Allow": "PUT, GET, HEAD"], true),
            (
                ["Content-Encoding": "gzip", "Content-Length": "60"],
                ["Content-Encoding": "gzip", "Content-Length": "61"], true
            ),
            (["Content-Length": "60"], ["Content-Length": "61"], false),
            (
                ["Content-Security-Policy": "script-src 'nonce-q1/Zr+x8Lw0aP4==' 'self'"],
                ["Content-Security-Policy": "script-src 'nonce-Xy7oPq2/RsT1u9==' 'self'"], true
            ),
            (
                ["Content-Security-Policy": "script-src 'nonce-q1/Zr+x8Lw0aP4=='"],
                ["Content-Security-Policy": "style-src 'nonce-Xy7oPq2/RsT1u9=='"], false
            ),
            (["X-Acme-RateLimit-Left": "59"], ["X-Acme-RateLimit-Left": "58"], true),
            (["X-Quota-Used": "59"], ["X-Quota-Used": "58"], true),
            (["X-Acme-Cache": "HIT"], ["X-Acme-Cache": "MISS"], true),
            (
                ["Date": "Mon, 01 Jan 2024 10:00:00 GMT", "Set-Cookie": "a=b; Expires=Thu, 01 Jan 2026 10:00:00 GMT"],
                ["Date": "Tue, 02 Jan 2024 11:30:05 GMT", "Set-Cookie": "a=b; Expires=Fri, 02 Jan 2026 11:30:05 GMT"],
                true
            ),
            (["X-Left": "59"], ["X-Left": "58"], false),
            (["X-Acme-RateLimit-Left": "59"], [:], false),
        ] as [([String: String], [String: String], Bool)]
    )
    func `header fields that a server makes anew are no change`(
        old: [String: String],
        new: [String: String],
        isSame: Bool
    ) throws {
        func stub(_ fields: [String: String]) throws -> Stub {
            try .get("http://a/", .status(200, HeaderFields(fields), body: "same"))
        }
        #expect(try Self.recordedAgain([stub(old)], [stub(new)]) == [isSame ? stub(old) : stub(new)])
    }

    /// Conversations of any shape: each response gives a value, and requests carry earlier ones.
    @Test func `after any change every request of the conversation carries what a stub of the file gives`() throws {
        var generator = Generator(seed: 402)
        for round in 0..<150 {
            let count = Int.random(in: 2...9, using: &generator)
            let carried = (0..<count).map { index in
                (0..<index).last { _ in Int.random(in: 0..<3, using: &generator) == 0 }
            }
            let carriers = (0..<count).map { _ in Carrier.allCases.randomElement(using: &generator) ?? .path }
            func conversation(_ kind: (Int) -> String, _ changed: Set<Int> = []) throws -> [Stub] {
                try (0..<count).map { index in
                    let id = kind(index)
                    var request = StubRequest(url: try .parsed("http://a/make/\(index)x"))
                    if let source = carried[index] { request = try carriers[index].request(kind(source)) }
                    request.headerFields["X-Step"] = "step \(index)"
                    let name = changed.contains(index) ? "Eve" : "Ada"
                    return Stub(request: request, response: .status(200, body: #"{"id":"\#(id)","by":"\#(name)"}"#))
                }
            }
            func value(_ index: Int, _ run: Int) -> String {
                var values = Generator(seed: UInt64(round * 1000 + run * 100 + index + 1))
                return (0..<24).map { _ in String(UInt8.random(in: 0..<16, using: &values), radix: 16) }.joined()
            }
            let old = try conversation { value($0, 1) }
            #expect(try Self.recordedAgain(old, conversation { value($0, 2) }) == old)
            let changed = Set((0..<count).filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
            let new = try conversation({ value($0, 2) }, changed)
            let result = try Self.recordedAgain(old, new)
            #expect(result.count == count)
            for index in result.indices {
                #expect(result[index] == old[index] || result[index] == new[index])
                #expect(!changed.contains(index) || result[index] == new[index])
                let run = result[index] == old[index] ? 1 : 2
                guard let source = carried[index] else { continue }
                let given = result[source].response.bytes.map { String(decoding: $0, as: UTF8.self) }
                #expect(given?.contains(value(source, run)) == true, "round \(round), \(source) to \(index)")
            }
        }
    }
}
