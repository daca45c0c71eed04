import Foundation
import Testing

@testable import StubbornNetwork

/// Ordinary values of real services that resemble secrets, each with a credential that resembles it.
struct RealTrafficTests {
    private static let sha = "80707a5fe9e3f5768a45" + "d267bdebc965a6d18c8f"
    private static let hex = "9f86d081884c7d65" + "9a2feaa0c55ad015"

    private func redacted(_ path: String, sent: String?, _ body: String, _ fields: HeaderFields = [:]) throws -> Stub {
        var stub = Stub.answer(body, fields: fields)
        stub.request = StubRequest(
            method: sent == nil ? "GET" : "POST",
            url: try #require(URL(string: "https://api.example.com\(path)")),
            headers: ["Authorization": "Bearer k9Zx4Tq7Wm2Rb5Yp8Lc3"],
            body: sent.map { Data($0.utf8) }
        )
        return Redactor(.standard, environment: [:]).redact(stub)
    }

    @Test(arguments: [
        ("/accounts", #"{"options":{"account_ids":["eWb11Nl8BEiQJPK8eWb11Nl8BEiQJPK8eWb1a"]}}"#, "{}"),
        ("/git/commits", #"{"message":"x","tree":"\#(sha)","parents":["\#(sha)"]}"#, "{}"),
        ("/releases", #"{"tag_name":"v1","target_commitish":"\#(sha)"}"#, "{}"),
        ("/media", "{}", #"{"fields":[{"name":"key","value":"nihriicz1x261"}]}"#),
        ("/media", "{}", #"{"Key":"pa-nr3ua3nz3pgwq"}"#),
        ("/webhook", #"{"webhook_code":"DEFAULT_UPDATE"}"#, "{}"),
        ("/emojis", "{}", #"{"cookie":"https://a.example/cookie.png?v5","secret":"https://a.example/secret.png?v5"}"#),
        ("/api_keys/ak_4fx8Qp2mNd71Lw", "{}", "{}"),
        ("/carrier_accounts/register_oauth/ca_\(hex)", "{}", "{}"),
        ("/repos/ada/ScrappyBot/statuses/\(sha)", "{}", "{}"),
        ("/stack/EmsRefreshSpecStack/6f60c460-5fb9-11e6-9cb7-500c28604ce6", "{}", "{}"),
        ("/actions/permissions", "{}", #"{"permissions":{"secrets":"read","tokens":"write"}}"#),
        ("/issue", "{}", #"{"body":"Version=2.0.0.0, PublicKeyToken=b03f5f7f11d50a3a nebo"}"#),
        ("/text", "{}", #"{"body":"Cant remember something? /r/TipOfMyTongue"}"#),
        ("/image", "{}", #"{"b64":"iVBORw0KGgo/b/vu5YDWwjsVQ+SK80707a5fe9e3f5768a45d267bdebc965"}"#),
    ])
    func `an ordinary value stays`(path: String, sent: String, body: String) throws {
        let stub = try redacted(path, sent: sent, body)
        #expect(stub.request.url.path == path)
        #expect(stub.request.body.map { String(decoding: $0, as: UTF8.self) } == sent)
        #expect(stub.body == body)
    }

    @Test func `a public key, permissions and counts in header fields stay`() throws {
        let fields: HeaderFields = ["X-Accepted-Permissions": "secrets=read,environments=read", "num_tokens": "103"]
        let body = #"{"key_id":"568250167242549743","key":"9MOi3h64MKNwv1oA2F+7SKWtYBtcsbBaFTCvpJzyo1I="}"#
        let stub = try redacted("/actions/secrets/public-key", sent: nil, body, fields)
        #expect(stub.body == body)
        #expect(stub.response.head?.headerFields == fields)
    }

    @Test(arguments: [
        ("/a", #"{"account_key":"eWb11Nl8BEiQJPK8eWb11Nl8BEiQ"}"#), ("/a", #"{"key":"Wm2Rb5Yp8Lc3k9Zx4Tq7Vn1"}"#),
        ("/a?sig=k9Zx4T", "{}"), ("/webhooks/k9Zx4Tq7Wm2Rb5Yp8Lc3Vn1", "{}"),
        ("/a", #"{"sid":"SK\#(hex)"}"#),
    ])
    func `a credential that resembles one is replaced`(path: String, sent: String) throws {
        let stub = try redacted(path, sent: sent, "{}")
        let body = stub.request.body.map { String(decoding: $0, as: UTF8.self) }
        #expect(stub.request.url.absoluteString != "https://api.example.com\(path)" || body != sent)
    }

    @Test func `the name of a JSON member is never replaced, and a secret under it is`() throws {
        let token = "k9Zx4Tq7Wm2R" + "b5Yp8Lc3Vn1"
        let stub = try redacted("/a", sent: #"{"token":"\#(token)"}"#, #"{"\#(token)":{"note":"\#(token)"}}"#)
        #expect(stub.body.hasPrefix(#"{"\#(token)":{"note":"REDACTED"#))
    }
}
