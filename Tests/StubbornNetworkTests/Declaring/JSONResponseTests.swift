import Foundation
import StubbornNetwork
import Testing

/// The literals that a user writes for a JSON response.
struct JSONResponseTests {
    private struct User: Encodable {
        var id = 42
        var name: String?
    }

    private func body(_ response: StubResponse) throws -> String {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: response)
        let url = try #require(URL(string: "https://api.example.com/"))
        return String(decoding: try network.response(to: URLRequest(url: url)).0, as: UTF8.self)
    }

    @Test func `any JSON literal is a response, its keys sorted`() throws {
        #expect(try body(.json(["id": 42])) == #"{"id":42}"#)
        #expect(try body(.json(["title": "x", "id": 1])) == #"{"id":1,"title":"x"}"#)
        #expect(try body(.json(["id": 1, "title": "x", "tags": ["a"]])) == #"{"id":1,"tags":["a"],"title":"x"}"#)
        #expect(try body(.json([1, "a", nil, true, -2.5, 1e30])) == #"[1,"a",null,true,-2.5,1e30]"#)
        #expect(
            try body(.json(["a": nil, "b": ["c": [["d": 1, "e": "f"], []]]]))
                == #"{"a":null,"b":{"c":[{"d":1,"e":"f"},[]]}}"#
        )
        #expect(try body(.json([:])) == "{}")
        #expect(try body(.json([])) == "[]")
        #expect(try body(.json(nil)) == "null")
        #expect(try body(.json("a\"\n/é")) == #""a\"\n/é""#)
        #expect(try body(.json(7)) == "7")
    }

    @Test func `variables are values, interpolated or encoded`() throws {
        let (id, name): (Int, String?) = (7, nil)
        #expect(
            try body(.json(["id": .value(id), "name": .value(name), "label": "no \(id)"]))
                == #"{"id":7,"label":"no 7","name":null}"#
        )
        #expect(
            try body(.json(["user": .value(User(name: "Ada")), "ok": true]))
                == #"{"ok":true,"user":{"id":42,"name":"Ada"}}"#
        )
        #expect(try body(.json(["name": name])) == #"{"name":null}"#)
        #expect(try body(.json(User())) == #"{"id":42}"#)
        #expect(try body(.json([User(), User(id: 1)])) == #"[{"id":42},{"id":1}]"#)
    }

    @Test func `a literal has a status and header fields, and may be computed`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any) { request in
            .json(["path": .value(request.url.path), "n": 1], statusCode: 201, headers: ["X-A": "b"])
        }
        let url = try #require(URL(string: "https://api.example.com/users"))
        let (data, response) = try network.response(to: URLRequest(url: url))
        #expect(String(decoding: data, as: UTF8.self) == #"{"n":1,"path":"/users"}"#)
        let answer = try #require(response as? HTTPURLResponse)
        #expect(answer.statusCode == 201)
        #expect(answer.value(forHTTPHeaderField: "X-A") == "b")
        #expect(answer.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func `a number that is no JSON fails the request`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .json(["a": "b", "n": .value(1), "m": [Double.infinity].isEmpty ? 1 : nil]))
        network.stub(.any, with: .json([Double.infinity]))
        let url = try #require(URL(string: "https://api.example.com/"))
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: URLRequest(url: url)) }
        #expect(error?.code == .invalidStub)
    }
}
