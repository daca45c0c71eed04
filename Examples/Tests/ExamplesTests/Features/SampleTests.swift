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
        case .login: .json(["accessToken": "sample"])
        case .newBook: .json(Book(id: 1, title: "A Sample"), statusCode: 201)
        case .arrivals: .text("data: {\"id\":1,\"title\":\"A Sample\"}\n\n")
        case .books: .json(BookPage(books: [Book(id: 1, title: "A Sample")]))
        case .cover: .data(Data(), contentType: "image/png")
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct SampleTests {
    @Test func `each endpoint answers with its sample`() async throws {
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            network.stub(BooksEndpoint.books(page: 1), delayedBy: .milliseconds(10))
            network.stub(BooksEndpoint.cover(of: 1))
        }
        let client = BooksClient(session: session)
        let books = try await client.books()
        #expect(books == [Book(id: 1, title: "A Sample")])
        #expect(try await client.cover(of: books[0]).isEmpty)
    }
}
