import Foundation
import Testing

@testable import StubbornNetwork

/// Whatever is recorded is played: requests with a secret in strings inside each other.
struct NestedPlaceholderTests {
    /// The ways in which a string is put into another one.
    enum Wrapping: CaseIterable {
        case jsonMember, jsonElement, base64, base64URL, behindText, form, percent, xmlElement, xmlAttribute, url

        func wrapped(_ text: String) -> String {
            let encoded = PercentEncoding.encodedField(text)
            switch self {
            case .jsonMember: return #"{"n":1,"payload":\#(JSONValue.string(text).text(upTo: .max))}"#
            case .jsonElement: return "[7,\(JSONValue.string(text).text(upTo: .max))]"
            case .base64: return Data(text.utf8).base64EncodedString()
            case .base64URL:
                return String(decoding: Base64.encoded(Array(text.utf8), urlSafe: true, padded: false), as: UTF8.self)
            case .behindText: return "note \(text)"
            case .form: return "a=1&payload=\(encoded)"
            case .percent: return encoded
            case .xmlElement:
                return
                    "<p><a>1</a><payload>\(String(decoding: XMLText.escaped(Array(text.utf8)), as: UTF8.self))</payload></p>"
            case .xmlAttribute:
                return #"<p payload="\#(String(decoding: XMLText.escaped(Array(text.utf8)), as: UTF8.self))"/>"#
            case .url: return "https://x.example/p?payload=\(encoded)&b=2"
            }
        }
    }

    /// The strings that say themselves which value is a secret.
    static let secrets: [@Sendable (String) -> String] = [
        { #"{"user":"ada","password":"\#($0)"}"# }, { "user=ada&password=\($0)" },
        { "<login><password>\($0)</password></login>" }, { "https://x.example/y?access_token=\($0)" },
        { #"[{"apiKey":"\#($0)"},2]"# },
    ]

    /// The places of a string in a request.
    static let places: [@Sendable (String) -> StubRequest] = [
        { .make("POST", "https://a.example/r", ["Content-Type": "application/json"], body: $0) },
        { .make("POST", "https://a.example/r", ["Content-Type": "text/plain"], body: $0) },
        { .make("POST", "https://a.example/r", body: $0) },
        {
            .make(
                "POST",
                "https://a.example/r",
                ["Content-Type": "application/x-www-form-urlencoded"],
                body: "x=1&p=\(PercentEncoding.encodedField($0))"
            )
        },
        { .make("GET", "https://a.example/r?x=1&p=\(PercentEncoding.encodedField($0))") },
        {
            .make(
                "POST",
                "https://a.example/r",
                ["Content-Type": "multipart/form-data; boundary=b"],
                body: "--b\r\nContent-Disposition: form-data; name=\"p\"\r\n\r\n\($0)\r\n--b--\r\n"
            )
        },
    ]

    private static func random(_ generator: inout Generator) -> String {
        String(
            (0..<24).compactMap { _ in
                "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement(using: &generator)
            }
        )
    }

    @Test(arguments: 0..<8)
    func `a request in any nesting is answered by its own recording`(seed: Int) {
        var generator = Generator(seed: UInt64(seed))
        var counts = (all: 0, replaced: 0)
        for _ in 0..<50 {
            let wrappings = (0..<Int.random(in: 0...2, using: &generator)).compactMap { _ in
                Wrapping.allCases.randomElement(using: &generator)
            }
            let secret = Int.random(in: 0..<Self.secrets.count, using: &generator)
            let place = Int.random(in: 0..<Self.places.count, using: &generator)
            let request = { (value: String) in
                Self.places[place](wrappings.reduce(Self.secrets[secret](value)) { $1.wrapped($0) })
            }
            let live = request(Self.random(&generator))
            let other = request(Self.random(&generator))
            let recorded = Redactor(.standard).redact(live)
            let body = String(decoding: recorded.body ?? Data(), as: UTF8.self)
            let name = "\(secret) in \(wrappings) at \(place): \(recorded.url) \(body)"
            #expect(recorded.answers(live), "\(name)")
            counts.all += 1
            // The value is not in the recording.
            guard Redactor(.standard).redact(other) == recorded else { continue }
            counts.replaced += 1
            #expect(recorded.answers(other), "\(name)")
            #expect(recorded.answers(request("dummy")), "\(name)")
        }
        #expect(counts.replaced * 2 > counts.all, "\(counts)")
    }
}
