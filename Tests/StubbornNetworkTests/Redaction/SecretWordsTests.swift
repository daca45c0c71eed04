import Foundation
import Testing

@testable import StubbornNetwork

/// Each row of the tables in `SecretWords`.
struct SecretWordsTests {
    private static let random = "k9Zx4Tq7Wm2Rb5"

    /// Returns a JSON body as it is stored.
    private func stored(_ body: String) throws -> String {
        Redactor(.standard, environment: [:]).redact(.answer(body, fields: ["Content-Type": "application/json"])).body
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
        Set(SecretWords.stems.filter(isIncluded).map { String(decoding: $0.text, as: UTF8.self) }).sorted()
    }

    /// The strong names; a name that is in both lists counts as strong.
    private static let strong = names { [.strong, .typed].contains($0.field.kind) }
    private static let weak = names { [.weak, .related].contains($0.field.kind) && $0.match != .tail }
        .filter { !strong.contains($0) }
    /// The names that mean a secret among the parameters of a request.
    private static let parameters = names { $0.field.kind == .parameter && $0.match != .tail }

    @Test(arguments: strong + weak)
    func `a random value under a name is replaced, in any spelling`(name: String) throws {
        for name in [name, name.uppercased(), name.prefix(1).uppercased() + name.dropFirst()] {
            #expect(!(try stored(#"{"\#(name)":"\#(Self.random)"}"#).contains(Self.random)), "\(name)")
        }
    }

    /// Returns the field of a request's header, and its query, as they are stored.
    private func stored(field: String, query: String, _ value: String) throws -> (field: String, query: String) {
        let url = try #require(URL(string: "https://api.example.com/items?\(query)=\(value)"))
        let request = StubRequest(url: url, headers: [field: value])
        let stored = Redactor(.standard, environment: [:]).redact(request)
        return (stored.headerFields[field] ?? "", stored.url.query ?? "")
    }

    @Test(arguments: parameters)
    func `the name of a parameter means nothing in a response`(name: String) throws {
        #expect(try stored(#"{"\#(name)":"\#(Self.random)"}"#).contains(Self.random))
    }

    @Test(arguments: [
        (#"{"a":"client_secret=client_secret"}"#, true), (#"{"clientSecret":"client_secret"}"#, true),
        (#"{"client_secret":"secret"}"#, false), (#"{"secret":"secret"}"#, false),
    ])
    func `the name of the field itself is not a secret, if it has several words`(body: String, stays: Bool) throws {
        #expect(try (stored(body) == body) == stays)
    }

    @Test(arguments: ["productCode", "voucher_code"])
    func `a code without a telling word is a secret among the parameters of a request only`(name: String) throws {
        #expect(try stored(#"{"\#(name)":"\#(Self.random)"}"#).contains(Self.random))
        #expect(try !stored(field: name, query: name, Self.random).query.contains(Self.random))
    }

    @Test(arguments: strong + weak + parameters)
    func `a random value is replaced under a name in a header field and in a query too`(name: String) throws {
        // `Set-Cookie` has attributes. Names outside ASCII are in no header field.
        guard name != "setcookie", name.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        for name in [name, name.uppercased()] {
            let (field, query) = try stored(field: name, query: name, Self.random)
            #expect(!field.contains(Self.random) && !query.contains(Self.random), "\(name)")
        }
    }

    @Test(arguments: names { $0.match == .word && $0.field.kind == .weak })
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

    @Test(arguments: names { $0.field.kind == .strong })
    func `what is beneath a strong name is a secret if it looks random`(name: String) throws {
        // Bare codes name no object.
        guard !SecretWords.stems.contains(where: { $0.match == .whole && $0.text == Array(name.utf8) }) else { return }
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

    @Test(arguments: ["user", "sms", "verification", "2fa", "login", "oob", "binding"])
    func `a code is strong behind a word for its kind, also joined to it`(kind: String) throws {
        for name in ["\(kind)_code", "\(kind)code", "\(kind)Pin"] {
            for code in ["WDJB-MJHT", "482913", "4-829-13"] {
                #expect(try !stored(#"{"\#(name)":"\#(code)"}"#).contains(code), "\(name)")
            }
            for word in ["Code", "Zugangscode", "no-code"] {
                #expect(try stored(#"{"\#(name)":"\#(word)"}"#).contains(word), "\(name)")
            }
        }
        #expect(try stored(#"{"door_code":"WDJB-MJHT"}"#).contains("WDJB-MJHT"))
    }

    @Test(arguments: [("oobCode", random, true), ("bindingCode", "PB", false), ("binding", random, false)])
    func `a code in a link that a server returns is replaced, and an ordinary word there is kept`(
        name: String,
        value: String,
        isSecret: Bool
    ) throws {
        let body = #"{"link":"https://a.example/act?mode=x&\#(name)=\#(value)&lang=en"}"#
        #expect((try stored(body) != body) == isSecret)
    }
}
