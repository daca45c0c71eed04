// The tests of an app, as somebody would write them: recorded once from the real server, here `example-server`, and played
// back from Stubs/ ever since. To record them again:
//
//     swift run --package-path Examples example-server &
//     export LIBRARY_CARD=2108-4711 LIBRARY_PIN=0815
//     STUB_RECORD_MODE=recording swift test --package-path Examples --filter BooksClientTests
//
// Stubs/.stubborn.json says for all of them that bodies are readable, and that the number of a card is a secret. A stub
// that no request asks for fails its test, so that a recording holds nothing that nobody needs.

import BooksKit
import StubbornNetworkTesting
import Testing

@Suite(.stubbed(failsOn: [.standard, .unused]), .timeLimit(.minutes(5)))
struct BooksClientTests {
    private let client = BooksClient(
        session: StubbornNetwork.current.session,
        server: URL(string: "http://127.0.0.1:8417")!
    )

    @Test func catalogue() async throws {
        let books = try await client.books()
        #expect(books.map(\.title) == ["The Stubborn Donkey", "Networks", "The Last Byte"])
    }

    @Test func cover() async throws {
        let image = try await client.cover(of: Book(id: 1, title: "The Stubborn Donkey"))
        #expect(image.starts(with: [0x89] + "PNG".utf8))
    }

    // Only the recording needs a real card. Secrets are replaced before requests are compared, so any other one plays it
    // back. The token is a placeholder then, in the response to the login and in the next request.
    @Test func adding() async throws {
        let environment = ProcessInfo.processInfo.environment
        let reader = try await client.loggedIn(
            card: environment["LIBRARY_CARD"] ?? "0000-0000",
            pin: environment["LIBRARY_PIN"] ?? "0000"
        )
        #expect(try await reader.add(title: "Playback") == Book(id: 4, title: "Playback"))
        assertRequests(of: StubbornNetwork.current)
    }

    @Test func `without a login no book is added`() async throws {
        await #expect(throws: BooksError(statusCode: 401)) { try await client.add(title: "Playback") }
    }

    // The stream has no end, so the client stops listening. The recording is a cancelled request with what had arrived.
    @Test func arrivals() async throws {
        var titles: [String] = []
        for try await book in client.arrivals() {
            titles.append(book.title)
            if titles.count == 2 { break }
        }
        #expect(titles == ["Hot off the Press", "Still Wet"])
    }

    // The first page is recorded, and the second declared. What is declared comes first.
    @Test(.stubbed { $0.stub(.get("/books?page=2"), with: .status(503)) })
    func `an outage on the second page is an error`() async throws {
        await #expect(throws: BooksError(statusCode: 503)) { try await client.books() }
    }

    @Test(.stubbed { $0.stub(.get("/arrivals"), with: .status(503)) })
    func `an outage ends the stream of arrivals with an error`() async throws {
        await #expect(throws: BooksError(statusCode: 503)) { for try await _ in client.arrivals() {} }
    }
}
