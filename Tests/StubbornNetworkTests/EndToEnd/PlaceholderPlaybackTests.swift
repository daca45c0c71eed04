import Foundation
import LoopbackServer
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Stubs with placeholders, which stand for any live value.
struct PlaceholderPlaybackTests {
    private static let key = "k9Zx4Tq7Wm2Rb5Yp8Ls3"

    /// Values that a test may send instead of the key that was recorded.
    static let values = [
        "", "dummy", "test", "REDACTED", "REDACTED-api_key-1", "6f9619ff-8b86-d011-b42d-00c04fc964ff", "p&ß w=rd/\"",
        "Zq8Lm3Xv7Tn2Kc5Hd9Wf4Rb6Yp1Js0Ga8Qe3Ut7V",
    ]

    private static func get(_ path: String, _ fields: HeaderFields = [:]) -> StubRequest {
        .make("GET", "https://api.example.com\(path)", fields)
    }

    private static func post(_ body: String, _ type: String = "application/json", _ path: String = "/r") -> StubRequest
    {
        .make("POST", "https://api.example.com\(path)", ["Content-Type": type], body: body)
    }

    private static func percent(_ text: String) -> String { PercentEncoding.encodedField(text) }
    private static func json(_ text: String) -> String { JSONValue.string(text).text(upTo: .max) }
    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: @Sendable (String) -> StubRequest
    }

    static let places: [Place] =
        ["api_key", "key", "appid", "token", "access_token", "code", "sig"].map { name in
            Place(testDescription: "?\(name)") { get("/q?a=1&\(name)=\(percent($0))&b=2") }
        }
        + ["X-Api-Key", "X-Auth-Token"].map { name in Place(testDescription: name) { get("/h", [name: $0]) } }
        + ["password", "apiKey", "token", "secret", "sessionId", "pass"].map { name in
            Place(testDescription: "JSON \(name)") { post("{\"user\":\"ada\",\"\(name)\":\(json($0))}") }
        }
        + ["password", "client_secret", "token"].map { name in
            Place(testDescription: "form \(name)") {
                post("user=ada&\(name)=\(percent($0))&x=1", "application/x-www-form-urlencoded")
            }
        } + [
            Place(testDescription: "Basic") { get("/b", ["Authorization": "Basic \(base64("ada:\($0)"))"]) },
            Place(testDescription: "bearer") { get("/b", ["Authorization": "Bearer \($0)"]) },
            Place(testDescription: "GraphQL") {
                post("{\"query\":\"mutation\",\"variables\":{\"token\":\(json($0))}}")
            },
            Place(testDescription: "XML") {
                post(
                    "<login><user>ada</user><password>\($0.filter { !"&\"".contains($0) })</password></login>",
                    "text/xml"
                )
            },
            Place(testDescription: "JSON in base64") {
                post("{\"x\":\"\(base64("{\"password\":\(json($0)),\"n\":1}"))\"}")
            },
        ]

    /// Returns stubs that answer with the numbers of the requests that they were recorded for.
    private func record(_ requests: [StubRequest], _ redaction: Redaction = .standard) -> StubSource {
        record(requests.enumerated().map { ($1, "\($0 + 1)") }, redaction)
    }

    private func record(_ exchanges: [(StubRequest, String)], _ redaction: Redaction = .standard) -> StubSource {
        let redactor = Redactor(redaction, environment: [:])
        let requests = exchanges.map { redactor.redact($0.0) }
        let stubs = zip(requests, exchanges).map {
            redactor.redact(Stub(request: $0, response: .text($1.1)))
        }
        return file(stubs.map { redactor.redact($0) })
    }

    /// Returns the stubs as they are read from a file.
    private func file(_ stubs: [Stub]) -> StubSource {
        let document = StubFileDocument(entries: stubs.map { .init(rendering: $0, bodyEncoding: .readable) })
        let source = StubSource(file: nil)
        source.recorded.withLock { recorded in
            for entry in (try? StubFileDocument(document.data))?.entries ?? [] { recorded.append(entry) }
        }
        return source
    }

    private func answers(
        _ requests: [StubRequest],
        from stubs: StubSource,
        _ rules: PlaybackRules = PlaybackRules()
    ) -> [String] {
        requests.map { stubs.take(for: $0, by: rules)?.body ?? "none" }
    }

    // MARK: One value

    @Test(arguments: places)
    func `a request is answered with any value in the place of the recorded one`(place: Place) {
        let recorded = place.request(Self.key)
        for value in Self.values + [Self.key] {
            let stubs = record([recorded])
            #expect(stubs.stubs().first.map { RedactorTests.text($0).contains(Self.key) } == false)
            #expect(answers([place.request(value)], from: stubs) == ["1"], "\(value)")
        }
    }

    @Test(arguments: places)
    func `a recording of other rules is played back by any rules`(place: Place) {
        for redaction in [Redaction.none, .standard.including(headers: ["Accept"], jsonKeys: ["user", "n"])] {
            let stubs = record([place.request(Self.key)], redaction)
            #expect(answers([place.request(Self.key)], from: stubs) == ["1"])
        }
        var rules = PlaybackRules()
        rules.redaction = .none
        #expect(answers([place.request("dummy")], from: record([place.request(Self.key)]), rules) == ["1"])
    }

    @Test func `a placeholder that is a name stands for itself, not for any other name`() throws {
        let named = Self.post(#"{"token":"\#(Self.key)","uses":{"\#(Self.key)":1}}"#)
        let stubs = record([named, Self.get("/unsubscribe?\(Self.key)")])
        let other = "b3Nf6Hs1Vc8JxT5mQ9Wd"
        #expect(answers([Self.post(#"{"token":"\#(other)","uses":{"\#(other)":1}}"#)], from: stubs) == ["none"])
        #expect(answers([Self.get("/unsubscribe?\(other)")], from: stubs) == ["none"])
        let redactor = Redactor(.standard)
        let stored = [named, Self.get("/unsubscribe?\(Self.key)")].map { redactor.redact(redactor.redact($0)) }
        #expect(stored.allSatisfy { !$0.url.absoluteString.contains(Self.key) })
        // Names of members are unchanged.
        let body = try #require(stored[0].body)
        #expect(String(decoding: body, as: UTF8.self).hasSuffix(#","uses":{"\#(Self.key)":1}}"#))
        #expect(String(decoding: body, as: UTF8.self).components(separatedBy: Self.key).count == 2)
        #expect(answers(stored, from: stubs) == ["1", "2"])
    }

    @Test(arguments: ["zQx7RkP2vLw9ZtB4nHs6Jd3G", "AQx7RkP2vLw9ZtB4nHs6Jd3G"])
    func `a repeated name with a secret and a word is found, whatever the secret begins with`(key: String) {
        let form = "application/x-www-form-urlencoded"
        func requests(_ word: String, _ key: String) -> [StubRequest] {
            [
                Self.get("/q?key=\(word)&key=\(key)"), Self.get("/q?key=\(key)&key=\(word)&key=b"),
                Self.post("key=\(word)&key=\(key)", form),
            ]
        }
        let recorded = requests("theme", key)
        for value in [key, "dummy", "zz", ""] {
            #expect(answers(requests("theme", value), from: record(recorded)) == ["1", "2", "3"], "\(value)")
            #expect(answers(requests("zebra", value), from: record(recorded)) == ["none", "none", "none"], "\(value)")
        }
        #expect(answers([Self.get("/q?key=theme")], from: record(recorded)) == ["none"])
    }

    @Test func `text next to a placeholder is compared byte by byte, whatever its encoding`() {
        func request(_ city: String, _ token: String) -> StubRequest {
            Self.get("/q?u=\(city)%3Fpassword%3D\(token)%26x%3D1")
        }
        let recorded = record([request("M%FCnchen", Self.key)])
        #expect(recorded.stubs().first.map { RedactorTests.text($0).contains(Self.key) } == false)
        let live = [request("M%FFnchen", "dummy"), request("M%FCnchen", "dummy")]
        #expect(answers(live, from: recorded) == ["none", "1"])
    }

    @Test(arguments: ["application/json", "application/x-www-form-urlencoded", "text/plain"])
    func `a compressed body of any type is found, with any compressed body`(type: String) {
        func request(_ flags: UInt8) -> StubRequest {
            var request = Self.post("", type)
            request.headerFields["Content-Encoding"] = "gzip"
            request.body = GzipFixtures.users.gzip(flags: flags)
            return request
        }
        let stubs = record([request(0)])
        #expect(stubs.stubs().first?.request.body == Data("REDACTED-body-1".utf8))
        #expect(answers([request(0), request(8)], from: stubs) == ["1", "1"])
    }

    @Test func `an absent value is not a value`() {
        let stubs = record([
            Self.get("/list?n=10"), Self.get("/list?n=10&token=k9Zx4Tq7Wm2R"),
            Self.get("/list?n=10&token=b3Nf6Hs1Vc8J"),
        ])
        let live = [Self.get("/list?n=10"), Self.get("/list?n=10&token=p1"), Self.get("/list?n=10&token=p2")]
        #expect(answers(live, from: stubs) == ["1", "2", "3"])
        #expect(answers(live.reversed(), from: stubs).last == "1")
        #expect(answers([Self.get("/list?n=10&token")], from: stubs) != ["none"])
        #expect(answers([Self.get("/list?n=11&token=p1"), Self.post("{}")], from: stubs) == ["none", "none"])
    }

    @Test func `a number that only looks like a placeholder stands for itself`() throws {
        let stubs = record([Self.post("{\"id\":9999}"), Self.post("{\"id\":9999,\"pin\":482913}")])
        #expect(stubs.stubs().map(\.request.placeholders) == [nil, nil])
        #expect(answers([Self.post("{\"id\":17}"), Self.post("{\"id\":9999}")], from: stubs) == ["none", "1"])
        #expect(
            answers([Self.post("{\"id\":17,\"pin\":1}"), Self.post("{\"id\":9999,\"pin\":1}")], from: stubs) == [
                "none", "2",
            ]
        )
        // So does one that a person has written.
        let written = file([
            Stub(request: Self.get("/users/999"), response: .text("999")),
            Stub(request: Self.get("/users?id=9990"), response: .text("9990")),
            Stub(request: StubRequest(url: URL(string: "https://x.example:9999/a")!), response: .text("port")),
        ])
        let live = [
            Self.get("/users/7"), Self.get("/users?id=7"), StubRequest(url: URL(string: "https://x.example:8080/a")!),
            Self.get("/users/999"), Self.get("/users?id=9990"),
            StubRequest(url: URL(string: "https://x.example:9999/a")!),
        ]
        #expect(answers(live, from: written) == ["none", "none", "none", "999", "9990", "port"])
    }

    @Test func `digits that a stub lists stand for any value`() {
        var request = Self.post("{\"id\":9999,\"pin\":999999}")
        request.placeholders = ["999999"]
        let old = file([Stub(request: request, response: .text("old"))])
        #expect(
            answers([Self.post("{\"id\":9999,\"pin\":1}"), Self.post("{\"id\":17,\"pin\":1}")], from: old) == [
                "old", "none",
            ]
        )
    }

    @Test(arguments: ["999", "9999", "9990", "999900", "482913"])
    func `a secret of digits becomes text in a request, also if it looks like a placeholder`(pin: String) {
        let requests = [Self.post("{\"pin\":\(pin)}"), Self.post("{\"pin\":\"\(pin)\"}"), Self.get("/a?pin=\(pin)")]
        let stubs = record(requests)
        let stored = stubs.stubs().map {
            String(decoding: $0.request.body ?? Data($0.request.url.query?.utf8 ?? "".utf8), as: UTF8.self)
        }
        #expect(stored == ["{\"pin\":\"REDACTED-pin-1\"}", "{\"pin\":\"REDACTED-pin-1\"}", "pin=REDACTED-pin-1"])
        #expect(answers(requests, from: stubs) == ["1", "2", "3"])
        #expect(answers([Self.post("{\"pin\":1}"), Self.get("/a?pin=x")], from: record(requests)) == ["1", "3"])
    }

    @Test func `a literal is preferred to a placeholder`() {
        let stubs = file([
            Stub(request: Self.get("/users/REDACTED-id-1"), response: .text("any")),
            Stub(request: Self.get("/users/42"), response: .text("42")),
        ])
        #expect(answers([Self.get("/users/42"), Self.get("/users/7")], from: stubs) == ["42", "any"])
        #expect(answers([Self.get("/users/7/x"), Self.get("/users")], from: stubs) == ["none", "none"])
    }

    @Test func `placeholders of other tools are declared in the settings`() throws {
        let stubs = file([
            Stub(
                request: Self.get("/a?key=%3CAPI_KEY%3E", ["Authorization": "Bearer <API_KEY>"]),
                response: .text("1")
            ),
            Stub(request: Self.post("{\"card\":\"[FILTERED]\"}"), response: .text("2")),
        ])
        let live = [Self.get("/a?key=x"), Self.post("{\"card\":\"4111\"}")]
        #expect(answers(live, from: stubs) == ["none", "none"])
        var rules = PlaybackRules()
        rules.placeholders = ["<API_KEY>", "[FILTERED]"]
        #expect(answers(live, from: stubs, rules) == ["1", "2"])
    }

    // MARK: Several users

    /// Returns the polls of users at five endpoints, twice each.
    private static func polls(_ keys: [String]) -> [StubRequest] {
        (0..<2).flatMap { _ in (0..<5).flatMap { path in keys.map { get("/e\(path)", ["X-Api-Key": $0]) } } }
    }

    @Test func `each user gets the answers of that user, whatever the order after the first requests`() {
        var generator = Generator(seed: 11)
        let requests = Self.polls(["k9Zx4Tq7Wm2Rb5Yp", "b3Nf6Hs1Vc8Jd4Lg"])
        let live = Self.polls(["q1Wd5Sa3Gt7Uv2Xe", "n4Mk8Yb2Xe6Ho0Rz"])
        for _ in 0..<100 {
            let stubs = record(requests)
            #expect(answers(Array(live[..<2]), from: stubs) == ["1", "2"])
            for index in (2..<20).shuffled(using: &generator) + (2..<20).shuffled(using: &generator) {
                let number = Int(answers([live[index]], from: stubs)[0]) ?? 0
                #expect((number - 1) % 2 == index % 2)
                #expect((number - 1) % 10 / 2 == index % 10 / 2)
            }
        }
    }

    @Test(arguments: ["dummy", "a-long-dummy-for-tests", ""])
    func `users with the same dummy get their answers in the recorded order`(dummy: String) {
        let keys = ["k9Zx4Tq7Wm2Rb5Yp", "b3Nf6Hs1Vc8Jd4Lg", "p5Rd8Ky2Lj7Tc3Wn", "m8Zt4Qa2Ux6Dk9Po"]
        let live = Self.polls(Array(repeating: dummy, count: 4))
        #expect(answers(live, from: record(Self.polls(keys))) == (1...40).map { "\($0)" })
    }

    @Test func `two logins by user name keep their tokens apart`() {
        func login(_ user: String, _ password: String) -> StubRequest {
            Self.post("{\"user\":\"\(user)\",\"password\":\"\(password)\"}", "application/json", "/login")
        }
        func me(_ token: String) -> StubRequest { Self.get("/me", ["Authorization": "Bearer \(token)"]) }
        let (ada, bob) = ("k9Zx4Tq7Wm2Rb5Yp", "b3Nf6Hs1Vc8Jd4Lg")
        let stubs = record([
            (login("ada", "s3cret-Ada1"), "token=\(ada)"), (login("bob", "s3cret-Bob1"), "token=\(bob)"),
            (me(ada), "I am ada"),
            (me(bob), "I am bob"),
        ])
        let tokens = answers([login("bob", "dummy"), login("ada", "dummy")], from: stubs).map {
            String($0.dropFirst(6))
        }
        #expect(
            answers([me(tokens[0]), me(tokens[1]), me(tokens[0])], from: stubs) == ["I am bob", "I am ada", "I am bob"]
        )
    }

    @Test func `a test that knows the keys binds them to their placeholders`() {
        let requests = Self.polls(["k9Zx4Tq7Wm2Rb5Yp", "b3Nf6Hs1Vc8Jd4Lg"])
        let stubs = record(requests)
        let names = stubs.stubs()[..<2].compactMap { $0.request.headerFields["X-Api-Key"] }
        let live = Self.polls(["one", "two"])
        stubs.recorded.withLock { recorded in
            recorded.bind(names[0], to: "one")
            recorded.bind(names[1], to: "two")
        }
        #expect(answers([live[1], live[0]], from: stubs) == ["2", "1"])
    }

    // MARK: Values that are others each time

    private static func random(_ seed: Int) -> String {
        var generator = Generator(seed: UInt64(seed))
        return String(
            (0..<24).map { _ in
                "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement(using: &generator) ?? "a"
            }
        )
    }

    static let signed: [Place] = [
        Place(testDescription: "header") {
            .make(
                "POST",
                "https://api.example.com/pay",
                [
                    "Content-Type": "application/json", "X-Signature": random($0.count),
                    "X-Nonce": random($0.count + 50),
                ],
                body: "{\"amount\":5,\"timestamp\":17000000\($0.count)}"
            )
        },
        Place(testDescription: "JSON") {
            post("{\"amount\":5,\"timestamp\":17000000\($0.count),\"signature\":\"\(random($0.count))\"}")
        },
        Place(testDescription: "query") {
            get("/balance?asset=0&timestamp=17000000\($0.count)&signature=\(random($0.count))")
        },
        Place(testDescription: "SigV4") {
            get("/o?X-Amz-Date=202401\($0.count)T000000Z&X-Amz-Expires=300&X-Amz-Signature=\(random($0.count))")
        },
    ]

    @Test(arguments: signed)
    func `a signed request is answered at any time`(place: Place) throws {
        let recorded = place.request(String(repeating: "x", count: 10))
        let stubs = record([recorded])
        let text = RedactorTests.text(try #require(stubs.stubs().first))
        #expect(text.contains("VOLATILE-"), "\(text)")
        #expect(!text.contains(Self.random(10)) && !text.contains("1700000010"))
        for count in [11, 12] {
            #expect(answers([place.request(String(repeating: "x", count: count))], from: stubs) == ["1"])
        }
    }

    @Test func `a state that does not look random and a lone time are compared`() {
        let stubs = record([Self.get("/issues?state=open"), Self.get("/price?timestamp=1700000000")])
        #expect(
            answers([Self.get("/issues?state=closed"), Self.get("/price?timestamp=1800000000")], from: stubs) == [
                "none", "none",
            ]
        )
        #expect(
            answers([Self.get("/issues?state=open"), Self.get("/price?timestamp=1700000000")], from: stubs) == [
                "1", "2",
            ]
        )
    }

    @Test func `what the client made up comes back, also inside a token`() throws {
        func authorize(_ number: Int) -> StubRequest {
            Self.get(
                "/authorize?client_id=a&state=\(Self.random(number))&nonce=\(Self.random(number + 1))&code_challenge=\(Self.random(number + 2))"
            )
        }
        func token(_ nonce: String) -> String {
            let part = { (json: String) in Base64.encoded(Array(json.utf8), urlSafe: true, padded: false) }
            let parts = [part("{\"alg\":\"RS256\"}"), part("{\"sub\":\"42\",\"nonce\":\"\(nonce)\"}")].map {
                String(decoding: $0, as: UTF8.self)
            }
            return parts.joined(separator: ".") + ".SflKxwRJ" + "SMeKKF2QT4fwpMeJf36POk6yJV"
        }
        let exchange = Self.post(
            "grant_type=authorization_code&code=c0de-Xy7Zq3Lm&client_id=a",
            "application/x-www-form-urlencoded",
            "/token"
        )
        let redactor = Redactor(.standard, environment: [:])
        func stub(_ request: StubRequest, _ response: StubResponse) -> Stub {
            redactor.redact(Stub(request: redactor.redact(request), response: response))
        }
        let location = "app://cb?code=c0de-Xy7Zq3Lm&state=\(Self.random(1))"
        let redirect = StubResponse(head: ResponseHead(statusCode: 302, headers: ["Location": location]))
        let answer = StubResponse(
            head: ResponseHead(statusCode: 200, headers: ["Content-Type": "application/json"]),
            body: Data("{\"id_token\":\"\(token(Self.random(2)))\"}".utf8)
        )
        let stubs = file([stub(authorize(1), redirect), stub(exchange, answer)])
        for number in [100, 200] {
            let first = try #require(stubs.take(for: authorize(number), by: PlaybackRules()))
            #expect(first.response.head?.headerFields["Location"]?.hasSuffix("state=\(Self.random(number))") == true)
            let second = try #require(stubs.take(for: exchange, by: PlaybackRules()))
            let given = try #require(
                JSONSerialization.jsonObject(with: second.response.bytes ?? Data()) as? [String: String]
            )
            let claims = try #require(given["id_token"]?.split(separator: ".")[1])
            let decoded = String(claims).withBytes { Base64.decoded($0) } ?? []
            #expect(
                String(decoding: decoded, as: UTF8.self) == "{\"sub\":\"42\",\"nonce\":\"\(Self.random(number + 1))\"}"
            )
        }
    }

    // MARK: Many stubs

    @Test(.timeLimit(.minutes(2))) func `ten thousand stubs with tokens of their own are told apart`() {
        let tokens = (0..<10_000).map { "k9Zx\($0)Tq7Wm2Rb5" }
        let requests = tokens.map { Self.get("/poll", ["Authorization": "Bearer \($0)"]) }
        let stubs = file(
            requests.enumerated().map { index, _ in
                Stub(
                    request: Self.get("/poll", ["Authorization": "Bearer REDACTED-token-\(index + 1)"]),
                    response: .text("\(index + 1)")
                )
            }
        )
        #expect(answers(requests, from: stubs) == (1...10_000).map { "\($0)" })
        #expect(answers([requests[4_711], requests[17]], from: stubs) == ["4712", "18"])
    }
}

