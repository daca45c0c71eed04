import Foundation
import Testing

@testable import StubbornNetwork

/// The responses in the request log.
struct ExchangeResponseTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])

    private func url(_ path: String) throws -> URL { try #require(URL(string: "https://a.test\(path)")) }

    @Test func `an exchange has the response that its client got`() async throws {
        network.stub(.path("/user"), with: .status(201, headers: ["X-Kind": "new"]))
        network.stub(.path("/moved"), with: .status(302, headers: ["Location": "/user"]))
        network.stub(.path("/broken"), with: .failure(URLError(.timedOut)))
        network.onUnstubbedRequest = { _ in }

        _ = try await network.session.data(from: url("/user"))
        _ = try await network.session.data(from: url("/moved"))
        _ = try? await network.session.data(from: url("/broken"))
        _ = try? await network.session.data(from: url("/unknown"))
        let other = try await network.response(to: StubRequest(url: url("/user"))) { _ in throw CancellationError() }
        let (_, synchronous) = try network.response(to: URLRequest(url: url("/user")))

        #expect(other.head?.statusCode == 201 && (synchronous as? HTTPURLResponse)?.statusCode == 201)
        let responses = network.exchanges.map(\.response)
        #expect(responses.map { $0?.statusCode } == [201, 201, nil, nil, 201, 201])
        #expect(responses.map { $0?.url?.path } == ["/user", "/user", nil, nil, "/user", "/user"])
        #expect(responses[0]?.value(forHTTPHeaderField: "X-Kind") == "new")
        #expect(responses[4]?.value(forHTTPHeaderField: "X-Kind") == "new")
    }

    @Test func `a running exchange has no response`() async throws {
        network.stub(.path("/slow"), with: .status(200).delayed(by: .seconds(240)))
        network.session.dataTask(with: try url("/slow")).resume()
        try await network.waitForExchange(matching: .path("/slow"))
        #expect(network.exchanges.map(\.response) == [nil])
    }
}
