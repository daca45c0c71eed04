import Foundation
import Testing

@testable import StubbornNetwork

struct RedactedPlacesTests {
    private static let secret = "k9" + "Zx4Tq7Wm2Rb5Yp8"

    private func stored(_ body: String, _ type: String = "application/json") throws -> String {
        let url = try #require(URL(string: "https://api.example.com/items"))
        let head = ResponseHead(statusCode: 200, headers: ["Content-Type": type])
        let stub = Stub(
            request: StubRequest(method: "POST", url: url, headers: ["Content-Type": type], body: Data(body.utf8)),
            response: StubResponse(head: head, body: Data(body.utf8))
        )
        let result = Redactor(.standard, environment: [:]).redact(stub)
        #expect(result.request.body == result.response.bytes)
        return String(decoding: result.response.bytes ?? Data(), as: UTF8.self)
    }

    @Test(arguments: [
        #"{"Session":"%@"}"#, #"{"auth":"%@"}"#, #"{"smtp_pass":"%@"}"#, #"{"serverKey":"%@"}"#,
        #"{"security_answer":"%@"}"#, #"{"basicAuth":"%@"}"#, #"{"credential":"%@"}"#,
        #"{"raw":["X-Auth-Token: %@"]}"#, #"{"raw":["X-Api-Key: %@","a"]}"#,
    ])
    func `a secret in a JSON body is redacted`(_ body: String) throws {
        let body = body.replacingOccurrences(of: "%@", with: Self.secret)
        #expect(!(try stored(body)).contains(Self.secret))
    }

    @Test(arguments: [
        "<r><password>%@</password></r>", "<r><a:password type='x'>%@</a:password></r>",
        "<r><user name='ann' password='%@'/></r>", "<r><v>{\"password\":\"%@\"}</v></r>",
    ])
    func `a secret in an XML body is redacted`(_ body: String) throws {
        let body = body.replacingOccurrences(of: "%@", with: Self.secret)
        #expect(!(try stored(body, "text/xml")).contains(Self.secret))
    }

    @Test(arguments: [
        #"<script>x={"csrfToken":"%@","cdn":"/a?x=1&y=2"};if(a&&b){c()}</script>"#,
        #"<v><![CDATA[{"password":"%@","html":"<b>hi</b>"}]]></v>"#, #"<p>{"token":"%@"} &copy; 2026&nbsp;Ann</p>"#,
        #"<div data-p='{"token":"%@","u":"?a=1&b=2"}'>it&#39;s</div>"#, #"<v>{"token":"%@"} x&#10;&#233;</v>"#,
    ])
    func `the text around a secret in XML is spelled as it was`(_ body: String) throws {
        let stored = try stored(body.replacing("%@", with: Self.secret), "text/xml")
        let parts = body.split(separator: "%@")
        #expect(!stored.contains(Self.secret) && stored.hasPrefix(parts[0]) && stored.hasSuffix(parts[1]), "\(stored)")
    }

