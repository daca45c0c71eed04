import Foundation

extension PlantedExchange {
    static let all = headers + addresses + json + forms + texts + shapes + spellings

    private static let headers: [PlantedExchange] = [
        field("Authorization") { "Bearer \($0)" },
        field("Authorization") { "Basic " + base64("ann:\($0)") },
        field("Authorization", awkward) { "Basic " + base64("ann:\($0)") },
        field("Authorization", hex) { "Digest username=\"ann\", nonce=\"abc\", uri=\"/\", response=\"\($0)\"" },
        field("Authorization", hex) { "AWS4-HMAC-SHA256 Credential=AK/2/eu/s3/aws4_request, Signature=\($0)" },
        field("X-Api-Key") { $0 }, field("X-Auth-Token") { $0 }, field("X-CSRF-Token") { $0 },
        field("X-Amz-Security-Token") { $0 }, field("X-Goog-Api-Key") { $0 }, field("X-Vault-Token") { $0 },
        field("X-Forwarded-Authorization") { "Bearer \($0)" },
        field("Cookie") { "theme=dark; sid=\($0); b=2" },
        field("Referer") { "https://api.example.com/a?access_token=\($0)" },
        answerField("Set-Cookie") { "sid=\($0); Path=/; HttpOnly" },
        answerField("X-Access-Token") { $0 },
        answerField("Content-Location") { "/callback?code=\($0)&state=xyz" },
        answerField("Link") { "</items?access_token=\($0)&page=2>; rel=\"next\"" },
        answerField("X-Redirect") { "https://app.example.com/cb#access_token=\($0)&token_type=bearer" },
        answerField("Refresh") { "0; url=/home?api_key=\($0)" },
    ]

