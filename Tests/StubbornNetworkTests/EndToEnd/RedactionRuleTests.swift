import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Each standard rule, by a recording with a secret that no other rule recognizes.
@Suite(.timeLimit(.minutes(5)))
struct RedactionRuleTests {
    /// A request and a response, one of which has the secret.
    ///
    /// The values are written in parts, so that no scanner takes them for leaks.
    private struct Sample {
        var secret: String
        var query = ""
        var header: (name: String, value: String)?
        var type = "application/json"
        var body = ""
        var answer = "fine"
        var environment: [String: String] = [:]
        /// Other rules that would recognize the secret too.
        var others: [String] = []
    }

    private static let random = "q7Zx4Tk9Wm2" + "Rb5Yp8Hd3"
    private static let hex = "4f9a1c7e20" + "b8d365"

    private static func json(_ key: String, _ secret: String = random) -> Sample {
        Sample(secret: secret, body: #"{"\#(key)":"\#(secret)"}"#)
    }

    private static func text(_ before: String, _ secret: String) -> Sample {
        Sample(secret: secret, answer: "see \(before)\(secret) there")
    }

    private static let samples: [Redaction.Rule: Sample] = [
        .headers: Sample(secret: random, header: ("Authorization", random)),
        .cookies: Sample(secret: random, header: ("Cookie", "flavour=\(random)")),
        .userInfo: Sample(secret: random, answer: "https://ada:\(random)@example.com/"),
        .queryItems: Sample(secret: hex, query: "?sig=\(hex)"),
        .tokenFields: json("accessToken"), .secretFields: json("clientSecret"), .passwordFields: json("password"),
        .keyFields: json("apiKey"), .pinFields: json("otp", "4829137"), .assertionFields: json("SAMLResponse"),
        .sessionFields: json("sessionId"),
        .bearer: Sample(secret: random, answer: "see Bearer \(random) there", others: ["token-fields"]),
        .basic: text("Basic ", Data("ada:\(random)".utf8).base64EncodedString()),
        .jwt: text("", "eyJhbGciOiJI" + "UzI1NiJ9.eyJzdWIiOiI0MiJ9." + "q7Zx4Tk9Wm2Rb5Yp8Hd3"),
        .privateKeys: Sample(
            secret: "MIIEpAIBAAKCAQEA0Z3VS5JJ",
            type: "text/plain",
            body: "-----BEGIN PRIVATE " + "KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJ\n-----END PRIVATE " + "KEY-----\n"
        ),
        .providerKeys: text("", "hf" + "_\(random)a1b2c3d4e5"),
        .environmentValues: Sample(secret: random, answer: "see \(random) there", environment: ["SHOP_TOKEN": random]),
    ]

    /// Records the sample, and returns the stub file; `nil` if nothing could be recorded.
    private func recorded(_ sample: Sample, excluding names: String...) async throws -> String? {
        let server = try LoopbackServer { _ in .text(sample.answer) }
        let directory = TemporaryDirectory()
        let excluded = (names + sample.others).map { "\"\($0)\"" }.joined(separator: ", ")
        try directory.write(#"{ "redaction" : { "excluded" : [ \#(excluded) ] } }"#, to: ".stubborn.json")
        let location = StubbornNetworkConfiguration.persistent(name: "rules", path: directory.path)!
        let network = StubbornNetwork(location, environment: sample.environment)
        network.recordMode = .recording
        network.bodyEncoding = .readable
        var request = URLRequest(url: server.url("/a\(sample.query)"))
        request.httpMethod = "POST"
        request.httpBody = sample.body.isEmpty ? nil : Data(sample.body.utf8)
        request.setValue(sample.type, forHTTPHeaderField: "Content-Type")
        if let header = sample.header { request.setValue(header.value, forHTTPHeaderField: header.name) }
        let answer = try? await network.session.data(for: request).0
        if let answer { #expect(answer == Data(sample.answer.utf8)) }
        try? network.finishRecording()
        return try? directory.text(of: "rules.json")
    }

    @Test func `each standard rule has a sample`() {
        #expect(Set(Self.samples.keys).union([.compressedBodies]) == Set(Redaction.Rule.all))
    }

    @Test(arguments: Redaction.Rule.all.filter { $0 != .compressedBodies })
    func `each standard rule keeps a secret out, and is the one to exclude in the settings by either of its names`(
        rule: Redaction.Rule
    ) async throws {
        let sample = try #require(Self.samples[rule])
        let file = try #require(await recorded(sample))
        #expect(!file.contains(sample.secret))
        #expect(file.contains("/a"))
        for name in [rule.description, String(rule.code.dropFirst())] {
            let file = try #require(await recorded(sample, excluding: name), "\(name)")
            #expect(file.contains(sample.secret), "\(name)")
        }
    }

    @Test(arguments: ["br", "BR", "zstd"])
    func `a body that cannot be searched is replaced as a whole unless the settings say otherwise`(
        coding: String
    ) async throws {
        let sample = Sample(secret: "", header: ("Content-Encoding", coding), body: "\u{0}\u{1}compressed")
        #expect(try await recorded(sample)?.contains("REDACTED-body-1") == true)
        for name in ["compressed-bodies", "compressedBodies"] {
            #expect(try await recorded(sample, excluding: name)?.contains("REDACTED") == false, "\(name)")
        }
    }

    /// The schemes of HTTP authentication that have a credential of one word, in the register of IANA.
    @Test(arguments: ["Bearer", "bearer", "BEARER", "Basic", "basic", "BASIC", "token", "GNAP", "gnap", "DPoP", "dpop"])
    func `the scheme of Authorization stays in any case, and the credential does not`(scheme: String) async throws {
        let isBasic = scheme.lowercased() == "basic"
        let credential = isBasic ? Data("ada:\(Self.random)".utf8).base64EncodedString() : Self.random
        for name in ["Authorization", "AUTHORIZATION", "authorization", "Proxy-Authorization"] {
            let sample = Sample(secret: credential, header: (name, "\(scheme) \(credential)"))
            let file = try #require(await recorded(sample))
            #expect(file.contains("[:::]\(scheme) "), "\(name)")
            #expect(!file.contains(credential), "\(name)")
        }
    }

    @Test(arguments: ["content-disposition: form-data; name=", "CONTENT-DISPOSITION: FORM-DATA; NAME="])
    func `the name of a part is found in any case, quoted or not`(head: String) async throws {
        for name in ["password", "\"password\"", "PassWord"] {
            for boundary in ["boundary", "BOUNDARY"] {
                let body = "--xX\r\n\(head)\(name)\r\n\r\n\(Self.random)\r\n--xX--\r\n"
                let sample = Sample(secret: Self.random, type: "multipart/form-data; \(boundary)=xX", body: body)
                let file = try #require(await recorded(sample))
                #expect(!file.contains(Self.random), "\(name), \(boundary)")
                #expect(file.contains("REDACTED"), "\(name), \(boundary)")
            }
        }
    }

    /// Records an answer with a value that code knows.
    private func recorded(_ answer: String, knowing value: String) async throws -> String {
        let server = try LoopbackServer { _ in .text(answer) }
        let directory = TemporaryDirectory()
        let location = StubbornNetworkConfiguration.persistent(name: "known", path: directory.path)!
        let network = StubbornNetwork(location, environment: [:])
        network.recordMode = .recording
        network.bodyEncoding = .readable
        network.redaction = .standard.including(values: [value])
        _ = try await network.session.data(from: server.url("/a"))
        try network.finishRecording()
        return try directory.text(of: "known.json")
    }

    @Test(arguments: ["q7zx4t9", "q7zx4tk9", "q7zx4tk9w"])
    func `a known value is replaced inside other text, whatever its length`(
        value: String
    ) async throws {
        #expect(try await !recorded(value, knowing: value).contains(value))
        #expect(try await !recorded("see abc\(value)def", knowing: value).contains(value))
    }

    /// Puts a string into another text of the same kind.
    private static let wrappings: [String: @Sendable (String) -> String] = [
        "JSON": { text in
            let list = (try? JSONSerialization.data(withJSONObject: [text])) ?? Data()
            return "{\"a\":\(String(decoding: list, as: UTF8.self).dropFirst().dropLast())}"
        },
        "base64": { "{\"a\":\"\(Data($0.utf8).base64EncodedString())\"}" },
        "a form": { "a=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")&b=1" },
    ]

    @Test(arguments: wrappings.keys.sorted(), 0...3)
    func `a secret is found in text inside text, up to three levels deep, and one of base64`(kind: String, depth: Int)
        async throws
    {
        let depth = kind == "base64" ? min(depth, 1) : depth
        let wrap = try #require(Self.wrappings[kind])
        let inner = "{\"password\":\"\(Self.random)\"}"
        let answer = (0..<depth).reduce(inner) { text, _ in wrap(text) }
        let server = try LoopbackServer { _ in .json(answer) }
        let directory = TemporaryDirectory()
        let location = StubbornNetworkConfiguration.persistent(name: "deep", path: directory.path)!
        let network = StubbornNetwork(location, environment: [:])
        network.recordMode = .recording
        _ = try await network.session.data(from: server.url("/a"))
        try network.finishRecording()
        var text = try #require(network.recordedStubs.first?.response.bytes.map { String(decoding: $0, as: UTF8.self) })
        #expect(!text.contains(Self.random))
        // A client that splits the levels finds the placeholder.
        for _ in 0..<depth {
            let json = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: String]
            let value = json?["a"] ?? text.dropFirst(2).prefix { $0 != "&" }.removingPercentEncoding ?? ""
            text = kind == "base64" ? String(decoding: Data(base64Encoded: value) ?? Data(), as: UTF8.self) : value
        }
        #expect(text.hasPrefix(#"{"password":"REDACTED"#) && text.hasSuffix(#"1"}"#), "\(text)")
    }

    /// The attributes of RFC 6265, section 4.1, and those that browsers added.
    @Test(arguments: [
        "Path=/account", "Domain=example.com", "Max-Age=86400", "Expires=Wed, 21 Oct 2065 07:28:00 GMT", "Secure",
        "HttpOnly",
        "SameSite=Lax", "Partitioned", "Priority=High",
    ])
    func `the attributes of a cookie stay in any case, and its value does not`(attribute: String) async throws {
        for spelling in [attribute, attribute.lowercased(), attribute.uppercased()] {
            for name in ["Set-Cookie", "set-cookie", "SET-COOKIE"] {
                let server = try LoopbackServer { _ in
                    .text("fine", headers: [(name, "sid=\(Self.random); \(spelling); Path=/")])
                }
                let directory = TemporaryDirectory()
                let location = StubbornNetworkConfiguration.persistent(name: "cookie", path: directory.path)!
                let network = StubbornNetwork(location, environment: [:])
                network.recordMode = .recording
                _ = try await network.session.data(from: server.url("/a"))
                try network.finishRecording()
                let file = try directory.text(of: "cookie.json")
                #expect(file.contains("; \(spelling); Path=/"), "\(name)")
                #expect(!file.contains(Self.random), "\(name), \(spelling)")
            }
        }
    }
}
