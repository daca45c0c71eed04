// The preview way: a screen shows what a server said once, in Xcode's canvas, in a screenshot, on a plane. The stub file
// is committed; in playback, a request that is not in it fails instead of asking a server.

import BytesKit
import StubbornNetwork
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PreviewWayTests {
    private let session = StubbornNetwork.stubbed(
        withConfiguration: .persistent(named: "ContentView_Previews", in: CommittedStubs.path)
    ) { network in
        network.recordMode = .playback
        network.onUnstubbedRequest = { _ in }
    }

    @Test(arguments: [
        ("https://api.example.com/417", "417 bytes"),
        ("https://api.example.com/books", "68 bytes"),
    ])
    func `a preview shows what was recorded`(address: String, summary: String) async throws {
        let url = try #require(URL(string: address))
        #expect(try await BytesClient(session: session).summary(of: url) == summary)
    }

    @Test func `an unrecorded request fails with an error that names it`() async throws {
        let url = try #require(URL(string: "https://api.example.com/authors"))
        let thrown = await #expect(throws: (any Error).self) {
            try await BytesClient(session: session).summary(of: url)
        }
        let error = thrown.flatMap(StubbornNetworkError.init)
        #expect(error?.code == .unstubbedRequest)
        #expect(error?.description.hasPrefix("No stub answers GET https://api.example.com/authors (playback, ") == true)
    }
}
