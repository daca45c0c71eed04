import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The calls of the tables in the article on coming from other libraries, in their order.
struct OtherLibrariesArticle {
    private let data = Data("[]".utf8)
    private let error = URLError(.badServerResponse)

    @Test func `the OHHTTPStubs calls have replacements`() {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.host("api.example.com")) { request in .text(request.method) }
        network.stub(.host("h") && .path("/p") && .method("POST"), with: .json([1], statusCode: 200))
        network.stub(.query(["page": "2"]), with: .fixture("Stubs/UserTests_name.json"))
        network.stub(.any, with: .failure(error))
        let stub = network.stub(.any, with: .json([1]).delayed(by: .milliseconds(100)).throttled(to: .threeG))
        network.remove(stub)
        network.passThrough(.host("localhost"))
        network.onUnstubbedRequest = { report in _ = report.description }
        #expect(network.unusedDeclaredStubs.count == 4)
    }

    @Test func `the Mocker calls have replacements`() {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://api.example.com/a"), with: .data(data, contentType: "application/json"))
        network.stub(.get("/path"), with: .data(data).delayed(by: .seconds(5)))
        network.stub(.url(ignoringQuery: "https://api.example.com/a"), with: .data(data))
        network.stub(.path(suffix: ".png"), with: .failure(error))
        network.passThrough(.url("https://api.example.com/b"))
        network.insertStubbedSessionURLProtocol(into: .ephemeral)
        #expect(network.exchanges(matching: .path("/login")).isEmpty)
    }

    @Test func `the DVR and Replay calls have replacements`() {
        let traits: [StubbedTrait] = [
            .stubbed(named: "example"),
            .stubbed(matching: [.httpMethod, .url, .requestBody, .headers(named: ["Accept"])]),
            .stubbed(named: "fetchUser", sharedSession: true),
            .stubbed { $0.stub(.get("https://api.example.com/a"), with: .text("a")) },
            .stubbed(matching: [.httpMethod, .path]),
            .stubbed(redaction: .standard.including(headers: ["X-Session"])),
            .stubbed(in: .main),
        ]
        #expect(traits.count == 7)
    }

    /// Compiled alone: two of them fail the test that they stand in.
    private func whatWasAssertRequest(_ network: StubbornNetwork) async throws {
        assertRequests(of: network, recording: true)
        assertRequests(of: network)
        try await network.interceptingSharedSession { _ = try await URLSession.shared.data(from: BooksURL.books) }
    }

    /// Compiled alone: the network is that of the process.
    private func whatWasStandard() {
        StubbornNetwork.standard.insertStubbedSessionURLProtocol(into: .ephemeral)
        StubbornNetwork.standard.requestMatcherOptions = RequestMatcherOptions([.requestBody, .url, .httpMethod])
        StubbornNetwork.standard.bodyDataProcessor = WithoutNames()
    }

    @Test func `the calls of earlier Stubborn Network versions have replacements`() {
        let request = URLRequest(url: BooksURL.books)
        let response = URLResponse(url: BooksURL.books, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            network.stub(request, data: data, response: response, error: nil)
        }
        let environment = StubbornNetwork.stubbed(withProcessInfo: .processInfo)
        let persistent = StubbornNetwork.stubbed(withConfiguration: .persistent(name: "n", path: "p")!)
        #expect(ProcessInfo.processInfo.isUITesting == false)
        #expect(Set([session, environment, persistent]).count == 3)
    }
}

private enum BooksURL {
    static let books = URL(string: "https://api.example.com/books")!
}
