import Testing

@testable import StubbornNetwork

/// The settings that are found in texts of no format, at each border of their rules.
///
/// The names that are asked for are `password` and `token`, and the weak name `state`.
struct SettingFieldsTests {
    private static func settings(_ text: String) -> [String] {
        text.withBytes { bytes in
            var result: [String] = []
            let fields = SettingFields(bytes: bytes) { name in
                switch name.text {
                case "password", "token": true
                case "state": false
                default: nil
                }
            }
            fields.read { field in
                let names = field.names.map { bytes.part($0).text }.joined(separator: "<")
                result.append("\(names): \(bytes.part(field.value).text)\(field.isNumber ? " (number)" : "")")
                return true
            }
            return result
        }
    }

    private static let spaces = String(repeating: " ", count: 70)

    /// A text, and the value of `password` that is found in it; `nil` if none is.
    @Test(arguments: [
        // In quotation marks.
        (#"password: "hunter2""#, "hunter2"), (#"x password: "hunter2""#, "hunter2"),
        (#"password: "two words""#, "two words"),
        (#""password": "two words""#, "two words"), (#"'password' = 'two words'"#, "two words"),
        (#"password="two words""#, "two words"), (#"export password="two words""#, "two words"),
        (#"set password="two words" ; "#, "two words"), (#"env password="two words""#, "two words"),
        (#"my password="two words""#, "two words"), (#"let password = "two words" x"#, "two words"),
        ("password=\"two words\"\r\nx", "two words"),
        ("x\npassword=\"two words\"\nx", "two words"), (#"password="two words"#, nil),
        (#""password": "two words"#, "two words"),
        ("\"password\": \"two\nwords\"", "two"),
        (#""password": "two words</pre> more"#, "two words"),
        (#""password": "two<words"#, "two<words"), (#"password="""#, ""),
        // Quotation marks inside quotation marks.
        (#"{\"password\":\"two words\"}"#, "two words"), (#"{\"password\":\"two \\\"words\"}"#, #"two \\\"words"#),
        (#""password": "two \"words""#, #"two \"words"#),
        (#""password" => "two words""#, "two words"), ("password => hunter2", nil),
        // Bare: six characters with digits among them, any six where the setting is separate, or four before a semicolon.
        ("password=hunt3r", "hunt3r"), ("password=hunt3", nil), ("password=sunshine", "sunshine"),
        ("password: sunny", nil),
        ("db.password: sunshine\r\nx", "sunshine"), ("x\n  - password: sunshine  ", "sunshine"),
        ("login password=sunshine x", nil),
        ("export password=sunshine", "sunshine"), ("login password: sunshine x", nil), ("f(password=sunshine)", nil),
        ("f(password=sunshine, x)", nil),
        ("let a password = sunshine", nil), ("password=sunshine,", nil), ("password==sunshine", nil),
        ("password: sunshine of ours", nil),
        ("password: hunt3r", "hunt3r"),
        ("password:hunt3r", nil), ("password=sunn;", "sunn"), ("password=sun;", nil), ("password: sunn;", nil),
        (#""password":hunt3r"#, nil), (#""password": hunt3r"#, "hunt3r"), ("password = hunt3r", "hunt3r"),
        ("password=hunt3r&a", "hunt3r"),
        ("password=hunt3r)", "hunt3r"), ("(password=hunt3r<", "hunt3r"), ("password=hunt3r\tx", "hunt3r"),
        // Less than 64 characters between the separator and the value, up to eight between the name and the separator.
        ("password:\(spaces.prefix(62))hunt3r", "hunt3r"), ("password:\(spaces.prefix(63))hunt3r", nil),
        ("password\(spaces.prefix(8))=hunt3r", "hunt3r"), ("password\(spaces.prefix(9))=hunt3r", nil),
        // What a program computes, and the parts of an address.
        ("password=form.passw0rd", nil), ("password=form.2passw0rd", "form.2passw0rd"), ("password=hunt3r(x)", nil),
        ("password=hunt3r[0]", nil), ("password=form.pass-w0rd", "form.pass-w0rd"), ("password=hunt3r.", "hunt3r."),
        ("password=100%25ok", "100%25ok"),
    ])
    func `a password is found in a text`(text: String, value: String?) {
        #expect(Self.settings(text) == (value.map { ["password: \($0)"] } ?? []))
    }

    @Test(arguments: [
        ("password: 1", ["password: 1 (number)"]), ("password=", []),
        ("https://token:8080/", []), ("state=sunshine", []), (#"state="two words""#, []),
        ("state=sunsh1ne", ["state: sunsh1ne"]),
        (#"state="sunshine""#, ["state: sunshine"]),
    ])
    func `a number is a value, and a word under a weak name is none`(text: String, found: [String]) {
        #expect(Self.settings(text) == found)
    }

    @Test(arguments: ["password: ", "password: abc12345XYZ ", "token=\"", "password: x\"y "])
    func `one long line is read in time that grows with its length`(piece: String) {
        // The steps are the names that are looked up, and the bytes of the values that are read.
        func steps(_ count: Int) -> Int {
            String(repeating: piece, count: count).withBytes { bytes in
                var steps = 0
                let isStrong = { (_: Bytes) -> Bool? in
                    steps += 1
                    return true
                }
                SettingFields(bytes: bytes, isStrong: isStrong).read { field in
                    steps += field.value.count
                    return false
                }
                return steps
            }
        }
        let (once, twice) = (steps(2_000), steps(4_000))
        #expect(once > 0 && twice <= 2 * once + 10_000, "\(once) \(twice)")
    }

    private static let random = "9f86d081884c7d65"

    @Test(arguments: [
        ("the token \(random) has expired", true), ("the token 9f86d0818 has expired", false),
        ("token\(spaces.prefix(15))\(random)", true), ("token\(spaces.prefix(16))\(random)", false),
        ("token \(String(repeating: "a", count: 56)) \(random)", true),
        ("token \(String(repeating: "a", count: 57)) \(random)", false),
        ("token\n\(random)", false), ("token x.org/\(random)", false), ("token .\(random)", false),

        ("token @\(random)", false), ("token #\(random)", false), ("token eyJ\(random)", false),
        ("token > \(random)", false),
        ("token, \(random)", false), ("token. \(random)", false), ("token; \(random)", true),
        ("\(random) token", false),
    ])
    func `a random word behind a name is a value`(text: String, isFound: Bool) {
        #expect(Self.settings(text) == (isFound ? ["token: \(Self.random)"] : []))
    }
}
