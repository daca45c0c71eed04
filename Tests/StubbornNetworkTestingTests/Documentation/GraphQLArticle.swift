import Foundation
import StubbornNetworkTesting
import Testing

struct GraphQLArticle {
    private func send(_ body: String, _ network: StubbornNetwork) throws -> String {
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/graphql")))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        return String(decoding: try network.response(to: request).0, as: UTF8.self)
    }

    @Test func `operations are declared by their names and variables`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.graphQL("User", variables: ["id": 42]), with: .json(["data": ["user": ["name": "Ada"]]]))
        network.stub(.graphQL("Rename"), with: .json(["errors": [["message": "Not allowed"]]]))

        let user = #"{"query":"query User($id: ID!) { user(id: $id) { name } }","variables":{"id":42,"all":true}}"#
        #expect(try send(user, network) == #"{"data":{"user":{"name":"Ada"}}}"#)
        let batch = #"[{"query":"{ a }"},{"query":"mutation Rename { rename }"}]"#
        #expect(try send(batch, network) == #"{"errors":[{"message":"Not allowed"}]}"#)
    }

    @Test func `a variable can be ignored`() {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.requestMatcherOptions = [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["variables.cursor"])]

        #expect(network.requestMatcherOptions.matchers.count == 3)
    }
}
