import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@_spi(Tools) @testable import OpenAPI

/// JSON Schema, by values that are close to a limit.
@Suite struct SchemaTests {
    /// Returns a Boolean value that indicates whether a value is valid, and what was not checked.
    private func judge(_ value: String, _ schema: String, _ dialect: SchemaCheck.Dialect = .draft2020) throws -> (
        Bool, [String]
    ) {
        let schema = try JSONContent(Data(schema.utf8))
        let check = SchemaCheck(SchemaResources(schema), dialect: dialect)
        check.maximumSteps = 20_000
        let findings = check.findings(try JSONContent(Data(value.utf8)), schema, at: ValuePath("value"))
        return (findings.isEmpty, check.notes.sorted())
    }

    @Test(arguments: [
        ("0.3", #"{ "multipleOf": 0.1 }"#, true), ("19.99", #"{ "multipleOf": 0.01 }"#, true),
        ("1e308", #"{ "multipleOf": 0.5 }"#, true), ("1e1000000000", #"{ "multipleOf": 7 }"#, false),
        ("7e1000000000", #"{ "multipleOf": 7 }"#, true), ("0", #"{ "multipleOf": 7 }"#, true),
        ("-14", #"{ "multipleOf": 7 }"#, true), ("5", #"{ "multipleOf": 10 }"#, false),
        ("12345678901234567891", #"{ "type": "integer" }"#, true), ("1e2", #"{ "type": "integer" }"#, true),
        ("1e-2", #"{ "type": "integer" }"#, false), ("100e-2", #"{ "type": "integer" }"#, true),
        ("9007199254740993", #"{ "maximum": 9007199254740992 }"#, false), ("-0", #"{ "minimum": 0 }"#, true),
        ("1e400", #"{ "exclusiveMaximum": 1e400 }"#, false), ("1.10", #"{ "const": 1.1 }"#, true),
        ("9007199254740993", #"{ "const": 9007199254740992 }"#, false),
        ("[1, 1.0]", #"{ "uniqueItems": true }"#, false), (#"[1, "1", true]"#, #"{ "uniqueItems": true }"#, true),
        (#"[{ "a": 1, "b": 2 }, { "b": 2.0, "a": 1 }]"#, #"{ "uniqueItems": true }"#, false),
    ])
    func `numbers are compared as they are written, without rounding`(value: String, schema: String, isValid: Bool)
        throws
    {
        #expect(try judge(value, schema).0 == isValid)
    }

    @Test(arguments: [
        (#""é""#, #"{ "maxLength": 1 }"#, true), (#""e\u0301""#, #"{ "maxLength": 1 }"#, false),
        (#""👩‍👩‍👧""#, #"{ "minLength": 5 }"#, true), (#""e\u0301""#, #"{ "const": "é" }"#, false),
        ("\"a\\n\"", #"{ "pattern": "a$" }"#, false), (#""٣""#, #"{ "pattern": "^\\d$" }"#, false),
        (#""é""#, #"{ "pattern": "^\\w$" }"#, false), (#""\ufeff""#, #"{ "pattern": "^\\s$" }"#, true),
        (#""a[b""#, #"{ "pattern": "^[a[b]+$" }"#, true), (#""{a}""#, #"{ "pattern": "^{a}$" }"#, true),
        (#""aa""#, #"{ "pattern": "^a{2}$" }"#, true), (#""é""#, #"{ "pattern": "^\\p{Letter}$" }"#, true),
        (#""😀""#, #"{ "pattern": "^\\uD83D\\uDE00$" }"#, true), (#""x""#, #"{ "pattern": "[^]" }"#, true),
        (#""xay""#, #"{ "pattern": "a" }"#, true), (#""a\u0085""#, #"{ "pattern": "^a.$" }"#, true),
    ])
    func `texts are counted and compared by code points, and patterns are ECMAScript's`(
        value: String,
        schema: String,
        isValid: Bool
    ) throws {
        let (result, notes) = try judge(value, schema)
        #expect(result == isValid)
        #expect(notes == [])
    }

    @Test(arguments: [
        (#"{ "pattern": "^(a+)+$" }"#, "\"\(String(repeating: "a", count: 60))b\"", "takes too long"),
        (#"{ "pattern": "^(a|b)*$" }"#, "\"\(String(repeating: "ab", count: 1_000_000))\"", "takes too long"),
        (#"{ "pattern": "(" }"#, "\"a\"", "cannot be read as a regular expression"),
        (##"{ "$ref": "#" }"##, "1", "leads back to itself"),
        (##"{ "$ref": "#/nowhere" }"##, "1", "leads nowhere"),
        (#"{ "$ref": "other.yaml#/a" }"#, "1", "leads out of the document"),
        (#"{ "items": 5 }"#, "[1]", "neither an object nor a Boolean value"),
        (#"{ "multipleOf": 0 }"#, "1", "more than 18 digits, or is 0"),
        (
            ##"{ "$defs": { "a": { "allOf": [{ "properties": { "x": { "$ref": "#/$defs/a" } } }, { "properties": { "x": { "$ref": "#/$defs/a" } } }] } }, "$ref": "#/$defs/a" }"##,
            String(repeating: #"{ "x": "#, count: 60) + "1" + String(repeating: "}", count: 60), "too complex"
        ),
    ])
    func `a schema that cannot be judged is valid, and is said`(schema: String, value: String, note: String) throws {
        let (isValid, notes) = try judge(value, schema)
        #expect(isValid)
        #expect(notes.count == 1 && notes.allSatisfy { $0.contains(note) }, "\(notes)")
    }

    @Test(arguments: [
        ("date-time", "2026-01-31T23:59:59.123+02:00", true), ("date-time", "2026-02-29T00:00:00Z", false),
        ("date-time", "2026-01-31 00:00:00Z", false), ("date", "2024-02-29", true), ("time", "23:59:60Z", true),
        ("time", "22:59:60Z", false), ("duration", "P1Y2M3DT4H", true), ("duration", "P1Y3D", false),
        ("uuid", "5ec2e700-0000-4000-8000-000000000001", true), ("uuid", "5ec2e700", false),
        ("ipv4", "255.1.0.0", true),
        ("ipv4", "256.1.0.0", false), ("ipv6", "::1", true), ("ipv6", "1::2::3", false),
        ("ipv6", "::ffff:1.2.3.4", true),
        ("hostname", "a-b.example", true), ("hostname", "-a", false), ("uri", "https://a.b/c?d#e", true),
        ("uri", "/a", false),
        ("uri-reference", "/a", true), ("byte", "YWJj", true), ("byte", "YWJ", false), ("json-pointer", "/a~1b", true),
        ("json-pointer", "/a~2", false), ("regex", "a+", true), ("regex", "(", false), ("unknown", "anything", true),
    ])
    func `a format is a remark`(format: String, text: String, isValid: Bool) throws {
        let schema = try JSONContent(Data(#"{ "format": "\#(format)" }"#.utf8))
        let check = SchemaCheck(SchemaResources(schema), dialect: .draft2020)
        let kinds = check.findings(.string(text), schema, at: ValuePath("value")).map(\.kind)
        #expect(kinds == (isValid ? [] : [.remark]))
    }

    /// The official tests, if the variable names their folder: github.com/json-schema-org/JSON-Schema-Test-Suite.
    @Test(.enabled(if: suite != nil))
    func `the required tests of the JSON Schema Test Suite agree`() throws {
        let suite = URL(fileURLWithPath: try #require(Self.suite))
        var others: [String: JSONContent] = [:]
        for file in Self.files(in: suite.appendingPathComponent("remotes"), deep: true) {
            let path = file.path.components(separatedBy: "/remotes/").last ?? ""
            others["http://localhost:1234/\(path)"] = try? JSONContent(Data(contentsOf: file))
        }
        var count = 0
        var different: [String] = []
        for file in Self.files(in: suite.appendingPathComponent("tests/draft2020-12"), deep: false) {
            for group in try JSONContent(Data(contentsOf: file)).elements ?? [] {
                guard let schema = group["schema"] else { continue }
                for test in group["tests"]?.elements ?? [] {
                    let check = SchemaCheck(SchemaResources(schema, others: others), dialect: .draft2020)
                    let findings = check.findings(try #require(test["data"]), schema, at: ValuePath("value"))
                    count += 1
                    guard findings.contains(where: { $0.kind == .violation }) == test["valid"]?.isTrue else { continue }
                    different.append("\(group["description"]?.text ?? ""): \(test["description"]?.text ?? "")")
                }
            }
        }
        #expect(count > 1_000)
        // They need the schema of schemas, which no document of an API has, and a vocabulary of its own.
        #expect(
            different.sorted() == [
                "remote ref, containing refs itself: remote ref invalid",
                "schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates",
                "validate definition against metaschema: invalid definition schema",
            ]
        )
    }

    private static let suite = ProcessInfo.processInfo.environment["STUBBORN_NETWORK_JSON_SCHEMA_TESTS"]

    private static func files(in folder: URL, deep: Bool) -> [URL] {
        let names = deep ? FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } : nil
        let all = names ?? (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".json") }.sorted().map { folder.appendingPathComponent($0) }
    }
}
