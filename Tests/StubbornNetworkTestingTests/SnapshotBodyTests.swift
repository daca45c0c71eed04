import Foundation
import Testing

@testable import StubbornNetwork
@testable import StubbornNetworkTesting

struct SnapshotBodyTests {
    private func request(_ type: String?, _ body: Data?) throws -> StubRequest {
        let url = try #require(URL(string: "https://a.test/"))
        let fields: HeaderFields = type.map { ["content-TYPE": $0] } ?? [:]
        return StubRequest(method: "POST", url: url, headers: fields, body: body)
    }

    /// Bodies by the kind that they are kept as, each with its content type.
    private static func bodies(_ kind: SnapshotBody.Kind) -> [(String?, String)] {
        switch kind {
        case .json:
            [
                ("application/json", "1"), ("Application/Problem+JSON; charset=utf-8", #"{"b":[1.50,null],"a":"é"}"#),
                (nil, "[]"), ("text/plain", "{}"),
            ]
        case .form:
            [
                ("application/x-www-form-urlencoded", "a=1&b=&a=2"),
                ("APPLICATION/X-WWW-FORM-URLENCODED; CHARSET=UTF-8", "a+b=%c3%a9&%41=%26"),
            ]
        case .text:
            [("text/plain", "one line"), (nil, "two\nlines\n"), ("application/x-www-form-urlencoded", "no form")]
        case .data: [("image/png", "\u{0}a"), ("application/x-www-form-urlencoded", "\u{0}")]
        }
    }

    @Test(arguments: SnapshotBody.Kind.allCases)
    func `each kind of body is recognized, and equals itself when it is read again`(kind: SnapshotBody.Kind) throws {
        for (type, text) in Self.bodies(kind) {
            let body = try #require(SnapshotBody(request(type, Data(text.utf8))), "\(text)")
            #expect(body.kind == kind, "\(text)")
            let data = try #require(SnapshotBody.data(under: kind.rawValue, body.value), "\(text)")
            let again = try #require(SnapshotBody(request(type, data)), "\(text)")
            #expect(again == body, "\(text)")
            if kind == .text || kind == .data { #expect(data == Data(text.utf8), "\(text)") }
            #expect(SnapshotBody.data(under: "none", body.value) == nil)
        }
        #expect(try SnapshotBody(request(nil, nil)) == nil)
        #expect(try SnapshotBody(request(nil, Data())) == nil)
    }

    @Test(arguments: [
        ("application/json", #"{"a":"50\u00a0km"}"#, #"{"a":"50 km"}"#), ("text/plain", "50\u{a0}km", "50 km"),
        ("text/plain", "a\nb\n50\u{a0}km", "a\nb\n50 km"), ("image/png", "\u{0}a", "\u{0}b"),
        ("application/x-www-form-urlencoded", "a=%C2%A0", "a=+"),
        ("text/plain", String(repeating: "a", count: 900) + "x", String(repeating: "a", count: 900) + "y"),
    ])
    func `two bodies that differ are never shown alike`(type: String, expected: String, actual: String) throws {
        let bodies = try [expected, actual].map { try #require(SnapshotBody(request(type, Data($0.utf8)))) }
        let lines = bodies[1].differences(from: bodies[0])
        #expect(lines.count == 1)
        let texts = try #require(lines.first).components(separatedBy: ", was ")
        #expect(texts[0].components(separatedBy: "expected ").last != texts[1], "\(lines)")
    }
}
