import Testing

@testable import StubbornNetwork

/// What the readers of the formats find in a string: names and values, as they are written.
struct TextFieldsTests {
    private static func line(_ field: TextField, in text: Bytes) -> String {
        "\(field.names.map { text.part($0).text }.joined(separator: "<")): \(text.part(field.value).text)"
            + (field.isNumber ? " (number)" : "")
    }

    private static func lines(_ text: String, _ read: (Bytes, (TextField) -> Void) -> Void) -> [String] {
        text.withBytes { bytes in
            var lines: [String] = []
            read(bytes) { lines.append(line($0, in: bytes)) }
            return lines
        }
    }

    @Test func `nothing is in front of a text or behind it`() {
        "abc".withBytes { bytes in
            for offset in [-1, 3, 4] { #expect(!bytes.has("a", at: offset) && !bytes.hasIgnoringCase("a", at: offset)) }
            #expect(bytes.has("", at: 3) && !bytes.has("", at: -1) && !bytes.has("", at: 4))
        }
    }

    @Test(arguments: [
        (#"{"a":"x","b":{"c":12,"d":[true,"y"]}}"#, ["a: x", "c: 12 (number)", "d: y"]),
        (
            #"{"token":{"value":"x","id":"y","list":[{"raw":"z"}]}}"#,
            ["id: y", "raw<list: z", "value<token<y: x"]
        ),
        (
            #"[{"name":"pin","value":"x"},{"value":"y","name":"otp"}]"#,
            ["name: pin", "value<pin: x", "name: otp", "value<otp: y"]
        ),
        (
            #"{"values":["x",[1]],"type":"pin","a":{"value":"y"}}"#,
            ["type: pin", "value<a: y", "values<pin: x", "values<pin: 1 (number)"]
        ),
        (
            #"{"t":{"value":"1","raw":"2","plain":"3","text":"4","access":"5","refresh":"6","other":"7"}}"#,
            [
                "raw<t: 2", "plain<t: 3", "text<t: 4", "access<t: 5", "refresh<t: 6", "other: 7",
                "value<t<2<3<4<5<6<7: 1",
            ]
        ),
        (#"{"a":"1"}{"b":"2"} ["3"]"#, ["a: 1", "b: 2", ": 3"]),
        (#"{"a":"x","b":"y"#, ["a: x"]),
        (#"{"a\u0062":"x\ny"}"#, [#"a\u0062: x\ny"#]),
    ])
    func `strings and numbers are read from JSON with their keys`(text: String, expected: [String]) {
        #expect(Self.lines(text) { _ = JSONFields.read($0, visit: $1) } == expected)
    }

    @Test func `incomplete or too deeply nested text does not count as JSON`() {
        for text in [#"{"a":1"#, #"{"a":tru}"#, String(repeating: "[", count: 100_000), #"{"a":1} b"#] {
            #expect(!text.withBytes { JSONFields.read($0) { _ in } })
        }
        #expect(" [1] {}\n".withBytes { JSONFields.read($0) { _ in } })
    }

    @Test(arguments: [
        ("a=1&b[c]=2&&d=&e&=f", ["a: 1", "b[c]: 2", ": f"]), ("a=1&b=2=3", ["a: 1", "b: 2=3"]),
    ])
    func `names and values are read from a form`(text: String, expected: [String]) {
        #expect(Self.lines(text) { FormFields.read($0, as: .form, visit: $1) } == expected)
    }

    /// A string, and the value of `password` that is found in it; `nil` if none is.
    @Test(arguments: [
        // In quotation marks.
        (#"password: "two words""#, "two words"), (#"'password' = 'two words'"#, "two words"),
        (#"let password="two words" x"#, "two words"), ("\"password\": \"two\nwords\"", "two"),
        (#"{\"password\":\"two words\"}"#, "two words"), (#"{\"password\":\"two \\\"words\"}"#, #"two \\\"words"#),
        (#""password": "two \"words""#, #"two \"words"#), (#""password" => "two words""#, "two words"),
        // Bare: at the end of its line or of an item in a list, or with a digit.
        ("password=sunshine", "sunshine"), ("password: sunshine\r\nx", "sunshine"),
        ("x\n  - password: sunshine  ", "sunshine"),
        ("Server=a;password=sunshine;", "sunshine"), ("a=1&password=sunshine&b=2", "sunshine"),
        ("login password=sunshine x", nil), ("password: sunshine of ours", nil), ("f(password=sunshine, x)", nil),
        ("password: hunt3r is it", "hunt3r"), (#""password":hunt3r"#, "hunt3r"),
        // An address, an empty setting, and what a program computes.
        ("password:hunt3r", nil), ("https://password:8080/", nil), ("password=\nx", nil), ("password==sunshine", nil),
        ("a.password!=hunt3r", nil),
        ("password=form.passw0rd", nil), ("password=hunt3r(x)", nil), ("password = decode[0]", nil),
        // Elements and attributes.
        ("<password>two words</password>", "two words"), ("<a:password type='x'>\n 12ab </a:password>", "12ab"),
        ("<password><![CDATA[1&2]]></password>", "1&2"), ("<password>hunt3r", "hunt3r"), ("<password/>hunt3r", nil),
        ("</password>hunt3r", nil), ("<user password='two words'/>", "two words"), ("<user password=hunt3r>", "hunt3r"),
        ("<password></password>", nil),
        // Not the end tag of the element.
        ("curl -u <user>:<password> https://x.example/ in <file>", nil), ("<password>hunt3r</pass>", nil),
        // The first text of a list.
        (#""password": ["two words", "x"]"#, "two words"), (#"{\"password\": [\"two words\"]}"#, "two words"),
        ("password: [ hunt3r, x]", "hunt3r"), ("password: [String]", nil),
    ])
    func `a password is found in a text`(text: String, value: String?) {
        #expect(Self.passwords(text) == [value].compactMap(\.self))
    }

    @Test func `digits without quotation marks are a number`() {
        let fields = "password: 4831".withBytes { bytes in
            var fields: [TextField] = []
            TextFields.read(bytes, isAsked: { $0.text == "password" }) { field in
                fields.append(field)
                return true
            }
            return fields
        }
        #expect(fields.map(\.isNumber) == [true])
    }

    private static func passwords(_ text: String) -> [String] {
        text.withBytes { bytes in
            var found: [String] = []
            TextFields.read(bytes, isAsked: { $0.text == "password" }) { field in
                found.append(bytes.part(field.value).text)
                return true
            }
            return found
        }
    }

    @Test(arguments: ["password: ", "password: abc12345XYZ ", "token=\"", "password: x\"y ", "<a>", "<a b=\""])
    func `one long line is read in time that grows with its length`(piece: String) {
        // The steps are the names that are looked up, and the bytes of the values that are read.
        func steps(_ count: Int) -> Int {
            String(repeating: piece, count: count).withBytes { bytes in
                var steps = 0
                TextFields.read(
                    bytes,
                    isAsked: { _ in
                        steps += 1
                        return true
                    },
                    visit: { field in
                        steps += min(field.value.count, 100)
                        return false
                    }
                )
                return steps
            }
        }
        let (once, twice) = (steps(2_000), steps(4_000))
        #expect(once > 0 && twice <= 2 * once + 10_000, "\(once) \(twice)")
    }

    @Test(arguments: [
        ("accessToken", "access token"), ("ACCESS-TOKEN2", "access token 2"), ("user_pin", "user pin"),
        ("spin", "spin"),
        ("schlüssel", "schlüssel"), ("X", "x"), ("_", ""),
    ])
    func `a name has words, whatever separates them`(name: String, words: String) {
        let found = name.withBytes { FieldName($0).words(from: 0) }
        #expect(found.joined(separator: " ") == words)
    }

    @Test func `parts are read from a multipart body with their names`() {
        let text = "--B\r\nContent-Disposition: form-data; filename=\"f\"; name=\"a\"\r\n\r\n1\r\n--B\n\n2\n--B--\r\n"
        func lines(_ text: String) -> [String] {
            Self.lines(text) { bytes, visit in
                if let parts = Multipart.parts(of: bytes) { Multipart.read(parts, of: bytes, visit: visit) }
            }
        }
        #expect(lines(text) == ["a: 1", ": 2"])
        #expect(lines("no\r\n--no\r\n\r\n1") == [])
    }

    @Test func `cookie values are read from Cookie and Set-Cookie fields`() {
        func values(_ text: String, _ ranges: (Bytes) -> [Range<Int>]) -> [String] {
            text.withBytes { bytes in ranges(bytes).map { bytes.part($0).text } }
        }
        #expect(values("a=1; b=\"2\"; c", CookieFields.values(inCookie:)) == ["1", "2", "c"])
        let fields = "a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Path=/, b=2"
        #expect(values(fields, CookieFields.values(inSetCookie:)) == ["1", "2"])
        #expect(values("nameless; Path=/", CookieFields.values(inSetCookie:)) == ["nameless"])
    }

    @Test(arguments: [
        ("https://a:b@c.example/d?e=f#g", ["a:b", "c.example", "/d", "e=f", "g"]),
        ("https://c.example", ["-", "c.example", "", "", ""]), ("/d?e", ["-", "", "/d", "e", ""]),
        ("#/r?a=1", ["-", "", "", "", "a=1"]), ("/d?#", ["-", "", "/d", "", ""]), ("", ["-", "", "", "", ""]),
    ])
    func `a URL is split into user info, host, path, query and fragment`(text: String, expected: [String]) {
        let parts = text.withBytes { bytes in
            let url = URLFields(bytes)
            return [url.userInfo.map { bytes.part($0).text } ?? "-"]
                + [url.host, url.path, url.query, url.fragment].map { bytes.part($0).text }
        }
        #expect(parts == expected)
    }
}
