import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@_spi(Tools) @testable import OpenAPI

/// The reading of OpenAPI documents.
@Suite struct APIDocumentTests {
    @Test(arguments: [
        ("200: a\n'201': b\n4XX: c", #"{ "200": "a", "201": "b", "4XX": "c" }"#),
        ("a: 2026-01-31\nb: yes\nc: 12:30\nd: on", #"{ "a": "2026-01-31", "b": "yes", "c": "12:30", "d": "on" }"#),
        ("[true, False, ~, null, '', \"1\", !!str 2, \"true\"]", #"[true, false, null, null, "", "1", "2", "true"]"#),
        (
            "[007, +5, -0.50, .5, 5., 1e3, 0x1F, 0o17, 1.2.3, -, .inf]",
            #"[7, 5, -0.50, 0.5, 5.0, 1e3, 31, 15, "1.2.3", "-", ".inf"]"#
        ),
        (
            "a: &x { b: 1, c: 2 }\nd: *x\ne: { <<: *x, c: 3 }",
            #"{ "a": {"b":1,"c":2}, "d": {"b":1,"c":2}, "e": {"b":1,"c":3} }"#
        ),
        ("a: { <<: [{ b: 1 }, { b: 2, c: 3 }] }", #"{ "a": { "b": 1, "c": 3 } }"#),
        ("a: |\n  x\n  y\nb: >\n  x\n  y\n", #"{ "a": "x\ny\n", "b": "x y\n" }"#),
        ("true: 1\n~: 2", #"{ "true": 1, "~": 2 }"#),
    ])
    func `YAML is read by its core schema, with texts as keys, aliases and merged mappings`(yaml: String, json: String)
        throws
    {
        #expect(try YAMLReader.read(yaml).canonical == JSONContent(Data(json.utf8)).canonical)
    }

    private static let bomb = (0..<9).reduce("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n") { text, level in
        text + "a\(level + 1): &a\(level + 1) [\(Array(repeating: "*a\(level)", count: 10).joined(separator: ", "))]\n"
    }

    @Test(arguments: [
        ("", "The document is empty."), (" \n\t", "The document is empty."), ("# nothing\n", "The document is empty."),
        ("openapi", "The document is not an object"), ("- a", "The document is not an object"),
        ("a: [", "The document is not YAML. Line 2: did not find expected node content."),
        ("a: 1\na: 2", "The document is not YAML. Line 1: the key a is there twice."),
        ("a: *b", "found undefined alias"), ("[a]: 1", "A key of a mapping is not a string."),
        ("{ \"openapi\": \"3.1.0\", }x", "The document is not JSON. Line 1: expected"),
        ("info: {}", "has no member \"openapi\""),
        ("swagger: '2.0'\npaths: {}", "The document is Swagger 2.0. Convert it"),
        ("openapi: 2.5.0\npaths: {}", "The document is OpenAPI 2.5.0. Only 3.0 and 3.1 can be read."),
        (
            "openapi: 3.2.0\npaths: { /a: { query: {} } }",
            "The document is OpenAPI 3.2.0. Only 3.0 and 3.1 can be read."
        ),
        (
            "openapi: 3.0.3\npaths: { /a: { $ref: 'paths/a.yml' } }",
            "has paths in other files, such as paths/a.yml. Bundle"
        ),
        (
            "openapi: 3.1.0\npaths: { /a: { get: {}, put: { $ref: 'b.json#/put' } } }",
            "such as b.json#/put. Bundle it into"
        ),
        ("openapi: 3.1.0\npaths: { $ref: 'paths.yml' }", "such as paths.yml. Bundle it into"),
        ("openapi: 3.10.0\npaths: { /a: { get: {} } }", "The document is OpenAPI 3.10.0."),
        ("openapi: 3.1.0", "has no operations under \"paths\""), ("openapi: 3.1.0\npaths: 5", "has no operations"),
        ("openapi: 3.1.0\npaths: { /a: { get: 5 } }", "has no operations"),
        ("openapi: 3.1.0\npaths: { /a: { $ref: '#/paths/~1a' } }", "has no operations"),
        ("\(String(repeating: "- ", count: 20_000))a", "Maximum nesting level reached"),
        ("\(String(repeating: "[", count: 20_000))", "Maximum nesting level reached"),
        ("{\"a\": \(String(repeating: "[", count: 20_000))", "The document is not JSON. Line 1: expected"),
        (bomb, "more than 1000000 values, because its aliases repeat each other"),
    ])
    func `a document that cannot be used is an error that says why`(text: String, message: String) {
        let error = #expect(throws: DocumentError.self) { try APIDocument(Data(text.utf8)) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func `UTF-16 and a byte-order mark are read, and bytes that are not text are an error`() throws {
        let text = "openapi: 3.1.0\npaths: { /ä: { get: {} } }"
        for data in [
            Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8),
            Data([0xFE, 0xFF]) + (text.data(using: .utf16BigEndian) ?? Data()),
        ] {
            #expect(try APIDocument(data).operations.map(\.name) == ["GET /ä"])
        }
        #expect(throws: DocumentError.self) { try APIDocument(Data([0x61, 0xFF, 0x62])) }
    }

    @Test func `references lead to parts of every kind, with escapes`() throws {
        let document = """
            openapi: 3.1.0
            paths:
              /a~b/{x}:
                $ref: '#/components/pathItems/Item'
            components:
              pathItems:
                Item:
                  get:
                    parameters: [{ $ref: '#/components/parameters/a~1b%20c' }]
                    responses: { 200: { $ref: '#/components/responses/Fine' } }
              parameters:
                a/b c: { name: x, in: path, required: true, schema: { $ref: '#/components/schemas/N~0~1%C3%A9' } }
              responses:
                Fine:
                  description: Fine.
                  headers: { X-A: { $ref: '#/components/headers/A' } }
                  content: { application/json: { schema: { $anchor: loop, properties: { next: { $ref: '#loop' } }, type: object } } }
              headers: { A: { schema: { type: integer } } }
              schemas: { 'N~/é': { type: integer } }
            """
        let exchange = ShopAPI.exchange(
            "GET https://x.example.com/a~b/z",
            response: #"{ "next": { "next": 5 } }"#,
            responseFields: ["X-A": "b"]
        )
        #expect(
            try ShopAPI.findings(exchange, document) == [
                "request.path.x: must be integer, is \"z\" (#/components/schemas/N~0~1%C3%A9)",
                "response.header.X-A: must be integer, is \"b\"",
                "response.next.next: must be object, is 5 (#loop)",
            ]
        )
    }

    /// Pets by their kind; the names of the schemas are not its values.
    private static func pets(_ keyword: String, _ discriminator: String) -> String {
        """
        openapi: 3.1.0
        paths: { /pet: { get: { responses: { 200: { description: d, content: { application/json: { schema:
          { \(keyword): [{ $ref: '#/components/schemas/Small' }, { $ref: '#/components/schemas/Large' }], discriminator: \(discriminator) }
        } } } } } } }
        components:
          schemas:
            Small: { type: object, required: [kind, age], properties: { kind: { const: hamster }, age: { type: integer } } }
            Large: { type: object, required: [kind, age], properties: { kind: { const: horse }, age: { type: number } } }
        """
    }

    @Test(
        arguments: ["oneOf", "anyOf"],
        ["{ propertyName: kind }", "{ propertyName: kind, mapping: { horse: Small } }"]
    )
    func `a discriminator does not change whether a value is valid`(keyword: String, discriminator: String) throws {
        func findings(_ pet: String) throws -> [String] {
            try ShopAPI.findings(
                ShopAPI.exchange("GET https://a.example/pet", response: pet),
                Self.pets(keyword, discriminator)
            )
        }
        #expect(try findings(#"{ "kind": "horse", "age": 1.5 }"#) == [])
        #expect(try findings(#"{ "kind": "hamster", "age": 2 }"#) == [])
        #expect(try !findings(#"{ "kind": "hamster", "age": 1.5 }"#).isEmpty)
        #expect(try !findings(#"{ "kind": "Small", "age": 1 }"#).isEmpty)
    }

    @Test func `operations of one path that a document tells apart by more than the path are tried in turn`() throws {
        let document = """
            openapi: 3.0.3
            paths:
              /items: { get: { responses: { 200: { description: d, content: { application/json: { schema: { type: array } } } } } } }
              /items#count: { get: { responses: { 200: { description: d, content: { application/json: { schema: { type: integer } } } } } } }
              /items?as=text: { get: { responses: { 200: { description: d, content: { application/json: { schema: { type: string } } } } } } }
            """
        for body in ["[]", "3", "\"a\""] {
            #expect(
                try ShopAPI.findings(ShopAPI.exchange("GET https://a.example/items", response: body), document) == []
            )
        }
        let wrong = ShopAPI.exchange("GET https://a.example/items", response: "true")
        #expect(try ShopAPI.findings(wrong, document).count == 1)
    }

    @Test func `the address of a server is a URL`() {
        let text = Data("openapi: 3.1.0\npaths: { /a: { get: {} } }".utf8)
        let error = #expect(throws: DocumentError.self) { try APIDocument(text, servers: ["staging"]) }
        #expect(error?.message.contains("staging is not the URL of a server.") == true)
    }
}
