import Foundation
import Testing

@testable import StubbornNetwork

struct DeclaredStubsTests {
    private func answers(_ network: StubbornNetwork, _ count: Int, of path: String = "/a") -> [Int] {
        let request = StubRequest.get("https://api.test\(path)").urlRequest
        return (0..<count).map { _ in
            ((try? network.response(to: request))?.1 as? HTTPURLResponse)?.statusCode ?? 0
        }
    }

    private func network() -> StubbornNetwork {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test func `when a stub is used up, the one before it answers`() {
        let network = network()
        network.stub(.any, with: .status(200))
        network.stub(.get("/a"), times: 2, with: .status(503))
        network.stub(.path("/a"), times: 1, with: .status(401))
        #expect(answers(network, 5) == [401, 503, 503, 200, 200])
        #expect(network.unusedDeclaredStubs.isEmpty)
    }

    @Test func `a HEAD request gets the head of any kind of stub without its body`() async throws {
        let file = URL(fileURLWithPath: #filePath)
        let url = try #require(URL(string: "https://api.test/a"))
        let head = StubRequest(method: "HEAD", url: url)
        let responses: [StubResponse] = [
            .text("here", statusCode: 404), .json(["id": 42]), .file(at: file),
            .file(at: file).delayed(by: .milliseconds(1)),
            .text("here").chunked(byteCount: 1, every: .milliseconds(1)),
        ]
        let network = network()
        for response in responses {
            network.removeAllStubs()
            network.stub(.any) { _ in response }
            let length = response.head?.headerFields["Content-Length"]
            let (data, answer) = try network.response(to: head.urlRequest)
            #expect(data.isEmpty)
            #expect((answer as? HTTPURLResponse)?.statusCode == response.head?.statusCode)
            #expect((answer as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") == length)
            #expect(try await network.session.data(for: head.urlRequest).0.isEmpty)
            let other = try await network.response(to: head) { _ in throw CancellationError() }
            #expect(other.body?.isEmpty != false)
        }
    }

    @Test func `when the only stub is used up, the request is unstubbed`() {
        let network = network()
        network.stub(.get("/a"), times: 1, with: .status(503))
        #expect(answers(network, 2) == [503, 0])
    }

    @Test func `every kind of declared stub can be limited`() {
        let network = network()
        network.stub(.get("/a"), times: 3, with: [.status(201), .status(202)])
        network.stub(.get("/b"), times: 1) { _ in .status(203) }
        network.stub(StubRequest.get("https://api.test/c").urlRequest, times: 1, with: .status(204))
        #expect(answers(network, 4, of: "/a") == [201, 202, 202, 0])
        #expect(answers(network, 2, of: "/b") == [203, 0])
        #expect(answers(network, 2, of: "/c") == [204, 0])
    }

    @Test(arguments: [0, -1, Int.min])
    func `a stub limited to 0 or less never answers`(times: Int) {
        let network = network()
        network.stub(.get("/a"), times: times, with: .status(200))
        #expect(answers(network, 1) == [0])
        #expect(network.unusedDeclaredStubs.count == 1)
    }

    @Test func `other matchers do not make a used-up stub answer again`() {
        let network = network()
        let request = StubRequest.get("https://api.test/a").urlRequest
        network.stub(request, times: 1, with: .status(200))
        #expect(answers(network, 1) == [200])
        network.requestMatcherOptions = .lenient
        #expect(answers(network, 1) == [0])
    }

    @Test func `many requests at once use a stub no more often than its limit`() {
        let network = network()
        network.stub(.any, with: .status(200))
        network.stub(.path("/a"), times: 50, with: .status(201))
        let counts = Lock<[Int: Int]>([:])
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            let status = answers(network, 1)[0]
            counts.withLock { $0[status, default: 0] += 1 }
        }
        #expect(counts.withLock { $0 } == [200: 150, 201: 50])
    }

    @Test func `a printed stub shows its pattern and the line of its declaration`() {
        let network = network()
        let line: UInt = #line + 1
        let stub = network.stub(.path("/a"), with: .status(200))
        #expect("\(stub)" == "path /a at DeclaredStubsTests.swift:\(line)")
    }

    @Test(arguments: [
        ("photo.jpg", "image/jpeg"), ("PHOTO.JPG", "image/jpeg"), ("Page.Html", "text/html; charset=utf-8"),
        ("photo.jpg.other", "application/octet-stream"), ("jpg", "application/octet-stream"),
    ])
    func `a file has the content type of its extension, in capital letters too`(name: String, type: String) throws {
        let directory = TemporaryDirectory()
        try directory.write("content", to: name)
        let network = network()
        network.stub(.any, with: .file(at: directory.file(name)))
        let (data, response) = try network.response(to: StubRequest.get("https://api.test/").urlRequest)
        #expect(response.field("Content-Type") == type)
        #expect(String(decoding: data, as: UTF8.self) == "content")
    }

    @Test func `the latest pattern that holds answers, whatever its kind`() {
        let network = network()
        let user = StubRequest.get("https://api.test/users/42?ts=1").urlRequest
        let patterns: [RequestPattern] = [.any, .get("/users/42"), .host("api.test") && .path("/users/:id")]
        var stubs = patterns.enumerated().map { network.stub($1, with: .status(200 + $0)) }
        stubs.append(network.stub(user, with: .status(203)))
        network.stub(.path("/x"), with: .status(299))
        for status in [203, 202, 201, 200] {
            #expect(answers(network, 1, of: "/users/42?ts=1") == [status])
            network.remove(stubs.removeLast())
        }
        #expect(answers(network, 1, of: "/users/42?ts=1") == [0])
    }

    @Test func `a stub for a whole request answers by the matchers in force`() {
        let network = network()
        network.stub(StubRequest.get("https://api.test/a?ts=1").urlRequest, with: .status(201))
        #expect(answers(network, 1, of: "/a?ts=2") == [0])
        network.requestMatcherOptions = [.url(ignoringQueryItems: ["ts"])]
        #expect(answers(network, 1, of: "/a?ts=2") == [201])
        #expect(answers(network, 1, of: "/b") == [0])
        network.requestMatcherOptions = [.httpMethod]
        #expect(answers(network, 1, of: "/b") == [201])
    }

    @Test func `a stub for a whole request answers on each path that the matchers treat as equal`() {
        let network = network()
        network.requestMatcherOptions = [.httpMethod, .url(ignoringPathParameters: ["/reports/:time"]), .requestBody]
        network.stub(StubRequest.get("https://api.test/reports/2026").urlRequest, with: .status(201))
        #expect(answers(network, 1, of: "/reports/2027") == [201])
        #expect(answers(network, 1, of: "/other/2027") == [0])
    }

    @Test(arguments: ["REDACTED-id-1", "REDACTED"])
    func `a placeholder in the path of a whole request stands for any value`(placeholder: String) {
        let network = network()
        network.stub(StubRequest.get("https://api.test/users/\(placeholder)").urlRequest, with: .status(202))
        #expect(answers(network, 1, of: "/users/42") == [202])
        #expect(answers(network, 1, of: "/other/42") == [0])
    }
}
