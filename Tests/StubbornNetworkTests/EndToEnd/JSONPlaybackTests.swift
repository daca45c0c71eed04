import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Whatever JSON a request was recorded with, the identical request is played back.
@Suite(.timeLimit(.minutes(5)))
struct JSONPlaybackTests {
    let directory = TemporaryDirectory()

    private static let types = [
        "application/json", "application/json; charset=utf-8", "application/problem+json", "text/plain",
        "application/x-www-form-urlencoded", "application/json-seq", nil,
    ]

    private func network(_ mode: RecordMode, _ bodyEncoding: BodyEncoding) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "json", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.bodyEncoding = bodyEncoding
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func request(_ url: URL, _ body: String, _ type: String?) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        return request
    }

    /// Records the requests, and plays them back when the server has gone.
    ///
    /// - Returns: The bodies of the requests that no stub answered.
    private func unanswered(_ bodies: [(text: String, type: String?)], _ bodyEncoding: BodyEncoding) async throws
        -> [String]
    {
        let server = try LoopbackServer { .text("answer to \($0.target)") }
        let requests = bodies.enumerated().map {
            request(server.url("/\($0.offset)"), $0.element.text, $0.element.type)
        }
        let recording = network(.recording, bodyEncoding)
        let recorder = recording.session
        for request in requests { _ = try await recorder.data(for: request) }
        try recording.finishRecording()
        server.stop()

        let player = network(.playback, bodyEncoding).session
        var unanswered: [String] = []
        for (number, request) in requests.enumerated() {
            let answer = try? await player.data(for: request).0
            if answer != Data("answer to /\(number)".utf8) { unanswered.append("\(bodies[number])") }
        }
        return unanswered
    }

    @Test(arguments: [BodyEncoding.base64, .readable])
    func `a key that comes twice is played back`(bodyEncoding: BodyEncoding) async throws {
        let bodies = [(#"{ "a": 1, "a": 2 }"#, "application/json")]
        #expect(try await unanswered(bodies, bodyEncoding) == [])
    }

    @Test(arguments: [BodyEncoding.base64, .readable], [200, 508, 509, 510, 512, 513, 600])
    func `an array in an array is played back, however deep`(bodyEncoding: BodyEncoding, depth: Int) async throws {
        let text = String(repeating: "[ ", count: depth) + String(repeating: "]", count: depth)
        let bodies = [(text, "application/json")]
        #expect(try await unanswered(bodies, bodyEncoding) == [])
    }

    @Test(arguments: [BodyEncoding.base64, .readable])
    func `generated JSON is played back`(bodyEncoding: BodyEncoding) async throws {
        var generator = Generator(seed: 1_977)
        let bodies = (0..<60).map { _ in
            (text: GeneratedJSON.text(&generator), type: GeneratedJSON.pick(Self.types, &generator))
        }
        #expect(try await unanswered(bodies, bodyEncoding) == [])
    }
}
