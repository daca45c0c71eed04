import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

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

    @Test func `the client gets the recording, and the report says what the server answers now`() async throws {
        try await record(["/a": .json(#"{"name":"Ada"}"#), "/b": .text("b"), "/c": .text("c")])
        routes.withLock { routes in
            routes["/a"] = .json(#"{"name":"Grace","born":1906}"#)
            routes["/c"] = nil
        }
        let file = try directory.text(of: "test.json")
        let network = network(.verifying)
        #expect(try await ask(network, "/a", "/b", "/c") == [#"{"name":"Ada"}"#, "b", "c"])

        let report = await network.verificationReport()
        #expect(report.stubs.map(\.severity) == [.structure, nil, .breaking])
        #expect(
            report.stubs[0].differences.filter { $0.severity != .volatile }.map(\.description).sorted() == [
                #"body.born: recorded none, received 1906"#, #"body.name: recorded "Ada", received "Grace""#,
            ]
        )
        #expect(report.stubs[2].differences.first?.severity == .breaking)
        #expect(report.stubs[1].request == "GET \(server.url("/b"))")
        #expect(network.exchanges.map(\.outcome) == [.stubbed, .stubbed, .stubbed])
        try network.finishRecording()
        #expect(try directory.text(of: "test.json") == file)
    }

    @Test func `the same JSON in another spelling is no difference, and its length is none either`() async throws {
        try await record(["/a": .json(#"{"id":1,"name":"Ada"}"#)])
        routes.withLock { $0["/a"] = .json(#"{ "name" : "Ada", "id" : 1.0 }"#) }
        let network = network(.verifying)
        try await ask(network, "/a")
        #expect(await network.verificationReport().stubs.map(\.severity) == [nil])
        #expect(await network.verificationReport().failure(of: .values) == nil)
    }

    @Test func `with a longer id from the server, a body has another length, and is the same`() async throws {
        for id in [7, 4211] {
            let routes: [String: LoopbackServer.Response] = [
                "/new": .json(#"{"id":\#(id)}"#), "/of/\(id)": .json(#"{"id":\#(id),"name":"Ada"}"#),
            ]
            if id == 7 {
                self.routes.withLock { $0 = routes }
                let network = network(.recording)
                try await ask(network, "/new", "/of/7")
                try network.finishRecording()
            } else {
                self.routes.withLock { $0 = routes }
                let network = network(.verifying)
                try await ask(network, "/new", "/of/7")
                let report = await network.verificationReport()
                #expect(report.stubs.map { $0.severity ?? .volatile } == [.volatile, .volatile], "\(report)")
            }
        }
    }

    @Test(
        arguments: [
            ("/orders", #"{"id":%@}"#, [:], "/orders/1", "/orders/5"),
            ("/login", #"{"user":{"name":"a","id":%@}}"#, [:], "/users/1", "/users/5"),
            ("/new", #"{"list":[{"orderId":%@}]}"#, [:], "/orders/1", "/orders/5"),
            ("/new", "{}", ["Location": "/orders/%@"], "/orders/1", "/orders/5"),
            // The number may be that of another thing.
            ("/orders", #"{"id":%@}"#, [:], "/products/1", nil), ("/me", #"{"id":%@}"#, [:], "/products/1", nil),
            ("/products", #"[{"categoryId":%@}]"#, [:], "/products/1", nil),
            ("/products", #"{"image":"/img/%@"}"#, [:], "/products/1", nil),
            ("/orders", #"{"id":41%@}"#, [:], "/products?amount=411", nil),
            ("/orders", #"{"id":1,"customer":{"id":%@}}"#, [:], "/orders/1", nil),
            ("/orders", #"{"data":{"order_item_id":%@}}"#, [:], "/items/1", nil),
            ("/orders", #"{"data":{"id":%@}}"#, [:], "/orders/1", "/orders/5"),
            ("/orders", #"[{"id":%@},{"id":6}]"#, [:], "/orders/6", "/orders/6"),
            ("/products", "{}", ["Server": "nginx/%@"], "/products/1", "/products/1"),
        ] as [(String, String, [String: String], String, String?)]
    )
    func `a request that changes something is sent to what the id of the same thing names now, or not at all`(
        path: String,
        body: String,
        fields: [String: String],
        recorded: String,
        sent: String?
    ) async throws {
        func serve(_ id: String) {
            var response = LoopbackServer.Response.json(body.replacing("%@", with: id))
            response.headers += fields.map { ($0.key, $0.value.replacing("%@", with: id)) }
            routes.withLock { [response] in
                $0[path] = response
                for path in [recorded, sent ?? recorded] { $0[path] = .text("gone") }
            }
        }
        func run(_ mode: RecordMode) async throws -> VerificationReport {
            let network = network(mode)
            try await ask(network, path)
            var request = URLRequest(url: try #require(URL(string: server.url(recorded).absoluteString)))
            request.httpMethod = "DELETE"
            _ = try await network.session.data(for: request)
            if mode == .recording { try network.finishRecording() }
            return await network.verificationReport()
        }
        serve("1")
        _ = try await run(.recording)
        serve("5")
        let count = server.requests.count
        let report = try await run(.verifying)
        let paths = server.requests.dropFirst(count).filter { $0.method == "DELETE" }.map(\.path)
        #expect(paths == [sent].compactMap(\.self))
        #expect((report.stubs.last?.skipped != nil) == (sent == nil))
    }

    @Test(
        arguments: [
            // Each id has the place of another one.
            (#"[{"id":2},{"id":1}]"#, #"[{"id":3},{"id":2}]"#, 200, []),
            (#"{"id":2,"title":"a"}"#, #"{"id":9,"title":"a"}"#, 500, ["/orders/2"]),
        ]
    )
    func `a list in another order and a refusal say nothing about ids`(
        recorded: String,
        received: String,
        status: Int,
        sent: [String]
    ) async throws {
        func run(_ mode: RecordMode, _ response: LoopbackServer.Response) async throws {
            routes.withLock { $0 = ["/orders": response, "/orders/2": .text("gone")] }
            let network = network(mode)
            try await ask(network, "/orders")
            var request = URLRequest(url: server.url("/orders/2"))
            request.httpMethod = "DELETE"
            _ = try await network.session.data(for: request)
            if mode == .recording { try network.finishRecording() }
            _ = await network.verificationReport()
        }
        try await run(.recording, .json(recorded))
        let count = server.requests.count
        try await run(.verifying, .json(received, status: status))
        #expect(server.requests.dropFirst(count).filter { $0.method == "DELETE" }.map(\.path) == sent)
    }

    @Test func `a request that was not recorded fails, and the server is not asked`() async throws {
        try await record(["/a": .text("a")])
        let count = server.requests.count
        let network = network(.verifying)
        await expectStubbornNetworkError { try await ask(network, "/other") }
        network.stub(.path("/declared"), with: .text("declared"))
        #expect(try await ask(network, "/declared") == ["declared"])
        #expect(await network.verificationReport().stubs == [])
        #expect(server.requests.count == count)
    }

    @Test func `a server that is off is a difference, and the client does not see it`() async throws {
        try await record(["/a": .text("a")])
        server.stop()
        let network = network(.verifying)
        #expect(try await ask(network, "/a") == ["a"])
        #expect(await network.verificationReport().stubs.first?.severity == .breaking)
        #expect(
            await network.verificationReport().failure(of: .breaking)?.contains("response: recorded 200, received")
                == true
        )
    }

    @Test func `a request with a placeholder is skipped and named, unless it is given credentials`() async throws {
        try await record(["/me": .text("me")])
        let recorded = try directory.text(of: "test.json")
            .replacingOccurrences(of: "/me", with: "/me?access_token=REDACTED-access_token-1")
        try directory.write(recorded, to: "test.json")
        let count = server.requests.count

        let network = network(.verifying)
        try await ask(network, "/me?access_token=REDACTED-access_token-1")
        let report = await network.verificationReport()
        #expect(report.stubs.first?.skipped?.contains("REDACTED-access_token-1") == true)
        #expect(report.description.contains("not verified"))
        #expect(
            report.textOfSkipped?.replacingOccurrences(of: directory.path, with: "S") == """
                0 of 1 stubs were verified (S/test.json).
                  GET \(server.url("/me?access_token=REDACTED-access_token-1")): not verified, the request has \
                REDACTED-access_token-1 in place of a secret
                To add credentials to the requests, set network.verificationRequest.
                """
        )
        #expect(server.requests.count == count)

        network.verificationRequest = { [server] _ in URLRequest(url: server.url("/me?access_token=real")) }
        try await ask(network, "/me?access_token=REDACTED-access_token-1")
        #expect(await network.verificationReport().stubs.last?.skipped == nil)
        #expect(server.requests.last?.query.first?.value == "real")
    }

    @Test func `a secret that changed is no difference, and is not in the report`() async throws {
        try await record(["/login": .json(#"{"access_token":"8f14e45fceea167a5a36dedd4bea2543","name":"Ada"}"#)])
        routes.withLock {
            $0["/login"] = .json(#"{"access_token":"c9f0f895fb98ab9159f51fd0297e236d","name":"Eve"}"#)
        }
        let network = network(.verifying)
        try await ask(network, "/login")
        let report = await network.verificationReport()
        #expect(report.stubs.first?.differences.filter { $0.severity != .volatile }.map(\.part) == ["body.name"])
        #expect(!report.description.contains("c9f0f895"))
    }

    @Test func `a long text of the same length is a difference, unless only times and ids differ`() async throws {
        let page = { (word: String, id: String) in
            "<p>\(String(repeating: "all is well, ", count: 20))\(word) \(id)</p>"
        }
        try await record(["/page": .text(page("open", "Qk7dPz2mV9")), "/same": .text(page("open", "Qk7dPz2mV9"))])
        routes.withLock { routes in
            routes["/page"] = .text(page("held", "Qk7dPz2mV9"))
            routes["/same"] = .text(page("open", "Wn4sTb8cX3"))
        }
        let network = network(.verifying)
        try await ask(network, "/page", "/same")
        #expect(await network.verificationReport().stubs.map(\.severity) == [.values, .volatile])
    }

    // MARK: Behind a login

    /// A server that gives each login another token with an ending, and each order another id, and that knows them.
    private func makeShop(price: Lock<String>, tokenEnding: String) throws -> LoopbackServer {
        let tokens = Lock<Set<String>>([])
        let orders = Lock<Set<String>>([])
        return try LoopbackServer { request in
            let fields = request.headers.map { "\($0.name): \($0.value)" }
            let sent =
                ([request.path] + request.query.map(\.value) + fields + [String(decoding: request.body, as: UTF8.self)])
                .joined(
                    separator: " "
                )
            if request.path == "/login" {
                let token = UUID().uuidString.lowercased() + tokenEnding
                tokens.withLock { _ = $0.insert(token) }
                var response = LoopbackServer.Response.json(#"{"access_token":"\#(token)"}"#)
                response.headers.append(("Set-Cookie", "session=\(token); Path=/"))
                return response
            }
            guard tokens.withLock({ $0.contains(where: sent.contains) }) else { return .text("who?", status: 401) }
            if request.path == "/orders" {
                let id = UUID().uuidString
                orders.withLock { _ = $0.insert(id) }
                return .json(#"{"id":"\#(id)","price":"\#(price.withLock { $0 })"}"#)
            }
            guard let id = orders.withLock({ $0.first(where: sent.contains) }) else {
                return .text("what?", status: 404)
            }
            return .json(#"{"id":"\#(id)","state":"open"}"#)
        }
    }

    @Test(arguments: ["cookie", "bearer", "query", "json"], ["", "=", "=:x="])
    func `what is behind a login is verified with the values that the server gives now`(
        carrier: String,
        tokenEnding: String
    ) async throws {
        let price = Lock("19.90")
        let shop = try makeShop(price: price, tokenEnding: tokenEnding)
        func visit(_ network: StubbornNetwork) async throws {
            let configuration = URLSessionConfiguration.ephemeral
            network.insertStubbedSessionURLProtocol(into: configuration)
            let session = URLSession(configuration: configuration)
            func ask(_ path: String, _ token: String?) async throws -> [String: String] {
                var request = URLRequest(url: shop.url(path))
                request.httpMethod = "POST"
                switch (carrier, token) {
                case (_, nil): break
                case ("bearer", let token?): request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                case ("query", let token?): request.url = shop.url("\(path)?access_token=\(token)")
                case ("json", let token?): request.httpBody = Data(#"{"token":"\#(token)"}"#.utf8)
                default: break
                }
                let (data, _) = try await session.data(for: request)
                return try JSONDecoder().decode([String: String].self, from: data)
            }
            let token = try #require(try await ask("/login", nil)["access_token"])
            let id = try #require(try await ask("/orders", token)["id"])
            _ = try await ask("/orders/\(id)", token)
            _ = try await ask("/find/\(id)/state", token)
        }
        let recorder = network(.recording)
        try await visit(recorder)
        try recorder.finishRecording()

        let verifying = network(.verifying)
        try await visit(verifying)
        let report = await verifying.verificationReport()
        #expect(report.verifiedCount == 4 && report.stubs(of: .values) == [], "\(report)")
        price.withLock { $0 = "24.90" }
        let again = network(.verifying)
        try await visit(again)
        let differences = await again.verificationReport().stubs(of: .values).flatMap(\.differences)
        #expect(differences.filter { $0.severity != .volatile }.map(\.part) == ["body.price"])
    }

    @Test func `requests reach the server in their order, and what it makes for itself is no difference`() async throws
    {
        let counter = try LoopbackServer { request in
            let number = Int.random(in: 1_000_000_000...9_000_000_000)
            return .json(#"{"id":\#(number),"ref":"\#(UUID())/\#(number)","path":"\#(request.path)"}"#)
        }
        func visit(_ mode: RecordMode) async throws -> StubbornNetwork {
            let network = network(mode)
            for index in 0..<8 { _ = try await network.session.data(from: counter.url("/\(index)")) }
            return network
        }
        try await visit(.recording).finishRecording()
        let report = try await visit(.verifying).verificationReport()
        #expect(report.verifiedCount == 8 && report.stubs(of: .values) == [], "\(report)")
        #expect(counter.requests.map(\.path) == (0..<8).map { "/\($0)" } + (0..<8).map { "/\($0)" })
    }

    // MARK: Streams

    /// A stream of events that begins with `parts`, and then repeats the last of them for ever.
    private func stream(_ parts: String..., number: Int = 100_000) -> LoopbackServer.Response {
        let repeated = (0..<number).flatMap { _ in
            [.wait(milliseconds: 20), LoopbackServer.Step.send(parts[parts.count - 1])]
        }
        return LoopbackServer.Response(
            headers: [("Content-Type", "text/event-stream")],
            body: .chunked(parts.map { .send($0) } + repeated)
        )
    }

    /// Asks for a stream, and cancels the request when a text has arrived.
    private func ask(_ network: StubbornNetwork, _ path: String, cancellingAfter text: String) async throws {
        let delegate = ClientDelegate()
        let task = network.makeSession(delegate: delegate).dataTask(with: server.url(path))
        task.resume()
        try await eventually { delegate.log.text.hasPrefix(text) }
        task.cancel()
        try await eventually { delegate.log.ends == 1 }
    }

    @Test(arguments: [("data: 2\n\n", nil), ("data: 9\n\n", .values)] as [(String, VerificationReport.Severity?)])
    func `a stream without an end is compared up to the part at which the client cancelled it`(
        second: String,
        severity: VerificationReport.Severity?
    ) async throws {
        routes.withLock { $0["/sse"] = stream("data: 1\n\n", "data: 2\n\n") }
        let recorder = network(.recording)
        try await ask(recorder, "/sse", cancellingAfter: "data: 1\n\ndata: 2\n\n")
        try recorder.finishRecording()

        routes.withLock { $0["/sse"] = stream("data: 1\n\n", second) }
        let network = network(.verifying)
        try await ask(network, "/sse", cancellingAfter: "data: 1\n\ndata: 2\n\n")
        let report = await network.verificationReport()
        #expect(report.stubs.map(\.severity) == [severity], "\(report)")
        // The server is not asked for more.
        try await eventually { server.openConnectionCount == 0 }
    }

    @Test func `a stream that had an end, and has none any more, is a difference after the timeout`() async throws {
        try await record(["/sse": stream("data: 1\n\n", number: 0)])
        routes.withLock { $0["/sse"] = stream("data: 1\n\n") }
        let network = network(.verifying)
        let request = URLRequest(url: server.url("/sse"), timeoutInterval: 2)
        _ = try await network.session.data(for: request)
        let report = await network.verificationReport()
        #expect(report.stubs.first?.differences.map(\.severity) == [.breaking])
        #expect(report.stubs.first?.differences.first?.received?.contains("timed out") == true, "\(report)")
        try await eventually { server.openConnectionCount == 0 }
    }

    @Test func `a request that was cancelled before the server answered is not verified`() async throws {
        let recorder = network(.recording)
        routes.withLock { $0["/late"] = .init(body: .raw([.hang])) }
        let task = recorder.session.dataTask(with: server.url("/late"))
        task.resume()
        #expect(await server.waitForRequests(path: "/late"))
        task.cancel()
        try await eventually { recorder.exchanges.first?.duration != nil }
        try recorder.finishRecording()

        let network = network(.verifying)
        network.cancellationTimeout = .milliseconds(10)
        _ = try? await network.session.data(from: server.url("/late"))
        let report = await network.verificationReport()
        #expect(report.stubs.map(\.skipped) == ["the client cancelled it before the server answered"])
        #expect(server.requestCount(path: "/late") == 1)
    }

    @Test func `sixty-four parallel requests are all verified, in their order`() async throws {
        let paths = (0..<64).map { "/\($0)" }
        try await record(Dictionary(uniqueKeysWithValues: paths.map { ($0, .text($0)) }))
        let network = network(.verifying)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for path in paths { group.addTask { _ = try await ask(network, path) } }
            try await group.waitForAll()
        }
        let report = await network.verificationReport()
        #expect(report.stubs.count == 64)
        #expect(report.stubs(of: .values) == [])
        #expect(try JSONDecoder().decode(VerificationReport.self, from: JSONEncoder().encode(report)) == report)
    }
}
