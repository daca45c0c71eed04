import Foundation
import LoopbackServer
import Testing

@_spi(Tools) @testable import StubbornNetwork

@Suite(.timeLimit(.minutes(5)))
struct VerifyingTests {
    let directory = TemporaryDirectory()
    /// The bodies and statuses of the server, by path; 404 for any other path.
    let routes = Lock<[String: LoopbackServer.Response]>([:])
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { [routes] request in
            routes.withLock { $0[request.path] } ?? .text("gone", status: 404)
        }
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "test", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @discardableResult
    private func ask(_ network: StubbornNetwork, _ paths: String...) async throws -> [String] {
        var texts: [String] = []
        for path in paths {
            texts.append(String(decoding: try await network.session.data(from: server.url(path)).0, as: UTF8.self))
        }
        return texts
    }

    private func record(_ recorded: [String: LoopbackServer.Response]) async throws {
        routes.withLock { $0 = recorded }
        let network = network(.recording)
        for path in recorded.keys.sorted() { try await ask(network, path) }
        try network.finishRecording()
    }

    @Test func `the client gets what the server says, and the report compares it with the file`() async throws {
        try await record([
            "/a": .json(#"{"name":"Ada","price":49}"#), "/b": .text("b"), "/c": .text("c"), "/d": .text("d"),
        ])
        routes.withLock { routes in
            routes["/a"] = .json(#"{"name":null,"price":54,"born":1906}"#)
            routes["/c"] = nil
        }
        let file = try directory.text(of: "test.json")
        let network = network(.verifying)
        #expect(try await ask(network, "/a", "/b", "/c", "/new")[1] == "b")

        let report = await network.verificationReport()
        #expect(report.stubs.map(\.severity) == [.breaking, nil, .breaking, .breaking, nil])
        #expect(
            report.stubs[0].differences.filter { $0.severity != .volatile }.map(\.description).sorted() == [
                "body.born: recorded none, received 1906", #"body.name: recorded "Ada", received null"#,
                "body.price: recorded 49, received 54",
            ]
        )
        #expect(report.stubs.map(\.skipped) == [nil, nil, nil, nil, "no request used it"])
        try network.finishRecording()
        #expect(try directory.text(of: "test.json") == file)
    }

    @Test func `what a login gives is what the server gets, and a new secret is no difference`() async throws {
        let token = Lock("8f14e45fceea167a5a36dedd4bea2543")
        let shop = try LoopbackServer { request in
            let token = token.withLock { $0 }
            if request.path == "/login" { return .json(#"{"access_token":"\#(token)","name":"Ada"}"#) }
            return request.header("Authorization") == token ? .json(#"{"price":5}"#) : .text("who?", status: 401)
        }
        func visit(_ mode: RecordMode) async throws -> StubbornNetwork {
            let network = network(mode)
            let (data, _) = try await network.session.data(from: shop.url("/login"))
            var request = URLRequest(url: shop.url("/price"))
            let login = try JSONDecoder().decode([String: String].self, from: data)
            request.setValue(login["access_token"], forHTTPHeaderField: "Authorization")
            _ = try await network.session.data(for: request)
            return network
        }
        try await visit(.recording).finishRecording()
        token.withLock { $0 = "c9f0f895fb98ab9159f51fd0297e236d" }
        let report = try await visit(.verifying).verificationReport()
        #expect(report.verifiedCount == 2 && report.stubs(atLeast: .values) == [], "\(report)")
        #expect(!report.description.contains("c9f0f895"))
    }

    @Test func `a secret that only a later request shows is no difference, and not in the report`() async throws {
        let token = Lock("q7Rt2LmXw9Ka4ZpBv1Nc")
        let shop = try LoopbackServer { request in
            request.path == "/form" ? .text(#"<input id="t" value="\#(token.withLock { $0 })">"#) : .text("sent")
        }
        func visit(_ mode: RecordMode) async throws -> StubbornNetwork {
            let network = network(mode)
            _ = try await network.session.data(from: shop.url("/form"))
            var request = URLRequest(url: shop.url("/send"))
            request.setValue(token.withLock { $0 }, forHTTPHeaderField: "X-CSRF-Token")
            _ = try await network.session.data(for: request)
            return network
        }
        try await visit(.recording).finishRecording()
        #expect(
            try !directory.text(of: "test.json").contains(
                Data(#"value="\#(token.withLock { $0 })""#.utf8).base64EncodedString()
            )
        )
        token.withLock { $0 = "Hx3Vd8SyQ5Jn6WgEu0Tf" }
        let report = try await visit(.verifying).verificationReport()
        #expect(report.verifiedCount == 2 && report.stubs(atLeast: .values) == [], "\(report)")
        #expect(!report.description.contains("Hx3Vd8"))
    }
}
