import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

struct HTTPCredentialsTests {
    private func challenge(_ field: String) throws -> HTTPChallenge {
        let head = ResponseHead(statusCode: 401, headerFields: ["WWW-Authenticate": field])
        return try #require(HTTPChallenge.challenges(in: head).first)
    }

    @Test func `the example of RFC 7617 is answered`() throws {
        let answer = HTTPCredentials(user: "Aladdin", password: "open sesame")
            .authorization(answering: try challenge("Basic realm=\"WallyWorld\""), method: "GET", uri: "/", body: nil)
        #expect(answer == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func `the example of RFC 7617 in UTF-8 is answered, however the name is composed`() throws {
        let challenge = try challenge(#"Basic realm="foo", charset="UTF-8""#)
        let answer = HTTPCredentials(user: "test", password: "123\u{A3}")
            .authorization(answering: challenge, method: "GET", uri: "/", body: nil)
        #expect(answer == "Basic dGVzdDoxMjPCow==")
        let spellings = ["\u{E4}", "a\u{308}"].map { user in
            HTTPCredentials(user: user, password: "p")
                .authorization(answering: challenge, method: "GET", uri: "/", body: nil)
        }
        #expect(spellings == ["Basic w6Q6cA==", "Basic w6Q6cA=="])
    }

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `the examples of RFC 7616 are answered`(algorithm: String, response: String) throws {
        let challenge = try challenge(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        )
        let answer = HTTPCredentials(user: "Mufasa", password: "Circle of Life").authorization(
            answering: challenge,
            method: "GET",
            uri: "/dir/index.html",
            body: nil,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        #expect(
            answer == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
                nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """
        )
    }

    @Test func `the example of RFC 2617 is answered`() throws {
        let challenge = try challenge(
            """
            Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """
        )
        let answer = HTTPCredentials(user: "Mufasa", password: "Circle Of Life").authorization(
            answering: challenge,
            method: "GET",
            uri: "/dir/index.html",
            body: nil,
            clientNonce: "0a4f113b"
        )
        #expect(
            answer == """
                Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html", \
                nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", nc=00000001, cnonce="0a4f113b", qop=auth, \
                response="6629fae49393a05397450978507c4ef1", opaque="5ccc069c403ebaf9f0171e9517f40e41"
                """
        )
    }

    @Test(arguments: [
        ("algorithm=MD5", "606b58711e1cc9535f12f39968f07304"),
        ("algorithm=md5, qop=auth", "41e6c3bed10cc8e3c9768d6ec612476a"),
        ("qop=\"auth-int\"", "a8eb5a7a6e1d31b5ef696379ccddf731"),
        ("algorithm=MD5-sess", "31e646ad179db0cae3a372779367a565"),
        ("algorithm=MD5-sess, qop=auth", "1d2faa5dd1be735dda48918fd3372715"),
        ("algorithm=MD5-sess, qop=auth-int", "6d2c053acf1ae9eaeb3fac303ff13527"),
        ("algorithm=SHA-256", "d7678eb832a6c1de89718f6d94ab5c46974e2453ea6cd145cd380b274894334b"),
        ("algorithm=SHA-256, qop=\"x, AUTH\"", "addabc820f90f1d13413481a0fc8f6be2f1f4bf210df38f3e5b978891755cd91"),
        ("algorithm=SHA-256, qop=auth-int", "1719cf8c9463f9f00ccd0ca4dfd53ac5957354e61a26e3a8d08af45b120542e6"),
        ("algorithm=SHA-256-sess, qop=\"\"", "f29b3d2eec1d0b1f130671202aca239ffcf62dfb1dc27bf17f3ae70e1cfa55ab"),
        ("algorithm=SHA-256-SESS, qop=auth", "b2901205e2f510b1f3eb30240aa07a676b33f82f2a61982a926f7f17e7586630"),
        (
            "algorithm=\"SHA-256-sess\", qop=auth-int",
            "e048b8a4824e52d29388b8a6b8d52266731cdfd3f2a1b826db1ae94ba3e7bf38"
        ),
    ])
    func `every algorithm is known with every qop`(parameters: String, response: String) throws {
        let challenge = try challenge(
            "Digest realm=testrealm@host.com, nonce=dcd98b7102dd2f0e8b11d0f600bfb0c093, \(parameters)"
        )
        let answer = try #require(
            HTTPCredentials(user: "Mufasa", password: "Circle Of Life").authorization(
                answering: challenge,
                method: "POST",
                uri: "/dir/index.html",
                body: Data("hello".utf8),
                clientNonce: "0a4f113b",
                nonceCount: 255
            )
        )
        #expect(answer.contains("response=\"\(response)\""))
        let hasQop = parameters.lowercased().contains("auth")
        #expect(answer.contains("nc=000000ff") == hasQop)
        #expect(answer.contains("qop=") == hasQop)
        #expect(answer.contains("cnonce=\"0a4f113b\"") == (hasQop || parameters.lowercased().contains("sess")))
    }

    @Test(arguments: [
        (
            "charset=UTF-8, algorithm=SHA-256", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe",
            "88b474a94539022f3d252e339dd723eed819edef92d20c67b54aa593902a37c0"
        ),
        ("algorithm=MD5", "username=\"J\u{E4}s\u{F8}n Doe\"", "00dd4f8962ab0d2c10b43634da72a44d"),
        (
            "charset=utf-8, userhash=true, algorithm=SHA-256",
            "username=\"5a1a8a47df5c298551b9b42ba9b05835174a5bd7d511ff7fe9191d8e946fc4e7\"",
            "88b474a94539022f3d252e339dd723eed819edef92d20c67b54aa593902a37c0"
        ),
        (
            "userhash=false, algorithm=MD5", "username=\"J\u{E4}s\u{F8}n Doe\"", "00dd4f8962ab0d2c10b43634da72a44d"
        ),
    ])
    func `a name is sent as the server can read it`(parameters: String, name: String, response: String) throws {
        let answer = HTTPCredentials(user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?").authorization(
            answering: try challenge("Digest realm=api@example.org, nonce=n, qop=auth, \(parameters)"),
            method: "GET",
            uri: "/doe.json",
            body: nil,
            clientNonce: "c"
        )
        #expect(answer?.hasPrefix("Digest \(name), realm=\"api@example.org\"") == true)
        #expect(answer?.contains("response=\"\(response)\"") == true)
        #expect(answer?.hasSuffix("userhash=true") == parameters.contains("userhash=true"))
    }

    @Test func `what has quotation marks is escaped when sent, and hashed as it is`() throws {
        let answer = HTTPCredentials(user: #"a"b\c"#, password: "p").authorization(
            answering: try challenge(#"Digest realm="q\"r", nonce=n, qop=auth"#),
            method: "GET",
            uri: "/",
            body: nil,
            clientNonce: "c"
        )
        #expect(
            answer == #"""
                Digest username="a\"b\\c", realm="q\"r", uri="/", nonce="n", nc=00000001, cnonce="c", qop=auth, \#
                response="795f371e177e9607360ecbce0205f483"
                """#
        )
    }

    @Test(arguments: [
        ("Bearer realm=a", "ada"),
        ("Digest realm=a, nonce=n, algorithm=SHA-512-256", "ada"),
        ("Digest realm=a, nonce=n, qop=other", "ada"),
        ("Digest realm=a", "ada"),
        ("Digest nonce=n", "ada"),
        ("Digest realm=a, nonce=n", "a\r\nX-Other: b"),
        ("Basic realm=a", "a:b"),
    ])
    func `what has no right answer is not answered`(field: String, user: String) throws {
        let credentials = HTTPCredentials(user: user, password: "secret")
        let answer = credentials.authorization(answering: try challenge(field), method: "GET", uri: "/", body: nil)
        #expect(answer == nil)
    }

    @Test(arguments: [(Int.min, "00000000"), (0, "00000000"), (10, "0000000a"), (Int.max, "ffffffff")])
    func `any count has eight digits`(count: Int, digits: String) throws {
        let answer = HTTPCredentials(user: "a", password: "b").authorization(
            answering: try challenge("Digest realm=a, nonce=n, qop=auth"),
            method: "GET",
            uri: "/",
            body: nil,
            nonceCount: count
        )
        #expect(answer?.contains("nc=\(digits),") == true)
    }

    @Test func `a random nonce is another each time`() {
        let nonces = Set((0..<100).map { _ in HTTPCredentials.randomNonce() })
        #expect(nonces.count == 100)
        #expect(nonces.allSatisfy { $0.count == 32 })
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: ["/digest-auth/ada/secret", "/digest-auth/ada/secret?page=2&q=%C3%A4", "/basic-auth/ada/secret"],
        [("secret", 200), ("wrong", 401)]
    )
    func `a server lets in who knows the password`(target: String, attempt: (password: String, status: Int)) throws {
        let server = try LoopbackServer()
        let refusal = try RawClient.get(target, from: server)
        let head = ResponseHead(
            statusCode: refusal.status,
            headerFields: HeaderFields(refusal.headers.map { .init(name: $0.name, value: $0.value) })
        )
        let challenge = try #require(HTTPChallenge.challenges(in: head).preferred)
        let answer = try #require(
            HTTPCredentials(user: "ada", password: attempt.password)
                .authorization(answering: challenge, method: "GET", uri: target, body: nil)
        )
        let response = try RawClient.get(target, headers: [("Authorization", answer)], from: server)
        #expect(response.status == attempt.status)
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ("", "/"), ("/", "/"), ("/a%2Fb;c=d/", "/a%2Fb;c=d/"), ("?q", "/?q"), ("/a?", "/a?"),
            ("/a?b=c?d/e", "/a?b=c?d/e"),
            ("/a#b", "/a"), ("/a%20b?q=%C3%A4&r=+", "/a%20b?q=%C3%A4&r=+"), ("/a//b", "/a//b"), ("/a/../b/./c", "/b/c"),
            ("/a/b/..", "/a/"), ("/a/.", "/a/"), ("/../a", "/a"), ("/a/...?b/../c", "/a/...?b/../c"),
            ("/a//../b", "/a/b"), ("/a/%2E%2e/b", "/a/%2E%2e/b"),
        ]
    )
    func `the URI is the target that is sent`(suffix: String, target: String) async throws {
        let server = try LoopbackServer()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(suffix)"))
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        _ = try await session.data(from: url)
        #expect(server.requests.first?.target == target)
        #expect(HTTPCredentials.uri(of: url) == target)
    }
}
