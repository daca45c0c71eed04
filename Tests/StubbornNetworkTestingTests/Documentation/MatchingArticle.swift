import Foundation
import StubbornNetworkTesting
import Testing

struct MatchingArticle {
    @Test func `the matchers and the playback order can be set`() {
        let network = StubbornNetwork(.ephemeral)
        network.requestMatcherOptions = [
            .httpMethod, .url(ignoringQueryItems: ["ts"]), .requestBody(ignoringJSONKeyPaths: ["meta.sentAt"]),
        ]

        network.requestMatcherOptions = [
            .httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["id", "params._meta.progressToken"]),
        ]

        network.playbackOrder = .sequence

        #expect(network.requestMatcherOptions.matchers.count == 3)
        #expect(network.playbackOrder == .sequence)
    }

    @Test(arguments: [
        ("https://api.example.com/users?page=2", 200),
        ("https://other.example.com/users/7?x=1", 200),
        ("https://api.example.com/account", 401),
        ("https://cdn.example.com/logo.png", 404),
        ("https://cdn.example.com/images/logo", 404),
        ("https://api.example.com/news?page=3&sort", 200),
        ("https://cdn.example.com/?debug", 200),
    ])
    func patterns(address: String, statusCode: Int) throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.host("api.example.com") && !.header("Authorization"), with: .status(401))
        declare(network)

        let url = try #require(URL(string: address))
        let (_, response) = try network.response(to: URLRequest(url: url))
        #expect((response as? HTTPURLResponse)?.statusCode == (address.contains("page=2") ? 401 : statusCode))
    }

    private func declare(_ network: StubbornNetwork) {
        network.stub(.get("https://api.example.com/users?page=2"), with: .json(["Grace"]))
        network.stub(.get("/users/:id")) { request in .json(["id": request.pathParameters["id"]]) }
        network.stub(.host("api.example.com") && !.header("Authorization"), with: .status(401))
        network.stub(.post("/login") && .requestBody(json: ["user": "ada"]), with: .json(["token": "t"]))
        network.stub(.path(suffix: ".png") || .path(prefix: "/images/"), with: .status(404))
        network.stub(.url(ignoringQuery: "https://api.example.com/news"), with: .json([["id": 1, "title": "x"]]))
        network.stub(.query(withoutValue: "debug"), with: .text("?debug, and not ?debug="))
        network.stub(
            .requestBody(exactJSON: ["user": "ada", "remember": true]) || .requestBody(exactForm: ["user": "ada"]),
            with: .status(204)
        )
    }

    @Test func `a stub that has used up its answers gives way to earlier stubs`() throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("/token"), with: .json(["token": "t"]))
        network.stub(.get("/token"), times: 1, with: .status(503))

        let request = URLRequest(url: try #require(URL(string: "https://api.example.com/token")))
        let statusCodes = try (1...3).map { _ in
            (try network.response(to: request).1 as? HTTPURLResponse)?.statusCode
        }
        #expect(statusCodes == [503, 200, 200])
    }

    @Test func `the log contains every request`() async throws {
        let network = StubbornNetwork(.observing)
        network.stub(.path("/news"), with: .status(304))
        for path in ["login", "news"] {
            _ = try await network.session.data(from: try #require(URL(string: "https://api.example.com/\(path)")))
        }
        let logins = network.exchanges(matching: .post("/login"))
        let lastStatus = network.exchanges.last?.response?.statusCode
        try await network.waitForExchange(matching: .path("/news"))

        #expect(logins.isEmpty)
        #expect(lastStatus == 304)
        #expect(network.exchanges.map(\.outcome) == [.stubbed, .stubbed])
    }
}
