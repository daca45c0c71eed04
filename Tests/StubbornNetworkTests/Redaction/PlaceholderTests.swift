import Foundation
import Testing

@testable import StubbornNetwork

struct PlaceholderTests {
    private static let hex = "9f86d081884c7d65" + "9a2feaa0c55ad015"
    private static let letters = "aB3dE5gH7jK9mN1pQ2rS" + "4tU6vW8xY0zA1bC3dE5f"

    /// Secrets of a form that code may parse, and what takes their places.
    private static let table: [(secret: String, placeholder: String)] = {
        let gitHub = "gh" + "p_" + String(letters.prefix(36))
        let amazon = "AK" + "IAIOSFODNN7EXAMPL3"
        let shop = "shp" + "at_" + hex
        let uuid = "6f9619ff-8b86-d011-" + "b42d-00c04fc964ff"
        return [
            ("s3cret" + "-Va1ue", "REDACTED-token-1"), (hex, "5ec2e700000000000000000000000001"),
            (hex.uppercased(), "5EC2E700000000000000000000000001"), ("482913", "999999"), ("48291377", "99999999"),
            (letters, "REDACTED00000000000000000000000000000001"),
            (gitHub, "ghp_REDACTED0000000000000000000000000001"), (amazon, "AKIAREDACTED00000001"),
            ("s3cret-Va1ue_" + "9f8e7d6c-x", "REDACTED000000000000001"),
            (shop, "shpat_5ec2e700000000000000000000000001"), (uuid, "5ec2e700-0000-4000-8000-000000000001"),
            ("k9Zx4Tq7Wm2Rb5Yp8/" + "+k9Q==", "REDACTED0000000000001A=="),
        ]
    }()

    @Test(arguments: table)
    func `a placeholder has the secret's alphabet, length and prefix`(secret: String, placeholder: String) throws {
        let redactor = Redactor(.standard, environment: [:])
        let body = redactor.redact(.answer(#"{"token":"\#(secret)"}"#)).body
        #expect(body == #"{"token":"\#(placeholder)"}"#)
        #expect(placeholder.withBytes { Placeholder.isWhole($0) } || placeholder.allSatisfy(\.isNumber))
        #expect(redactor.redact(.answer(body)).body == body)
        try redactor.scan(.answer(body), number: 0)
        // In a request, digits are text.
        if placeholder.allSatisfy(\.isNumber) { return }
        // On playback, the app sends the placeholder, and on another day another secret.
        #expect(Self.request(placeholder).answers(Self.request(placeholder)))
        #expect(Self.request(placeholder).answers(Self.request(secret)))
        #expect(Self.request(placeholder).answers(Self.request("dummy")))
    }

    private static func request(_ token: String) -> StubRequest {
        let url = URL(string: "https://x.example/?access_token=\(PlantedExchange.percent(token))")!
        return StubRequest(url: url, headers: ["Authorization": "Bearer \(token)"])
    }

    @Test(arguments: [hex, letters, "482913"])
    func `a stub file with placeholders of the older form still matches`(secret: String) {
        #expect(Self.request("REDACTED-access_token-1").answers(Self.request(secret)))
    }

    @Test func `a base64 placeholder and the signature of a token can be decoded`() throws {
        for count in 20..<40 {
            let secret = Data((0..<count).map { UInt8($0 * 37 & 255) }).base64EncodedString()
            let body = Redactor(.standard, environment: [:]).redact(.answer(secret, fields: ["X-Secret": secret]))
            let field = try #require(body.response.head?.headerFields["X-Secret"])
            #expect(field != secret)
            #expect(Data(base64Encoded: field)?.count == count)
        }
        for count in 20..<50 where count % 4 != 1 {
            let signature = String((Self.letters + Self.letters).prefix(count))
            let token = PlantedExchange.token(#"{"sub":"42"}"#) + "." + signature
            let body = Redactor(.standard, environment: [:]).redact(.answer(#"{"token":"\#(token)"}"#)).body
            let redacted = try #require(body.dropLast(2).split(separator: ".").last)
            #expect(redacted.hasPrefix("REDACTED0"))
            #expect(redacted.utf8.count == count)
        }
    }

    @Test(arguments: 8..<90)
    func `the signature of a token is base64url, also to a strict decoder`(count: Int) throws {
        let signature = String((Self.letters + Self.letters + Self.letters).prefix(count))
        let token = PlantedExchange.token(#"{"sub":"42"}"#) + "." + signature
        let body = Redactor(.standard, environment: [:]).redact(.answer(#"{"token":"\#(token)"}"#)).body
        let redacted = try #require(body.dropLast(2).split(separator: ".").last)
        #expect(redacted.hasPrefix("REDACTED"))
        let padded = String(redacted) + String(repeating: "=", count: (4 - redacted.count % 4) % 4)
        // What is encoded again is the same if no bits were lost.
        #expect(Data(base64Encoded: padded)?.base64EncodedString() == padded)
        let again = Redactor(.standard, environment: [:]).redact(.answer(body)).body
        #expect(again == body)
    }

    /// The regular expressions that the article quotes for a scanner's allowlist.
    private static let allowlist: [NSRegularExpression] = {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/StubbornNetwork/StubbornNetwork.docc/KeepingSecretsOut.md")
        let lines = (try? String(contentsOf: sources, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.compactMap { line in
            let parts = line.components(separatedBy: "\'\'\'")
            return parts.count == 3 ? try? NSRegularExpression(pattern: parts[1]) : nil
        }
    }()

    private static func isAllowed(_ text: String) -> Bool {
        allowlist.contains { $0.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil }
    }

    @Test(arguments: table)
    func `the allowlist of the article lets every placeholder pass, and no secret`(secret: String, placeholder: String)
    {
        #expect(Self.allowlist.count == 6)
        #expect(Self.isAllowed(placeholder))
        #expect(!Self.isAllowed(secret))
        let token = PlantedExchange.token(#"{"sub":"42"}"#) + "."
        let basic = "ada:\(secret)"
        for text in [token + secret, basic, "x\(basic)", "xy\(basic)"].map(Self.redactedInBase64) where text != nil {
            #expect(text.map(Self.isAllowed) == true, "\(text ?? "")")
        }
    }

    /// Returns the form that a value has in a header field of credentials, redacted.
    private static func redactedInBase64(_ text: String) -> String? {
        let value = text.hasPrefix("eyJ") ? "Bearer \(text)" : "Basic \(Data(text.utf8).base64EncodedString())"
        let stub = Redactor(.standard, environment: [:]).redact(.answer("", fields: ["Authorization": value]))
        return stub.response.head?.headerFields["Authorization"]?.split(separator: " ").last.map(String.init)
    }

    @Test func `an id that is cut off is no placeholder`() {
        let placeholder = "5ec2e700-0000-4000-8000-000000000012"
        let ends = (1...placeholder.count).map { count in
            String(placeholder.prefix(count)).withBytes { Placeholder.matches(in: $0) }.map(\.match.end)
        }
        #expect(ends == Array(repeating: [], count: 35) + [[36]])
    }

    @Test func `numbers continue behind placeholders of every form`() {
        let redactor = Redactor(.standard, environment: [:])
        redactor.learn(fromStored: .answer(#"{"a":"REDACTED000000000007","b":"5ec2e70000000009"}"#))
        let body = redactor.redact(.answer(#"{"token":"\#(Self.hex)"}"#)).body
        #expect(body == #"{"token":"5ec2e700000000000000000000000010"}"#)
    }
}
