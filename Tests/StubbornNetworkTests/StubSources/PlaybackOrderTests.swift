import Foundation
import Testing

@testable import StubbornNetwork

/// Whole scenarios: what was recorded, what is asked, and which stubs answer.
struct PlaybackOrderTests {
    struct Scenario: CustomTestStringConvertible {
        let name: String
        var order: PlaybackOrder = .stateful
        var matchers: RequestMatcherOptions = .standard
        /// `POST /items`, or `GET b.test/items` for a different host, or `GET /items #body-or-header`.
        let recorded: [String]
        let asked: [String]
        /// The numbers of the stubs that answer, from 1; 0 for none.
        let answered: [Int]

        var testDescription: String { name }
    }

    static let session = [
        "POST /login", "GET /items", "GET /items", "POST /items", "GET /items", "DELETE /items/1", "GET /items",
    ]

    static let scenarios = [
        Scenario(
            name: "the recorded requests play back as recorded",
            recorded: session,
            asked: session,
            answered: [1, 2, 3, 4, 5, 6, 7]
        ),
        Scenario(
            name: "extra polls repeat the last response recorded before the change",
            recorded: session,
            asked: [
                "POST /login", "GET /items", "GET /items", "GET /items", "GET /items", "POST /items", "GET /items",
            ],
            answered: [1, 2, 3, 3, 3, 4, 5]
        ),
        Scenario(
            name: "a change skips the polls that were not requested",
            recorded: session,
            asked: ["POST /login", "GET /items", "POST /items", "GET /items", "GET /items"],
            answered: [1, 2, 4, 5, 5]
        ),
        Scenario(
            name: "two changes in a row skip the polls between them",
            recorded: session,
            asked: ["POST /login", "POST /items", "DELETE /items/1", "GET /items", "GET /items"],
            answered: [1, 4, 6, 7, 7]
        ),
        Scenario(
            name: "a request with no stub after the change repeats its last response",
            recorded: ["GET /me", "GET /me", "GET /me", "POST /items", "GET /items"],
            asked: ["GET /me", "POST /items", "GET /me", "GET /items", "GET /me"],
            answered: [1, 4, 3, 5, 3]
        ),
        Scenario(
            name: "a request recorded only after a change is also answered before it",
            recorded: ["POST /items", "GET /items", "GET /items"],
            asked: ["GET /items", "GET /items", "GET /items"],
            answered: [2, 3, 3]
        ),
        Scenario(
            name: "a change on another host does not count",
            recorded: ["GET /items", "POST b.test/log", "GET /items"],
            asked: ["GET /items", "GET /items"],
            answered: [1, 3]
        ),
        Scenario(
            name: "the first stub that matches says which host has the changes",
            matchers: [.httpMethod, .path, .query],
            recorded: [
                "GET /me?key=REDACTED-key-1", "POST /change", "GET /me?key=REDACTED-key-1", "GET b.test/me?key=public",
            ],
            asked: ["GET /me?key=public", "GET /me?key=public"],
            answered: [1, 1]
        ),
        Scenario(
            name: "PUT, PATCH and DELETE are changes, HEAD and OPTIONS wait for them",
            recorded: ["HEAD /a", "PUT /a", "HEAD /a", "PATCH /a", "OPTIONS /a", "DELETE /a", "OPTIONS /a"],
            asked: ["HEAD /a", "HEAD /a", "PUT /a", "HEAD /a", "OPTIONS /a", "PATCH /a", "OPTIONS /a", "OPTIONS /a"],
            answered: [1, 1, 2, 3, 5, 4, 5, 5]
        ),
        Scenario(
            name: "a repeated change does not count again",
            recorded: ["GET /a", "POST /a", "GET /a", "POST /b", "GET /a"],
            asked: ["POST /a", "POST /a", "GET /a", "GET /a", "POST /b", "GET /a"],
            answered: [2, 2, 3, 3, 4, 5]
        ),
        Scenario(
            name: "a change out of order does not unlock the stubs after an earlier change",
            recorded: ["GET /a", "POST /one", "GET /a", "POST /two", "GET /a"],
            asked: ["GET /a", "POST /two", "GET /a", "POST /one", "GET /a"],
            answered: [1, 4, 1, 2, 5]
        ),
        Scenario(
            name: "sequenceThenLast ignores changes",
            order: .sequenceThenLast,
            recorded: session,
            asked: ["GET /items", "GET /items", "GET /items", "GET /items", "GET /items"],
            answered: [2, 3, 5, 7, 7]
        ),
        Scenario(
            name: "a sequence stops answering after its last stub",
            order: .sequence,
            recorded: session,
            asked: [
                "GET /items", "GET /items", "GET /items", "GET /items", "GET /items", "POST /login", "POST /login",
            ],
            answered: [2, 3, 5, 7, 0, 1, 0]
        ),
        Scenario(
            name: "firstMatch always answers with the same stub",
            order: .firstMatch,
            recorded: session,
            asked: ["GET /items", "GET /items"],
            answered: [2, 2]
        ),
        Scenario(
            name: "exact matches come before loose ones, and the last exact one repeats",
            order: .sequenceThenLast,
            matchers: .lenient,
            recorded: ["GET /a?p=1", "GET /a?p=2", "GET /a?p=3", "GET /a?p=2"],
            asked: ["GET /a?p=2", "GET /a?p=2", "GET /a?p=2", "GET /a?p=9", "GET /a?p=9", "GET /a?p=9", "GET /a?p=1"],
            answered: [2, 4, 4, 1, 3, 4, 1]
        ),
        Scenario(
            name: "a sequence continues with loose matches after the exact ones",
            order: .sequence,
            matchers: .lenient,
            recorded: ["GET /a?p=1", "GET /a?p=2"],
            asked: ["GET /a?p=2", "GET /a?p=2", "GET /a?p=2"],
            answered: [2, 1, 0]
        ),
        Scenario(
            name: "firstMatch prefers the first exact match",
            order: .firstMatch,
            matchers: .lenient,
            recorded: ["GET /a?p=1", "GET /a?p=2"],
            asked: ["GET /a?p=2", "GET /a?p=2", "GET /a?p=3"],
            answered: [2, 2, 1]
        ),
        Scenario(
            name: "equal header fields make a match exact",
            order: .sequenceThenLast,
            recorded: ["GET /a #en", "GET /a #de"],
            asked: ["GET /a #de", "GET /a #de", "GET /a #en", "GET /a #fr"],
            answered: [2, 2, 1, 2]
        ),
        Scenario(
            name: "an exact match after a change waits for the change",
            matchers: .lenient,
            recorded: ["GET /a?p=1", "POST /a", "GET /a?p=2"],
            asked: ["GET /a?p=2", "POST /a", "GET /a?p=1", "GET /a?p=2"],
            answered: [1, 2, 3, 3]
        ),
    ]

