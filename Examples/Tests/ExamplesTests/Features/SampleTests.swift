// Sample data that lives with the endpoint: previews and tests need no file. The app's module does not know the library,
// so the conformance stands here. (In a package of its own it would be `@retroactive`.)

import BooksKit
import StubbornNetworkTesting
import Testing

extension BooksEndpoint: SampleResponding {
    /// The request that the sample answers.
    public var urlRequest: URLRequest { request() }

    /// The response to show in previews and tests.
    public var sampleResponse: StubResponse {
        switch self {
        case .books: .json([Book(id: 1, title: "A Sample")])
        case .loans: .json(["A Sample"])
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct SampleTests {
    @Test func `every endpoint answers with its sample`() async throws {
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            network.stub(all: BooksEndpoint.allCases, delayedBy: .milliseconds(10))
        }
        #expect(try await BooksClient(session: session).books() == [Book(id: 1, title: "A Sample")])
    }
}
