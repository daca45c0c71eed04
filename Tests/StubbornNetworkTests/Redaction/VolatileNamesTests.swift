import Foundation
import Testing

@testable import StubbornNetwork

/// Signatures, the times of signatures, and random values for a login.
struct VolatileNamesTests {
    private func isVolatile(_ name: String, _ value: String, isSigned: Bool = false) -> Bool {
        name.withBytes { name in value.withBytes { VolatileNames.isVolatile(name, $0, isSigned: isSigned) } }
    }

    @Test func `each nonce and signature differs each time if it looks random`() {
        for name in SecretWords.nonces.map(\.description) + [
            "X-Hub-Signature", "X-Hub-Signature-256", "xSignatureV1", "x-sign-2", "sig", "hmac", "API-Sign",
        ] {
            #expect(isVolatile(name, "9f8a7b6c5d4e3f2a"), "\(name)")
            #expect(!isVolatile(name, "9f8a7b6c5d4e3f2"), "\(name), 15 characters")
            #expect(isVolatile(name, "Aaaa-Bbbb_Cccc-Dddd_"), "\(name), 20 characters")
            #expect(!isVolatile(name, "Aaaa-Bbbb_Cccc-Dddd"), "\(name), 19 characters")
            #expect(!isVolatile(name, "aaaa-bbbb_cccc-dddd_"), "\(name), small letters")
            #expect(!isVolatile(name, "AAAA-BBBB_CCCC-DDDD_"), "\(name), capitals")
            #expect(!isVolatile(name, "Aaaa Bbbb Cccc Dddd "), "\(name), words")
            #expect(!isVolatile(name, "pending"), "\(name)")
        }
        for name in ["id", "256", "v1", "signature_version", "Signature-Kind-2", "design-2"] {
            #expect(!isVolatile(name, "9f8a7b6c5d4e3f2a"), "\(name)")
        }
    }

    @Test func `each time of a signature differs each time, next to a signature only`() {
        for name in SecretWords.signatureTimes.map(\.description) + ["nonce"] {
            #expect(isVolatile(name, "1700000000", isSigned: true), "\(name)")
            #expect(!isVolatile(name, "1700000000"), "\(name)")
            #expect(!isVolatile(name, "never", isSigned: true), "\(name)")
        }
        #expect(!isVolatile("time", "1700000000", isSigned: true))
    }

    @Test(arguments: [
        ("X-Amz-Date=20240101T000000Z&X-Amz-Signature=9f8a7b6c5d4e3f2a9f8a7b6c5d4e3f2b", "20240101T000000Z", true),
        ("timestamp=1700000000&signature=9f8a7b6c5d4e3f2a", "1700000000", true),
        ("timestamp=1700000000&signature=9f8a7b6c5d4e3f2a", "9f8a7b6c5d4e3f2a", false),
        ("nonce=9f8a7b6c5d4e3f2a", "9f8a7b6c5d4e3f2a", false),
    ])
    func `the time of a signature stays in the response, and the signature and a nonce do not`(
        query: String,
        value: String,
        stays: Bool
    ) throws {
        let redactor = Redactor(.standard, environment: [:])
        let request = redactor.redact(StubRequest(url: try URL.parsed("https://a.test/o?\(query)")))
        let stub = redactor.redact(Stub(request: request, response: .status(200, body: "at \(value)")))
        #expect((stub.body == "at \(value)") == stays)
        #expect(stub.body.contains(value) == stays)
    }

    @Test(arguments: [
        ("PASSWORD_CLAIM_SIGNATURE", true), ("NONCE", true), ("SIGNATURE_KIND", false), ("DESIGNATURE", false),
    ])
    func `the time next to a signature with a name in capitals plays at another time`(name: String, plays: Bool) {
        func request(_ time: String, _ signature: String) -> StubRequest {
            let members = #""\#(name)":"\#(signature)","TIMESTAMP":"\#(time)","USERNAME":"ada""#
            return .json(#"{"ChallengeName":"PASSWORD_VERIFIER","ChallengeResponses":{\#(members)}}"#)
        }
        let live = request("Tue Sep 25 00:09:40 UTC 2018", "Rk8pYf0dE1xQm3VtTn7sLw2cJ4UaZ6hG5bK1yD9vX0s=")
        let other = request("Wed Nov 4 13:09:41 UTC 2026", "Wm9vQ2FyR2hUcTdLcFh2Tg1Zk3Lx8Rb5Yp2Nd7Qs4Vc=")
        #expect(Redactor(.standard, environment: [:]).redact(live).answers(other) == plays)
    }

    @Test(arguments: [
        ("Authorization", "AWS4-HMAC-SHA256 Credential=x", true), ("authorization", "hmac u:1", true),
        ("AUTHORIZATION", #"OAuth oauth_signature="x""#, true), ("Authorization", "Signature keyId=1", true),
        ("Authorization", "Bearer AWS4-", false), ("X-Other", "hmac u:1", false), ("X-Signature", "x", true),
        ("X-Hub-Sig", "x", true), ("X-Hmac", "x", true), ("X-Signature-Version", "x", false),
        ("X-Hub-Signature-256", "x", true), ("X-Version-2", "x", false),
    ])
    func `a request is signed in its header fields`(name: String, value: String, isSigned: Bool) throws {
        var request = StubRequest(url: try URL.parsed("https://a.test/"))
        request.headerFields[name] = value
        #expect(VolatileNames.isSigned(request) == isSigned)
    }

    @Test(arguments: [
        ("AWS4-HMAC-SHA256 Credential=AK/2/eu/s3, Signature=", "AWS4-HMAC-SHA256 VOLATILE-authorization-1"),
        (#"OAuth oauth_token="a", oauth_signature="#, "OAuth VOLATILE-authorization-1"),
        ("Bearer ", "Bearer REDACTED0000000000000001"),
    ])
    func `credentials that sign the request differ each time, and other ones do not`(
        scheme: String,
        text: String
    ) throws {
        var request = StubRequest(url: try URL.parsed("https://a.test/"))
        request.headerFields["Authorization"] = scheme + "Qx7RkP2vLw9ZtB4nHs6Jd3Gc"
        #expect(Redactor(.standard, environment: [:]).redact(request).headerFields["Authorization"] == text)
    }

    @Test func `the login in a SOAP request has the same text whatever its nonce and its time are`() throws {
        func body(_ digest: String, _ nonce: String, _ second: Int) throws -> Data? {
            let token = """
                <wsse:Password Type="…#PasswordDigest">\(digest)</wsse:Password><wsse:Nonce>\(nonce)</wsse:Nonce>\
                <wsu:Created>2026-11-27T10:26:\(second)Z</wsu:Created>
                """
            let text = "<s:Header><wsse:UsernameToken>\(token)</wsse:UsernameToken></s:Header>"
            var request = StubRequest(method: "POST", url: try URL.parsed("https://a.test/"), body: Data(text.utf8))
            request.headerFields["Content-Type"] = "application/soap+xml"
            return Redactor(.standard, environment: [:]).redact(request).body
        }
        let bodies = try [
            body("tuOSpGlFlIXsozq4HFNeeGeFLEI=", "LKqI6G/AikKCQrN0zqZFlg==", 27),
            body("Rk8pYf0dE1xQm3VtTn7sLw2cJ4U=", "Wm9vQ2FyR2hUcTdLcFh2Tg==", 58),
        ]
        #expect(bodies[0] == bodies[1])
    }
}
