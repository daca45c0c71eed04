import Foundation
import OpenAPI

/// The OpenAPI document of an API that the tests break, and exchanges with it.
enum ShopAPI {
    static let document = """
        openapi: 3.1.0
        info: { title: Shop, version: 1.0.0 }
        servers:
          - url: https://api.example.com/v1
          - url: https://{region}.shop.example.com/{version}
            variables:
              region: { default: eu }
              version: { default: v1, enum: [v1, v2] }
        paths:
          /users:
            get:
              parameters:
                - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100 } }
                - { name: sort, in: query, schema: { enum: [name, id] } }
                - { name: tag, in: query, schema: { type: array, items: { type: string, maxLength: 3 } } }
                - { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer } } }
                - { name: filter, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Filter' } }
                - { name: where, in: query, content: { application/json: { schema: { type: object } } } }
                - $ref: '#/components/parameters/Tenant'
                - { name: session, in: cookie, schema: { type: string, minLength: 4 } }
              responses:
                200:
                  description: The users.
                  headers:
                    X-Total: { required: true, schema: { type: integer } }
                    X-Sizes: { schema: { type: array, items: { type: integer } } }
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [items]
                        properties:
                          items: { type: array, items: { $ref: '#/components/schemas/User' } }
            post:
              requestBody:
                required: true
                content:
                  application/json: { schema: { $ref: '#/components/schemas/User' } }
                  application/x-www-form-urlencoded:
                    schema: { type: object, properties: { age: { type: integer } } }
              responses:
                '201': { description: Made., content: { application/json: { schema: { $ref: '#/components/schemas/User' } } } }
                4XX: { $ref: '#/components/responses/Problem' }
          /users/me:
            get:
              responses:
                200: { description: Me., content: { 'application/*': { schema: { $ref: '#/components/schemas/User' } } } }
                default: { $ref: '#/components/responses/Problem' }
          /users/{id}:
            parameters:
              - { name: id, in: path, required: true, schema: { type: integer, minimum: 1 } }
            get:
              responses:
                200: { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/User' } } } }
            delete:
              responses:
                204: { description: Gone. }
          /reports/{name}.csv:
            get:
              responses:
                200: { description: Text., content: { text/csv: { schema: { type: string } } } }
          /notes:
            put:
              requestBody: { content: { text/plain: { schema: { type: string, maxLength: 5 } } } }
              responses:
                200: { description: Kept., content: { text/plain: { schema: { type: integer } } } }
        components:
          parameters:
            Tenant: { name: X-Tenant, in: header, required: true, schema: { type: string, pattern: '^t-' } }
          responses:
            Problem:
              description: A problem.
              content:
                application/problem+json:
                  schema: { type: object, required: [title], properties: { title: { type: string } } }
          schemas:
            Filter:
              type: object
              additionalProperties: false
              properties: { age: { type: integer }, city: { type: string } }
            Address: { type: object, required: [city], properties: { city: { type: string } } }
            Card: { type: object, required: [kind, number], properties: { kind: { const: card }, number: { type: string } } }
            Cash: { type: object, required: [kind], properties: { kind: { const: cash }, coins: { type: integer } } }
            User:
              type: object
              required: [id, name, email]
              additionalProperties: false
              dependentRequired: { street: [town] }
              if: { properties: { role: { const: admin } }, required: [role] }
              then: { required: [since] }
              properties:
                id: { type: integer, minimum: 1, maximum: 1000, readOnly: true }
                name: { type: string, minLength: 2, maxLength: 5 }
                email: { type: string, format: email }
                born: { type: [string, 'null'], format: date }
                role: { enum: [admin, user, null] }
                since: { type: integer }
                tags: { type: array, minItems: 1, maxItems: 3, uniqueItems: true, items: { type: string, pattern: '^[a-z]+$' } }
                score: { type: number, multipleOf: 0.1, exclusiveMinimum: 0, exclusiveMaximum: 10 }
                address: { $ref: '#/components/schemas/Address' }
                password: { type: string, writeOnly: true }
                point: { type: array, prefixItems: [{ type: number }, { type: number }], items: false }
                labels:
                  type: object
                  minProperties: 1
                  maxProperties: 2
                  propertyNames: { pattern: '^[a-z]' }
                  patternProperties: { '^n': { type: integer } }
                  additionalProperties: { type: string }
                payment:
                  oneOf: [{ $ref: '#/components/schemas/Card' }, { $ref: '#/components/schemas/Cash' }]
                  discriminator: { propertyName: kind, mapping: { card: '#/components/schemas/Card', cash: Cash } }
                contact: { anyOf: [{ type: string }, { type: object, required: [phone] }] }
                size: { oneOf: [{ type: number, minimum: 5 }, { type: number, maximum: 7 }] }
                nickname: { not: { const: root } }
                marks: { type: array, contains: { const: 1 }, minContains: 2, maxContains: 3 }
                manager: { $ref: '#/components/schemas/User' }
                street: { type: string }
                town: { type: string }
                active: { type: boolean }

        """

