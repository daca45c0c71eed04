import Foundation
import StubbornNetworkTesting
import Testing

/// What the articles say about leaving exchanges out of a recording, and about changing recorded responses.
struct RecordedExchangeArticles {
    private func network(_ json: String...) throws -> StubbornNetwork {
        let stubs = FileManager.default.temporaryDirectory.appendingPathComponent("stubs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: stubs, withIntermediateDirectories: true)
        let list = json.enumerated().map { number, json in
            """
            {
              "json" : \(json),
              "request" : { "method" : "GET", "url" : "https://api.example.com/users/\(42 + number)" },
              "response" : { "headerFields" : [ "Content-Type[:::]application/json" ], "statusCode" : 200 }
            }
            """
        }
        try Data("[\(list.joined(separator: ","))]".utf8).write(to: stubs.appendingPathComponent("a.json"))
        return StubbornNetwork(.persistent(named: "a", in: stubs.path), environment: [:])
    }

    private func get(_ path: String, _ network: StubbornNetwork) throws -> (body: String, status: Int?) {
        let url = try #require(URL(string: "https://api.example.com\(path)"))
        let (data, response) = try network.response(to: URLRequest(url: url))
        return (String(decoding: data, as: UTF8.self), (response as? HTTPURLResponse)?.statusCode)
    }

    @Test func `a recorded response is played with a change`() throws {
        let network = try network(#"{"id":42,"name":"Ada"}"#, #"{"id":43}"#)
        network.stub(.get("/users/42"), with: .recorded { $0.json["name"] = "Eve" })
        network.stub(.get("/users/43"), with: [.recorded(statusCode: 503), .recorded()])

        #expect(try get("/users/42", network) == (#"{"id":42,"name":"Eve"}"#, 200))
        #expect(try get("/users/43", network) == (#"{"id":43}"#, 503))
        #expect(try get("/users/43", network) == (#"{"id":43}"#, 200))
    }

    @Test func `one value of a recorded response is changed`() throws {
        let network = try network(#"{"id":42,"name":"Ada"}"#)

        network.stub(.get("/users/42"), with: .recorded { $0.json["name"] = "Eve" })

        #expect(try get("/users/42", network).body == #"{"id":42,"name":"Eve"}"#)
    }

    @Test func `exchanges are left out of a recording, or changed`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recording

        network.recordingFilter = { exchange in
            guard exchange.response?.statusCode != 429 else { return nil }
            var exchange = exchange
            exchange.json.remove("debug")
            return exchange
        }

        for (path, status) in [("/a", 429), ("/b", 200)] {
            let url = try #require(URL(string: "https://api.example.com\(path)"))
            _ = try await network.response(to: StubRequest(url: url)) { _ in
                .json(["debug": 1, "id": 2], statusCode: status)
            }
        }
        #expect(network.recordedStubs.map { "\($0)" } == ["GET https://api.example.com/b: 200, 8 bytes"])

        network.recordingFilter = { exchange in exchange.response?.statusCode == 429 ? nil : exchange }
        #expect(network.recordingFilter != nil)
    }
    @Test func `answers of a job that is not done are left out, so playback gets the last one at once`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recording
        network.recordingFilter = { exchange in exchange.json["status"] == "running" ? nil : exchange }

        let url = try #require(URL(string: "https://api.example.com/job"))
        for status in ["running", "running", "done"] {
            _ = try await network.response(to: StubRequest(url: url)) { _ in .json(["status": status]) }
        }
        #expect(network.recordedStubs.map(\.response.body) == [Data(#"{"status":"done"}"#.utf8)])
    }
}
