import Foundation
import Testing

@testable import StubbornNetwork

/// A secret of one recording in the recordings of other tests.
struct ProcessSecretsTests {
    private static let token = "k9Zx4Tq7Wm2Rb5" + "Yp8Lc3Nv"
    private let shared = ProcessSecrets()

    private func redactor(_ redaction: Redaction = .standard) -> Redactor {
        Redactor(redaction, environment: [:], shared: shared)
    }

    @Test func `a token of one recording is replaced in another, and changes no other placeholder there`() {
        _ = redactor().redact(.answer(#"{"access_token":"\#(Self.token)"}"#))
        let body = redactor().redact(
            .answer(#"{"ref":"\#(Self.token)","token":"abc123def456","api_key":"\#(Self.token)x"}"#)
        ).body
        #expect(
            body == #"{"ref":"REDACTED-shared-1","token":"REDACTED-token-1","api_key":"REDACTED000000000000001"}"#
        )
    }

    @Test func `a token has the placeholder of the recording that recognises it too`() {
        let body = #"{"access_token":"\#(Self.token)","ref":"\#(Self.token)"}"#
        let first = redactor().redact(.answer(body))
        #expect(redactor().redact(.answer(body)) == first)
        #expect(first == Redactor(.standard, environment: [:]).redact(.answer(body)))
    }

    @Test func `a recording that goes on is searched again for the token of another`() {
        let other = redactor()
        let stub = other.redact(.answer(#"{"ref":"\#(Self.token)"}"#))
        let known = other.knownSecretCount
        _ = redactor().redact(.answer(#"{"access_token":"\#(Self.token)"}"#))
        #expect(other.knownSecretCount > known)
        #expect(other.redactAgain(stub).body == #"{"ref":"REDACTED-shared-1"}"#)
    }

    @Test func `a recording that ended before has the token, and lists it`() throws {
        let earlier = redactor()
        let stub = earlier.redact(.answer(#"{"ref":"\#(Self.token)"}"#))
        try earlier.scan(stub)
        _ = redactor().redact(.answer(#"{"access_token":"\#(Self.token)"}"#))
        #expect(stub.body.contains(Self.token))
        #expect(earlier.report.unredacted.map(\.part) == ["response body, ref"])
    }

    @Test(arguments: [
        // Fifteen characters, words, digits, a weak name, a part of a longer word.
        (#"{"token":"k9Zx4Tq7Wm2Rb5Y"}"#, "k9Zx4Tq7Wm2Rb5Y"),
        (#"{"password":"correct-horse-battery-staple"}"#, "correct-horse-battery-staple"),
        (#"{"pin":"1234567890123456"}"#, "1234567890123456"), (#"{"key":"k9Zx4Tq7Wm2Rb5Yp8"}"#, "k9Zx4Tq7Wm2Rb5Yp8"),
        (#"{"token":"k9Zx4Tq7Wm2Rb5Yp8"}"#, "k9Zx4Tq7Wm2Rb5Yp8a"),
    ])
    func `what may be another thing by chance is a secret of one recording only`(login: String, text: String) {
        _ = redactor().redact(.answer(login))
        #expect(redactor().redact(.answer("see \(text)")).body == "see \(text)")
    }

    @Test(arguments: [Redaction.standard.excluding(.cookies), .standard.excluding(.jsonKey("ref")), .none])
    func `a recording that excludes rules has its own secrets only`(redaction: Redaction) {
        _ = redactor().redact(.answer(#"{"access_token":"\#(Self.token)"}"#))
        let stub = Stub.answer(#"{"ref":"\#(Self.token)"}"#)
        #expect(redactor(redaction).redact(stub) == stub)
    }

    @Test func `no more than a thousand secrets are kept`() {
        let redactor = redactor()
        let tokens = (0..<1_010).map { #"{"token":"k9Zx4Tq7Wm2Rb5-\#($0 + 1_000)"}"# }
        _ = redactor.redact(.answer("[\(tokens.joined(separator: ","))]"))
        #expect(shared.count == 1_000)
    }
}