    private static func request(_ line: String) -> StubRequest {
        let words = line.split(separator: " ").map(String.init)
        let address = words[1].hasPrefix("/") ? "https://a.test\(words[1])" : "https://\(words[1])"
        return .make(words[0], address, words.count > 2 ? ["X-Language": words[2]] : [:])
    }

    private static func stubs(_ lines: [String]) -> StubSource {
        StubSource(
            ofFile: lines.enumerated().map { index, line in
                Stub(request: request(line), response: .text("\(index + 1)"))
            }
        )
    }

    @Test(arguments: scenarios)
    func `each playback order selects the expected stubs`(scenario: Scenario) {
        let stubs = Self.stubs(scenario.recorded)
        var rules = PlaybackRules()
        rules.order = scenario.order
        rules.matchers = scenario.matchers
        let answered = scenario.asked.map { line in
            let body = stubs.take(for: Self.request(line), by: rules)?.response.bytes
            return body.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        }
        #expect(answered == scenario.answered)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `after a change the state is the one that was recorded after it`(method: String) throws {
        let directory = TemporaryDirectory()
        let stubs = [("GET", "before"), (method, "changed"), ("GET", "after")].map { method, body in
            """
            { "request" : { "method" : "\(method)", "url" : "https://a.test/" },
              "response" : { "statusCode" : 200 }, "text" : [ "\(body)" ] }
            """
        }
        try directory.write("[\(stubs.joined(separator: ","))]", to: "state.json")
        let network = StubbornNetwork(try #require(.persistent(name: "state", path: directory.path)), environment: [:])
        network.playbackOrder = .stateful
        let answers = try ["GET", "GET", method, "GET", "GET"].map { method in
            let request = StubRequest.make(method, "https://a.test/").urlRequest
            return String(decoding: try network.response(to: request).0, as: UTF8.self)
        }
        #expect(answers == ["before", "before", "changed", "after", "after"])
    }

    @Test(arguments: [PlaybackOrder.sequenceThenLast, .sequence, .firstMatch, .stateful])
    func `a stub that is equal in everything answers before one that differs in an ignored JSON key`(
        order: PlaybackOrder
    ) throws {
        let directory = TemporaryDirectory()
        let stubs = [1, 2].map { number in
            """
            { "data" : "\(Data("\(number)".utf8).base64EncodedString())",
              "request" : {
                "headerFields" : [ "Content-Type[:::]application/json" ], "method" : "POST",
                "requestJSON" : { "page" : 1, "ts" : \(number) }, "url" : "https://a.test/"
              },
              "response" : { "statusCode" : 200 } }
            """
        }
        try directory.write("[\(stubs.joined(separator: ","))]", to: "exact.json")
        let network = StubbornNetwork(
            try #require(.persistent(name: "exact", path: directory.path)),
            environment: [:]
        )
        network.playbackOrder = order
        network.requestMatcherOptions = [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["ts"])]
        var request = URLRequest(url: try #require(URL(string: "https://a.test/")))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"ts":2,"page":1}"#.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        #expect(try network.response(to: request).0 == Data("2".utf8))
    }

    @Test func `distinct requests get the same answers in whatever order they come`() {
        let recorded = (0..<40).flatMap { ["GET /a?p=\($0)", "GET /a?p=\($0)"] }
        for order in [PlaybackOrder.sequenceThenLast, .stateful, .sequence] {
            var rules = PlaybackRules()
            rules.order = order
            rules.matchers = .lenient
            let stubs = Self.stubs(recorded)
            let answers = Lock<[Int: String]>([:])
            let given = rules
            DispatchQueue.concurrentPerform(iterations: 40) { page in
                let request = Self.request("GET /a?p=\(page)")
                let bodies = (0..<2).map { _ in stubs.take(for: request, by: given)?.response.bytes ?? Data() }
                answers.withLock {
                    $0[page] = bodies.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
                }
            }
            let expected = Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, "\($0 * 2 + 1) \($0 * 2 + 2)") })
            #expect(answers.withLock { $0 } == expected)
        }
    }

    @Test func `a GraphQL query is a read, and a mutation is a change`() {
        func request(_ query: String) -> StubRequest {
            .make("POST", "https://a.test/graphql", body: #"{"query":"\#(query)"}"#)
        }
        let (read, change) = (request("query User { user }"), request("mutation Rename { rename }"))
        let stubs = StubSource(
            ofFile: zip([read, read, change, read], ["1", "2", "renamed", "3"]).map {
                Stub(request: $0, response: .text($1))
            }
        )
        var rules = PlaybackRules()
        rules.order = .stateful
        let answers = [read, read, read, change, read, read].map { stubs.take(for: $0, by: rules)?.response.bytes }
        #expect(answers == ["1", "2", "2", "renamed", "3", "3"].map { Data($0.utf8) })
    }

    @Test(.timeLimit(.minutes(5))) func `equal requests are answered one after the other from ten thousand stubs`() {
        let stubs = Self.stubs((0..<10_000).map { $0 % 10 == 0 ? "POST /\($0)" : "GET /a" })
        var rules = PlaybackRules()
        rules.order = .stateful
        let request = Self.request("GET /a")
        for _ in 0..<100 { #expect(stubs.take(for: request, by: rules) != nil) }
    }

    @Test func `an order is described by its code`() {
        #expect(
            [PlaybackOrder.sequenceThenLast, .sequence, .firstMatch, .stateful].map(\.description)
                == [".sequenceThenLast", ".sequence", ".firstMatch", ".stateful"]
        )
    }

    @Test func `a change that this run has recorded counts as requested`() {
        let stubs = StubSource(ofFile: [Stub(request: Self.request("GET /a"), response: .text("1"))])
        stubs.recorded.withLock {
            $0.insert(Stub(request: Self.request("POST /a"), response: .text("2")), requestNumber: 0)
            $0.insert(Stub(request: Self.request("GET /a"), response: .text("3")), requestNumber: 1)
        }
        var rules = PlaybackRules()
        rules.order = .stateful
        #expect(stubs.take(for: Self.request("GET /a"), by: rules)?.response.bytes == Data("3".utf8))
    }
}