    /// Returns the members of a user as JSON, with some others in their places; `nil` takes one away.
    static func user(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String?] = ["id": "1", "name": #""Ada""#, "email": #""ada@example.com""#]
        members.merge(changes) { $1 }
        let list = members.compactMapValues(\.self).sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        return "{ \(list.joined(separator: ", ")) }"
    }

    /// Returns an exchange with the API.
    ///
    /// - Parameters:
    ///   - line: The method and the target: `GET /users/1`.
    ///   - request: The body of the request, in JSON unless the fields say otherwise.
    ///   - requestFields: The header fields of the request.
    ///   - status: The status of the response.
    ///   - response: The body of the response, in JSON unless the fields say otherwise.
    ///   - responseFields: The header fields of the response.
    /// - Returns: The exchange.
    static func exchange(
        _ line: String,
        request: String? = nil,
        requestFields: [String: String] = [:],
        status: Int = 200,
        response: String? = nil,
        responseFields: [String: String] = [:]
    ) -> CheckedExchange {
        let parts = line.components(separatedBy: " ")
        let url = parts[1].hasPrefix("/") ? "https://api.example.com/v1\(parts[1])" : parts[1]
        var exchange = CheckedExchange(method: parts[0], url: URL(string: url) ?? URL(fileURLWithPath: "/"))
        func fields(_ fields: [String: String], _ body: String?) -> [CheckedExchange.Field] {
            let standard = body == nil ? [:] : ["Content-Type": "application/json; charset=utf-8"]
            return standard.merging(fields) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
        exchange.requestFields = fields(requestFields, request)
        exchange.requestBody = request.map { Data($0.utf8) }
        exchange.status = status
        exchange.responseFields = fields(responseFields, response)
        exchange.responseBody = response.map { Data($0.utf8) }
        return exchange
    }

    /// Returns an exchange that reads one user.
    static func reading(_ changes: [String: String?] = [:]) -> CheckedExchange {
        exchange("GET /users/1", response: user(changes))
    }

    /// Returns an exchange that lists users.
    static func listing(
        _ query: String = "",
        requestFields: [String: String] = ["X-Tenant": "t-1"],
        users: [String] = [],
        responseFields: [String: String] = ["X-Total": "0"]
    ) -> CheckedExchange {
        exchange(
            "GET /users\(query)",
            requestFields: requestFields,
            response: "{ \"items\" : [ \(users.joined(separator: ", ")) ] }",
            responseFields: responseFields
        )
    }

    /// Returns an exchange that makes a user.
    static func making(
        _ request: String?,
        requestFields: [String: String] = [:],
        status: Int = 201,
        response: String? = user(),
        responseFields: [String: String] = [:]
    ) -> CheckedExchange {
        exchange(
            "POST /users",
            request: request,
            requestFields: requestFields,
            status: status,
            response: response,
            responseFields: responseFields
        )
    }

    /// Returns what a document says about an exchange, a line for each finding.
    static func findings(
        _ exchange: CheckedExchange,
        _ document: String = document,
        servers: [String] = []
    ) throws -> [String] {
        try ContractCheck(APIDocument(Data(document.utf8), servers: servers)).check(exchange).findings.map(
            \.description
        )
    }
}
