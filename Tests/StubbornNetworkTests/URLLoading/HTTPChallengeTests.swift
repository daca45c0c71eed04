import Foundation
import Testing

@testable import StubbornNetwork

struct HTTPChallengeTests {
    private func challenges(_ values: String...) -> [HTTPChallenge] {
        let fields = HeaderFields(values.map { .init(name: "www-authenticate", value: $0) })
        return HTTPChallenge.challenges(in: ResponseHead(statusCode: 401, headers: fields))
    }

    /// A line for each challenge: the scheme, and the parameters by name, each in brackets.
    private func lines(_ field: String) -> [String] {
        challenges(field).map { challenge in
            let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { " \($0.key)[\($0.value)]" }
            return "\(challenge.scheme)" + parameters.joined()
        }
    }

    private static let readable: [(String, [String])] = [
        (#"Basic realm="users""#, ["basic realm[users]"]),
        (#"bAsIC REALM="users""#, ["basic realm[users]"]),
        ("Basic", ["basic"]),
        ("Basic realm=users", ["basic realm[users]"]),
        (#"Basic realm="""#, ["basic realm[]"]),
        (#"Basic realm="a, Digest b""#, ["basic realm[a, Digest b]"]),
        (#"Basic realm="say \"hi\" \\ bye""#, [#"basic realm[say "hi" \ bye]"#]),
        (#"Basic realm="Käse""#, ["basic realm[Käse]"]),
        (#"Bearer realm="a""#, ["bearer realm[a]"]),
        ("Negotiate", ["negotiate"]),
        ("Negotiate YII/abc+d==", ["negotiate"]),
        ("Negotiate abc==, NTLM abc=", ["negotiate", "ntlm"]),
        (
            #"Digest realm="a", qop="auth, auth-int", algorithm=SHA-256, nonce="n==", stale=TRUE"#,
            ["digest algorithm[SHA-256] nonce[n==] qop[auth, auth-int] realm[a] stale[TRUE]"]
        ),
        (
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            [#"newauth realm[apps] title[Login to "apps"] type[1]"#, "basic realm[simple]"]
        ),
        ("Negotiate, Basic, Digest realm=a", ["negotiate", "basic", "digest realm[a]"]),
        (
            " ,,\tDigest \t realm\t = \"a\" ,nonce=\"n\",,  Basic  realm =\t\"b\" , ",
            ["digest nonce[n] realm[a]", "basic realm[b]"]
        ),
        (#"Digest , realm="a""#, ["digest realm[a]"]),
        ("Digest nonce=a/b+c==, realm=a", ["digest nonce[a/b+c==] realm[a]"]),
    ]

    @Test(arguments: readable)
    func `well-formed challenges are parsed`(field: String, expected: [String]) {
        #expect(lines(field) == expected)
    }

    private static let unreadable: [(String, [String])] = [
        ("", []),
        (", ,", []),
        (#"realm="a""#, []),
        (#"="a", "b", @"#, []),
        (#"Ba@sic realm="a", Digest realm=b"#, ["ba realm[a]", "digest realm[b]"]),
        (#"Basic realm="a"#, ["basic"]),
        (#"Basic realm="a\"#, ["basic"]),
        ("Basic realm=", ["basic"]),
        ("Basic realm, charset=c", ["basic charset[c]"]),
        (#"Basic realm="a"b, charset="c""#, ["basic charset[c] realm[a]"]),
        (#"Basic realm="a", realm="b""#, ["basic realm[a]"]),
        ("Basic realm=\"a\r\nX-Other: b\", charset=c", ["basic charset[c]"]),
        (#"Basic ?"a, Digest b", charset=c"#, ["basic charset[c]"]),
    ]

    @Test(arguments: unreadable)
    func `malformed challenges are skipped`(field: String, expected: [String]) {
        #expect(lines(field) == expected)
    }

    @Test func `fields that are repeated are read in their order`() {
        #expect(
            challenges("Digest realm=a", "Basic realm=\"b", "charset=c, Bearer").map(\.scheme) == [
                "digest", "basic", "bearer",
            ]
        )
    }

    @Test func `the status code decides which challenge header field is read`() {
        let fields: HeaderFields = [
            "WWW-Authenticate": "Basic realm=origin", "Proxy-Authenticate": "Basic realm=proxy",
        ]
        let realms = [200, 401, 403, 407].map { status in
            HTTPChallenge.challenges(in: ResponseHead(statusCode: status, headers: fields)).map(\.realm)
        }
        #expect(realms == [[], ["origin"], [], ["proxy"]])
    }

    @Test(arguments: [
        ("Bearer realm=1, Basic realm=2, Basic realm=3", "2"),
        ("Digest realm=1, nonce=n, Basic realm=2", "2"),
        ("Digest realm=1, nonce=n, Bearer realm=2", nil),
        ("", nil),
    ])
    func `the first basic challenge is answered`(field: String, realm: String?) {
        let head = ResponseHead(statusCode: 401, headers: ["WWW-Authenticate": field])
        #expect(HTTPChallenge.firstBasic(in: head)?.realm == realm)
    }

    @Test(arguments: [
        ("Basic realm=\"WallyWorld\"", "Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("Basic realm=\"foo\", charset=\"UTF-8\"", "test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
        ("Basic realm=foo, charset=utf-8", "\u{E4}", "p", "Basic w6Q6cA=="),
        ("Basic realm=foo, charset=utf-8", "a\u{308}", "p", "Basic w6Q6cA=="),
        ("Basic realm=foo", "a:b", "p", nil),
    ])
    func `a basic challenge is answered as in RFC 7617`(
        field: String,
        user: String,
        password: String,
        answer: String?
    ) throws {
        let challenge = try #require(challenges(field).first)
        #expect(challenge.basicAuthorization(user: user, password: password) == answer)
    }

    @Test func `generated challenges are read back`() {
        var generator = Generator(seed: 1)
        for _ in 0..<300 {
            let written = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                HTTPChallenge(
                    scheme: ["basic", "digest", "x"].randomElement(using: &generator) ?? "basic",
                    parameters: ["realm", "nonce", "qop"].reduce(into: [:]) { parameters, name in
                        let length = Int.random(in: 0...6, using: &generator)
                        parameters[name] = String(
                            (0..<length).map { _ in "a\"\\,= é".randomElement(using: &generator) ?? "a" }
                        )
                    }
                )
            }
            let field = written.map(Self.text).joined(separator: ",")
            #expect(challenges(field) == written, "\(field)")
        }
    }

    private static func text(_ challenge: HTTPChallenge) -> String {
        let parameters = challenge.parameters.map { name, value in
            "\(name)=\"\(value.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined())\""
        }
        return "\(challenge.scheme.capitalized) \(parameters.joined(separator: ", "))"
    }

    @Test func `random challenges do not crash the parser, and answers are valid header values`() {
        var generator = Generator(seed: 2)
        let pieces = [
            "Digest", "Basic", "realm", "nonce", "qop", "auth", "algorithm", "MD5", "opaque", "charset=UTF-8", "=", "=",
            "\"", "\"", "\\", ",", ",", " ", " ", "\t", "\r\n", "\0", "é", "\u{301}", "😀", "@", "realm=a",
            "nonce=\"b\"",
        ]
        var answered = 0
        for _ in 0..<5000 {
            let count = Int.random(in: 0...30, using: &generator)
            let field = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for challenge in challenges(field, String(field.reversed())) {
                guard let answer = challenge.basicAuthorization(user: "a\"dä", password: "\r\n") else { continue }
                answered += 1
                #expect(answer.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "\(field)")
            }
        }
        #expect(answered > 50)
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["\"\\", "\"", "a=\"\\\"", ",", "Basic,", "a=", "Basic a=\"b\" "])
    func `a very long field is read in one pass`(piece: String) {
        _ = challenges("Basic " + String(repeating: piece, count: 100_000))
    }
}
