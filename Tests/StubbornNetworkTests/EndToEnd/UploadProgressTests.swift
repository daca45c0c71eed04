import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// What a delegate is told of the body that is being sent: as much as by a bare session.
@Suite(.timeLimit(.minutes(5)))
struct UploadProgressTests {
    let run = LiveAndPlayed()

    private static func row(_ style: ClientStyle, _ body: Data, _ log: ClientLog) -> ClientCase {
        var row = ClientCase("upload", style, path: "/upload", method: "POST")
        row.upload = body
        if ClientStyle.dataTasks.contains(style) {
            row.request = { server in
                var request = URLRequest(url: server.url("/upload"))
                request.httpMethod = "POST"
                request.httpBody = body
                return request
            }
        }
        row.behaviour = ClientDelegate.Behaviour(bodyStream: style == .uploadStream ? body : nil)
        row.log = log
        return row
    }

    #if canImport(FoundationNetworking)
        @Test(arguments: ClientStyle.allCases, [0, 5, 300_000])
        func `a delegate gets the progress that a bare session reports, and a stub reports that of uploads`(
            style: ClientStyle,
            count: Int
        ) async throws {
            let server = try LoopbackServer()
            let body = Data(repeating: 7, count: count)
            let logs = [ClientLog(), ClientLog(), ClientLog(), ClientLog()]
            _ = try await run.bare(Self.row(style, body, logs[0]), at: server)
            _ = try await run.see(Self.row(style, body, logs[1]), of: run.network(.live), at: server)
            _ = try await run.record(Self.row(style, body, logs[2]), at: server)
            server.stop()
            _ = try await run.play(Self.row(style, body, logs[3]), at: server)
            let isTold = !["completion", "async", "uploadData", "uploadFile", "uploadAsync", "uploadFileAsync"]
                .contains(style.rawValue)
            let sent = logs.map { log in log.sent.map { $0[0] }.reduce(0, +) }
            let isUpload = ClientStyle.uploads.contains(style)
            let live = Array(repeating: isTold ? Int64(count) : 0, count: 3)
            #expect(sent == live + [isTold && isUpload ? Int64(count) : 0])
            let lengths = Set(logs.flatMap(\.sent).map { $0[2] })
            #expect(lengths.isSubset(of: [style == .uploadStream ? 0 : Int64(count)]))
            // Foundation reads the sums late, so that those of a bare session are too large.
            for log in logs.dropFirst() {
                var sum: Int64 = 0
                for report in log.sent {
                    sum += report[0]
                    #expect(report[1] == sum)
                }
            }
        }
    #endif

    @Test func `an upload that takes longer than the timeout reaches the server, as long as bytes are sent`()
        async throws
    {
        // A busy machine adds a second or two between two parts.
        let server = try LoopbackServer(readingSlowlyFor: 8) { .text("\($0.body.count)") }
        let network = run.network(.live)
        var request = URLRequest(url: server.url("/upload"), timeoutInterval: 6)
        request.httpMethod = "POST"
        let body = Data(repeating: 7, count: 24_000_000)
        let (answer, _) = try await network.session.upload(for: request, from: body)
        #expect(String(decoding: answer, as: UTF8.self) == "\(body.count)")
    }

    @Test func `a delegate can cancel an upload when it gets its progress`() async throws {
        let server = try LoopbackServer()
        let log = ClientLog()
        let delegate = ClientDelegate(log, .init(onCall: { name, task in if name == "sent" { task.cancel() } }))
        let network = run.network(.recording)
        let session = network.makeSession(delegate: delegate)
        var request = URLRequest(url: server.url("/hang"))
        request.httpMethod = "POST"
        session.uploadTask(with: request, from: Data("body".utf8)).resume()
        #if canImport(FoundationNetworking)
            try await eventually { log.ends > 0 }
            #expect(log.calls == ["failure -999"])
        #endif
    }
}
