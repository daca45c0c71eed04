import Foundation
import StubbornNetwork
import Testing

/// Redirects are followed inside one load: a client that was redirected would begin another one.
@Suite(.timeLimit(.minutes(2)))
struct RedirectTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])

    private func request(_ path: String) -> URLRequest { URLRequest(url: URL(string: "https://api.test\(path)")!) }

    private func load(_ request: URLRequest) async throws -> Load? {
        var load: Load?
        try await Loader.story { load = await $0.load(request, through: SimulatedSession(network)) }
        return load
    }

    @Test func `a chain of redirects is followed, each from its own stub`() async throws {
        network.stub(.get("/a"), with: .status(302, headers: ["Location": "/b"]))
        network.stub(.get("/b"), with: .status(301, headers: ["Location": "/c"]).delayed(by: .milliseconds(5)))
        network.stub(.get("/c"), with: .text("here"))
        let load = try await load(request("/a"))
        #expect(load?.calls == ["response 200", "data", "end"])
        #expect(load?.response?.url?.path == "/c")
        #expect(load?.text == "here")
    }

    @Test func `a redirect repeats a body that came as a stream`() async throws {
        network.stub(.post("/a"), with: .status(307, headers: ["Location": "/b"]))
        network.stub(.post("/b") && .body(text: "Emma"), with: .text("stored"))
        var request = request("/a")
        request.httpMethod = "POST"
        request.httpBody = Data("Emma".utf8)
        #expect(try await load(request)?.text == "stored")
    }

    @Test func `a loop of redirects fails`() async throws {
        network.stub(.get("/loop"), with: .status(302, headers: ["Location": "/loop"]))
        #expect(try await load(request("/loop"))?.calls == ["failure NSURLErrorDomain -1007"])
    }

    @Test func `a redirect without a location is a response`() async throws {
        network.stub(.get("/nowhere"), with: .status(302))
        #expect(try await load(request("/nowhere"))?.calls == ["response 302", "end"])
    }
}
