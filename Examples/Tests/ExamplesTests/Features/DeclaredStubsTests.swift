// A unit test says what the server answers, and looks at what the code makes of it.

import BooksKit
import StubbornNetworkTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeclaredStubsTests {
    private let network = StubbornNetwork(.ephemeral)
    private var client: BooksClient { BooksClient(session: network.session) }

    @Test func `the client returns the books that the server lists`() async throws {
        network.stub(.get("/books"), with: .json(["books": [["id": 1, "title": "Networks"]]]))
        #expect(try await client.books() == [Book(id: 1, title: "Networks")])
    }

    @Test func `the client returns the books from a fixture next to the test`() async throws {
        network.stub(.get("/books"), with: .fixture("books.json"))
        #expect(try await client.books() == [Book(id: 7, title: "Fixtures")])
    }

    @Test func `a server that is away is an error with its status`() async throws {
        network.stub(.host("books.example.com"), with: .status(503))
        await #expect(throws: BooksError(statusCode: 503)) { try await client.books() }
    }

    @Test func `a list requested again contains the book that was added`() async throws {
        let book = Book(id: 1, title: "Networks")
        network.stub(.get("/books"), with: [.json(BookPage(books: [])), .json(BookPage(books: [book]))])
        network.stub(.post("/books") && .requestBody(json: ["title": "Networks"]), with: .json(book, statusCode: 201))
        #expect(try await client.books() == [])
        #expect(try await client.add(title: "Networks") == book)
        #expect(try await client.books() == [book])
        #expect(network.exchanges(matching: .post("/books")).count == 1)
    }
}
