import Foundation
import Testing

@testable import StubbornNetwork

/// Generated requests, compared by the matchers and by a judge that never sees their spelling.
struct SpelledRequestTests {
    private static let seeds: [UInt64] = [1, 2, 3, 4]

    private func areEqual(_ matcher: RequestMatcher, _ one: StubRequest, _ other: StubRequest) -> Bool {
        let areEqual = matcher.holds(live: ParsedRequest(one), recorded: ParsedRequest(other))
        // A matcher in code has no key.
        if matcher.isCustom { return areEqual }
        // A journal takes the same requests for one, but for the same bytes under two content types.
        let options: RequestMatcherOptions = [matcher]
        let types = [one, other].map { $0.headerFields["Content-Type"]?.lowercased() }
        let haveOneKey = options.key(of: one) == options.key(of: other)
        #expect(haveOneKey == areEqual || areEqual && types[0] != types[1], "\(matcher): \(one), \(other)")
        return areEqual
    }

    @Test(arguments: seeds)
    func `two URLs are equal if they say the same, however they are written`(seed: UInt64) throws {
        var random = Generator(seed: seed)
        for _ in 0..<100 {
            let one = Spelled.address(&random)
            let other = Bool.random(using: &random) ? one : Spelled.neighbour(of: one, &random)
            let texts = [Spelled.text(of: one, &random), Spelled.text(of: other, &random)]
            let urls = try texts.map { try #require(URL(string: $0), "seed \(seed): \($0)") }
            let requests = urls.map { StubRequest(url: $0) }
            #expect(areEqual(.url, requests[0], requests[1]) == (one == other), "seed \(seed): \(texts)")
            #expect(areEqual(.query, requests[0], requests[1]) == (one.query == other.query), "seed \(seed): \(texts)")
            #expect(areEqual(.host, requests[0], requests[1]) == (one.host == other.host), "seed \(seed): \(texts)")
            let pattern = RequestPattern.url(texts[0])
            #expect((pattern.match(requests[1]) != nil) == (one == other), "seed \(seed): \(texts)")
        }
    }

    @Test(arguments: seeds)
    func `the parts of a URL are those that Foundation finds`(seed: UInt64) throws {
        var random = Generator(seed: seed)
        for _ in 0..<100 {
            let text = Spelled.text(of: Spelled.address(&random), &random)
            let judge = try #require(URLComponents(string: text), "seed \(seed): \(text)")
            let parts = URLParts(text)
            #expect(parts.scheme == judge.scheme?.lowercased(), "seed \(seed): \(text)")
            let host = judge.percentEncodedHost?.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            #expect(parts.host == host, "seed \(seed): \(text)")
            let standard = parts.scheme == "http" ? 80 : 443
            #expect(Int(parts.port) ?? standard == judge.port ?? standard, "seed \(seed): \(text)")
            let path = judge.percentEncodedPath
            let bytes = { (text: String) in text.withBytes { PercentEncoding.decoded($0) } }
            #expect(bytes(parts.path) == bytes(path.isEmpty ? "/" : path), "seed \(seed): \(text)")
            let items = (judge.percentEncodedQueryItems ?? []).filter { !$0.name.isEmpty || $0.value != nil }
            #expect(parts.query.map { bytes($0.name) } == items.map { bytes($0.name) }, "seed \(seed): \(text)")
            #expect(
                parts.query.map { $0.value.map(bytes) } == items.map { $0.value.map(bytes) },
                "seed \(seed): \(text)"
            )
        }
    }

    @Test(arguments: seeds)
    func `two forms are equal if they have the same fields`(seed: UInt64) {
        var random = Generator(seed: seed)
        let words = ["a", "A", "", "a b", "ü", "&=", "+", "%41", "1"]
        let form = { (fields: [[String]], random: inout Generator) in
            let type = Spelled.anyCase("application/x-www-form-urlencoded", &random)
            return StubRequest.make(
                "POST",
                "https://a.example/",
                [Spelled.anyCase("content-type", &random): type + Spelled.pick(["", "; charset=utf-8"], &random)],
                body: Spelled.form(fields, &random)
            )
        }
        for _ in 0..<100 {
            let one = (0..<Spelled.pick([1, 2, 4], &random)).map { _ in
                [Spelled.pick(words.filter { !$0.isEmpty }, &random), Spelled.pick(words, &random)]
            }
            var other = one
            if Bool.random(using: &random) { other[0][1] = Spelled.pick(words, &random) }
            let isSame =
                one.map { $0.joined(separator: "\0") }.sorted() == other.map { $0.joined(separator: "\0") }.sorted()
            let requests = [form(one, &random), form(other, &random)]
            let texts = requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
            #expect(areEqual(.requestBody, requests[0], requests[1]) == isSame, "seed \(seed): \(texts)")
            let fields = Dictionary(one.map { ($0[0], $0[1]) }) { $1 }
            if fields.count == one.count {
                let pattern = RequestPattern.requestBody(exactForm: fields)
                #expect((pattern.match(requests[1]) != nil) == isSame, "seed \(seed): \(texts)")
            }
        }
    }

