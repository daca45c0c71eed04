// A recorded test: one word gives it a network of its own, played back from Stubs/RecordedTests_catalogue.json beside this
// file. To record it anew, from a server at that address:  STUB_RECORD_MODE=recording swift test --filter RecordedTests

import BooksKit
import StubbornNetworkTesting
import Testing

@Suite(.stubbed(failsOnUnusedStubs: true), .timeLimit(.minutes(5)))
struct RecordedTests {
    private var client: BooksClient { BooksClient(session: StubbornNetwork.current.session) }

    @Test func catalogue() async throws {
        let titles = try await client.books().map(\.title)
        #expect(titles == ["The Stubborn Donkey", "Networks"])
    }

    /// Some of it recorded, the rest declared: what is declared comes first.
    @Test(.stubbed(named: "RecordedTests_catalogue") { $0.stub(.post("/books"), with: .status(507)) })
    func `adding a book to a full shelf fails, and the list is unchanged`() async throws {
        await #expect(throws: BooksError(statusCode: 507)) { try await client.add(title: "One more") }
        #expect(try await client.books().count == 2)
    }
}
