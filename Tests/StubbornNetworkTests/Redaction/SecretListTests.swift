import Foundation
import Testing

@testable import StubbornNetwork

/// Each row of the tables in `SecretList`.
struct SecretListTests {
    private static let random = "k9Zx4Tq7Wm2Rb5"

    /// Returns a JSON body as it is stored.
    private func stored(_ body: String) throws -> String {
        Redactor(.standard, environment: [:]).redact(.answer(body, fields: ["Content-Type": "application/json"])).body
    }

    // MARK: Tokens

    /// The beginnings of the table, and where each is in it.
    private static let prefixes = SecretList.prefixes.indices.map {
        (text: String(decoding: SecretList.prefixes[$0].prefix, as: UTF8.self), index: $0)
    }

    /// Returns a token with as many characters behind its beginning.
    private func token(_ row: SecretPrefix, _ count: Int) -> [UInt8] {
        let all = "Q7z4Tk9W-m2R_b5.Y+p8/H0d3X=6Fa1c7Ee2B0" + "8vJ9sN4gU5"
        let characters = all.utf8.filter(row.alphabet.contains)
        return row.prefix + (0..<count).map { characters[($0 * 7 + $0 / characters.count) % characters.count] }
    }

    @Test(arguments: prefixes)
    func `a token is found by its beginning, where it is as long as they are`(prefix: String, index: Int) throws {
        let row = SecretList.prefixes[index]
        func ranges(_ count: Int) -> [Range<Int>] {
            let text = Array("see ".utf8) + token(row, count) + Array(" there".utf8)
            return text.withUnsafeBufferPointer { SecretShapes(redaction: .standard).matches(in: $0).map(\.range) }
        }
        func whole(_ count: Int) -> Range<Int> { 4..<4 + row.prefix.count + count }
        let least = row.counts.lowerBound
        #expect(ranges(least).contains(whole(least)))
        #expect(!ranges(least - 1).contains(whole(least - 1)))
        #expect(ranges(least + 1).contains(whole(least + 1)) == (row.counts.upperBound == .max))
        // A letter or a digit that cannot be in the token makes it another word, where its length is known.
        guard let other = "zZ9".utf8.first(where: { !row.alphabet.contains($0) }) else { return }
        let text = Array("see ".utf8) + token(row, least) + [other]
        let found = text.withUnsafeBufferPointer { SecretShapes(redaction: .standard).matches(in: $0).map(\.range) }
        #expect(found.contains(whole(least)) == (row.counts.upperBound == .max))
    }

    @Test func `the same beginning is not in the table twice with one alphabet`() {
        let rows = SecretList.prefixes.map { "\($0.alphabet) \(String(decoding: $0.prefix, as: UTF8.self))" }
        #expect(Set(rows).count == rows.count)
    }

    // MARK: Names