    private static let addresses: [PlantedExchange] = [
        path("query api_key") { "/items?api_key=\($0)&page=2" },
        path("query key", hex) { "/items?key=\($0)" },
        path("query appid", hex) { "/weather?q=Berlin&appid=\($0)" },
        path("query sig", hex) { "/items?sig=\($0)" },
        path("query access_token", awkward) { "/items?accessToken=\(percent($0))" },
        path("query code", hex) { "/oauth/callback?code=\($0)&state=1" },
        path("query X-Amz", hex) { "/o?X-Amz-Date=20240101T000000Z&X-Amz-Expires=60&X-Amz-Signature=\($0)" },
        path("query X-Amz-Credential") { "/o?X-Amz-Credential=\($0)%2F20240101%2Feu%2Fs3%2Faws4_request" },
        path("query of a URL in a query") { "/go?next=" + percent("https://x.example/?api_key=\($0)") },
        path("JSON in a query") { "/go?filter=" + percent(#"{"user":{"password":"\#($0)"}}"#) },
        path("GraphQL in a query") { "/graphql?query=" + percent(#"mutation { login(password: "\#($0)") { id } }"#) },
        path("path after a name", hex) { "/reset/token/\($0)" },
        path(
            "path of a bot",
            (
                "123456789:" + "AAF9f8e7d6c5b4a3F2e1D0c9b8A7f6e5d4c3",
                "987654321:" + "AAE1f2e3d4c5b6a7F8e9D0c1b2A3f4e5d6c7"
            )
        ) {
            "/bot\($0)/getMe"
        },
        path("path of a webhook", hex) { "/api/webhooks/123456789012345678/\($0)" },
        path("path parameter", hex) { "/items;jsessionid=\($0)?page=2" },
    ]

    private static let json: [PlantedExchange] = [
        bodies("JSON at depth", "application/json") { #"{"a":[{"b":{"access_token":"\#($0)"}}]}"# },
        bodies("JSON list", "application/json") { #"{"backup_codes":["\#($0)"],"tokens":["\#($0)"]}"# },
        bodies("JSON escaped key", "application/json") { #"{"pass\u0077ord":"\#($0)"}"# },
        bodies("JSON escaped value", "application/json", awkward) { #"{"password":"\#(json($0, everything: true))"}"# },
        bodies("JSON number", "application/json", pin) { #"{"pin":\#($0),"count":3}"# },
        bodies("JSON in JSON", "application/json") { #"{"payload":"{\"password\":\"\#($0)\"}"}"# },
        bodies("form in JSON", "application/json") { #"{"body":"grant_type=password&password=\#($0)&user=ann"}"# },
        bodies("XML in JSON", "application/json") { #"{"soap":"<password>\#($0)</password>"}"# },
        bodies("name and value", "application/json") {
            #"[{"name":"api_key","value":"\#($0)"},{"value":"\#($0)","name":"token"}]"#
        },
        bodies("GraphQL inline", "application/json") {
            #"{"query":"mutation { login(user: \"ann\", password: \"\#($0)\") { id } }"}"#
        },
        bodies("GraphQL number", "application/json", pin) { #"{"query":"mutation { verify(pin: \#($0)) { id } }"}"# },
        bodies("GraphQL variables", "application/json") {
            #"{"query":"mutation($password: String!) { login(password: $password) { id } }","variables":{"password":"\#($0)"}}"#
        },
        bodies("GraphQL document", "application/graphql") { #"mutation { login(password: "\#($0)") { id } }"# },
        bodies("base64 of JSON", "application/json") {
            #"{"blob":"\#(base64("{\"user\":\"ann\",\"password\":\"\($0)\"}"))"}"#
        },
        bodies("connection string", "application/json") { #"{"db":"Server=x;User=ann;Password=\#($0);Timeout=3"}"# },
        bodies("address of a database", "application/json") { #"{"dsn":"postgres://ann:\#($0)@db.example/x"}"# },
        bodies("JDBC", "application/json") { #"{"dsn":"jdbc:postgresql://db.example/x?user=ann&password=\#($0)"}"# },
        bodies("JSON lines", "application/x-ndjson") { "{\"a\":1}\n{\"token\":\"\($0)\"}\n" },
        bodies("JSON with a guard", "application/json", pin) { ")]}',\n{\"pin\":\($0)}" },
        bodies("JSONP", "application/javascript", pin) { "callback({\"data\":{\"otp\":\($0)}});" },
        bodies("JSON with a mark", "application/json") { "\u{FEFF}{\"token\":\"\($0)\"}" },
        bodies("JSON cut off", "application/json") { "{\"password\": \"\($0)\", \"rest" },
        bodies("events", "text/event-stream", pin) {
            "event: a\ndata: {\"token\":{\"value\":\"x\"},\"pin\":\($0)}\n\n"
        },
        bodies("nested name", "application/json", hex) { #"{"tokens":{"primary":"\#($0)"}}"# },
        bodies("settings of words", "text/plain") { "db.password: \($0)\nDB_PASSWORD=\($0)\n" },
    ].flatMap(\.self)

    private static let forms: [PlantedExchange] = [
        bodies("form", "application/x-www-form-urlencoded", awkward) { "user=ann&password=\(form($0))" },
        bodies("form, lower case", "application/x-www-form-urlencoded", awkward) {
            "user=ann&password=\(percent($0, lower: true))"
        },
        bodies("form name in brackets", "application/x-www-form-urlencoded") { "user[password]=\($0)&user[name]=ann" },
        bodies("form name encoded", "application/x-www-form-urlencoded") { "a=1&%70assword=\($0)" },
        bodies("JSON in a form", "application/x-www-form-urlencoded") {
            "payload=" + percent(#"{"client_secret":"\#($0)"}"#)
        },
        bodies("no form", "application/x-www-form-urlencoded") { "this is none, password=\($0)" },
        bodies("multipart field", "multipart/form-data; boundary=XX") {
            "--XX\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\($0)\r\n--XX--\r\n"
        },
        bodies("multipart JSON", "multipart/form-data; boundary=XX") {
            "--XX\r\nContent-Disposition: form-data; name=\"meta\"; filename=\"a.json\"\r\nContent-Type: application/json\r\n\r\n"
                + "{\"token\":\"\($0)\"}\r\n--XX--\r\n"
        },
        data("multipart next to a binary file", "multipart/form-data; boundary=XX", plain) {
            Data("--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n".utf8)
                + Data([0x89, 0, 1, 2, 255])
                + Data("\r\n--XX\r\nContent-Disposition: form-data; name=api_key\r\n\r\n\($0)\r\n--XX--\r\n".utf8)
        },
        bodies("batch", "multipart/mixed; boundary=XX") {
            "--XX\r\nContent-Type: application/http\r\n\r\nGET /a HTTP/1.1\r\nX-Api-Key: \($0)\r\n\r\n\r\n--XX--\r\n"
        },
    ].flatMap(\.self)

    private static let texts: [PlantedExchange] = [
        bodies("XML element", "text/xml", awkward) {
            "<?xml version=\"1.0\"?><a:r><a:password>\(xml($0))</a:password></a:r>"
        },
        bodies("XML attribute", "application/xml") { "<r accessToken=\"\($0)\" b='1'/>" },
        bodies("XML CDATA", "application/xml") { "<r><client_secret><![CDATA[\($0)]]></client_secret></r>" },
        bodies("XML in entities", "application/xml") { "<password>\(entities($0, hex: true))</password>" },
        bodies("XML cut off", "application/xml") { "<r><password>\($0)" },
        bodies("HTML link", "text/html") { "<a href=\"/cb?access_token=\($0)&amp;x=1\">x</a>" },
        bodies("script", "text/html") { "<script>var c = {accessToken: \"\($0)\"}; var password = '\($0)';</script>" },
        bodies("text", "text/plain") { "curl -H 'Authorization: Bearer \($0)' https://x" },
        bodies("settings", "text/plain") { "# settings\nDB_HOST=localhost\nDB_PASSWORD=\($0)\n" },
        bodies("YAML", "text/yaml") { "db:\n  user: ann\n  password: \($0)\n" },
        bodies("no type", "") { "{\"password\":\"\($0)\"}" },
    ].flatMap(\.self)

    /// Spellings of a password that is recognized elsewhere in the exchange.
    private static let spellings: [PlantedExchange] = [("plain", plain), ("awkward", awkward), ("hex", hex)].flatMap {
        name,
        secret in
        [
            copies("\(name) as it is", secret) { $0 },
            copies("\(name) percent-encoded", secret) { percent($0) },
            copies("\(name) percent-encoded, lower case", secret) { percent($0, lower: true) },
            copies("\(name) percent-encoded, all of it", secret) { percent($0, everything: true) },
            copies("\(name) in a form", secret) { form($0) },
            copies("\(name) in XML", secret) { xml($0) },
            copies("\(name) in decimal entities", secret) { entities($0, hex: false) },
            copies("\(name) in hexadecimal entities", secret) { entities($0, hex: true) },
            copies("\(name) in base64", secret) { base64($0) },
            copies("\(name) in base64 for URLs", secret) { base64($0, urlSafe: true) },
            copies("\(name) in base64, one behind", secret) { base64("a" + $0 + "xy") },
            copies("\(name) in base64, two behind", secret) { base64("ab" + $0 + "xyz") },
            copies("\(name) as credentials", secret) { base64("ann:" + $0) },
        ]
    }

    /// What scanners know by its looks, in a string, a JSON string, a query and a header of no telling name.
    private static let shapes: [PlantedExchange] = SecretSamples.all.flatMap { name, secret, another in
        [
            request("\(name) in text", (secret, another)) {
                Content(
                    fields: ["X-Note": "\($0)"],
                    answerFields: [("Content-Type", "text/plain")],
                    answer: Data("it is \($0) here".utf8)
                )
            },
            request("\(name) in JSON", (secret, another)) {
                Content(
                    path: "/items?note=\(percent($0))",
                    body: Data(#"{"note":"\#($0)"}"#.utf8),
                    answer: Data(#"["\#($0)"]"#.utf8)
                )
            },
        ]
    }
}

/// Values with the looks of real ones, which belong to nobody.
enum SecretSamples {
    private static let letters = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5z"
    private static let hexDigits = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08e1"
    private static let upper = "IOSFODNN7EXAMPL3QWERTYU2ZXCV"

    private static func make(_ name: String, _ prefix: String, _ alphabet: String, _ count: Int) -> (
        String, String, String
    ) {
        (name, prefix + alphabet.prefix(count), prefix + alphabet.dropFirst(1).prefix(count))
    }

    static let all: [(String, String, String)] = [
        make("aws", "AK" + "IA", upper, 16), make("aws temporary", "AS" + "IA", upper, 16),
        make("google", "AI" + "za", letters, 35), make("google access", "ya" + "29.", letters, 60),
        make("google client", "GOC" + "SPX-", letters, 28),
        make("github", "gh" + "p_", letters, 36), make("github app", "gh" + "s_", letters, 36),
        make("github fine", "github" + "_pat_", letters, 60), make("gitlab", "gl" + "pat-", letters, 20),
        make("gitlab runner", "gl" + "rt-", letters, 20), make("slack", "xo" + "xb-123456789012-", letters, 24),
        make("slack app", "xa" + "pp-1-A0123-", letters, 40), make("stripe", "sk" + "_live_", letters, 24),
        make("stripe webhook", "wh" + "sec_", letters, 32), make("twilio", "S" + "K", hexDigits, 32),
        (
            "sendgrid", "SG" + "." + letters.prefix(22) + "." + letters.prefix(43),
            "SG" + "." + letters.suffix(22) + "." + letters.suffix(43)
        ),
        make("npm", "np" + "m_", letters, 36), make("pypi", "py" + "pi-AgEIcHlwaS5vcmc", letters, 60),
        make("mailgun", "k" + "ey-", hexDigits, 32), make("square", "sq" + "0atp-", letters, 22),
        make("shopify", "shp" + "at_", hexDigits, 32), make("digitalocean", "dop" + "_v1_", hexDigits, 64),
        make("huggingface", "h" + "f_", letters, 34), make("openai", "sk" + "-proj-", letters, 40),
        make("anthropic", "sk" + "-ant-api03-", letters, 60), make("databricks", "da" + "pi", hexDigits, 32),
        make("linear", "lin" + "_api_", letters, 40), make("notion", "nt" + "n_", letters, 43),
        make("vault", "hv" + "s.", letters, 60),
        make("doppler", "dp" + ".pt.", letters, 43), make("grafana", "gl" + "sa_", letters, 32),
        make("new relic", "NR" + "AK-", upper, 24), make("postman", "PM" + "AK-", hexDigits, 58),
        make("docker", "dckr" + "_pat_", letters, 27), make("figma", "fi" + "gd_", letters, 40),
        make("atlassian", "AT" + "ATT3xFfGF0", letters, 60),
    ]
}