/// The same with a server, files and sessions.
@Suite(.timeLimit(.minutes(5)))
struct PlaceholderRecordingTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "later", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.bodyEncoding = .readable
        network.onUnstubbedRequest = { _ in }
        return network
    }

    /// Sends a key under a name that says nothing, and then under one that does.
    private func run(_ network: StubbornNetwork, _ server: LoopbackServer, key: String) async throws -> [String] {
        var setup = URLRequest(url: server.url("/setup"))
        setup.httpMethod = "POST"
        setup.httpBody = Data("{\"k\":\"\(key)\"}".utf8)
        setup.setValue("application/json", forHTTPHeaderField: "Content-Type")
        var me = URLRequest(url: server.url("/me"))
        me.setValue(key, forHTTPHeaderField: "X-Api-Key")
        var answers: [String] = []
        for request in [setup, URLRequest(url: server.url("/v2/\(key)/items")), me] {
            answers.append(String(decoding: try await network.session.data(for: request).0, as: UTF8.self))
        }
        return answers
    }

    @Test func `a secret that is recognised later matches its own recording`() async throws {
        let server = try LoopbackServer { .text("\($0.path.split(separator: "/").last ?? "")") }
        let key = "k9Zx4Tq7Wm2Rb5Yp8Ls3"
        let recording = network(.recording)
        #expect(try await run(recording, server, key: key) == ["setup", "items", "me"])
        try recording.finishRecording()
        let file = try directory.text(of: "later.json")
        #expect(!file.contains(key))
        for _ in 0..<3 {
            let missing = network(.recordingMissing)
            #expect(try await run(missing, server, key: key) == ["setup", "items", "me"])
            try missing.finishRecording()
            #expect(try directory.text(of: "later.json") == file)
        }
        server.stop()
        for key in [key, "dummy", "Zq8Lm3Xv7Tn2Kc5Hd9"] {
            #expect(try await run(network(.playback), server, key: key) == ["setup", "items", "me"])
        }
    }

    @Test func `a report shows what differs, and no live secret`() throws {
        try directory.write(
            """
            [ { "request" : { "method" : "POST", "url" : "http://api.test/login/REDACTED-token-1",
                  "requestJSON" : { "user" : "ada", "password" : "REDACTED-password-1", "pin" : "REDACTED-pin-1" },
                  "placeholders" : [] },
                "response" : { "statusCode" : 200 } } ]
            """,
            to: "later.json"
        )
        let network = network(.playback)
        var request = URLRequest(url: URL(string: "http://api.test/login/t0k3n-4711-Abc")!)
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"user":"bob","password":"s3cret-Va1ue-1"}"#.utf8)
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: request) }
        let report = try #require(error?.report)
        #expect(
            report.nearest?.differences == [
                #"body.pin: recorded any value (REDACTED-pin-1), requested none"#,
                #"body.user: recorded "ada", requested "bob""#,
            ]
        )
        #expect(!"\(report)".contains("s3cret-Va1ue-1") && !report.jsonString.contains("s3cret-Va1ue-1"))
    }
}
