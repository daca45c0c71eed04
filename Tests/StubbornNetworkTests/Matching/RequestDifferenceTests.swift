import Foundation
import Testing

@testable import StubbornNetwork

struct RequestDifferenceTests {
    private func lines(
        _ recorded: StubRequest,
        _ requested: StubRequest,
        _ options: RequestMatcherOptions = .strict
    ) -> String {
        options.differences(recorded: recorded, requested: requested).map { difference in
            let option = options.matchers.lazy.compactMap { matcher in
                let replacements = matcher.replacements(toIgnore: difference.subject)
                return replacements.count == 1 ? replacements.first { $0.description != matcher.description } : nil
            }.first
            return difference.description + (option.map { "  -> \($0)" } ?? "")
        }.joined(separator: "\n")
    }

    @Test func `everything that differs, a line each`() {
        let recorded = StubRequest.make(
            "GET",
            "https://a.example/users?page=1&sort=asc",
            ["Accept": "text/html", "X-A": "1", "Cookie": "a"]
        )
        let requested = StubRequest.make(
            "POST",
            "http://b.example:8080/user?page=2&sort=asc&q",
            ["accept": "*/*", "X-A": "2"],
            body: "x"
        )
        #expect(
            lines(recorded, requested) == """
                method: recorded "GET", requested "POST"
                url.scheme: recorded "https", requested "http"
                url.host: recorded "a.example", requested "b.example"
                url.port: recorded none, requested "8080"
                url.path: recorded "/users", requested "/user"
                url.query.page: recorded "1", requested "2"  -> .url(ignoringQueryItems: ["page"])
                url.query.q: recorded none, requested no value  -> .url(ignoringQueryItems: ["q"])
                headers.accept: recorded "text/html", requested none  -> .headers(ignoring: ["accept"])
                headers.X-A: recorded "1", requested "2"  -> .headers(ignoring: ["X-A"])
                body: recorded none, requested "x"
                """
        )
        #expect(lines(recorded, recorded) == "")
    }

    /// Different texts that are easily shown as the same text.
    private static let pairs: [(String, String)] = [
        ("50\u{a0}km", "50 km"), ("a\u{200b}b", "ab"), ("\u{430}da", "ada"), ("caf\u{e9}", "cafe\u{301}"),
        ("\u{feff}a", "a"), ("a\tb", "a b"), ("a ", "a"), ("a\r\nb", "a\nb"), ("a\\nb", "a\nb"), ("\u{202e}a", "a"),
        (String(repeating: "a", count: 900) + "x", String(repeating: "a", count: 900) + "y"),
        (String(repeating: "a b ", count: 300) + "x\u{a0}", String(repeating: "a b ", count: 300) + "x "),
        ("x" + String(repeating: "a", count: 900), "y" + String(repeating: "a", count: 900)),
    ]

    /// Returns requests that have the text in their different parts.
    private func requests(with text: String) -> [StubRequest] {
        let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let json = String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
        return [
            .get("https://a.example/?q=\(encoded)"), .get("https://a.example/?\(encoded)=1"),
            .get("https://a.example/\(encoded)/b"), .make("GET", "https://a.example/", ["X-A": text]),
            .json("{\"a\": \(json)}"), .json("{\(json): 1}"), .json(json), .json("[1, [\(json)]]"),
            .make("POST", "https://a.example/", form, body: "a=\(encoded)"),
            .make("POST", "https://a.example/", form, body: "\(encoded)=a"),
            .make("POST", "https://a.example/", ["Content-Type": "text/plain"], body: text),
            .make("POST", "https://a.example/", ["Content-Type": "text/xml"], body: "<a><b>\(text)</b></a>"),
            .make(
                "POST",
                "https://a.example/",
                ["Content-Type": "multipart/form-data; boundary=b"],
                body: "--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n\(text)\r\n--b--"
            ),
            .make("POST", "https://a.example/", ["Content-Type": "application/octet-stream"], body: "\0\(text)"),
        ]
    }

    /// Returns the lines on two requests whose two texts are the same.
    private func indistinct(_ recorded: StubRequest, _ requested: StubRequest) -> [String] {
        RequestMatcherOptions.strict.differences(recorded: recorded, requested: requested).map(\.text).filter { text in
            let values = text.components(separatedBy: ", requested ")
            guard values.count == 2, !text.contains("first difference at byte") else { return false }
            return values[0].dropFirst("recorded ".count) == values[1].components(separatedBy: "; ")[0]
        }
    }

    @Test(arguments: pairs)
    func `two texts that are the same are never shown as a difference`(first: String, second: String) {
        for (recorded, requested) in zip(requests(with: first), requests(with: second)) {
            #expect(indistinct(recorded, requested) == [])
            #expect(indistinct(requested, recorded) == [])
        }
        let ofDeclared = RequestDifference("url.query.q", declared: first, requested: second).text
        let values = ofDeclared.components(separatedBy: ", requested ")
        #expect(values.count == 2 && values[0].dropFirst("declared ".count) != values[1], "\(ofDeclared)")
    }

    @Test(arguments: [
        ("%FF", "%FE"), ("%2B", "+"), ("%20", "%C2%A0"), ("%00", ""), ("%25FF", "%FF"), ("a%FF", "a%EF%BF%BD"),
        ("%80", "%81"),
    ])
    func `spellings in a query that are different are shown as different`(first: String, second: String) {
        let requests = [first, second].map { StubRequest.get("https://a.example/?q=\($0)&r") }
        #expect(RequestMatcherOptions.strict.differences(recorded: requests[0], requested: requests[1]).count == 1)
        #expect(indistinct(requests[0], requests[1]) == [])
        let forms = [first, second].map {
            StubRequest.make(
                "POST",
                "https://a.example/",
                ["Content-Type": "application/x-www-form-urlencoded"],
                body: "q=\($0)"
            )
        }
        #expect(indistinct(forms[0], forms[1]) == [])
    }

    @Test func `only active matchers report differences, and none is reported twice`() {
        let recorded = StubRequest.make("GET", "https://a.example/users?page=1")
        let requested = StubRequest.make("POST", "https://b.example/users?page=2")
        #expect(
            lines(recorded, requested, [.host, .url(ignoringQueryItems: ["page"]), .path, .custom { _, _ in false }])
                == """
                url.host: recorded "a.example", requested "b.example"
                custom matcher: refused
                """
        )
        #expect(
            lines(recorded, requested, [.path, .query])
                == #"url.query.page: recorded "1", requested "2"  -> .query(ignoringQueryItems: ["page"])"#
        )
        #expect(lines(recorded, requested, [.path]) == "")
    }

    @Test(arguments: [
        ("a=1&a=2&b=3", "a=2&a=4&b=3", #"url.query.a: recorded "1", requested "4""#),
        ("a=1&a=2", "", #"url.query.a: recorded "1", "2", requested none"#),
        ("a=1&a=1", "a=1", #"url.query.a: recorded "1", requested none"#),
        ("a", "a=", #"url.query.a: recorded no value, requested """#),
        ("x%5B%5D=%C3%A9%0A", "x%5b%5d=%22", #"url.query.x[]: recorded "é\n", requested "\"""#),
    ])
    func `query items are compared by name, without the values that both have`(
        recorded: String,
        requested: String,
        line: String
    ) {
        let difference = RequestMatcherOptions.standard.differences(
            recorded: .make("GET", "https://a.example/?\(recorded)"),
            requested: .make("GET", "https://a.example/?\(requested)")
        )
        #expect(difference.map(\.description) == [line])
    }

    @Test(arguments: [(8, false), (9, true)])
    func `a difference shows eight values of one name`(count: Int, isCut: Bool) throws {
        let query = (1...count).map { "a=\($0)" }.joined(separator: "&")
        let line = lines(.get("https://a.example/"), .get("https://a.example/?\(query)"), [.query])
            .components(separatedBy: "  -> ")[0]
        let values = (1...8).map { "\"\($0)\"" }.joined(separator: ", ") + (isCut ? ", …" : "")
        #expect(line == "url.query.a: recorded none, requested \(values)")
    }

    @Test func `differences in JSON are listed by path`() {
        let recorded = #"""
            {"user":{"name":"a","age":36,"old":true},"items":[{"id":1},{"id":2}],"tags":[1],"a.b":1,"n":null,"s":{"t":1}}
            """#
        let requested = #"""
            {"user":{"name":"b","age":36.5,"new":false},"items":[{"id":1},{"id":3}],"tags":[1,2],"a.b":2,"n":0,"s":"t"}
            """#
        #expect(
            lines(.json(recorded), .json(requested), .standard) == #"""
                body.a\.b: recorded 1, requested 2  -> .requestBody(ignoringJSONKeyPaths: ["a\\.b"])
                body.items[1].id: recorded 2, requested 3  -> .requestBody(ignoringJSONKeyPaths: ["items.id"])
                body.n: recorded null, requested 0  -> .requestBody(ignoringJSONKeyPaths: ["n"])
                body.s: recorded {"t":1}, requested "t"  -> .requestBody(ignoringJSONKeyPaths: ["s"])
                body.tags: recorded 1 element, requested 2 elements  -> .requestBody(ignoringJSONKeyPaths: ["tags"])
                body.user.age: recorded 36, requested 36.5  -> .requestBody(ignoringJSONKeyPaths: ["user.age"])
                body.user.name: recorded "a", requested "b"  -> .requestBody(ignoringJSONKeyPaths: ["user.name"])
                body.user.new: recorded none, requested false  -> .requestBody(ignoringJSONKeyPaths: ["user.new"])
                body.user.old: recorded true, requested none  -> .requestBody(ignoringJSONKeyPaths: ["user.old"])
                """#
        )
        #expect(lines(.json("[1]"), .json("[2]"), .standard) == "body[0]: recorded 1, requested 2")
        #expect(lines(.json("[1]"), .json("{}"), .standard) == "body: recorded [1], requested {}")
    }

    @Test func `differences are listed by form field, part number or first differing byte`() {
        let form = "application/x-www-form-urlencoded"
        #expect(
            lines(.json("x=1&y=a+b", form), .json("y=c&x=1&z", form), .standard) == """
                body.form.y: recorded "a b", requested "c"  -> .requestBody(ignoringFields: ["y"])
                body.form.z: recorded none, requested ""  -> .requestBody(ignoringFields: ["z"])
                """
        )
        let multipart = { (boundary: String, parts: [String]) in
            StubRequest.json(
                parts.map { "--\(boundary)\r\n\r\n\($0)\r\n" }.joined() + "--\(boundary)--",
                "multipart/form-data; boundary=\(boundary)"
            )
        }
        #expect(
            lines(multipart("a", ["1", "2"]), multipart("b", ["1", "23"]), .standard)
                == #"body.parts[1]: recorded "2", requested "23""#
        )
        #expect(
            lines(multipart("a", ["1"]), multipart("b", ["1", "2"]), .standard)
                == "body: recorded 1 part, requested 2 parts"
        )
        #expect(
            lines(.json("abcdef", "text/plain"), .json("abcXefgh", "text/plain"), .standard)
                == #"body: recorded "abcdef", requested "abcXefgh""#
        )
        #expect(
            lines(.json("{}"), .json("a=1", form), .standard)
                == #"body: recorded "{}", requested "a=1""#
        )
    }

    @Test func `XML is text, and parts with a name are listed by name and can be ignored`() {
        #expect(
            lines(.json("<a><b/></a>", "text/xml"), .json("<a></a>", "text/xml"), .standard)
                == #"body: recorded "<a><b/></a>", requested "<a></a>""#
        )
        let part = { (value: String) in
            StubRequest.json(
                "--b\r\nContent-Disposition: form-data; name=\"at\"\r\n\r\n\(value)\r\n--b--",
                "multipart/form-data; boundary=b"
            )
        }
        #expect(
            lines(part("1"), part("2"), .standard)
                == #"body.parts.at: recorded "1", requested "2"  -> .requestBody(ignoringFields: ["at"])"#
        )
        let type = "application/x-ndjson"
        #expect(
            lines(.json("{\"id\":1}\n{\"id\":2}\n", type), .json("{\"id\":1}\n{\"id\":3}\n", type), .standard)
                == #"body[1].id: recorded 2, requested 3  -> .requestBody(ignoringJSONKeyPaths: ["id"])"#
        )
    }

    @Test(arguments: [
        ("/reports/1795330000123", "/reports/1795330000999", "/reports/:value"),
        ("/a/5f3a91c2-0d1f/b", "/a/77ab91c2-0d1f/b", "/a/:value/b"), ("/users/1", "/users/2", nil),
        ("/reports/yesterday", "/reports/tomorrow", nil), ("/reports/1795330000123/a", "/reports/1795330000999/b", nil),
    ])
    func `a generated segment of the path can be ignored, and a short one is another resource`(
        recorded: String,
        requested: String,
        template: String?
    ) {
        let offered = template.map { "  -> .url(ignoringPathParameters: [\"\($0)\"])" } ?? ""
        #expect(
            lines(.get("https://a.example\(recorded)"), .get("https://a.example\(requested)"), .standard)
                == #"url.path: recorded "\#(recorded)", requested "\#(requested)""# + offered
        )
    }

    @Test func `an offered option adds to what is already ignored`() {
        let options: RequestMatcherOptions = [
            .httpMethod, .url(ignoringQueryItems: ["ts"]), .requestBody(ignoringJSONKeyPaths: ["id"]),
        ]
        let recorded = StubRequest.make("POST", "https://a.example/?page=1&v=1&ts=1", body: #"{"at":1,"id":1}"#)
        let requested = StubRequest.make("POST", "https://a.example/?page=2&v=2&ts=2", body: #"{"at":2,"id":2}"#)
        let differences = options.differences(recorded: recorded, requested: requested)
        let ignoring = options.ignoring(differences)
        #expect(
            ignoring?.description
                == #"[.httpMethod, .url(ignoringQueryItems: ["ts", "page", "v"]), .requestBody(ignoringJSONKeyPaths: ["id", "at"])]"#
        )
        #expect(ignoring?.differences(recorded: recorded, requested: requested) == [])
        #expect(
            options.ignoring(options.differences(recorded: recorded, requested: .make("GET", "https://b.example")))
                == nil
        )
    }

    @Test func `each matcher that compares a part ignores it in the options that are offered`() {
        let options: RequestMatcherOptions = [.url, .query]
        let recorded = StubRequest.make("GET", "https://a.example/?a=1")
        let requested = StubRequest.make("GET", "https://a.example/?a=2")
        let differences = options.differences(recorded: recorded, requested: requested)
        #expect(differences.count == 1)
        let ignoring = options.ignoring(differences)
        #expect(ignoring?.description == #"[.url(ignoringQueryItems: ["a"]), .query(ignoringQueryItems: ["a"])]"#)
        #expect(ignoring?.differences(recorded: recorded, requested: requested) == [])
    }

    @Test func `values are cut at 256 bytes, and lines are limited in number and length`() {
        let long = String(repeating: "é", count: 10_000)
        let lines = RequestMatcherOptions.standard.differences(
            recorded: .json(#"{"a":"\#(long)","b":["\#(long)"],"\#(long)":1}"#),
            requested: .json(#"{"a":"","b":{},"\#(long)":2}"#)
        )
        #expect(lines.count == 3)
        #expect(lines[0].description == "body.a: recorded \"\(String(repeating: "é", count: 126))…\", requested \"\"")
        #expect(lines.allSatisfy { $0.description.utf8.count < 600 })
        let many = "{" + (0..<1_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        #expect(RequestMatcherOptions.standard.differences(recorded: .json(many), requested: .json("{}")).count == 64)
    }

    @Test(arguments: [
        ("from 1795860001 to 1795860002", "from 1795863000 to 1795863001", 2),
        ("job 9f8a7b6c at 1795860001", "job 1c2d3e4f at 1795863000", 2), ("job 9f8a7b6c", "job 1c2d3e4f", 1),
        ("job 9f8a7b6c of Ada", "job 1c2d3e4f of Eve", nil), ("at 1795860001", "at 1795860001000", nil),
        ("page=1", "page=2", nil), ("job 9f8a7b6c", "job 9f8a7b6c", nil),
    ])
    func `times and random words are made for each request, if nothing else differs`(
        recorded: String,
        requested: String,
        count: Int?
    ) {
        let difference = RequestDifference("body", recorded, requested, .origin)
        #expect(difference.madeValues?.count == count)
    }
}
