import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Servers that close a connection which they kept alive, instead of answering the next request on it.
@Suite(.timeLimit(.minutes(5)))
struct ClosedConnectionTests {
    private let run = LiveAndPlayed()

    /// Returns a server that closes the connection at each second request.
    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            request.nextNumber(for: "request").isMultiple(of: 2)
                ? .init(body: .raw([])) : .text(Seen.summary(of: request.body))
        }
    }

    @Test(
        arguments: [
            ClientStyle.async, .delegate, .uploadData, .uploadFile, .uploadAsync, .uploadStream,
        ],
        [RecordMode.recording, .live]
    )
    func `a request fails at once, or is sent again with its body`(style: ClientStyle, mode: RecordMode) async throws {
        let server = try server()
        let network = run.network(mode)
        for body in ["", "a=1", String(repeating: "0123456789", count: 30_000)] {
            var row = ClientCase("closed", style, path: "/", method: "POST", body: body)
            if style == .uploadStream { row.behaviour = ClientDelegate.Behaviour(bodyStream: Data(body.utf8)) }
            for _ in 1...2 {
                let start = Date()
                let seen = try await run.see(row, of: network, at: server)
                #expect(Date().timeIntervalSince(start) < 30)
                if seen.facts["status"] == "200" {
                    #expect(seen.facts["body"]?.contains("\(body.utf8.count) bytes") == true)
                } else {
                    let errors = ["NSURLErrorDomain -1005", "NSURLErrorDomain -1011"]
                    #expect(errors.contains(seen.facts["error"] ?? ""))
                }
            }
        }
        try network.finishRecording()
    }
}