    @Test(arguments: [
        (#"{"next":"https:\/\/api.example.com\/?token=%@&lang=de"}"#, "application/json"),
        (
            #"{"page":"\u003Cp class=\u0022b\u0022>Caf\u00e9 \ud83d\ude00 \u003C\/p>\u000atoken=%@;\u000a"}"#,
            "application/json"
        ),
        ("next=https%3a%2f%2fapi.example.com%3a80%2f?token%3d%@%26l%3da+b", "application/x-www-form-urlencoded"),
    ])
    func `the text around a secret keeps its escapes`(_ body: String, _ type: String) throws {
        let stored = try stored(body.replacing("%@", with: Self.secret), type)
        let parts = body.split(separator: "%@")
        #expect(!stored.contains(Self.secret) && stored.hasPrefix(parts[0]) && stored.hasSuffix(parts[1]), "\(stored)")
    }

    @Test(arguments: [
        "note=a%3Bb", "note=a;b", "scope=read write", #"data={"a":1}"#, "note=<b>", "note=\"b\"", "note=a\nb",
    ])
    func `a body with the type of a form is read as a form, whatever its values contain`(first: String) throws {
        let url = try #require(URL(string: "https://api.example.com/items"))
        let fields: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
        let body = "\(first)&key=Qx7RkP2vLw9ZtB4nHs6Jd3Gc&partner=Zm4TnW8yRc2LfX6bVk9Hj5Qd\n"
        let live = StubRequest(method: "POST", url: url, headers: fields, body: Data(body.utf8))
        let stored = Redactor(.standard, environment: [:]).redact(live)
        let text = String(decoding: stored.body ?? Data(), as: UTF8.self)
        #expect(!text.contains("Qx7Rk") && !text.contains("Zm4Tn"), "\(text)")
        #expect(text.hasPrefix("\(first)&key=") && text.hasSuffix("\n"))
        #expect(stored.answers(live))
    }

    @Test(arguments: [
        (#"<a href="https://x.example/a?v=1&amp;%@&amp;x=1">"#, "text/html"), (#"<a href="/a?%@">"#, "text/html"),
        (#"<a href="https://x.example/a?v=1&#38;%@&#38;x=1">"#, "text/html"),
        (#"<a href='/a?x=1&amp;%@'>"#, "text/html"),
        (#"<img src="/img/logo@2x.png?%@">"#, "text/html"),
        (#"{"raw":"{{host}}/files/1?%@"}"#, "application/json"), (#"{"next":"/files/1?%@"}"#, "application/json"),
        (#"{"next":"?x=1&%@&y=2"}"#, "application/json"),
        ("see /files/1?%@ (new)", "text/plain"),
    ])
    func `a query item is redacted in each kind of link, and the text around it is unchanged`(
        _ body: String,
        _ type: String
    ) {
        for (item, secret) in [("sig=", "k9Zx4T"), ("signature=", "k9Zx4T"), ("ticketref=", "4831")] {
            let redactor = Redactor(.standard.including(queryItems: ["ticketref"]), environment: [:])
            let live = Stub.answer(body.replacing("%@", with: item + secret), fields: ["Content-Type": type])
            let stored = redactor.redact(live).body
            let parts = body.replacing("%@", with: item + "%@").split(separator: "%@")
            #expect(!stored.contains(secret) && stored.hasPrefix(parts[0]) && stored.hasSuffix(parts[1]), "\(stored)")
        }
    }

    @Test func `a condition in a script is not a link`() {
        let live = Stub.answer("a(e)?n.password=r.password:null)", fields: ["Content-Type": "text/javascript"])
        #expect(Redactor(.standard, environment: [:]).redact(live) == live)
    }

    @Test(arguments: [(#"{"partner":"%@"}"#, true), (#"{"a":"{\"partner\":\"%@\"}"}"#, false)])
    func `an unknown name counts in a body, and not in a string inside it`(_ body: String, isSecret: Bool) {
        let live = StubRequest.json(body.replacing("%@", with: "Qx7RkP2vLw9ZtB4nHs6Jd3Gc"))
        #expect((Redactor(.standard, environment: [:]).redact(live) == live) != isSecret)
    }

    @Test func `a short password with escapes in XML is redacted`() throws {
        #expect(try !stored("<r><password>&quot;x&#39;</password></r>", "text/xml").contains("&quot;x"))
    }

    @Test func `CDATA in CDATA is read once`() throws {
        let body = "<r>\(String(repeating: #"<x><![CDATA[<y>{""#, count: 200))]]></x></r>"
        #expect(try stored(body, "text/xml") == body)
    }

    @Test(arguments: [
        #"{"errors":{"password":["is too short","can't be blank","must be at least 8 characters"]}}"#,
        #"{"errors":{"pin":["must be 4 digits"],"token":["has expired"],"password":["This field is required."]}}"#,
        #"{"session":{"title":"WWDC","n":101},"sessions":["a"]}"#, #"{"session":"opening-keynote"}"#,
        #"{"boarding_pass":"Group B","auth":"basic","credential":"public-key"}"#,
    ])
    func `a value in a response that is not a secret is kept`(_ body: String) throws {
        #expect(Redactor(.standard, environment: [:]).redact(.answer(body)).body == body)
    }

    @Test func `a UUID used as a token is redacted in upper and lower case`() throws {
        let token = "6f9619ff-8b86-d011-" + "b42d-00c04fc964ff"
        #expect(try !stored(#"{"access_token":"\#(token)","m":"\#(token.uppercased())"}"#).lowercased().contains(token))
    }

    @Test func `a hidden field of a login keeps its name, and its value plays back`() throws {
        let form = "csrfmiddlewaretoken=\(Self.secret)Lj3&username=ada&password=correct+horse"
        let page = "<input type=\"hidden\" name=\"csrfmiddlewaretoken\" value=\"\(Self.secret)Lj3\">"
        let url = try #require(URL(string: "https://example.com/admin/login/"))
        let fields: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
        let stub = Redactor(.standard, environment: [:]).redact(
            Stub(
                request: StubRequest(method: "POST", url: url, headers: fields, body: Data(form.utf8)),
                response: .status(200, ["Content-Type": "text/html"], body: page)
            )
        )
        let sent = String(decoding: stub.request.body ?? Data(), as: UTF8.self)
        let value = try #require(sent.split(separator: "&").first?.split(separator: "=").last)
        #expect(sent.hasPrefix("csrfmiddlewaretoken=") && !sent.contains(Self.secret))
        #expect(stub.body == page.replacingOccurrences(of: "\(Self.secret)Lj3", with: value))
    }
}
