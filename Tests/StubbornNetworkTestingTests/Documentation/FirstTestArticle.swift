import Foundation
import StubbornNetworkTesting
import Testing
import XCTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct NewsClient {
    let session: URLSession

    func headlines() async throws -> [String] {
        let url = URL(string: "https://api.example.com/news")!
        return try JSONDecoder().decode([String].self, from: try await session.data(from: url).0)
    }
}

struct NewsTests {
    @Test(.stubbed) func headlines() async throws {
        let client = NewsClient(session: StubbornNetwork.current.session)
        #expect(try await client.headlines() == ["Networks are stubborn"])
    }
}

struct OtherNewsTests {
    @Test(.stubbed { $0.stub(.path("/news"), with: .status(503)) })
    func outage() async throws {
        let client = NewsClient(session: StubbornNetwork.current.session)
        await #expect(throws: (any Error).self) { try await client.headlines() }
    }

    @Test(.stubbed) func created() async throws {
        StubbornNetwork.current.stub(
            .post("/news"),
            with: .json(["id": 1], statusCode: 201, headers: ["Location": "/news/1", "ETag": "\"v1\""])
        )

        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/news")))
        request.httpMethod = "POST"
        let response = try await StubbornNetwork.current.session.data(for: request).1 as? HTTPURLResponse
        #expect(response?.statusCode == 201)
        #expect(response?.value(forHTTPHeaderField: "Location") == "/news/1")
    }

    @Test(.stubbed(sharedSession: true) { $0.stub(.path("/news"), with: .json(["Shared"])) })
    func shared() async throws {
        #expect(try await NewsClient(session: .shared).headlines() == ["Shared"])
    }
}

@Suite(.stubbed(matching: .strict, failsOn: [.standard, .unused])) struct StrictNewsTests {
    @Test(arguments: ["news", "sport"]) func section(name: String) async throws {
        StubbornNetwork.current.stub(.get("/\(name)"), with: .json([name]))
        let url = URL(string: "https://api.example.com/\(name)")!
        let (data, _) = try await StubbornNetwork.current.session.data(from: url)
        #expect(try JSONDecoder().decode([String].self, from: data) == [name])
    }
}

extension Trait where Self == StubbedTrait {
    static var app: Self {
        .stubbed(matching: .strict) { $0.redaction = .standard.including(headers: ["X-Session"]) }
    }
}

@Suite(.app) struct AppNewsTests {
    @Test(.stubbed(order: .stateful) { $0.stub(.path("/news"), with: .json(["Strict and stateful"])) })
    func headlines() async throws {
        let client = NewsClient(session: StubbornNetwork.current.session)
        #expect(try await client.headlines() == ["Strict and stateful"])
    }
}

final class NewsXCTests: XCTestCase {
    func testHeadlines() async throws {
        let network = stubbedNetwork()
        let client = NewsClient(session: network.session)
        let headlines = try await client.headlines()
        XCTAssertEqual(headlines, ["Networks are stubborn"])
    }
}
