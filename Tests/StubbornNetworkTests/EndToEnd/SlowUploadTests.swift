import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Uploads that take long.
@Suite(.timeLimit(.minutes(5)))
struct SlowUploadTests {
    @Test func `an upload that takes longer than the timeout reaches the server, as long as bytes are sent`()
        async throws
    {
        // A busy machine adds a second or two between two parts.
        let server = try LoopbackServer(readingSlowlyFor: 8) { .text("\($0.body.count)") }
        let network = LiveAndPlayed().network(.live)
        var request = URLRequest(url: server.url("/upload"), timeoutInterval: 6)
        request.httpMethod = "POST"
        let body = Data(repeating: 7, count: 24_000_000)
        let (answer, _) = try await network.session.upload(for: request, from: body)
        #expect(String(decoding: answer, as: UTF8.self) == "\(body.count)")
    }
}
