import Foundation
import Testing

@testable import StubbornNetwork

extension Stub {
    /// The request and the response without the names and numbers of their placeholders.
    fileprivate var nameless: Stub {
        var result = self
        let digits = request.placeholders ?? []
        result.changeTexts { $0.data.withBytes { Placeholder.nameless($0, digits: digits) }.map { Data($0) } }
        result.request.placeholders = nil
        return result
    }
}

struct NamelessFormTests {
    private static func redacted(_ planted: PlantedSecret, after other: String) -> Stub {
        let redactor = Redactor(.standard, environment: [:])
        if !other.isEmpty { _ = redactor.redact(.answer(other)) }
        return redactor.redact(planted.stub)
    }

    @Test(arguments: PlantedSecret.all)
    func `recordings that differ in the numbers of placeholders alone have the same form`(planted: PlantedSecret) {
        let first = Self.redacted(planted, after: "")
        let names = [
            "token", "password", "access_token", "accessToken", "pin", "api_key", "cookie", "user", "code", "sig",
        ]
        let members = names.map { "\"\($0)\":\"x1y2z3-\($0)\"" }
        let second = Self.redacted(planted, after: "{\(members.joined(separator: ","))}")
        let form = first.nameless
        #expect(
            second.nameless == form,
            "\(RedactorTests.text(first)) \(RedactorTests.text(second))"
        )
        #expect(form.nameless == form)
    }

    @Test func `the nameless form changes only placeholders`() {
        let stub = Stub.answer(
            #"{"token":"REDACTED-token-7","id":"5ec2e700-0000-4000-8000-000000000003","count":9998,"name":"Ann"}"#,
            fields: ["Set-Cookie": "sid=REDACTED-cookie-2; Path=/", "ETag": "\"abc123\""]
        )
        let form = stub.nameless
        #expect(form.body == #"{"token":"REDACTED","id":"REDACTED","count":9998,"name":"Ann"}"#)
        #expect(form.response.head?.headerFields["Set-Cookie"] == "sid=REDACTED; Path=/")
        #expect(form.response.head?.headerFields["ETag"] == "\"abc123\"")
        #expect(Stub.answer(#"{"name":"Bob"}"#).nameless.body == #"{"name":"Bob"}"#)
    }

    @Test func `digits that the request lists as placeholders become nines`() {
        func form(_ pin: String) -> Stub {
            var stub = Stub.answer("PIN \(pin), 9997")
            stub.request.body = Data(#"{"pin":\#(pin),"count":9997}"#.utf8)
            stub.request.placeholders = [pin]
            return stub.nameless
        }
        #expect(form("9998") == form("9999"))
        #expect(form("9998").body == "PIN 9999, 9997")
    }

    @Test func `tokens with different public claims have different forms`() {
        func form(_ claims: String) -> Stub {
            let token = PlantedExchange.token(claims) + "." + "SflKxwRJ" + "SMeKKF2QT4fwpMeJf36POk6yJV"
            let redactor = Redactor(.standard, environment: [:])
            return redactor.redact(.answer(#"{"id_token":"\#(token)"}"#)).nameless
        }
        #expect(form(#"{"sub":"42","pin":"47110815"}"#) == form(#"{"sub":"42","pin":"11223344"}"#))
        #expect(form(#"{"sub":"42"}"#) != form(#"{"sub":"43"}"#))
    }

    @Test func `a redacted UUID is still a UUID and matches other UUIDs`() {
        let (first, second) = ("550E8400-E29B-41D4-A716-446655440000", "67e55044-10b1-426f-9247-bb680e5fe0c8")
        let redactor = Redactor(.standard, environment: [:])
        let stub = redactor.redact(.answer(#"{"token":"\#(first)","next":"/a/\#(first)"}"#))
        #expect(
            stub.body
                == #"{"token":"5EC2E700-0000-4000-8000-000000000001","next":"/a/5EC2E700-0000-4000-8000-000000000001"}"#
        )
        func request(_ token: String) -> StubRequest {
            StubRequest(url: URL(string: "https://x.example/?token=\(token)")!)
        }
        let recorded = redactor.redact(request(first))
        #expect(recorded.url.absoluteString == "https://x.example/?token=5EC2E700-0000-4000-8000-000000000001")
        #expect(recorded.answers(request(second)))
    }

    @Test(arguments: [true, false])
    func `a UUID that is received in small letters and sent in capitals is one, and keeps its letters`(
        isUppercase: Bool
    ) {
        let id = "67e55044-10b1-426f-9247-bb680e5fe0c8"
        let (received, sent) = isUppercase ? (id.uppercased(), id) : (id, id.uppercased())
        let redactor = Redactor(.standard, environment: [:])
        _ = redactor.redact(.answer(#"{"token":"\#(received)"}"#))
        let request = redactor.redact(StubRequest(url: URL(string: "https://x.example/a/\(sent)")!))
        let placeholder = "5ec2e700-0000-4000-8000-000000000001"
        #expect(request.url.lastPathComponent == (isUppercase ? placeholder : placeholder.uppercased()))
    }

    @Test func `a request that starts first has the first number`() {
        let redactor = Redactor(.standard, environment: [:])
        let requests = ["abc123def456", "def456abc123"].map { token in
            redactor.redact(StubRequest(url: URL(string: "https://x.example/?token=\(token)")!))
        }
        let response = StubResponse(head: ResponseHead(statusCode: 200))
        let stubs = requests.reversed().map { redactor.redact(Stub(request: $0, response: response)) }
        #expect(
            stubs.map(\.request.url.absoluteString) == [
                "https://x.example/?token=REDACTED-token-2", "https://x.example/?token=REDACTED-token-1",
            ]
        )
    }

    @Test func `redacting a stub again replaces secrets that were recognised later`() {
        let redactor = Redactor(.standard, environment: [:])
        let early = redactor.redact(.answer(#"{"ref":"abc123def456"}"#))
        let known = redactor.knownSecretCount
        _ = redactor.redact(.answer(#"{"token":"abc123def456"}"#))
        #expect(redactor.knownSecretCount > known)
        #expect(redactor.redact(early).body == #"{"ref":"REDACTED-token-1"}"#)
    }

    @Test func `a secret that is recognised later is replaced as a whole, with the secret inside it`() {
        let redactor = Redactor(.standard, environment: [:])
        let early = redactor.redact(
            .answer(#"{"ref":"bf1202a1347ae2c97a34507961ce50166a5676c7","token_last_eight":"6a5676c7"}"#)
        )
        _ = redactor.redact(.answer(#"{"token":"bf1202a1347ae2c97a34507961ce50166a5676c7"}"#))
        #expect(
            redactor.redactAgain(early).body
                == #"{"ref":"5ec2e70000000000000000000000000000000001","token_last_eight":"REDACTED-token_last_eight-1"}"#
        )
    }

    @Test func `every rule has a name, and can be excluded`() {
        #expect(Redaction.Rule.all.count == Set(Redaction.Rule.all).count)
        #expect(Redaction.Rule.all.map(\.description).contains("password-fields"))
        let redaction = Redaction.standard.excluding(.passwordFields).including(jsonKeys: ["badge"])
        let body = Redactor(redaction, environment: [:])
            .redact(.answer(#"{"password":"abc123def","token":"def456abc","badge":"b4dg3x"}"#)).body
        #expect(body == #"{"password":"abc123def","token":"REDACTED-token-1","badge":"REDACTED-badge-1"}"#)
        for secret in SecretWords.stems { #expect(Redaction.Rule.all.contains(secret.field.rule)) }
    }
}
