// A preview as a cache that fills itself: the first showing asks the server, each later one is answered from the file.

import BooksKit
import ExampleServer
import StubbornNetworkTesting
import Testing

@Suite(.disabled(if: ProcessInfo.processInfo.environment["STUB_RECORD_MODE"] != nil), .timeLimit(.minutes(5)))
struct PreviewCacheTests {
    private let directory = TemporaryDirectory()

    /// Returns the network that a preview creates each time it is shown.
    ///
    /// Xcode sets the variable. A preview is never shown on a build server, where nothing is recorded.
    private func previewNetwork() throws -> StubbornNetwork {
        let file = try #require(StubbornNetworkConfiguration.persistent(name: "Books_Previews", path: directory.path))
        let network = StubbornNetwork(file, environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"])
        network.recordMode = .recordingMissing
        return network
    }

    @Test func `the second showing needs no server`() async throws {
        let server = try await ExampleServer.run { server in
            let network = try previewNetwork()
            let books = try await BooksClient(session: network.session, server: server.url).books()
            #expect(books.count == 3)
            try network.finishRecording()
            return server
        }
        let books = try await BooksClient(session: previewNetwork().session, server: server.url).books()
        #expect(books.map(\.title) == ["The Stubborn Donkey", "Networks", "The Last Byte"])
        #expect(await server.requestCount == 2)
    }
}
