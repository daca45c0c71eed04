import Foundation
import Testing

@testable import StubbornNetwork

struct KnownValueTests {
    private static let secret = "pl4nted/Known+" + "Value=42"

    @Test(arguments: [
        secret, PlantedSecret.percent(secret), PlantedSecret.json(secret), PlantedExchange.xml(secret),
        PlantedExchange.base64(secret), PlantedExchange.base64("x" + secret + "y"),
        PlantedExchange.base64("xy" + secret, urlSafe: true), PlantedExchange.base64("ann:" + secret),
        secret.utf8.map { String($0, radix: 16) }.joined(),
        secret.utf8.map { String($0, radix: 16).uppercased() }.joined(),
    ])
    func `a known value is replaced in every encoding, under whatever name`(spelling: String) {
        let redactor = Redactor(.standard.including(values: [Self.secret, nil]), environment: [:])
        let url = URL(string: "https://x.example/a?q=\(PlantedSecret.percent(spelling))")!
        let request = StubRequest(url: url, headers: ["X-Note": spelling], body: Data("copy: \(spelling);".utf8))
        let stub = redactor.redact(Stub(request: request, response: Stub.answer(#"{"note":"\#(spelling)"}"#).response))
        #expect(!PlantedSecret.survives(Self.secret, in: stub), "\(RedactorTests.text(stub))")
    }

    @Test func `a password that is a part of its own placeholder leaves the placeholder whole`() {
        let redactor = Redactor(.standard, environment: [:])
        let stub = redactor.redact(.answer(#"{"password":"password-1","note":"password-1"}"#))
        #expect(stub.body == #"{"password":"REDACTED-password-1","note":"REDACTED-password-1"}"#)
        #expect(redactor.redactAgain(stub) == stub)
    }

    @Test func `a value that is a part of many placeholders leaves them whole`() {
        let redactor = Redactor(.standard.including(values: ["000000", "REDACTED-"]), environment: [:])
        let token = String(repeating: "k9Zx4Tq7Wm2Rb5Yp8Ls3", count: 6)
        let stub = redactor.redact(.answer(#"{"access_token":"\#(token)","password":"garden-gate","otp":"000000"}"#))
        let placeholder = "REDACTED\(String(repeating: "0", count: 111))1"
        #expect(
            stub.body == #"{"access_token":"\#(placeholder)","password":"REDACTED-password-1","otp":"999999"}"#
        )
        #expect(redactor.redactAgain(stub) == stub)
    }

    /// The spellings of JavaScript, .NET and the writers of HTML.
    @Test(arguments: [
        "rock'n%26roll%2B%224711%22", "rock%27n%26roll%2b%224711%22", "rock%27n%26roll%2b%224711%22".uppercased(),
        "rock&#39;n&amp;roll+&#34;4711&#34;", "rock&#x27;n&amp;roll+&quot;4711&quot;",
        "rock&#039;n&amp;roll+&quot;4711&quot;",
        #"rock\u0027n\u0026roll+\"4711\""#, #"rock'n&roll+\\\"4711\\\""#,
    ])
    func `a known value is replaced as each program writes it, by as much as it takes`(spelling: String) {
        let value = #"rock'n&roll+"4711""#
        let isUppercase = spelling.hasPrefix("ROCK")
        let redactor = Redactor(.none.including(values: [isUppercase ? value.uppercased() : value]), environment: [:])
        #expect(redactor.redact(.answer("<b>\(spelling)</b>")).body == "<b>REDACTED-value-1</b>")
    }

    @Test func `known values alone are replaced where no other rule is in force`() {
        let redactor = Redactor(.none.including(values: ["sunshine-4711"]), environment: [:])
        #expect(
            redactor.redact(.answer(#"{"note":"see sunshine-4711","password":"other-4711"}"#)).body
                == #"{"note":"see REDACTED-value-1","password":"other-4711"}"#
        )
    }

    @Test func `a placeholder in a variable is not a value`() {
        let redactor = Redactor(
            .standard.including(values: ["REDACTED-token-1", "", "sunshine-4711"]),
            environment: [:]
        )
        let body = #"{"a":"REDACTED-token-1","b":"x REDACTED-token-1","c":"sunshine-4711"}"#
        #expect(
            redactor.redact(.answer(body)).body
                == body.replacingOccurrences(of: "sunshine-4711", with: "REDACTED-value-1")
        )
    }

    @Test(arguments: [
        ("12.5", "9999"), ("-12.5", "99999"), ("12.5e3", "999999"), ("7e22", "9999"), ("125", "999"),
    ])
    func `the placeholder of a number is a whole one with as many characters`(number: String, expected: String) {
        let redactor = Redactor(.standard.including(jsonKeys: ["balance"]), environment: [:])
        #expect(redactor.redact(.answer(#"{"balance":\#(number)}"#)).body == #"{"balance":\#(expected)}"#)
    }

    @Test func `the placeholder of a known value stands for any other`() {
        let redaction = Redaction.standard.including(values: [Self.secret])
        let live = StubRequest(url: URL(string: "https://x.example/a")!, headers: ["X-Note": Self.secret])
        let recorded = Redactor(redaction, environment: [:]).redact(live)
        #expect(recorded.headerFields["X-Note"] == "REDACTED-value-1")
        let other = StubRequest(url: live.url, headers: ["X-Note": "other"])
        #expect(recorded.answers(live, by: .strict))
        #expect(recorded.answers(other, by: .strict))
    }

    @Test(arguments: ["acme-corp", "acmeCorporationTenantNumber", "0f8a7b6c5d4e3f21"])
    func `the placeholder of a known value in a host stands for any other`(tenant: String) {
        let live = StubRequest.get("https://\(tenant).Example.com/a")
        let stored = Redactor(.standard.including(values: [tenant]), environment: [:]).redact(live)
        #expect(!stored.url.absoluteString.contains(tenant))
        #expect(stored.answers(live) && stored.answers(stored))
        #expect(stored.answers(.get("https://dummy.example.com/a")))
        #expect(!stored.answers(.get("https://dummy.example.org/a")))
    }

    @Test(arguments: [
        (#"{"password":"admin123"}"#, #"{"note":"admin123 group"}"#),
        (#"{"password":"20260101"}"#, #"{"date":20260101,"due":"20260101"}"#),
        (#"{"pin":"4711"}"#, #"{"count":4711}"#),
    ])
    func `a guessed value that occurs elsewhere by chance is left there`(login: String, other: String) {
        let redactor = Redactor(.standard, environment: [:])
        #expect(redactor.redact(.answer(login)).body != login)
        #expect(redactor.redact(.answer(other)).body == other)
    }
}
