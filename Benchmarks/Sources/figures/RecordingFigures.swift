import Foundation
import StubbornNetwork

/// Time and bytes written for recording 1,000 responses of 1 KB, over the same requests in `.live` mode, and the time for
/// redacting a long response.
struct RecordingFigures {
    private static let requestCount = 1_000

    private let directory: URL
    private let rounds: Int

    init(_ directory: URL, rounds: Int) {
        self.directory = directory
        self.rounds = rounds
    }

    func rows() throws -> [Table.Row] {
        let server = try Helper(["serve"])
        defer { server.end() }
        guard let url = URL(string: try server.firstLine()) else { throw URLError(.badURL) }
        return try rows("sequential", width: 1, url) + rows("64 at a time", width: 64, url)
            + [textRow()].compactMap { $0 }
            + [redactionRow("1 MB of JSON", LongJSON.data), redactionRow("1.3 MB of base64 in JSON", LongJSON.base64)]
            .compactMap { $0 }
    }

    /// Compares the time for recording a response with that for the same without redaction.
    private func redactionRow(_ what: String, _ body: Data) throws -> Table.Row? {
        let contenders = [Redaction.standard, .none].enumerated().map { index, redaction in
            Contender(index == 0 ? "redacted" : "plain") { try record(body, redaction) }
        }
        let measured = try Contest(contenders).run(rounds: rounds, iterations: 1)
        guard let redacted = measured["redacted"], let plain = measured["plain"] else { return nil }
        return Table.Row(what: "recording \(what): redacted over plain", ours: redacted, other: plain)
    }

    /// Compares the time for recording a string with that for as many bytes that are none.
    private func textRow() throws -> Table.Row? {
        let binary = StubFile.randomBody(byteCount: LongJSON.data.count)
        let contenders = [("text", LongJSON.data), ("binary", binary)].map { name, body in
            Contender(name) { try record(body, .standard) }
        }
        let measured = try Contest(contenders).run(rounds: rounds, iterations: 1)
        guard let text = measured["text"], let other = measured["binary"] else { return nil }
        return Table.Row(what: "recording 1 MB of JSON over 1 MB of binary", ours: text, other: other, target: 1.5)
    }

    private func record(_ body: Data, _ redaction: Redaction) throws {
        let file = directory.appendingPathComponent("\(UUID().uuidString.prefix(8)).json")
        let network = try StubbornNetwork.persistent(at: file)
        network.recordMode = .recording
        network.redaction = redaction
        network.bodyEncoding = .readable
        let fields: HeaderFields = ["Authorization": "Bearer k9Zx4Tq7Wm2Rb5Yp8Ls3Qw6Ev"]
        try Waiting.run {
            _ = try await network.response(to: StubRequest(url: StubFile.url(of: 0), headers: fields)) { _ in
                let head = ResponseHead(statusCode: 200, headers: ["Content-Type": "application/json"])
                return StubResponse(head: head, body: body)
            }
        }
        try network.finishRecording()
    }

    private func rows(_ way: String, width: Int, _ server: URL) throws -> [Table.Row] {
        var recordings: [Written] = []
        let recording = Contender("recording") { recordings.append(try make(width: width, server, mode: .recording)) }
        let live = Contender("live") { _ = try make(width: width, server, mode: .live) }
        // Before the recordings, because a network that goes writes its file once more.
        let lives = try (0..<rounds).map { _ in try make(width: width, server, mode: .live) }
        // A run is long enough to need no warming up.
        let measured = try Contest([recording, live]).run(rounds: rounds, warmUps: 0, iterations: 1)
        guard let recordingTime = measured[recording.name], let liveTime = measured[live.name] else { return [] }
        let what = "recording 1,000 × 1 KB, \(way)"
        let time = Table.Row(what: "\(what): time over live", ours: recordingTime, other: liveTime, target: 1.15)
        let written = Figure(values: recordings.compactMap(\.byteCount), unit: .bytes)
        let inFile = Figure(values: recordings.compactMap(\.fileByteCount), unit: .bytes)
        let inLive = Figure(values: lives.compactMap(\.byteCount), unit: .bytes)
        guard !written.values.isEmpty else { return [time] }
        return [
            time,
            Table.Row(what: "\(what): bytes written over the file", ours: written, other: inFile, target: 3),
            Table.Row(what: "\(what): bytes written over live", ours: written, other: inLive),
        ]
    }

    private struct Written {
        /// Of this process, in the meantime; `nil` if the system does not say.
        var byteCount: Double?
        /// Of the stub file; `nil` if there is none.
        var fileByteCount: Double?
    }

    /// Makes the requests on a separate network, up to the normal end of the recording.
    private func make(width: Int, _ server: URL, mode: RecordMode) throws -> Written {
        let file = directory.appendingPathComponent("\(UUID().uuidString.prefix(8)).json")
        let before = ThisProcess.writtenByteCount
        let network = try StubbornNetwork.persistent(at: file)
        network.recordMode = mode
        let requests = Requests(
            session: network.session,
            urls: (0..<Self.requestCount).map { server.appendingPathComponent("items/\(100_000 + $0)") },
            width: width,
            bodyByteCount: ConstantAnswer.body.count
        )
        try requests.make()
        try network.finishRecording()
        return Written(
            byteCount: before.flatMap { before in ThisProcess.writtenByteCount.map { Double($0 - before) } },
            fileByteCount: (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize).map(Double.init)
        )
    }
}
