import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

struct PersonalDataTests {
    private func stored(_ bodies: [String], _ redaction: Redaction = .standard.including(.personalData)) throws
        -> [String]
    {
        let redactor = Redactor(redaction, environment: [:])
        return try bodies.map { body in
            let stub = redactor.redact(.answer(body))
            #expect(redactor.redact(stub) == stub)
            try redactor.scan(stub)
            return stub.body
        }
    }

    @Test(arguments: [
        (#"{"email":"ada.l@company.example"}"#, #"{"email":"person-1@example.com"}"#),
        (#"{"contact":"ada+x@company.example"}"#, #"{"contact":"person-1@example.com"}"#),
        (#"{"phone":"+49 30 1234567"}"#, #"{"phone":"+49 00 0000001"}"#),
        (#"{"mobileNumber":"0171-234 5678"}"#, #"{"mobileNumber":"0000-000 0001"}"#),
        (#"{"first_name":"Ada","lastName":"LOVELACE"}"#, #"{"first_name":"Alex","lastName":"EXAMPLE-1"}"#),
        (#"{"full_name":"Ada Lovelace"}"#, #"{"full_name":"Alex Example"}"#),
        (#"{"name":"Ada Lovelace","email":null}"#, #"{"name":"Alex Example","email":null}"#),
        (
            #"{"street":"Hauptstraße 12","postalCode":"10115","city":"Berlin"}"#,
            #"{"street":"Example Street 1","postalCode":"00001","city":"Exampleton-1"}"#
        ),
        (#"{"account":"DE89 3704 0044 0532 0130 00"}"#, #"{"account":"DE09 0000 0000 0000 0000 01"}"#),
        (#"{"cardNumber":"4111 1111 1111 1111"}"#, #"{"cardNumber":"4000 0000 0000 0010"}"#),
        (#"{"card":"5555555555554444"}"#, #"{"card":"5000000000000017"}"#),
        ("email=ada%40company.example&q=1", "email=person-1%40example.com&q=1"),
        ("<p><email>ada@company.example</email></p>", "<p><email>person-1@example.com</email></p>"),
    ])
    func `a value is replaced by a pseudonym of its form`(body: String, expected: String) throws {
        #expect(try stored([body]) == [expected])
        #expect(try stored([body], .standard) == [body])
    }

    @Test func `the number of an account or a card has correct check digits`() throws {
        let bodies = (0..<30).map { index in
            let iban = Self.iban("370400440532013\(100 + index)")
            return #"{"iban":"\#(iban)"}"#
        }
        for (index, body) in try stored(bodies).enumerated() {
            let iban = try #require(body.split(separator: "\"").last { $0.hasPrefix("DE") })
            #expect(String(iban) == Self.iban(String(format: "%018d", index + 1)))
        }
    }

    /// The number of a German account, with its check digits (ISO 13616).
    private static func iban(_ account: String) -> String {
        let remainder = (account + "131400").reduce(0) { ($0 * 10 + ($1.wholeNumberValue ?? 0)) % 97 }
        return "DE" + String(format: "%02d", 98 - remainder) + account
    }

    @Test(arguments: [
        (#"{"zip":"10001"}"#, #"{"zip":"00001"}"#), (#"{"phone":"+1 800 000 1234"}"#, #"{"phone":"+1 800 000 0001"}"#),
        (#"{"lastName":"Sample"}"#, #"{"lastName":"Example-1"}"#),
        (#"{"full_name":"Max"}"#, #"{"full_name":"Alex Example"}"#), (#"{"city":"Kim"}"#, #"{"city":"Exampleton-1"}"#),
        (#"{"street":"Sam 1"}"#, #"{"street":"Example Street 1"}"#),
    ])
    func `a value that only resembles a pseudonym is replaced`(body: String, expected: String) throws {
        #expect(try stored([body]) == [expected])
    }

    @Test func `the pseudonyms of ninety-nine people stay as they are when their stubs are redacted again`() throws {
        let redactor = Redactor(.standard.including(.personalData), environment: [:])
        for index in 0..<99 {
            let body = """
                {"email":"p\(index)@company.example","phone":"+49 30 12\(34_500 + index)","zip":"\(10_115 + index)",\
                "full_name":"Person\(index) Name","lastName":"Name\(index)","city":"Town\(index)","street":"Road \(index)"}
                """
            let once = redactor.redact(.answer(body))
            let again = Redactor(.standard.including(.personalData), environment: [:]).redact(once)
            #expect(again == once, "\(again.body) \(once.body)")
        }
    }

    @Test func `the same person has the same pseudonym in all stubs`() throws {
        let texts = try stored([
            #"{"email":"ada@company.example","full_name":"Ada Lovelace"}"#, #"{"email":"bob@company.example"}"#,
            #"{"text":"Ada Lovelace (ada@company.example) wrote to bob@company.example"}"#,
        ])
        #expect(texts[2] == #"{"text":"Alex Example (person-1@example.com) wrote to person-2@example.com"}"#)
    }

    @Test(arguments: [
        #"{"name":"widgets","version":"1.2.3","city_count":3,"phone_required":true,"card":"visa","street":""}"#,
        #"{"id":"4111111111111112","sku":"DE12345","a":"x@y","zip":"packed"}"#,
        // Numbers with a wrong check digit.
        #"{"iban":"DE89370400440532013001","card":"5555555555554445"}"#,
    ])
    func `a value that only resembles personal data is kept`(body: String) throws {
        #expect(try stored([body]) == [body])
    }

    @Test func `a recorded request with a pseudonym answers any person, and the list says so`() async throws {
        let directory = TemporaryDirectory()
        let location = try #require(StubbornNetworkConfiguration.persistent(name: "people", path: directory.path))
        let server = try LoopbackServer { _ in .text(#"{"email":"ada@company.example"}"#) }
        func request(_ mail: String) -> URLRequest {
            var request = URLRequest(url: server.url("/people?q=1"))
            request.httpMethod = "POST"
            request.httpBody = Data(#"{"email":"\#(mail)","zip":"10115"}"#.utf8)
            return request
        }
        let recording = StubbornNetwork(location, environment: .newRun)
        recording.redaction = .standard.including(.personalData)
        recording.recordMode = .recording
        _ = try await recording.session.data(for: request("ada@company.example"))
        try recording.finishRecording()
        #expect(recording.redactionReport.description.contains("request body, mail (personal-data)"))
        let file = try directory.text(of: "people.json")
        #expect(!file.contains("ada") && !file.contains("10115"))
        server.stop()

        let playing = StubbornNetwork(location, environment: .newRun)
        playing.recordMode = .playback
        let answer = try await playing.session.data(for: request("grace@company.example")).0
        #expect(String(decoding: answer, as: UTF8.self).contains("@"))
    }
}
