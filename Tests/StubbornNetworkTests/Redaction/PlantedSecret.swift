import Foundation
import Testing

@testable import StubbornNetwork

/// A secret planted in a stub, made of parts so that no scanner takes this file for a leak.
struct PlantedSecret: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var secret: String
    var stub: Stub
    /// A Boolean value that indicates whether the request repeats a secret that only the response names.
    var isFollowed = false

    /// Values that look like real ones and belong to nobody.
    enum Values {
        static let plain = "s3cr" + "et-Va1ue" + "-9f8e7d6c"
        static let awkward = "p@ss/w+rd" + " \"q\"&<1>=é"
        static let hex = "9f86d081884c7d65" + "9a2feaa0c55ad015"
        static let jwt =
            part(#"{"alg":"HS256","typ":"JWT"}"#) + "." + part(#"{"sub":"42","name":"Ann","pin":"\#(plain)"}"#) + "."
            + "SflKxwRJ" + "SMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
        static let pem =
            "-----BEGIN RSA " + "PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn"
            + "/ygWyF8PbnGy0AHB7\nMhgHcTz6sE2I2yPB"
            + "\n-----END RSA " + "PRIVATE KEY-----\n"
        static let amazon = "AKIA" + "IOSFODNN7" + "EXAMPL3"
        static let temporary = "ASIA" + "Y34FZKBOK" + "MUTVV7A"
        static let gitHub = "ghp" + "_" + "16C7e42F292c6912E7710c838347Ae178B4a"
        static let gitHubFine = "github" + "_pat_" + "11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789"
        static let gitLab = "glpat" + "-" + "Zx9Yw8Vu7Ts6Rq5Po4Nm"
        static let slack = "xoxb" + "-" + "123456789012-abcdefGHIJKL"
        static let open = "sk" + "-" + "proj-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8"
        static let stripe = "sk" + "_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
        static let google = "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"
        static let npm = "npm" + "_" + "abcdefGHIJKLmnopqrSTUVWXyz0123456789"
        static let sendGrid =
            "SG" + "." + "ngeVfQFYQlKU0ufo8x5d1A" + "." + "TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"

        private static func part(_ json: String) -> String {
            PlantedExchange.base64(json, urlSafe: true)
        }
    }

    private static let url = "https://api.example.com/v1/items"

    private static func header(_ name: String, _ value: String, _ secret: String) -> PlantedSecret {
        let request = StubRequest(url: URL(string: url)!, headers: [name: value])
        return PlantedSecret(
            testDescription: "request header \(name)",
            secret: secret,
            stub: Stub(request: request, response: StubResponse(head: ResponseHead(statusCode: 200)))
        )
    }

    private static func answer(_ name: String, _ value: String, _ secret: String) -> PlantedSecret {
        let head = ResponseHead(statusCode: 200, headers: [name: value])
        return PlantedSecret(
            testDescription: "response header \(name)",
            secret: secret,
            stub: Stub(request: StubRequest(url: URL(string: url)!), response: StubResponse(head: head))
        )
    }

    private static func address(_ url: String, _ secret: String) -> PlantedSecret {
        PlantedSecret(
            testDescription: "URL \(url.prefix(50))",
            secret: secret,
            stub: Stub(
                request: StubRequest(url: URL(string: url)!),
                response: StubResponse(head: ResponseHead(statusCode: 200))
            )
        )
    }

    private static func body(_ type: String?, _ body: String, _ secret: String) -> PlantedSecret {
        let fields: HeaderFields = type.map { ["Content-Type": $0] } ?? [:]
        let head = ResponseHead(statusCode: 200, headers: fields)
        let data = Data(body.utf8)
        let request = StubRequest(method: "POST", url: URL(string: url)!, headers: fields, body: data)
        return PlantedSecret(
            testDescription: "\(type ?? "no type") \(body.prefix(40))",
            secret: secret,
            stub: Stub(request: request, response: StubResponse(head: head, body: data))
        )
    }

    static func percent(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }

    /// RFC 3986, section 2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )

    static func form(_ text: String) -> String { percent(text).replacingOccurrences(of: "%20", with: "+") }

    /// The content of a JSON string, as Foundation writes it.
    static func json(_ text: String) -> String {
        let list = (try? JSONSerialization.data(withJSONObject: [text])) ?? Data()
        return String(String(decoding: list, as: UTF8.self).dropFirst(2).dropLast(2))
    }

    private static func xml(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;")].reduce(text) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    static let all: [PlantedSecret] = headers + urls + fields + bodies + shapes + copies

    private static let headers: [PlantedSecret] = {
        let value = Values.plain
        let names = [
            "X-Api-Key", "X-Auth-Token", "X-CSRF-Token", "X-Amz-Security-Token", "X-Goog-Api-Key", "PRIVATE-TOKEN",
            "Ocp-Apim-Subscription-Key", "X-Vault-Token", "Api-Key", "authorization", "Proxy-Authorization",
        ]
        return names.map { header($0, value, value) } + [
            header("Authorization", "Bearer \(value)", value),
            header("Authorization", "token \(value)", value),
            header("Authorization", "Basic \(base64("ann:\(value)"))", value),
            header("Authorization", #"Digest username="ann", nonce="\#(value)", response="\#(Values.hex)""#, value),
            header("Authorization", "Bearer \(Values.jwt)", String(Values.jwt.suffix(43))),
            header("Cookie", "theme=dark; sid=\(value); b=2", value),
            header("Referer", "https://api.example.com/a?access_token=\(value)", value),
            answer("Set-Cookie", "sid=\(value); Expires=Wed, 21 Oct 2065 07:28:00 GMT; Path=/; HttpOnly", value),
            answer("Set-Cookie", "a=first; Path=/, sid=\(value); Path=/", value),
            answer("Location", "/callback?code=\(value)&state=xyz", value),
            answer("X-Access-Token", value, value),
        ]
    }()

    private static let urls: [PlantedSecret] = [
        address("https://ann:\(Values.plain)@api.example.com/", Values.plain),
        address("https://ann:\(percent(Values.awkward))@api.example.com/", Values.awkward),
        address("https://api.example.com/?key=\(Values.hex)", Values.hex),
        address("https://api.example.com/?access_token=\(Values.plain)&page=2", Values.plain),
        address("https://api.example.com/?accessToken=\(percent(Values.awkward))", Values.awkward),
        address("https://api.example.com/?page=2&sig=\(Values.plain)", Values.plain),
        address("https://s3.example.com/a?X-Amz-Credential=\(Values.plain)&X-Amz-Signature=\(Values.hex)", Values.hex),
        address("https://app.example.com/oauth/callback?code=\(Values.plain)&state=1", Values.plain),
        address("https://app.example.com/#access_token=\(Values.plain)&token_type=bearer", Values.plain),
        address("https://app.example.com/?next=\(percent("https://x.example/?api_key=\(Values.plain)"))", Values.plain),
        address("https://hooks.slack.com/services/T0AAAA/B0BBBB/\(Values.hex)", Values.hex),
        address("https://api.example.com/files/\(Values.gitHub)", Values.gitHub),
    ]

    private static let fields: [PlantedSecret] = {
        let value = Values.plain
        let keys = [
            "access_token", "accessToken", "ACCESS-TOKEN", "refresh_token", "id_token", "token", "client_secret",
            "password", "newPassword", "passwd", "pin", "api_key", "apiKey", "private_key", "client_assertion", "otp",
            "secretAccessKey", "session_id", "authToken", "accesstoken",
        ]
        return keys.map { body("application/json", "{\"data\": [{\"\($0)\" : \"\(value)\"}]}", value) }
            + keys.filter { $0 != "session_id" }.map {
                body("application/x-www-form-urlencoded", "a=1&\($0)=\(form(Values.awkward))", Values.awkward)
            }
            + ["password", "accessToken", "client_secret"].flatMap {
                [
                    body(
                        "text/xml",
                        "<?xml version=\"1.0\"?>\n<a:r><a:\($0)>\(xml(Values.awkward))</a:\($0)></a:r>",
                        Values.awkward
                    ),
                    body("application/xml", "<r \($0)=\"\(value)\" b='1'/>", value),
                    body("application/xml", "<r><\($0)><![CDATA[\(value)]]></\($0)></r>", value),
                ]
            }
    }()

    private static let bodies: [PlantedSecret] = {
        let value = Values.plain
        let part = "--XX\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(value)\r\n--XX--\r\n"
        return [
            body("application/json", "{\"password\":\"\(json(Values.awkward))\"}", Values.awkward),
            body("application/json", "{\"pin\": 48291377, \"a\": 1}", "48291377"),
            body("application/json", "{\"tokens\": {\"access_token\": [\"\(value)\"]}}", value),
            body("application/json", "{\"token\": {\"value\": \"\(value)\"}}", value),
            body("application/json", "{\"inner\": \"{\\\"password\\\": \\\"\(value)\\\"}\"}", value),
            body(
                "application/json",
                "{\"next\": \"https:\\/\\/x.example\\/?page=2\\u0026access_token=\(value)\"}",
                value
            ),
            body("application/json", "{\"headers\": {\"Authorization\": \"Bearer \(value)\"}}", value),
            body("application/json", "{\"grant_type\": \"authorization_code\", \"code\": \"\(value)\"}", value),
            body("application/json", "{\"a\":1}\n{\"token\":\"\(value)\"}\n", value),
            body("application/json", "{\"password\": \"\(value)\", \"truncated", value),
            body("application/json", "oops \"password\" : \"\(value)\"", value),
            body("application/json", "{password: '\(value)'}", value),
            body("application/x-www-form-urlencoded", "this is no form, password=\(value)", value),
            body("application/xml", "<r><password>\(value)", value),
            body("application/json", "{\"dsn\": \"postgres://ann:\(value)@db.example/x\"}", value),
            body("text/plain", "no. 4711https://ann:\(value)@db.example/x", value),
            body("multipart/form-data; boundary=XX", part, value),
            body(nil, "{\"password\":\"\(value)\"}", value),
            body(nil, "grant_type=authorization_code&code=\(value)", value),
            body("text/html", "<p>x</p><script>var c = {\"accessToken\":\"\(value)\"}</script>", value),
            body("text/plain", "curl -H 'Authorization: Bearer \(value)' https://x", value),
            body("text/plain", "Basic \(base64("ann:\(value)"))", value),
        ]
    }()

    private static let shapes: [PlantedSecret] = [
        ("jwt", String(Values.jwt.suffix(43))), ("pem", "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn"), ("aws", Values.amazon),
        ("asia", Values.temporary), ("ghp", Values.gitHub), ("pat", Values.gitHubFine), ("glpat", Values.gitLab),
        ("xoxb", Values.slack), ("sk", Values.open), ("stripe", Values.stripe), ("google", Values.google),
        ("npm", Values.npm), ("sendgrid", Values.sendGrid),
    ].flatMap { name, secret in
        let text = name == "jwt" ? Values.jwt : name == "pem" ? Values.pem : secret
        return [
            body("text/plain", "\(name): it is \(text) here", secret),
            body("application/json", "{\"note\":\"\(json("see \(text)"))\"}", secret),
            body("application/x-www-form-urlencoded", "note=\(form("see \(text)"))", secret),
            body("application/octet-stream", "\u{0}\u{1}\(text)\u{0}", secret),
        ] + (name == "pem" ? [] : [header("X-Note", text, secret)])
    }

    /// A secret recognized in one place, and its copies in others, encoded.
    private static let copies: [PlantedSecret] = [
        ("plain", Values.plain), ("awkward", Values.awkward), ("hex", Values.hex),
    ].flatMap { name, secret in
        [
            ("raw", secret), ("percent", percent(secret)), ("json", json(secret)), ("form", form(secret)),
            ("base64", base64(secret)), ("basic", base64("u:\(secret)")), ("inner", base64("ab\(secret)cd")),
            ("xml", xml(secret)),
        ].map { encoding, text in
            let request = StubRequest(
                url: URL(string: "https://api.example.com/s/\(percent(text))?q=\(percent(text))")!,
                headers: ["X-Note": "see \(text) there"],
                body: Data("copy: \(text);".utf8)
            )
            let body = Data("{\"password\": \"\(json(secret))\"}".utf8)
            let response = StubResponse(head: ResponseHead(statusCode: 200), body: body)
            return PlantedSecret(
                testDescription: "\(name) followed, \(encoding)",
                secret: secret,
                stub: Stub(request: request, response: response),
                isFollowed: true
            )
        }
    }

    /// A Boolean value that indicates whether the stub holds the secret anywhere, as it is or encoded.
    static func survives(_ secret: String, in stub: Stub) -> Bool {
        var texts = [stub.request.url.absoluteString, stub.response.head?.url?.absoluteString ?? ""]
        texts += stub.request.headerFields.map(\.value) + (stub.response.head?.headerFields.map(\.value) ?? [])
        texts += [stub.request.body, stub.response.bytes].map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "" }
        return texts.contains { SpellingSearch(secret: secret).trail(in: $0) != nil }
    }
}
