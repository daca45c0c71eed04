// Code that cannot be handed a session calls URLSession.shared. These tests run in parallel on Linux, each with its own
// answer for one URL.

import BooksKit
import StubbornNetworkTesting
import Testing

@Suite(.stubbed(sharedSession: true, failsOn: [.standard, .unused]), .timeLimit(.minutes(5)))
struct SharedSessionTests {
    @Test(arguments: 1...8) func `each test has its own server`(id: Int) async throws {
        let book = Book(id: id, title: "Number \(id)")
        StubbornNetwork.current.stub(.get("/books"), with: .json(BookPage(books: [book])))
        #expect(try await BooksClient().books() == [book])
    }
}
