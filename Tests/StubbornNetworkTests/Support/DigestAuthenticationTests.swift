import StubbornNetwork
import Testing

@testable import LoopbackServer

struct DigestAuthenticationTests {
    @Test(
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ]
    )
    func `MD5 passes the test suite of RFC 1321`(text: String, digest: String) {
        #expect(MD5.hex(text) == digest)
    }

    @Test func `the response is that of the example in RFC 7616`() {
        let credentials = DigestAuthentication(
            """
            username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=MD5, \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
            cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        )
        let response = credentials.response(password: "Circle of Life", method: "GET")
        #expect(response == "8ca523f5e9506fed4657c9700eebdbec")
    }

    @Test(.timeLimit(.minutes(5)))
    func `only the right answer to a challenge is welcome`() throws {
        let server = try LoopbackServer()
        let target = "/digest-auth/ada/secret"
        let challenge = try RawClient.get(target, from: server).headers(named: "WWW-Authenticate").joined()
        let nonce = try #require(challenge.components(separatedBy: #"nonce=""#).last?.prefix { $0 != "\"" })

        #expect(try text(target, nonce: String(nonce), password: "secret", server) == "welcome ada")
        #expect(try text(target, nonce: String(nonce), password: "wrong", server) == "unauthorized")
        #expect(try text(target, nonce: "1-invented", password: "secret", server) == "unauthorized")
    }

    private func text(
        _ target: String,
        nonce: String,
        password: String,
        _ server: LoopbackServer
    ) throws -> String {
        let parameters = """
            username="ada", realm="test", uri="\(target)", nonce="\(nonce)", nc=00000001, cnonce="c", qop=auth
            """
        let response = DigestAuthentication(parameters).response(password: password, method: "GET") ?? ""
        let value = "Digest \(parameters), response=\"\(response)\""
        return try RawClient.get(target, headers: [("Authorization", value)], from: server).text
    }
}
