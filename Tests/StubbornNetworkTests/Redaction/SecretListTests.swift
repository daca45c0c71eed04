import Foundation
import Testing

@testable import StubbornNetwork

/// Each row of the tables in `SecretList`.
struct SecretListTests {
    private static let random = "k9Zx4Tq7Wm2Rb5"

    /// Returns a JSON body as it is stored.
    private func stored(_ body: String) throws -> String {
        let url = try #require(URL(string: "https://api.example.com/items"))
        let head = ResponseHead(statusCode: 200, headerFields: ["Content-Type": "application/json"])
        let stub = Stub(request: StubRequest(url: url), response: StubResponse(head: head, body: Data(body.utf8)))
        return Redactor(.standard, environment: [:]).redact(stub).body
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

    @Test(arguments: [
        ("US0378331005", false), ("DE000BASF111", false), ("us0378331005", true), ("US037833100X", true),
        ("U50378331005", true), ("aB3dE5fG7hJ9", true), ("US03783310055", true), ("US0378-31005", true),
    ])
    func `a security's number is no PIN, and all else with a digit is`(value: String, isReplaced: Bool) throws {
        #expect(try stored(#"{"pin":"\#(value)"}"#).contains(value) == !isReplaced)
    }

    /// The names whose meaning goes on to what is beneath them.
    private static let inherited = """
        cookie token jwt csrf xsrf secret credential password passwd passphrase passcode pwd apikey privatekey secretkey \
        accesskey signingkey encryptionkey authkey sharedkey accountkey hmackey masterkey licensekey webhookkey \
        subscriptionkey functionskey backupcode recoverycode
        """.split(separator: " ").map(String.init)

    /// The names under which a number is none of the secrets that they promise.
    private static let withoutNumbers = """
        auth session basicauth credential creds authentication authn pass secretanswer securityanswer seedphrase mnemonic \
        sessionid sessid sessionkey
        """.split(separator: " ").map(String.init)

    private static let names = Set(
        SecretList.stems.filter { $0.places.contains(.json) }.map { String(decoding: $0.text, as: UTF8.self) }
    ).sorted()

    @Test(arguments: names)
    func `a random value under a name is replaced, in any spelling`(name: String) throws {
        for name in [name, name.uppercased(), name.prefix(1).uppercased() + name.dropFirst()] {
            #expect(!(try stored(#"{"\#(name)":"\#(Self.random)"}"#).contains(Self.random)), "\(name)")
        }
    }

    private static func names(in place: NamePlaces) -> [String] {
        Set(SecretList.stems.filter { $0.places.contains(place) }.map { String(decoding: $0.text, as: UTF8.self) })
            .sorted()
    }

    /// Returns the field of a request's header, and its query, as they are stored.
    private func stored(field: String, query: String, _ value: String) throws -> (field: String, query: String) {
        let url = try #require(URL(string: "https://api.example.com/items?\(query)=\(value)"))
        let request = StubRequest(url: url, headerFields: [field: value])
        let stored = Redactor(.standard, environment: [:]).redact(request)
        return (stored.headerFields[field] ?? "", stored.url.query ?? "")
    }

    @Test(arguments: names(in: .header))
    func `a random value in a header field of that name is replaced, in any spelling`(name: String) throws {
        // `Set-Cookie` has attributes. Names outside ASCII are in no header field.
        guard name != "setcookie", name.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        let isWhole = SecretList.stems.contains { $0.match == .whole && $0.text == Array(name.utf8) }
        for name in [name, name.uppercased()] + (isWhole ? [] : ["X-\(name)", "\(name)-2"]) {
            #expect(!(try stored(field: name, query: "a", Self.random).field.contains(Self.random)), "\(name)")
        }
    }

    @Test(arguments: names(in: .query))
    func `a random value in a query item of that name is replaced, in any spelling`(name: String) throws {
        for name in [name, name.uppercased()] where name.utf8.allSatisfy({ $0 < 0x80 }) {
            #expect(!(try stored(field: "a", query: name, Self.random).query.contains(Self.random)), "\(name)")
        }
    }

    @Test(arguments: names(in: .header))
    func `a header field with a longer name is a secret where the name says so`(name: String) throws {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        let isStored = try stored(field: "\(name)-of-day", query: "a", Self.random).field == Self.random
        #expect(isStored != (Self.inherited + ["signature", "sig", "hmac"]).contains(name))
    }

    @Test(arguments: names)
    func `what is beneath a name is a secret where the name says so`(name: String) throws {
        let isStored = try stored(#"{"\#(name)":{"part":"\#(Self.random)"}}"#).contains(Self.random)
        #expect(isStored != Self.inherited.contains(name))
    }

    @Test(arguments: names)
    func `a number under a name is a secret, but for names that count`(name: String) throws {
        let isStored = try stored(#"{"\#(name)":48291375}"#).contains("48291375")
        #expect(isStored == Self.withoutNumbers.contains(name))
    }
}
