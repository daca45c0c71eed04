// What the code asks for, in a file that is reviewed: RequestSnapshot/RequestSnapshotTests/adding.json beside this file.

import BooksKit
import StubbornNetworkTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RequestSnapshotTests {
    @Test func adding() async throws {
        let network = StubbornNetwork(.observing)
        let client = BooksClient(session: network.session)
        try await client.add(title: "Networks")
        try await client.add(title: "More Networks")
        assertRequests(of: network)
    }
}
