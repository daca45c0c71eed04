import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Prompts that are compared, and that no stub file has.
struct TextChecksumsTests {
    private let directory = TemporaryDirectory()
    private let checksums = TextChecksums(ofJSONKeyPaths: "messages.content", "system")

    private func stored(_ body: String) -> String {
        let data = checksums.dataForStoringRequestBody(data: Data(body.utf8), of: URLRequest(url: URL(string: "a:b")!))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    @Test func `a prompt is compared, and is not in the file`() async throws {
        let server = try LoopbackServer { _ in .json(#"{"text":"sunny"}"#) }
        func ask(_ network: StubbornNetwork, _ prompt: String) async throws -> Data {
            var request = URLRequest(url: server.url("/chat"))
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: [
                "model": "m", "messages": [["role": "user", "content": prompt], ["role": "user", "content": "x"]],
            ])
            return try await network.session.data(for: request).0
        }
        func network(_ mode: RecordMode) -> StubbornNetwork {
            let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
            network.recordMode = mode
            network.bodyEncoding = .readable
            network.bodyDataProcessor = checksums
            network.onUnstubbedRequest = { _ in }
            return network
        }
        let recording = network(.recording)
        let live = try await ask(recording, "Will it rain in Ulm?")
        try recording.finishRecording()
        server.stop()
        let file = try directory.text(of: "a.json")
        #expect(!file.contains("rain") && file.contains("checksum "))

        let playback = network(.playback)
        #expect(try await ask(playback, "Will it rain in Ulm?") == live)
        await #expect(throws: (any Error).self) { try await ask(playback, "Will it rain in Bonn?") }
        #expect(playback.unstubbedRequests.count == 1)
    }

    @Test func `declared stubs get the checksum, and the exchanges have the prompt`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.bodyDataProcessor = checksums
        let prompt = #"{"system":"Be brief."}"#
        var request = URLRequest(url: try URL.parsed("https://api.test/chat"))
        request.httpMethod = "POST"
        request.httpBody = Data(prompt.utf8)
        network.stub(.any) { .data($0.body ?? Data()) }
        network.stub(.requestBody(json: ["system": "Be brief."]), with: .status(429))
        #expect(try network.response(to: request).0 == Data(stored(prompt).utf8))
        #expect(network.exchanges(matching: .requestBody(json: ["system": "Be brief."])).count == 1)
    }

    @Test func `the spelling of a member does not count, and its content does`() {
        let bodies = [
            #"{"system":[{"a":1,"b":"ü"}]}"#, #"{"system":[ {"b":"\u00fc", "a":1.0} ]}"#,
            #"{"system":[{"a":2,"b":"ü"}]}"#,
        ]
        let checksums = bodies.map(stored).map { $0.filter { $0 != " " } }
        #expect(checksums[0] == checksums[1] && checksums[1] != checksums[2])
    }

    @Test(arguments: [
        "", "no JSON", "{", #"{"other":"text"}"#, #"{"messages":"text"}"#, #"{"messages":[{"role":"user"}]}"#,
    ])
    func `other bodies stay as they are`(body: String) {
        #expect(stored(body) == body)
    }

    @Test func `no body stays none`() {
        #expect(checksums.dataForStoringRequestBody(data: nil, of: URLRequest(url: URL(string: "a:b")!)) == nil)
    }
}