    @Test(arguments: [
        (#"{"pin":"48291375","id":48291375}"#, true), (#"{"pin":"48291375","ids":[ 48291375 , 1]}"#, true),
        (#"{"pin":"48291375","id":-48291375}"#, true), (#"{"pin":"48291375","ids":[1,48291375]}"#, true),
        (#"{"pin":"48291375","id":"48291375"}"#, false), (#"{"pin":"48291375","note":"see: 48291375 !"}"#, false),
        (#"{"pin":"48291375","note":"see 48291375, or"}"#, false),
    ])
    func `where JSON has a number it stays one`(body: String, isNumber: Bool) throws {
        let stored = try stored(body)
        #expect(!stored.contains("48291375"))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(stored.utf8)) as? [String: Any])
        let values = json.filter { $0.key != "pin" }.values.flatMap { ($0 as? [Any]) ?? [$0] }
        #expect(values.contains { ($0 as? NSNumber).map { abs($0.intValue) > 1_000 } ?? false } == isNumber)
    }

    @Test func `a secret of digits is replaced by as many digits, which are the same in texts and in numbers`() throws {
        let stored = try stored(#"{"pin":"48291375","note":"the 48291375 is hers","id":48291375}"#)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(stored.utf8)) as? [String: Any])
        let id = try #require(json["id"] as? Int)
        #expect(String(id).count == 8 && id != 48_291_375)
        #expect(json["pin"] as? String == "\(id)")
        #expect(json["note"] as? String == "the \(id) is hers")
    }

    private static func names(_ isIncluded: (SecretStem) -> Bool) -> [String] {
        Set(SecretList.stems.filter(isIncluded).map { String(decoding: $0.text, as: UTF8.self) }).sorted()
    }

    /// The strong names; a name that is in both lists counts as strong.
    private static let strong = names { $0.field.isStrong }
    private static let weak = Set(names { !$0.field.isStrong && $0.field.test != .sentRandomLooking }).subtracting(
        strong
    )
    .sorted()
    /// The names that name content in a response.
    private static let sent = names {
        $0.field.test == .sentRandomLooking && $0.field.rule != .sessionFields && $0.text != Array("hash".utf8)
    }

    @Test(arguments: strong + weak)
    func `a random value under a name is replaced, in any spelling`(name: String) throws {
        for name in [name, name.uppercased(), name.prefix(1).uppercased() + name.dropFirst()] {
            #expect(!(try stored(#"{"\#(name)":"\#(Self.random)"}"#).contains(Self.random)), "\(name)")
        }
    }

    /// Returns the field of a request's header, and its query, as they are stored.
    private func stored(field: String, query: String, _ value: String) throws -> (field: String, query: String) {
        let url = try #require(URL(string: "https://api.example.com/items?\(query)=\(value)"))
        let request = StubRequest(url: url, headerFields: [field: value])
        let stored = Redactor(.standard, environment: [:]).redact(request)
        return (stored.headerFields[field] ?? "", stored.url.query ?? "")
    }

    @Test(arguments: sent)
    func `a signature in a response is content`(name: String) throws {
        #expect(try stored(#"{"\#(name)":"\#(Self.random)"}"#).contains(Self.random))
    }

    @Test(arguments: strong + weak + sent)
    func `a random value is replaced under a name in a header field and in a query too`(name: String) throws {
        // `Set-Cookie` has attributes. Names outside ASCII are in no header field.
        guard name != "setcookie", name.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        for name in [name, name.uppercased()] {
            let (field, query) = try stored(field: name, query: name, Self.random)
            #expect(!field.contains(Self.random) && !query.contains(Self.random), "\(name)")
        }
    }

    @Test(arguments: names { $0.match == .word && !$0.field.isStrong && $0.field.test != .sentRandomLooking })
    func `a weak name is found as a word anywhere in a name, and not as a part of a word`(name: String) throws {
        for name in ["my_\(name)", "\(name)Material", "x-\(name)-of-day"] {
            #expect(!(try stored(#"{"\#(name)":"\#(Self.random)"}"#).contains(Self.random)), "\(name)")
        }
        for name in ["x\(name)", "\(name)x", "public_\(name)"] {
            #expect(try stored(#"{"\#(name)":"\#(Self.random)"}"#).contains(Self.random), "\(name)")
        }
        // `pass` is strong where it is the whole name.
        #expect(try stored(#"{"my_\#(name)":"sunshine"}"#).contains("sunshine"))
    }

    @Test(arguments: strong)
    func `what is beneath a strong name is a secret if it looks random`(name: String) throws {
        // Bare codes name no object.
        guard !SecretList.stems.contains(where: { $0.match == .whole && $0.text == Array(name.utf8) }) else { return }
        #expect(!(try stored(#"{"\#(name)":{"part":"\#(Self.random)"}}"#).contains(Self.random)))
        #expect(try stored(#"{"\#(name)":{"part":"a word"}}"#).contains("a word"))
    }

    @Test(arguments: strong)
    func `a number under a strong name is a secret`(name: String) throws {
        #expect(!(try stored(#"{"\#(name)":48291375}"#).contains("48291375")))
    }

    @Test func `a short number under the name of a password counts something in a response`() throws {
        let stub = Stub.answer(#"{"tests":{"pass":1204,"fail":3}}"#, fields: ["Content-Type": "application/json"])
        #expect(Redactor(.standard, environment: [:]).redact(stub).body == stub.body)
    }

    @Test func `a code is strong behind each word for its kind, also joined to it`() throws {
        for kind in SecretList.codeKinds.union(SecretList.actions) {
            for name in ["\(kind)_code", "\(kind)code", "\(kind)Pin"] {
                for code in ["WDJB-MJHT", "482913", "4-829-13"] {
                    #expect(try !stored(#"{"\#(name)":"\#(code)"}"#).contains(code), "\(name)")
                }
                for word in ["Code", "Zugangscode", "no-code"] {
                    #expect(try stored(#"{"\#(name)":"\#(word)"}"#).contains(word), "\(name)")
                }
            }
        }
        #expect(try stored(#"{"door_code":"WDJB-MJHT"}"#).contains("WDJB-MJHT"))
    }

    @Test(arguments: ["doorPin", "code", "2fa", "twofa"])
    func `four to eight digits under a code are a secret in a request`(name: String) throws {
        let url = try #require(URL(string: "https://api.example.com/items"))
        for (digits, isSecret) in [("482913", true), ("4829", true), ("482913750", false), ("482", false)] {
            let body = Data(#"{"\#(name)":"\#(digits)","a":"x"}"#.utf8)
            let stored = Redactor(.standard, environment: [:])
                .redact(StubRequest(method: "POST", url: url, body: body)).body
            let text = stored.map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(text.contains(digits) != isSecret, "\(text)")
        }
        #expect((try stored(#"{"\#(name)":"482913"}"#).contains("482913")))
    }
}
