import Foundation
import OpenAPI
import Testing

/// `stubborn check --openapi`: what a document says about an exchange.
@Suite struct ContractTests {
    /// An exchange and what is wrong with it.
    struct Breach: CustomTestStringConvertible, Sendable {
        let finding: String
        let exchange: CheckedExchange

        init(_ finding: String, _ exchange: CheckedExchange) { (self.finding, self.exchange) = (finding, exchange) }

        var testDescription: String { finding }
    }

    private static let inUser = " (#/components/schemas/User)"

    static let breaches: [Breach] = [
        // Types and values.
        Breach("response.email: must be string, is null\(inUser)", ShopAPI.reading(["email": "null"])),
        Breach("response.id: must be integer, is \"1\"\(inUser)", ShopAPI.reading(["id": "\"1\""])),
        Breach("response.id: must be integer, is 1.5\(inUser)", ShopAPI.reading(["id": "1.5"])),
        Breach("response.active: must be boolean, is 1\(inUser)", ShopAPI.reading(["active": "1"])),
        Breach("response.born: must be string or null, is 5\(inUser)", ShopAPI.reading(["born": "5"])),
        Breach("response.tags: must be array, is an object\(inUser)", ShopAPI.reading(["tags": "{}"])),
        Breach(
            "response.role: must be one of \"admin\", \"user\", null, is \"boss\"\(inUser)",
            ShopAPI.reading(["role": #""boss""#])
        ),
        Breach("response: must be object, is []\(inUser)", ShopAPI.exchange("GET /users/1", response: "[]")),
        // Numbers.
        Breach("response.id: must be at least 1, is 0\(inUser)", ShopAPI.reading(["id": "0"])),
        Breach("response.id: must be at most 1000, is 1001\(inUser)", ShopAPI.reading(["id": "1001"])),
        Breach("response.score: must be more than 0, is 0.0\(inUser)", ShopAPI.reading(["score": "0.0"])),
        Breach("response.score: must be less than 10, is 1e1\(inUser)", ShopAPI.reading(["score": "1e1"])),
        Breach("response.score: must be a multiple of 0.1, is 0.35\(inUser)", ShopAPI.reading(["score": "0.35"])),
        // Texts.
        Breach("response.name: must have at least 2 characters, has 1\(inUser)", ShopAPI.reading(["name": #""é""#])),
        Breach(
            "response.name: must have at most 5 characters, has 6\(inUser)",
            ShopAPI.reading(["name": #""Adaada""#])
        ),
        Breach("response.tags[1]: must match ^[a-z]+$, is \"B\"\(inUser)", ShopAPI.reading(["tags": #"["a", "B"]"#])),
        Breach("response.email: should be email, is \"ada\"\(inUser)", ShopAPI.reading(["email": #""ada""#])),
        Breach(
            "response.born: should be date, is \"1815-02-30\"\(inUser)",
            ShopAPI.reading(["born": #""1815-02-30""#])
        ),
        // Arrays.
        Breach("response.tags: must have at least 1 item, has 0\(inUser)", ShopAPI.reading(["tags": "[]"])),
        Breach(
            "response.tags: must have at most 3 items, has 4\(inUser)",
            ShopAPI.reading(["tags": #"["a","b","c","d"]"#])
        ),
        Breach(
            "response.tags: must have different items, but the items 0 and 2 are equal\(inUser)",
            ShopAPI.reading(["tags": #"["a","b","a"]"#])
        ),
        Breach("response.point[1]: must be number, is \"x\"\(inUser)", ShopAPI.reading(["point": #"[1, "x"]"#])),
        Breach("response.point[2]: must not be there\(inUser)", ShopAPI.reading(["point": "[1, 2, 3]"])),
        Breach(
            "response.marks: must contain 2 items that match \"contains\"\(inUser)",
            ShopAPI.reading(["marks": "[1, 2]"])
        ),
        Breach(
            "response.marks: must contain at most 3 items that match \"contains\", contains 4\(inUser)",
            ShopAPI.reading(["marks": "[1, 1, 1, 1.0]"])
        ),
        Breach(
            "response.items[1].name: must be string, is 1, and 1 more like it\(inUser)",
            ShopAPI.listing(users: [ShopAPI.user(), ShopAPI.user(["name": "1"]), ShopAPI.user(["name": "2"])])
        ),
        // Objects.
        Breach("response: must have the property \"email\"\(inUser)", ShopAPI.reading(["email": nil])),
        Breach("response.age: must not be there\(inUser)", ShopAPI.reading(["age": "3"])),
        Breach(
            "response.address: must have the property \"city\" (#/components/schemas/Address)",
            ShopAPI.reading(["address": "{}"])
        ),
        Breach("response.labels: must have at least 1 property, has 0\(inUser)", ShopAPI.reading(["labels": "{}"])),
        Breach(
            "response.labels: must have at most 2 properties, has 3\(inUser)",
            ShopAPI.reading(["labels": #"{ "a": "1", "b": "2", "c": "3" }"#])
        ),
        Breach(
            "response.labels: the name \"A\" must match ^[a-z], is \"A\"\(inUser)",
            ShopAPI.reading(["labels": #"{ "A": "1" }"#])
        ),
        Breach(
            "response.labels.n1: must be integer, is \"1\"\(inUser)",
            ShopAPI.reading(["labels": #"{ "n1": "1" }"#])
        ),
        Breach("response.labels.a: must be string, is 1\(inUser)", ShopAPI.reading(["labels": #"{ "a": 1 }"#])),
        Breach(
            "response: must have the property \"town\", because it has \"street\"\(inUser)",
            ShopAPI.reading(["street": #""Main""#])
        ),
        Breach("response: must have the property \"since\"\(inUser)", ShopAPI.reading(["role": #""admin""#])),
        Breach(
            "response.manager.manager.name: must be string, is false\(inUser)",
            ShopAPI.reading(["manager": ShopAPI.user(["manager": ShopAPI.user(["name": "false"])])])
        ),
        // Alternatives.
        Breach(
            "response.payment: must have the property \"number\" (#/components/schemas/Card)",
            ShopAPI.reading(["payment": #"{ "kind": "card" }"#])
        ),
        Breach(
            "response.payment.coins: must be integer, is \"3\" (#/components/schemas/Cash)",
            ShopAPI.reading(["payment": #"{ "kind": "cash", "coins": "3" }"#])
        ),
        Breach(
            "response.payment: matches none of the 2 schemas of oneOf: response.payment.kind must be \"cash\", is \"gold\"\(inUser)",
            ShopAPI.reading(["payment": #"{ "kind": "gold" }"#])
        ),
        Breach("response.contact: must have the property \"phone\"\(inUser)", ShopAPI.reading(["contact": "{}"])),
        Breach(
            "response.contact: matches none of the 2 schemas of anyOf: must be string, is 1\(inUser)",
            ShopAPI.reading(["contact": "1"])
        ),
        Breach(
            "response.size: must match only one schema of oneOf, matches numbers 1 and 2\(inUser)",
            ShopAPI.reading(["size": "6"])
        ),
        Breach(
            "response.nickname: must not match the schema under \"not\"\(inUser)",
            ShopAPI.reading(["nickname": #""root""#])
        ),
        // The parts of a response.
        Breach(
            "response.password: is write-only, so a response should not have it\(inUser)",
            ShopAPI.reading(["password": #""x""#])
        ),
        Breach("response: must be JSON, is not", ShopAPI.exchange("GET /users/1", response: "<html>")),
        Breach("response: must have a body", ShopAPI.exchange("GET /users/1")),
        Breach(
            "response: must be application/json, is text/html",
            ShopAPI.exchange("GET /users/1", response: "<html>", responseFields: ["Content-Type": "text/html"])
        ),
        Breach(
            "response: the document lacks the status 503, only 200",
            ShopAPI.exchange("GET /users/1", status: 503, response: "{}")
        ),
        Breach(
            "response: has a body, but the document describes none",
            ShopAPI.exchange("DELETE /users/1", status: 204, response: "{}")
        ),
        Breach("response.header.X-Total: is required, and missing", ShopAPI.listing(responseFields: [:])),
        Breach(
            "response.header.X-Total: must be integer, is \"many\"",
            ShopAPI.listing(responseFields: ["x-total": "many"])
        ),
        Breach(
            "response.header.X-Sizes[1]: must be integer, is \"b\"",
            ShopAPI.listing(responseFields: ["X-Total": "0", "X-Sizes": "1, b"])
        ),
        Breach(
            "response: must have the property \"title\"",
            ShopAPI.exchange(
                "GET /users/me",
                status: 500,
                response: "{}",
                responseFields: ["Content-Type": "application/problem+json"]
            )
        ),
        Breach(
            "response: must be integer, is \"many\"",
            ShopAPI.exchange("PUT /notes", response: "many", responseFields: ["Content-Type": "text/plain"])
        ),
        // The parts of a request.
        Breach(
            "request.path.id: must be integer, is \"x\"",
            ShopAPI.exchange("GET /users/x", response: ShopAPI.user())
        ),
        Breach("request.path.id: must be at least 1, is 0", ShopAPI.exchange("DELETE /users/0", status: 204)),
        Breach("request.query.limit: must be integer, is \"all\"", ShopAPI.listing("?limit=all")),
        Breach("request.query.limit: must be at most 100, is 101", ShopAPI.listing("?limit=101")),
        Breach("request.query.sort: must be one of \"name\", \"id\", is \"age\"", ShopAPI.listing("?sort=age")),
        Breach("request.query.tag[1]: must have at most 3 characters, has 4", ShopAPI.listing("?tag=a&tag=long")),
        Breach("request.query.ids[2]: must be integer, is \"x\"", ShopAPI.listing("?ids=1,2,x")),
        Breach(
            "request.query.filter.age: must be integer, is \"x\" (#/components/schemas/Filter)",
            ShopAPI.listing("?filter[age]=x")
        ),
        Breach(
            "request.query.filter.size: must not be there (#/components/schemas/Filter)",
            ShopAPI.listing("?filter%5Bsize%5D=1")
        ),
        Breach("request.query.where: must be object, is []", ShopAPI.listing("?where=%5B%5D")),
        Breach("request.query.page: the document lacks this parameter", ShopAPI.listing("?page=2")),
        Breach("request.header.X-Tenant: is required, and missing", ShopAPI.listing(requestFields: [:])),
        Breach("request.header.X-Tenant: must match ^t-, is \"1\"", ShopAPI.listing(requestFields: ["x-tenant": "1"])),
        Breach(
            "request.cookie.session: must have at least 4 characters, has 3",
            ShopAPI.listing(requestFields: ["X-Tenant": "t-1", "Cookie": "a=1; session=abc"])
        ),
        Breach("request: must have a body", ShopAPI.making(nil)),
        Breach("request.name: must be string, is 1\(inUser)", ShopAPI.making(ShopAPI.user(["id": nil, "name": "1"]))),
        Breach("request.id: is read-only, so a request should not have it\(inUser)", ShopAPI.making(ShopAPI.user())),
        Breach(
            "request: must be application/json, application/x-www-form-urlencoded, is text/plain",
            ShopAPI.making("a", requestFields: ["Content-Type": "text/plain"])
        ),
        Breach(
            "request.age: must be integer, is \"old\"",
            ShopAPI.making("age=old", requestFields: ["Content-Type": "application/x-www-form-urlencoded"])
        ),
        Breach(
            "request: has a body, but the document describes none",
            ShopAPI.exchange("DELETE /users/1", request: "{}", status: 204)
        ),
        Breach("request: the document has only GET, POST for this path", ShopAPI.exchange("PATCH /users")),
        Breach("request: the document lacks this path", ShopAPI.exchange("GET /orders")),
    ]

    @Test func `the document is broken in more than fifty places`() {
        #expect(Set(Self.breaches.map(\.finding)).count == Self.breaches.count)
        #expect(Self.breaches.count >= 50)
    }

    @Test(arguments: breaches)
    func `an exchange that violates the document in one place has one finding, which says where and why`(breach: Breach)
        throws
    {
        #expect(try ShopAPI.findings(breach.exchange) == [breach.finding])
    }

    @Test(arguments: [
        ShopAPI.reading(),
        ShopAPI.reading(["born": "null", "role": "null", "score": "0.3", "tags": #"["a"]"#, "point": "[1, 2.5]"]),
        ShopAPI.reading(["id": "1.0", "name": #""e\u0301a""#, "marks": "[1, 1.0, 2]", "size": "8", "contact": #""x""#]),
        ShopAPI.reading([
            "payment": #"{ "kind": "cash", "coins": 3 }"#, "manager": ShopAPI.user(), "email": #""é@example.com""#,
        ]),
        ShopAPI.listing("?limit=5&sort=name&tag=a&tag=b&ids=1,2&filter%5Bage%5D=3&filter%5Bcity%5D=Rome&where=%7B%7D"),
        ShopAPI.listing(
            requestFields: ["X-TENANT": "t-1", "Cookie": "session=abcd"],
            responseFields: ["X-TOTAL": "12"]
        ),
        ShopAPI.making(ShopAPI.user(["id": nil, "password": #""secret""#])),
        ShopAPI.making("age=3", requestFields: ["Content-Type": "application/x-www-form-urlencoded"]),
        // The server refused the request, so the request may be wrong.
        ShopAPI.making(
            "nonsense",
            status: 422,
            response: #"{ "title": "No" }"#,
            responseFields: ["Content-Type": "application/problem+json"]
        ),
        // A concrete path comes before a template, and a range of statuses or types counts.
        ShopAPI.exchange("GET /users/me", response: ShopAPI.user()),
        ShopAPI.exchange("DELETE /users/1", status: 204),
        ShopAPI.exchange("GET https://us.shop.example.com/v2/users/1", response: ShopAPI.user()),
        ShopAPI.exchange("GET https://API.example.com:443/v1/users/%31", response: ShopAPI.user()),
        ShopAPI.exchange("GET /reports/2026%2F01.csv", response: "a,b", responseFields: ["Content-Type": "text/csv"]),
        ShopAPI.exchange(
            "PUT /notes",
            request: "hi",
            requestFields: ["Content-Type": "text/plain"],
            response: "5",
            responseFields: ["Content-Type": "text/plain"]
        ),
    ])
    func `an exchange that keeps to the document has no finding`(exchange: CheckedExchange) throws {
        #expect(try ShopAPI.findings(exchange) == [])
    }

    @Test func `a placeholder stands for any value of any type, in every part of an exchange`() throws {
        var exchange = ShopAPI.exchange(
            "GET /users/REDACTED-id-1?limit=REDACTED-limit-1",
            response: ShopAPI.user(["email": #""REDACTED-email-1""#, "role": #""REDACTED-role-1""#, "id": "999999"])
        )
        #expect(try ShopAPI.findings(exchange).count == 5)
        exchange.isPlaceholder = { value, isNumber, _ in isNumber ? value == "999999" : value.hasPrefix("REDACTED") }
        let findings = try ShopAPI.findings(exchange)
        #expect(findings == ["request.query.limit: the document lacks this parameter"])
    }

    @Test func `the host, the port and the beginning of the path say which requests belong to the document`() throws {
        let check = ContractCheck(try APIDocument(Data(ShopAPI.document.utf8)))
        let places: [(String, ContractCheck.Place)] = [
            ("https://api.example.com/v1/users/1", .operation("GET /users/{id}")),
            ("https://api.example.com/v1/users/me", .operation("GET /users/me")),
            ("https://api.example.com/v1/users/", .undocumented),
            ("https://api.example.com:8443/v1/users", .elsewhere("api.example.com")),
            ("https://api.example.com/v2/users", .elsewhere("api.example.com")),
            ("https://us.shop.example.com/v3/users", .elsewhere("us.shop.example.com")),
            ("https://cdn.example.com/users", .elsewhere("cdn.example.com")),
        ]
        for (url, place) in places { #expect(check.check(ShopAPI.exchange("GET \(url)")).place == place, "\(url)") }
        #expect(
            check.uncovered == [
                "PUT /notes", "GET /reports/{name}.csv", "GET /users", "POST /users", "DELETE /users/{id}",
            ]
        )
        let local = ShopAPI.exchange("GET http://localhost:8080/api/users/1", response: ShopAPI.user(["id": "0"]))
        #expect(
            try ShopAPI.findings(local, servers: ["http://localhost:8080/api"]) == [
                "response.id: must be at least 1, is 0\(Self.inUser)"
            ]
        )
    }

    @Test func `OpenAPI 3_0 has its own dialect`() throws {
        let document = """
            openapi: "3.0.3"
            info: { title: Old, version: "1" }
            paths:
              /a:
                get:
                  responses:
                    "200":
                      description: All.
                      content:
                        application/json:
                          schema:
                            type: object
                            properties:
                              text: { type: string, nullable: true }
                              plain: { type: string }
                              low: { type: number, minimum: 1, exclusiveMinimum: true }
                              high: { type: number, maximum: 9, exclusiveMaximum: false }
                              whole: { type: integer }
                              other: { $ref: '#/components/schemas/Text', nullable: true }
                              fixed: { const: 1 }
            components: { schemas: { Text: { type: string } } }
            """
        func findings(_ json: String) throws -> [String] {
            try ShopAPI.findings(ShopAPI.exchange("GET https://old.example.com/a", response: json), document)
        }
        #expect(try findings(#"{ "text": null, "low": 1.1, "high": 9, "whole": 2, "fixed": 2 }"#) == [])
        #expect(try findings(#"{ "plain": null }"#) == ["response.plain: must be string, is null"])
        #expect(try findings(#"{ "low": 1 }"#) == ["response.low: must be more than 1, is 1"])
        // An integer is written without a fraction, and nothing next to a $ref counts.
        #expect(try findings(#"{ "whole": 2.0 }"#) == ["response.whole: must be integer, is 2.0"])
        #expect(
            try findings(#"{ "other": null }"#) == [
                "response.other: must be string, is null (#/components/schemas/Text)"
            ]
        )
        let check = ContractCheck(try APIDocument(Data(document.utf8)))
        _ = check.check(ShopAPI.exchange("GET http://localhost:80/a", response: #"{ "fixed": 2 }"#))
        #expect(check.notes == ["The keyword const is not part of OpenAPI 3.0, and was not checked."])
    }
}
