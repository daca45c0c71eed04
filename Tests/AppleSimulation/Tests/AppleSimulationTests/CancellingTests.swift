import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// A load may be stopped at any time, after which its client is not called.
@Suite(.timeLimit(.minutes(3)))
struct CancellingTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])

    /// Starts loads, a hundred at a time, and stops every second one within a time.
    private func load(
        _ count: Int,
        _ request: URLRequest,
        stoppingWithin seconds: Double,
        answering answer: DelegateAnswer = .defaultHandling
    ) async throws {
        let session = SimulatedSession(network)
        try await Loader.story { loader in
            for _ in 0..<(count / 100) {
                try Task.checkCancellation()
                let loads = (0..<100).map { number in
                    let load = loader.start(request, through: session, answering: answer)
                    if number.isMultiple(of: 2) { load.cancel(after: .random(in: 0...seconds)) }
                    return load
                }
                for (number, load) in loads.enumerated() {
                    await load.end()
                    if !number.isMultiple(of: 2) { #expect(load.calls.last == "end") }
                }
            }
        }
        try await eventually { network.exchanges.allSatisfy { $0.duration != nil } }
        #expect(network.exchanges.count <= count)
    }

    private func request(_ path: String) -> URLRequest { URLRequest(url: URL(string: "https://api.test\(path)")!) }

    @Test func `loads are stopped before, during and after a response`() async throws {
        network.stub(.any, with: .text("some text").chunked(byteCount: 3, every: .microseconds(500)))
        try await load(2_000, request("/text"), stoppingWithin: 0.004)
    }

    @Test func `loads of large bodies are stopped`() async throws {
        network.stub(.any, with: .data(Data(repeating: 1, count: 3_000_000)))
        try await load(300, request("/large"), stoppingWithin: 0.02)
    }

    @Test func `loads are stopped between the hops of redirects`() async throws {
        network.stub(.get("/a"), with: .status(302, headers: ["Location": "/b"]).delayed(by: .microseconds(500)))
        network.stub(.get("/b"), with: .status(302, headers: ["Location": "/c"]).delayed(by: .microseconds(500)))
        network.stub(.get("/c"), with: .text("here"))
        try await load(2_000, request("/a"), stoppingWithin: 0.003)
    }

    @Test func `loads are stopped while their challenge is answered`() async throws {
        let challenge = StubResponse.status(401, headers: ["WWW-Authenticate": #"Basic realm="books""#])
        network.stub(.any, with: challenge.delayed(by: .microseconds(500)))
        network.stub(.header("Authorization"), with: .text("welcome").delayed(by: .microseconds(500)))
        let answer = DelegateAnswer.use(user: "ada", password: "secret")
        try await load(2_000, request("/books"), stoppingWithin: 0.003, answering: answer)
    }

    @Test func `loads are stopped before their body is read`() async throws {
        network.stub(.any) { request in .text("\(request.body?.count ?? 0)") }
        var post = request("/upload")
        post.httpMethod = "POST"
        post.httpBody = Data(repeating: 7, count: 1_000_000)
        try await load(400, post, stoppingWithin: 0.01)
    }

    @Test func `loads from a real server are stopped`() async throws {
        let server = try LoopbackServer()
        network.passThrough(.any)
        try await load(100, URLRequest(url: server.url("/slow/3?ms=5")), stoppingWithin: 0.05)
    }

    @Test func `a recording that is stopped is stored as cancelled`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("stubs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = try #require(StubbornNetworkConfiguration.persistent(name: "cancelled", path: directory.path))
        let server = try LoopbackServer()
        let network = StubbornNetwork(file, environment: [:])
        network.recordMode = .recording
        let session = SimulatedSession(network)
        try await Loader.story { loader in
            let loads = (0..<40).map { number in
                let load = loader.start(URLRequest(url: server.url("/slow/2?ms=20&n=\(number)")), through: session)
                if number.isMultiple(of: 2) { load.cancel(after: .random(in: 0...0.03)) }
                return load
            }
            for load in loads { await load.end() }
        }
        try network.finishRecording()
        // A load that was stopped before it began has no exchange.
        #expect(network.recordedStubs.count == network.exchanges.count)
        #expect(network.recordedStubs.count { $0.response.failure == nil } >= 20)
        // The stub file has the library's text, not the system's.
        #expect(network.recordedStubs.compactMap(\.response.failure).allSatisfy { $0 == .cancelledByClient })
    }
}
