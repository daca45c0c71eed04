import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Whole conversations with a server, recorded in each mode and played back without the server.
@Suite(.timeLimit(.minutes(5)))
struct ConversationTests {
    /// A client, which writes down what it receives.
    struct Client: Sendable {
        let session: URLSession
        let server: LoopbackServer
        let nobody: LoopbackServer

        func ask(_ path: String, method: String = "GET", body: String? = nil, ofNobody: Bool = false) async -> String {
            var request = URLRequest(url: (ofNobody ? nobody : server).url(path))
            request.httpMethod = method
            request.httpBody = body.map { Data($0.utf8) }
            do {
                let (data, response) = try await session.data(for: request)
                return "\(response.status ?? 0) \(String(decoding: data, as: UTF8.self))"
            } catch {
                return "error \((error as NSError).code)"
            }
        }
    }

    struct Conversation: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// What the client receives.
        let received: [String]
        /// The stubs that are in the file afterwards: method, path and outcome.
        let stubs: [String]
        let hold: @Sendable (Client) async -> [String]

        init(
            _ name: String,
            receives received: [String],
            stubs: [String],
            _ hold: @escaping @Sendable (Client) async -> [String]
        ) {
            testDescription = name
            self.received = received
            self.stubs = stubs
            self.hold = hold
        }
    }

    static let conversations = [
        Conversation(
            "read, create, read",
            receives: ["200 []", "201 created", #"200 ["a"]"#, "201 created", #"200 ["a","b"]"#],
            stubs: ["GET /items 200", "POST /items 201", "GET /items 200", "POST /items 201", "GET /items 200"]
        ) { client in
            [
                await client.ask("/items"), await client.ask("/items", method: "POST", body: "a"),
                await client.ask("/items"), await client.ask("/items", method: "POST", body: "b"),
                await client.ask("/items"),
            ]
        },
        Conversation(
            "polling",
            receives: ["202 running", "202 running", "202 running", "200 done"],
            stubs: ["GET /job 202", "GET /job 202", "GET /job 202", "GET /job 200"]
        ) { client in
            var received: [String] = []
            repeat {
                received.append(await client.ask("/job"))
            } while received.last == "202 running" && received.count < 9
            return received
        },
        Conversation(
            "retries",
            receives: ["503 busy", "503 busy", "200 at last"],
            stubs: ["PUT /flaky 503", "PUT /flaky 503", "PUT /flaky 200"]
        ) { client in
            var received: [String] = []
            repeat {
                received.append(await client.ask("/flaky", method: "PUT", body: "x"))
            } while received.last == "503 busy" && received.count < 9
            return received
        },
        Conversation(
            "pagination",
            receives: ["200 /page?n=2", "200 /page?n=3", "200 end"],
            stubs: ["GET /page?n=1 200", "GET /page?n=2 200", "GET /page?n=3 200"]
        ) { client in
            var (received, next): ([String], String?) = ([], "/page?n=1")
            while let path = next, received.count < 9 {
                let page = await client.ask(path)
                received.append(page)
                next = page.hasPrefix("200 /") ? String(page.dropFirst(4)) : nil
            }
            return received
        },
        Conversation(
            "parallel",
            receives: (1...8).map { "200 n=\($0)" } + ["200 1", "200 2", "200 3", "200 4"],
            stubs: (1...8).map { "GET /parallel?n=\($0) 200" } + Array(repeating: "GET /counter 200", count: 4)
        ) { client in
            let different = await client.askAtOnce((1...8).map { "/parallel?n=\($0)" })
            let equal = await client.askAtOnce(Array(repeating: "/counter", count: 4))
            return different + equal
        },
        Conversation(
            "redirected",
            receives: ["200 []", "200 []"],
            stubs: [
                "GET /old 302", "GET /items 200", "GET /old 302", "GET /items 200",
            ]
        ) { client in [await client.ask("/old"), await client.ask("/old")] },
        Conversation(
            "challenged",
            receives: ["200 welcome", "200 welcome"],
            stubs: ["GET /private 401", "GET /private 200", "GET /private 401", "GET /private 200"]
        ) { client in [await client.ask("/private"), await client.ask("/private")] },
        Conversation(
            "offline for one request",
            receives: ["200 []", "error -1004", "200 []"],
            stubs: ["GET /items 200", "GET /items error -1004", "GET /items 200"]
        ) { client in
            [await client.ask("/items"), await client.ask("/items", ofNobody: true), await client.ask("/items")]
        },
    ]

    private final class Credentials: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            completionHandler(
                .useCredential,
                URLCredential(user: "ada", password: "Hopper-1906-x", persistence: .none)
            )
        }
    }

    private let directory = TemporaryDirectory()
    private let nobody: LoopbackServer

    init() throws {
        nobody = try LoopbackServer.stopped()
    }

    private static func server() throws -> LoopbackServer {
        let items = Lock<[String]>([])
        return try LoopbackServer { request in
            switch (request.method, request.path) {
            case ("GET", "/items"): return .json(encoding: items.withLock { $0 })
            case ("POST", "/items"):
                items.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
                return .text("created", status: 201)
            case (_, "/job"):
                return request.nextNumber(for: "job") > 3 ? .text("done") : .text("running", status: 202)
            case (_, "/flaky"):
                return request.nextNumber(for: "flaky") > 2 ? .text("at last") : .text("busy", status: 503)
            case (_, "/page"):
                let number = Int(request.query("n") ?? "") ?? 0
                return .text(number < 3 ? "/page?n=\(number + 1)" : "end")
            case (_, "/parallel"): return .text("n=\(request.query("n") ?? "")")
            case (_, "/old"): return .text("moved", status: 302, headers: [("Location", "/items")])
            case (_, "/private"):
                let isKnown = request.header("Authorization") != nil
                return isKnown
                    ? .text("welcome")
                    : .text("who?", status: 401, headers: [("WWW-Authenticate", #"Basic realm="test""#)])
            default: return LoopbackServer.standardRoutes(request)
            }
        }
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "talk", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { Issue.record("\($0)") }
        return network
    }

    private func hold(_ conversation: Conversation, on network: StubbornNetwork, _ server: LoopbackServer) async
        -> [String]
    {
        let session = network.makeSession(delegate: Credentials())
        return await conversation.hold(Client(session: session, server: server, nobody: nobody))
    }

    /// The stubs in the file, by a parser that is not ours.
    private func stubsInFile() throws -> [String] {
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("talk.json")))
        return try #require(content as? [[String: Any]]).map { stub in
            let request = try #require(stub["request"] as? [String: Any])
            let url = try #require((request["url"] as? String).flatMap(URL.init(string:)))
            let status = (stub["response"] as? [String: Any])?["statusCode"] as? Int
            let code = (stub["error"] as? [String: Any])?["code"] as? Int
            let outcome = status.map { "\($0)" } ?? "error \(code ?? 0)"
            return "\(request["method"] ?? "") \(url.path)\(url.query.map { "?\($0)" } ?? "") \(outcome)"
        }
    }

    @Test(arguments: conversations, [RecordMode.recording, .recordingMissing, .recordingOnce])
    func `a conversation is recorded whole, reported whole, and played back`(
        conversation: Conversation,
        mode: RecordMode
    ) async throws {
        let server = try Self.server()
        let recording = network(mode)
        #expect(await hold(conversation, on: recording, server) == conversation.received)
        try recording.finishRecording()
        let isParallel = conversation.testDescription == "parallel"
        let stubs = try stubsInFile()
        #expect(
            (isParallel ? stubs.sorted() : stubs) == (isParallel ? conversation.stubs.sorted() : conversation.stubs)
        )
        #expect(recording.recordedStubs.count == conversation.stubs.count)
        let requests = server.requests.count

        let playback = network(.playback)
        #expect(await hold(conversation, on: playback, server) == conversation.received)
        #expect(playback.unusedStubs.isEmpty)
        #expect(server.requests.count == requests)

        // Recorded already: nothing is asked of the server again.
        let again = network(.recordingMissing)
        #expect(await hold(conversation, on: again, server) == conversation.received)
        try again.finishRecording()
        #expect(again.recordedStubs.isEmpty)
        #expect(server.requests.count == requests)
        #expect(try stubsInFile() == stubs)
    }

    @Test func `a conversation that goes on is recorded from where the file ends`() async throws {
        let server = try Self.server()
        let first = network(.recording)
        let client = Client(session: first.session, server: server, nobody: nobody)
        #expect(await client.ask("/items") == "200 []")
        try first.finishRecording()
        let missing = network(.recordingMissing)
        let received = await hold(Self.conversations[0], on: missing, server)
        #expect(received == Self.conversations[0].received)
        try missing.finishRecording()
        #expect(try stubsInFile() == Self.conversations[0].stubs)
        #expect(missing.recordedStubs.count == 4)
        #expect(server.requests.count == 5)
    }
}

extension ConversationTests.Client {
    /// Asks for several paths at once.
    ///
    /// - Returns: what is received, sorted.
    func askAtOnce(_ paths: [String]) async -> [String] {
        await withTaskGroup(of: String.self) { group in
            for path in paths { group.addTask { await ask(path) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted()
        }
    }
}
