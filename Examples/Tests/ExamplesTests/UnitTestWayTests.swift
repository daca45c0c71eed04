// The unit-test way: the code under test is handed a stubbed session, and the test says what the network answers.
// Nothing is read or written, and no packet leaves the process.

import BytesKit
import StubbornNetwork
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UnitTestWayTests {
    private let url = URL(string: "https://api.example.com/417")!

    @Test func `the size of a download is the number of its bytes`() async throws {
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            network.stub(URLRequest(url: url), data: Data(count: 417))
        }
        let client = BytesClient(session: session)
        #expect(try await client.byteCount(of: url) == 417)
        #expect(try await client.summary(of: url) == "417 bytes")
    }

    @Test(arguments: [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes")])
    func `the summary uses the singular only for a single byte`(count: Int, summary: String) async throws {
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            network.stub(.any, with: .data(Data(count: count)))
        }
        #expect(try await BytesClient(session: session).summary(of: url) == summary)
    }

    @Test func `an error status throws instead of counting the page's bytes`() async throws {
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            network.stub(.host("api.example.com"), with: .text("Back soon.", statusCode: 503))
        }
        await #expect(throws: UnexpectedStatus(statusCode: 503, url: url)) {
            try await BytesClient(session: session).byteCount(of: url)
        }
    }

    @Test func `a download fails as the network does`() async throws {
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            network.stub(.any, with: .failure(URLError(.notConnectedToInternet)))
        }
        let error = await #expect(throws: URLError.self) {
            try await BytesClient(session: session).byteCount(of: url)
        }
        #expect(error?.code == .notConnectedToInternet)
    }

    @Test func `a size is asked for once`() async throws {
        let network = StubbornNetwork(.observing)
        _ = try await BytesClient(session: network.session).byteCount(of: url)
        #expect(network.exchanges.map(\.request.description) == ["GET https://api.example.com/417"])
    }
}
