import Testing

@testable import StubbornNetwork

/// What the readers of the formats find in a text: names and values, as they are written.
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
            ["value<token: x", "id: y", "raw<list: z"]
        ),
        (
            #"[{"name":"pin","value":"x"},{"value":"y","name":"otp"}]"#,
            ["name: pin", "value<pin: x", "value: y", "name: otp"]
        ),
        (
            #"{"t":{"value":"1","raw":"2","plain":"3","text":"4","access":"5","refresh":"6","other":"7"}}"#,
            ["value<t: 1", "raw<t: 2", "plain<t: 3", "text<t: 4", "access<t: 5", "refresh<t: 6", "other: 7"]
        ),
        (#"{"a":"1"}{"b":"2"} ["3"]"#, ["a: 1", "b: 2", ": 3"]),
        (#"{"a":"x","b":"y"#, ["a: x"]),
        (#"{"a\u0062":"x\ny"}"#, [#"a\u0062: x\ny"#]),
    ])
    func `strings and numbers are read from JSON with their keys`(text: String, expected: [String]) {
        #expect(Self.lines(text) { _ = JSONFields.read($0, visit: $1) } == expected)
    }

    @Test(arguments: [
        ("event: a\ndata: {\"token\":\"x\"}\n\ndata:[\"y\"]\n", "token: x, : y")
    ])
    func `JSON is read in the lines of events`(text: String, expected: String) {
        let lines = Self.lines(text) { _ = TextFormat($0).read(describesNested: { _ in false }, visit: $1) }
        // The last is the text itself.
        #expect(lines.dropLast().joined(separator: ", ") == expected)
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

    @Test(arguments: [
        ("<r><a:pin>1</a:pin><b/></r>", ["pin: 1"]), ("<r a='1' b=\"2\" c=3>", ["a: 1", "b: 2", "c: 3"]),
        ("<input name=\"pin\" value=\"1\">", ["name: pin", "value<pin: 1"]),
        ("<key>pin</key> <string>1</string><string>2</string>", ["pin<string: 1", "string: 2"]),
        ("<name>pin</name><value><string>1</string></value>", ["pin<string: 1"]),
        ("<name>Ann</name><pin><![CDATA[1&2]]></pin>", ["pin: 1&2"]), ("<pin>1", ["pin: 1"]), ("<<>< a<", []),
    ])
    func `texts and attributes are read from XML`(text: String, expected: [String]) {
        #expect(Self.lines(text) { XMLFields.read($0, visit: $1) } == expected)
    }

    @Test func `a text in XML has the nearest name around it that describes it`() {
        let xml = "<token><password><v>1</v></password><v>2</v></token><v>3</v>"
        var found: [String] = []
        xml.withBytes { bytes in
            XMLFields.read(bytes, describesNested: { bytes.part($0).count > 1 }) { field in
                found.append(bytes.part(field.value).text + " " + (field.outerName.map { bytes.part($0).text } ?? "-"))
            }
        }
        #expect(found == ["1 password", "2 token", "3 -"])
    }

    @Test(arguments: [
        ("pin: \"1 2\", key='x'; a = b1c2d3", ["key: x", "a: b1c2d3"]),
        ("PIN=1234\nKEY=abcd", ["PIN: 1234 (number)"]), ("\"pin\": 12", ["pin: 12 (number)"]),
        ("pin=a.b1(c)", []), ("pin = 1v.key2x", ["pin: 1v.key2x"]),
        ("pin = abcd;", ["pin: abcd"]), ("pin = abc;", []), ("pin: abcd;", []),
        (#"{\"key\":\"x\"}"#, ["key: x"]),
        ("key: a1b2c3 and more", ["key: a1b2c3"]), ("'pin' => '1 2'", ["pin: 1 2"]),
    ])
    func `names and values are read from settings in plain text`(text: String, expected: [String]) {
        #expect(Self.settings(text) { _ in false } == expected)
    }

    private static func settings(
        _ text: String,
        areUsed: Bool = true,
        _ isStrong: @escaping (Bytes) -> Bool?
    ) -> [String] {
        lines(text) { bytes, visit in
            SettingFields(bytes: bytes, isStrong: isStrong).read {
                visit($0)
                return areUsed
            }
        }
    }

    @Test(arguments: [
        ("key a b c", true), ("key a b c d", false), (String(repeating: "- ", count: 60) + "key a", true),
    ])
    func `a random word is the value of one of the four words before it`(text: String, isFound: Bool) {
        let lines = Self.settings("\(text) 9f86d081884c7d65") { $0.text == "key" ? true : nil }
        #expect(lines == (isFound ? ["key: 9f86d081884c7d65"] : []))
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

    @Test func `settings inside a value are read if the value is short and not used itself`() {
        #expect(Self.settings("a=b=c1d2e3") { _ in true } == ["a: b=c1d2e3"])
        #expect(Self.settings("a=b=c1d2e3", areUsed: false) { _ in true } == ["a: b=c1d2e3", "b: c1d2e3"])
        let long = String(repeating: "a1=", count: 4_000)
        #expect(Self.settings(long, areUsed: false) { _ in true }.count == 3)
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
