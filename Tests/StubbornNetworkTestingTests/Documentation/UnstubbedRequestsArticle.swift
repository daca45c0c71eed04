import Foundation
import Testing

@testable import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The article on unstubbed requests, and the report that it and the README show.
struct UnstubbedRequestsArticle {
    private let stubs = FileManager.default.temporaryDirectory
        .appendingPathComponent("article-\(UUID().uuidString)/Stubs")

    private func get(_ address: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "https://api.example.com\(address)")))
    }

    /// A network with three recorded stubs, of which the first was asked for.
    private func network() throws -> StubbornNetwork {
        try FileManager.default.createDirectory(at: stubs, withIntermediateDirectories: true)
        let entries = try ["/users", "/users?page=1", "/users/42"].map { address in
            let request = try #require(StubRequest(get(address)))
            return StubFileEntry(
                rendering: Stub(request: request, response: .status(200)),
                bodyEncoding: .readable
            )
        }
        let file = StubFileDocument(entries: entries).data
        try file.write(to: stubs.appendingPathComponent("UserTests_list.json"))
        let network = StubbornNetwork(.persistent(named: "UserTests_list", in: stubs.path), environment: [:])
        network.onUnstubbedRequest = { _ in }
        network.setTest(filter: "UserTests.list", target: .trait)
        _ = try network.response(to: get("/users"))
        return network
    }

    /// As a block of a document that is indented.
    private func block(_ text: String) -> String {
        text.replacingOccurrences(of: stubs.path, with: "Stubs").split(separator: "\n").map { "    \($0)\n" }.joined()
    }

    @Test func `the error of a task has the report`() async throws {
        defer { try? FileManager.default.removeItem(at: stubs.deletingLastPathComponent()) }
        let network = try network()
        let url = try #require(get("/users?page=2").url)
        var lines: [String] = []
        func log(_ line: String) { lines.append(line) }

        do {
            _ = try await network.session.data(from: url)
        } catch {
            log(StubbornNetworkError(error)?.report?.request ?? "another error")
        }

        #expect(lines == ["GET https://api.example.com/users?page=2"])
    }

    @Test func `the reports that the documents show are those of the library`() throws {
        defer { try? FileManager.default.removeItem(at: stubs.deletingLastPathComponent()) }
        let network = try network()
        let request = try get("/users?page=2")
        var lines: [String] = []
        func log(_ line: String) { lines.append(line) }

        do {
            _ = try network.response(to: request)
        } catch let error as StubbornNetworkError {
            log(error.description)
        }

        #expect(lines.first?.contains("Closest is stub 2, GET https://api.example.com/users?page=1:") == true)
        #expect(lines.first?.contains("UnstubbedRequestsArticle") == true)
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: request) }
        let report = try #require(error?.report)
        let cause = try JSONSerialization.jsonObject(with: Data(report.jsonString.utf8)) as? [String: Any]

        #expect(cause?["cause"] as? String == "no stub matches")
        for name in ["README.md", "StubbornNetwork.docc/UnstubbedRequests.md"] {
            let document = try #require(Document.all.first { $0.name == name })
            #expect(document.text.contains(block(report.description)), "\(name): \(block(report.description))")
        }
        let unused = try #require(network.unusedStubReports.first)
        let article = try #require(Document.all.first { $0.name.hasSuffix("/UnstubbedRequests.md") })
        #expect(article.text.contains(block(unused.description)), "\(block(unused.description))")
    }

    @Test func `one line summarises a run`() throws {
        defer { try? FileManager.default.removeItem(at: stubs.deletingLastPathComponent()) }
        let network = try network()
        let lines = Lock<[String]>([])
        @Sendable func log(_ line: String) { lines.withLock { $0.append(line) } }
        network.onUnstubbedRequest = { report in
            log(report.description)
        }

        #expect(throws: StubbornNetworkError.self) { try network.response(to: get("/users?page=2")) }
        log(network.summary.description)
        for stub in network.unusedStubs { log(stub.description) }

        let logged = lines.withLock { $0 }
        #expect(logged.count == 4)
        #expect(logged[1] == "2 requests: 1 stubbed, 1 unstubbed. 2 stubs unused.")
    }

    @Test func `the report of a first run is that of the article`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("first-\(UUID().uuidString)").path
        let path = "\(root)/Tests/AppTests/Stubs"
        let network = StubbornNetwork(.persistent(named: "NewsTests_headlines", in: path), environment: [:])
        network.onUnstubbedRequest = { _ in }
        network.setTest(filter: "NewsTests.headlines", target: .trait)
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: get("/news")) }
        let report = try #require(error?.report).description.replacingOccurrences(of: "\(root)/", with: "")
        let article = try #require(Document.all.first { $0.name.hasSuffix("/WritingTheFirstTest.md") })
        #expect(article.text.contains(block(report)), "\(block(report))")
    }
}
