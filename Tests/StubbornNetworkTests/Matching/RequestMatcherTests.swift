import Foundation
import Testing

@testable import StubbornNetwork

struct RequestMatcherTests {
    private func holds(_ options: RequestMatcherOptions, _ live: StubRequest, _ recorded: StubRequest) -> Bool {
        let holds = options.hold(live: ParsedRequest(live), recorded: ParsedRequest(recorded))
        // The index and the differences have to agree.
        #expect(MatchIndex(options: options, requests: [recorded]).positions(live) == (holds ? [0] : []))
        #expect(options.differences(recorded: recorded, requested: live).isEmpty == holds)
        return holds
    }

    @Test(arguments: [["meta.at", "meta"], ["meta", "meta.at"]])
    func `a key and a key inside it may both be ignored, in any order`(keys: [String]) {
        let recorded = StubRequest.json(#"{"id":1,"meta":{"at":1,"by":"Ada"}}"#)
        let live = StubRequest.json(#"{"id":1,"meta":{"at":2,"by":"Eve"}}"#)
        #expect(holds([.requestBody(ignoringJSONKeyPaths: keys)], live, recorded))
        #expect(holds([.requestBody(ignoringJSONKeyPaths: keys)], .json(#"{"id":1}"#), recorded))
        #expect(!holds([.requestBody(ignoringJSONKeyPaths: keys)], .json(#"{"id":2}"#), recorded))
    }

    @Test(arguments: ["boundary", "Boundary", "BOUNDARY"])
    func `a multipart form matches in each run, in whatever case its boundary is named`(name: String) {
        func form(_ boundary: String, _ value: String) -> StubRequest {
            let part = "Content-Disposition: form-data; name=\"a\"\r\n\r\n\(value)"
            return .make(
                "POST",
                "https://a.example/",
                ["Content-Type": "multipart/form-data; charset=utf-8; \(name)=\"\(boundary)\""],
                body: "--\(boundary)\r\n\(part)\r\n--\(boundary)--\r\n"
            )
        }
        #expect(holds([.requestBody], form("7f3a", "1"), form("9b1c", "1")))
        #expect(!holds([.requestBody], form("7f3a", "1"), form("9b1c", "2")))
    }

    @Test func `matchers are described as they are written in code`() {
        let options = RequestMatcherOptions([
            .httpMethod, .url(ignoringQueryItems: ["ts"]), .headers(named: ["Accept"]),
            .custom { $0.url?.path == $1.url?.path },
        ])
        #expect(
            options.description
                == #"[.httpMethod, .url(ignoringQueryItems: ["ts"]), .headers(named: ["Accept"]), .custom]"#
        )
        #expect(RequestMatcherOptions.standard.description == "[.httpMethod, .url, .requestBody]")
        #expect(RequestMatcherOptions.strict.description == "[.httpMethod, .url, .headers, .requestBody]")
        #expect(RequestMatcherOptions.lenient.description == "[.httpMethod, .host, .path]")
        #expect(RequestMatcher.headers(ignoring: ["X-A"]).description == #".headers(ignoring: ["X-A"])"#)
        let literal: RequestMatcherOptions = [.query, .requestBody(ignoringJSONKeyPaths: ["meta.sentAt", #"a\.b"#])]
        #expect(literal.description == #"[.query, .requestBody(ignoringJSONKeyPaths: ["meta.sentAt", "a\\.b"])]"#)
        let lists: RequestMatcherOptions = [
            .url(ignoringPathParameters: ["/a/:b"], ignoringQueryItems: ["ts"]),
            .path(ignoringPathParameters: ["/a/:b"]),
            .requestBody(ignoringFields: ["at"], ignoringJSONKeyPaths: ["id"]),
        ]
        #expect(
            lists.description
                == #"[.url(ignoringPathParameters: ["/a/:b"], ignoringQueryItems: ["ts"]), "#
                + #".path(ignoringPathParameters: ["/a/:b"]), "#
                + #".requestBody(ignoringFields: ["at"], ignoringJSONKeyPaths: ["id"])]"#
        )
    }

    private static let reports = RequestMatcher.url(ignoringPathParameters: ["/reports/:time"])

    @Test(arguments: [
        (RequestMatcher.url, "https://a.example", "https://a.example/", true),
        (.url, "https://A.example:443/x", "HTTPS://a.example/x", true),
        (.url, "http://a.example:80", "http://a.example", true),
        (.url, "https://me:secret@a.example/", "https://a.example/#end", true),
        (.url, "https://a.example/%7Ea/%c3%a9", "https://a.example/~a/%C3%A9", true),
        (.url, "https://a.example/?b=2&a=1&a=0", "https://a.example/?a=0&a=1&b=2", true),
        (.url, "https://a.example/?", "https://a.example/", true),
        (.url, "http://a.example/", "https://a.example/", false),
        (.url, "https://a.example:444/", "https://a.example/", false),
        (.url, "https://a.example/x", "https://b.example/x", false),
        (.url, "https://a.example/x/", "https://a.example/x", false),
        (.url, "https://a.example/a%2Fb", "https://a.example/a/b", false),
        (.url, "https://a.example/X", "https://a.example/x", false),
        (.url, "https://a.example/?a", "https://a.example/?a=", false),
        (.url, "https://a.example/?a=1&a=1", "https://a.example/?a=1", false),
        (.url, "https://a.example/?a=1+2", "https://a.example/?a=1%202", false),
        (.url, "https://a.example/?a=1", "https://a.example/?A=1", false),
        (.url(ignoringQueryItems: ["ts"]), "https://a.example/?ts=1&a=1", "https://a.example/?a=1&ts=2&ts", true),
        (.url(ignoringQueryItems: ["ts"]), "https://a.example/?ts=1&a=1", "https://a.example/?a=2&ts=1", false),
        (
            .url(ignoringQueryItems: ["x[]", "é"]), "https://a.example/?x[]=1&é=1", "https://a.example/?x%5b%5d",
            true
        ),
        (.url(ignoringQueryItems: ["TS"]), "https://a.example/?ts=1", "https://a.example/", false),
        (.url(ignoringQueryItems: []), "https://a.example/?ts=1", "https://a.example/?ts=1", true),
        (reports, "https://a.example/reports/1795330000123", "https://a.example/reports/1795330000999", true),
        (reports, "https://a.example/reports/%61b?p=1", "https://a.example/reports/9?p=1", true),
        (reports, "https://a.example/reports/1?p=1", "https://a.example/reports/2?p=2", false),
        (reports, "https://a.example/reports/1", "https://a.example/reports/", false),
        (reports, "https://a.example/reports/1", "https://a.example/reports/2/pages", false),
        (reports, "https://a.example/users/1", "https://a.example/users/2", false),
        (reports, "https://a.example/reports/1", "https://b.example/reports/2", false),
        (
            .url(ignoringPathParameters: ["/a/:b", "c%20d/:e/:f"], ignoringQueryItems: ["ts"]),
            "https://a.example/c%20d/1/2?ts=1", "https://a.example/c%20d/3/4", true
        ),
        (.path(ignoringPathParameters: ["/a/:b/c"]), "https://a.example/a/1/c?q", "http://b.example/a/2/c", true),
        (.path(ignoringPathParameters: ["/a/:b/c"]), "https://a.example/a/1/d", "https://a.example/a/2/d", false),
        (.host, "https://A.example:1/x", "http://a.example/y", true),
        (.host, "https://a.example/", "https://b.example/", false),
        (.path, "https://a.example", "http://b.example/?q", true),
        (.path, "https://a.example/a", "https://a.example/b", false),
        (.query, "https://a.example/x?a=1&b=2", "http://b.example/?b=2&a=1", true),
        (.query, "https://a.example/?a=1", "https://a.example/", false),
    ])
    func `URLs are compared part by part, however they are written`(
        matcher: RequestMatcher,
        live: String,
        recorded: String,
        equal: Bool
    ) {
        #expect(holds([matcher], .make("GET", live), .make("GET", recorded)) == equal)
    }

    @Test(arguments: [
        ("first%20name=Ada", "first%20name=Bob", true), ("first+name=Ada", "first+name=Bob", true),
        ("first+name=Ada", "first%20name=Bob", true), ("a=1&first%20name=Ada", "a=1", true),
        ("first-name=Ada", "first-name=Bob", false), ("first%2Bname=Ada", "first%2Bname=Bob", false),
    ])
    func `a query item whose name has a space can be ignored, however the space is written`(
        live: String,
        recorded: String,
        equal: Bool
    ) {
        let options: RequestMatcherOptions = [.url(ignoringQueryItems: ["first name"])]
        #expect(
            holds(options, .make("GET", "https://a.example/?\(live)"), .make("GET", "https://a.example/?\(recorded)"))
                == equal
        )
    }

    @Test(
        arguments: [
            (.strict, true), ([.headers(named: ["X-User"])], true), ([.custom { _, _ in true }], true),
            (.standard, false), (.lenient, false), ([.host, .query], false), ([], false),
        ] as [(RequestMatcherOptions, Bool)]
    )
    func `matchers for header fields, and those in code, may compare header fields`(
        matchers: RequestMatcherOptions,
        mayCompare: Bool
    ) {
        #expect(matchers.mayCompare(.header) == mayCompare)
    }

    @Test func `methods are case-sensitive`() {
        #expect(holds([.httpMethod], .make("GET", "https://a.example/"), .make("GET", "https://b.example/")))
        #expect(!holds([.httpMethod], .make("get", "https://a.example/"), .make("GET", "https://a.example/")))
    }

    @Test(
        arguments: [
            (RequestMatcher.headers, ["X-A": "1", "Accept": "*/*"], ["x-a": "1"], true),
            (
                .headers,
                ["User-Agent": "a", "Cookie": "a=1", "Accept-Language": "en", "Content-Length": "3", "Host": "a"],
                [:], true
            ),
            (.headers, ["X-A": "1"], ["X-A": "2"], false),
            (.headers, ["X-A": " 1\t"], ["X-A": "1"], true),
            (.headers, ["X-A": "1"], [:], false),
            (.headers, ["Accept": "text/html"], [:], false),
            (.headers, ["X-A": "1", "x-a": "2"], ["X-A": "1, 2"], true),
            (
                .headers,
                ["Content-Type": "multipart/form-data; boundary=a"],
                ["Content-Type": "multipart/form-data; boundary=b"], true
            ),
            (
                .headers(ignoring: ["x-a", "X-B"]), ["X-A": "1", "X-C": "1"], ["X-A": "2", "x-b": "1", "X-C": "1"], true
            ),
            (.headers(ignoring: ["X-A"]), ["X-A": "1", "X-C": "1"], ["X-A": "1"], false),
            (.headers(ignoring: []), ["X-A": "1", "Cookie": "a=1"], ["X-A": "1"], true),
            (.headers(named: ["accept"]), ["Accept": "a", "X-A": "1"], ["ACCEPT": "a"], true),
            (.headers(named: ["accept"]), ["Accept": "a"], [:], false),
            (.headers(named: ["Cookie"]), ["Cookie": "a=1"], ["Cookie": "a=2"], false),
            (.headers(named: ["Accept"]), [:], [:], true),
            (.headers(named: []), ["X-A": "1"], [:], true),
        ] as [(RequestMatcher, HeaderFields, HeaderFields, Bool)]
    )
    func `header fields are compared without what the platform sets`(
        matcher: RequestMatcher,
        live: HeaderFields,
        recorded: HeaderFields,
        equal: Bool
    ) {
        let url = "https://a.example/"
        #expect(holds([matcher], .make("GET", url, live), .make("GET", url, recorded)) == equal)
    }

    private static let lines = "application/x-ndjson"
    private static func upload(_ boundary: String, _ sentAt: String, _ note: String) -> String {
        [("sentAt", sentAt), ("note", note)].map { name, value in
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }.joined() + "--\(boundary)--\r\n"
    }

    @Test(
        arguments: [
            ("sentAt=1&note=a", "note=a&sentAt=2&sentAt=3", form, true),
            ("sentAt=1&note=a", "sentAt=1&note=b", form, false),
            ("sentAt=1", "SentAt=1", form, false),
            (upload("x", "1", "a"), upload("x", "2 and more", "a"), "multipart/form-data; boundary=x", true),
            (upload("x", "1", "a"), upload("x", "1", "b"), "multipart/form-data; boundary=x", false),
            ("<a><sentAt>1</sentAt></a>", "<a><sentAt>2</sentAt></a>", "application/xml", false),
            ("sentAt 1", "sentAt 2", "text/plain", false),
        ]
    )
    func `a field of a body can be ignored by its name`(live: String, recorded: String, type: String, equal: Bool) {
        let options: RequestMatcherOptions = [.requestBody(ignoringFields: ["sentAt"])]
        #expect(holds(options, .json(live, type), .json(recorded, type)) == equal)
    }

    @Test func `a member of each line of NDJSON can be ignored`() {
        let options: RequestMatcherOptions = [.requestBody(ignoringJSONKeyPaths: ["meta.at"])]
        let body = { (at: Int, id: Int) in
            StubRequest.json("{\"id\":1,\"meta\":{\"at\":\(at)}}\n{\"id\":\(id),\"meta\":{}}\n", Self.lines)
        }
        #expect(holds(options, body(1, 2), body(2, 2)))
        #expect(!holds(options, body(1, 2), body(1, 3)))
    }

    private static let form = "application/x-www-form-urlencoded; charset=utf-8"
    /// A batch with a set of changes, whose boundary differs in each request.
    private static func batch(_ boundary: String, _ content: String) -> String {
        "--b\r\nContent-Type: multipart/mixed; boundary=\(boundary)\r\n\r\n"
            + "--\(boundary)\r\nContent-Type: text/plain\r\n\r\n\(content)\r\n--\(boundary)--\r\n\r\n--b--\r\n"
    }

    private static func multipart(_ boundary: String) -> String {
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--\(boundary)--\r\n"
    }

    @Test(
        arguments: [
            (#"{"a":1,"b":2}"#, "application/json", #"{ "b": 2.0, "a": 1 }"#, "application/json", true),
            (#"{"a":1,"b":2}"#, "application/vnd.api+json; v=1", #"{"b":2,"a":1}"#, nil, true),
            (#"{"a":1,"b":2}"#, nil, #"{"b":2,"a":1}"#, nil, true),
            (#"{"a":1,"b":2}"#, form, #"{"b":2,"a":1}"#, "application/json", true),
            (#"{"a":1,"b":2}"#, "text/plain", #"{"b":2,"a":1}"#, "text/plain", true),
            (#"{"a":1,"b":2}"#, "application/x-amz-json-1.1", #"{ "b":2,"a":1}"#, "application/x-amz-json-1.1", true),
            (#"{"query":"query Items { items }"}"#, nil, #"{"query":"query Items\n{\n  items\n}"}"#, nil, true),
            (#"{"query":"{ a(b: [1, 2]) # c\n }"}"#, nil, #"{"query":"{a(b:[1 2])}"}"#, nil, true),
            (#"{"query":"{ a b }"}"#, nil, #"{"query":"{ ab }"}"#, nil, false),
            (#"{"query":"{ a(b: \"c  d\") }"}"#, nil, #"{"query":"{ a(b: \"c d\") }"}"#, nil, false),
            (batch("one", "1"), "multipart/mixed; boundary=b", batch("two", "1"), "multipart/mixed; boundary=b", true),
            (batch("one", "1"), "multipart/mixed; boundary=b", batch("two", "2"), "multipart/mixed; boundary=b", false),
            (#"{"a":1,"b":2}"#, "text/plain", #"{"a":1,"b":2}"#, "application/json", true),
            (#"{"a":1}"#, "application/json", #"{"a":2}"#, "application/json", false),
            (#"{"a":1}"#, "application/json", #"{"a":true}"#, "application/json", false),
            ("1.0", "application/json", "1", "application/json", true),
            ("1.0", nil, "1", nil, false),
            ("{broken", "application/json", "{broken", "application/json", true),
            ("{broken", "application/json", "{broken ", "application/json", false),
            ("a=1&b=x+y", form, "b=x%20y&a=1", form, true),
            ("a=1&b=2", form, "a=1&b=3", form, false),
            ("a=1&a=1", form, "a=1", form, false),
            ("a", form, "a=", form, true),
            ("a=1&b=2", nil, "b=2&a=1", nil, false),
            ("a=1&b=2", form, "a=1&b=2", nil, true),
            (
                multipart("one"), "multipart/form-data; boundary=one", multipart("two"),
                "Multipart/Form-Data; boundary=\"two\"", true
            ),
            (
                multipart("one"), "multipart/form-data; boundary=one",
                multipart("two").replacingOccurrences(of: "\n1", with: "\n2"), "multipart/form-data; boundary=two",
                false
            ),
            (
                multipart("one"), "multipart/form-data; boundary=x", multipart("two"),
                "multipart/form-data; boundary=x", false
            ),
            (multipart("one"), "multipart/form-data", multipart("one"), "multipart/form-data", true),
            (
                #"{"query":"{\n  a\n}","variables":{"b":1.0}}"#, nil,
                #"{"variables":{"b":1},"query":"{\r\n\ta\r\n\r\n}\n"}"#, nil, true
            ),
            (#"[{"query":"{\n a }"},{"query":"{ b }"}]"#, nil, #"[{"query":"{\na }"},{"query":"{ b }"}]"#, nil, true),
            (#"{"query":"{ a, b }"}"#, nil, #"{"query":"{ a b }"}"#, nil, true),
            (#"{"query":"{ a }"}"#, nil, #"{"query":"{ b }"}"#, nil, false),
            (#"{"query":"{ a(t: \"x y\") }"}"#, nil, #"{"query":"{ a(t: \"x  y\") }"}"#, nil, false),
            (#"{"query":"{ a }","variables":{"b":1}}"#, nil, #"{"query":"{ a }","variables":{"b":2}}"#, nil, false),
            (#"{"query":"a  b"}"#, nil, #"{"query":"a b"}"#, nil, false),
            ("{\"a\":1,\"b\":2}\n{}\n", lines, "{ \"b\" : 2, \"a\" : 1.0 }\r\n\n{}", lines, true),
            ("{\"a\":1}\n{}", lines, "{}\n{\"a\":1}", lines, false),
            ("{\"a\":1}\n", lines, "{\"a\":1}\n{\"a\":1}\n", lines, false),
            ("{\"a\":1}\nbroken", lines, "{ \"a\":1}\nbroken", lines, false),
            ("", nil, nil, nil, true),
            ("", "application/json", nil, nil, true),
            ("x", nil, nil, nil, false),
            ("x", nil, "x", "text/plain", true),
        ] as [(String?, String?, String?, String?, Bool)]
    )
    func `bodies are compared by their content, not by their spelling`(
        live: String?,
        liveType: String?,
        recorded: String?,
        recordedType: String?,
        equal: Bool
    ) {
        let request = { (body: String?, type: String?) in
            StubRequest.make("POST", "https://a.example/", type.map { ["Content-Type": $0] } ?? [:], body: body)
        }
        #expect(holds([.requestBody], request(live, liveType), request(recorded, recordedType)) == equal)
        #expect(holds([.requestBody], request(recorded, recordedType), request(live, liveType)) == equal)
    }

    @Test(arguments: [
        (["meta.sentAt"], #"{"meta":{"sentAt":1,"v":1}}"#, #"{"meta":{"v":1,"sentAt":2}}"#, true),
        (["meta.sentAt"], #"{"meta":{"sentAt":1}}"#, #"{"meta":{}}"#, true),
        (["meta.sentAt"], #"{"meta":{"v":1}}"#, #"{"meta":{"v":2}}"#, false),
        (["items.id"], #"{"items":[{"id":1},{"id":2}]}"#, #"{"items":[{"id":3},{"id":4}]}"#, true),
        (["items.id"], #"{"items":[{"id":1}]}"#, #"{"items":[{"id":1},{"id":2}]}"#, false),
        (["id"], "not json", "not json", true),
        (["id"], "not json", "no json!", false),
    ])
    func `JSON members can be ignored by path`(paths: [String], live: String, recorded: String, equal: Bool) {
        #expect(holds([.requestBody(ignoringJSONKeyPaths: paths)], .json(live), .json(recorded)) == equal)
    }

    @Test func `a custom matcher runs last and cannot override the other matchers`() {
        let one = StubRequest.make("GET", "https://a.example/1", ["X-A": "1"])
        let other = StubRequest.make("GET", "https://a.example/1", ["X-A": "2"])
        #expect(holds([.url, .custom { _, _ in true }], one, other))
        #expect(!holds([.url, .custom { _, _ in false }], one, other))
        #expect(!holds([.custom { _, _ in true }, .httpMethod], one, .make("POST", "https://a.example/1")))
        let asks: RequestMatcherOptions = [
            .custom { live, recorded in
                #expect(live.url == recorded.url)
                return live.value(forHTTPHeaderField: "X-A") == "1" && recorded.value(forHTTPHeaderField: "X-A") == "2"
            }, .url,
        ]
        #expect(holds(asks, one, other))
        #expect(!holds(asks, other, one))
        #expect(MatchIndex(options: asks, requests: [.make("GET", "https://b.example/")]).positions(one) == [])
    }

    @Test func `without matchers everything is equal`() {
        #expect(holds([], .make("GET", "https://a.example/"), .make("PUT", "https://b.example/x", body: "y")))
    }

    @Test func `bodies that are not UTF-8 are compared as bytes`() {
        var one = StubRequest.json("", "application/json")
        one.body = Data([0xFF, 0xFE, 0x00])
        var other = one
        #expect(holds(.standard, one, other))
        other.body = Data([0xFF, 0xFE, 0x01])
        #expect(!holds(.standard, one, other))
    }
}
