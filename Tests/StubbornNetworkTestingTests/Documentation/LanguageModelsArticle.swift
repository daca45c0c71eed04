import Foundation
import LoopbackServer
import StubbornNetworkTesting
import Testing

/// The code under test: a client of a model that streams its answer.
private struct Chat {
    let session: URLSession
    var server = URL(string: "https://api.example.com/")!
    var prompt = "Summarise the text in one sentence."

    func summary(of text: String) async throws -> String {
        var request = URLRequest(url: server.appendingPathComponent("v1/chat/completions"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(
            withJSONObject: ["messages": [["content": "\(prompt)\n\(text)", "role": "user"]], "stream": true]
                as [String: Any],
            options: .sortedKeys
        )
        let (data, response) = try await session.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.hasPrefix("data: ") ? line.dropFirst(6).description : nil
        }.joined()
    }
}

@Suite(.stubbed(bodyEncoding: .readable))
struct ChatTests {
    @Test func summary() async throws {
        let chat = Chat(session: StubbornNetwork.current.session)
        #expect(try await chat.summary(of: "A long text").contains("short"))
    }
}

/// On a build server, or where the environment asks for a mode, a network does not record because code says so.
private let recordsNothing = ["CI", "STUB_RECORD_MODE"].contains { ProcessInfo.processInfo.environment[$0] != nil }

struct LanguageModelsArticle {
    private let stubs = FileManager.default.temporaryDirectory.appendingPathComponent("models-\(UUID().uuidString)")

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(named: "ChatTests_summary", in: stubs.path), environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test(.disabled(if: recordsNothing))
    func `a word that changed in a long prompt is shown, counted, and recorded first`() async throws {
        defer { try? FileManager.default.removeItem(at: stubs) }
        let server = try LoopbackServer { _ in
            .init(headers: [("Content-Type", "text/event-stream")], body: .data(Data("data: It is short.\n\n".utf8)))
        }
        let text = Array(repeating: "A long text that nobody reads.", count: 60).joined(separator: " ")
        let recording = network(.recording)
        let live = try await Chat(session: recording.session, server: server.url("/")).summary(of: "\(text) Monday.")
        try recording.finishRecording()
        #expect(live == "It is short.")
        server.stop()

        let playback = network(.playback)
        let report = Lock("")
        playback.onUnstubbedRequest = { unstubbed in report.withLock { $0 = unstubbed.description } }
        let chat = Chat(session: playback.session, server: server.url("/"))
        #expect(try await chat.summary(of: "\(text) Monday.") == live)
        await #expect(throws: (any Error).self) { try await chat.summary(of: "\(text) Tuesday.") }
        let lines = report.withLock { $0 }.components(separatedBy: "\n")
        let difference = try #require(lines.first { $0.contains("body.messages[0].content") })
        #expect(difference.contains("reads. Monday.\"") && difference.contains("reads. Tuesday.\""))
        #expect(difference.hasSuffix("; 1 of 367 words differs"))
        let advice = lines.filter { $0.hasPrefix("To ") }
        #expect(advice.first?.hasPrefix("To record it:") == true, "\(lines)")
    }

    @Test(.stubbed) func `what differs is left out of the comparison`() {
        let network = StubbornNetwork.current
        network.requestMatcherOptions = [.httpMethod, .url, .requestBody(ignoringJSONKeyPaths: ["user", "requestID"])]
        network.volatileJSONKeyPaths = ["id", "created", "system_fingerprint"]

        network.bodyDataProcessor = TextChecksums(ofJSONKeyPaths: "messages.content", "system")

        network.recordingFilter = { exchange in
            var exchange = exchange
            exchange.json["choices"][0]["message"]["content"] = "A short answer."
            return exchange
        }

        #expect(network.volatileJSONKeyPaths.count == 3)
    }

    private struct Model {
        func answer(_ prompt: String) async throws -> String { "An answer to \(prompt)" }
    }

    @Test func `a model that is not behind HTTP is a value`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recording
        let model = Model()
        let answer = try await network.value("summary") { try await model.answer("Summarize it.") }

        #expect(answer == "An answer to Summarize it.")
    }
}