    @Test(arguments: seeds)
    func `two multipart bodies are equal if they have the same parts, whatever the boundary`(seed: UInt64) {
        var random = Generator(seed: seed)
        let contents = ["", "x", "a\r\nb", "--", "--b\r\n", "\n\n", "a: b\r\n\r\nc", "-----"]
        let multipart = { (parts: [String], random: inout Generator) in
            let boundary = "xX" + String(UInt32.random(in: 0..<UInt32.max, using: &random), radix: 36) + "'()+_,-./:=?"
            let body = parts.map { "--\(boundary)\(Spelled.pick(["", " "], &random))\r\n\($0)\r\n" }.joined()
            let parameter = Spelled.anyCase("boundary", &random) + "=\"\(boundary)\""
            let type = Spelled.anyCase("multipart/form-data", &random)
            return StubRequest.make(
                "POST",
                "https://a.example/",
                [
                    "Content-Type": Spelled.pick(
                        ["\(type); \(parameter)", "\(type);charset=utf-8 ; \(parameter)"],
                        &random
                    )
                ],
                body: Spelled.pick(["", "preamble\r\n"], &random) + body + "--\(boundary)--"
                    + Spelled.pick(["", "\r\n", "\r\nepilogue"], &random)
            )
        }
        for _ in 0..<80 {
            let one = (0..<Int.random(in: 1...4, using: &random)).map { number in
                "Content-Disposition: form-data; name=\"\(number)\"\r\n\r\n" + Spelled.pick(contents, &random)
            }
            var other = one
            if Bool.random(using: &random) { other[0] += Spelled.pick(["", "x", "\r\n"], &random) }
            let requests = [multipart(one, &random), multipart(other, &random)]
            let texts = requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
            #expect(areEqual(.requestBody, requests[0], requests[1]) == (one == other), "seed \(seed): \(texts)")
            let strict = areEqual(.headers, requests[0], requests[1])
            #expect(strict, "seed \(seed): \(requests.map { $0.headerFields["Content-Type"] ?? "" })")
        }
    }

    @Test(arguments: seeds)
    func `two JSON bodies are equal if they have the same value, which Foundation does not change`(seed: UInt64) throws
    {
        var random = Generator(seed: seed)
        for _ in 0..<100 {
            let one = Spelled.JSON.list([Spelled.json(depth: 3, &random)])
            let other = Bool.random(using: &random) ? one : .list([Spelled.json(depth: 1, &random)])
            let texts = [Spelled.text(of: one, &random), Spelled.text(of: other, &random)]
            let types = ["application/json", "text/json", "application/problem+json"]
            let requests = texts.map { text in
                StubRequest.json(text, Spelled.anyCase(Spelled.pick(types, &random), &random))
            }
            let isSame = areEqual(.requestBody, requests[0], requests[1])
            #expect(isSame == (one == other), "seed \(seed): \(texts)")
            let rewritten = try JSONSerialization.data(
                withJSONObject: JSONSerialization.jsonObject(with: Data(texts[0].utf8)),
                options: Bool.random(using: &random) ? [.prettyPrinted] : []
            )
            #expect(JSONValue(rewritten) == JSONValue(Data(texts[0].utf8)), "seed \(seed): \(texts[0])")
        }
    }

    /// A matcher for each criterion.
    private static let matchers: [RequestMatcher] = [
        .httpMethod, .url, .url(ignoringQueryItems: ["a"]), .url(ignoringPathParameters: ["/:a"]), .host, .path,
        .path(ignoringPathParameters: ["/:a"]), .query, .query(ignoringQueryItems: ["A"]),
        .headers, .headers(ignoring: ["Accept"]), .headers(named: ["X-A", "Accept"]), .requestBody,
        .requestBody(ignoringJSONKeyPaths: ["a"]), .requestBody(ignoringFields: ["a"]),
        .custom { $0.httpMethod == $1.httpMethod },
    ]

    private func request(_ random: inout Generator) -> StubRequest {
        let type = Spelled.pick(
            ["", "application/json", "application/x-www-form-urlencoded", "Multipart/Mixed; Boundary=b", "text/plain"],
            &random
        )
        let body = Spelled.pick(
            [
                "", "a=1&b=2", "b=2&a=1", #"{"a":1}"#, #"{ "a" : 1.0 }"#, #"{"a":2}"#, "--b\r\n\r\nx\r\n--b--",
                "--b\n\nx\n--b--",
            ],
            &random
        )
        var fields: HeaderFields = [
            Spelled.anyCase("x-a", &random): Spelled.pick(["1", " 1", "2"], &random),
            Spelled.anyCase("accept", &random): Spelled.pick(["*/*", "a"], &random),
        ]
        if !type.isEmpty { fields.append(name: "Content-Type", value: type) }
        let path =
            Spelled.pick(["", "/", "/x", "/%78", "/X"], &random)
            + Spelled.pick(["", "?a=1", "?A=1&a", "?a&%41=1"], &random)
        let url = Spelled.pick(["http://a.example", "HTTP://A.example:80", "http://b.example"], &random) + path
        return .make(Spelled.pick(["GET", "POST", "get"], &random), url, fields, body: body.isEmpty ? nil : body)
    }

    @Test func `each part of a request has a matcher that is tested here`() {
        // `.bytes` is the body in any form.
        let parts = ComparedRequest.Part.allCases.filter { !$0.isOfBody || $0 == .bytes }
        #expect(Set(Self.matchers.flatMap(\.parts)) == Set(parts))
    }

    @Test(arguments: matchers)
    func `a request equals itself, and two requests are equal in both directions`(matcher: RequestMatcher) {
        var random = Generator(seed: 5)
        let requests = (0..<25).map { _ in request(&random) }
        var equalCount = 0
        for one in requests {
            #expect(areEqual(matcher, one, one), "\(one)")
            for other in requests {
                let isEqual = areEqual(matcher, one, other)
                #expect(areEqual(matcher, other, one) == isEqual, "\(one), \(other)")
                equalCount += isEqual ? 1 : 0
                let options: RequestMatcherOptions = [matcher]
                #expect(options.differences(recorded: one, requested: other).isEmpty == isEqual, "\(one), \(other)")
            }
        }
        #expect((26..<625).contains(equalCount), "The matcher tells requests apart, and finds equal ones.")
    }
}
