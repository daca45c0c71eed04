import Foundation
import OpenAPI

/// The OpenAPI document of an API that the tests break, and exchanges with it.
enum ShopAPI {
    static let document = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Shop.yaml")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }()

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
