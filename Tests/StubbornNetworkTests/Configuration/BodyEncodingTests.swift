import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// The keys of a stub file that bodies are written under, by content type and encoding.
@Suite(.timeLimit(.minutes(5)))
struct BodyEncodingTests {
    private static let rows = [
        ["application/json", "[1]", "json"], ["text/json", #"{"a":1}"#, "json"],
        ["application/problem+json; charset=utf-8", "{}", "json"],
        ["application/x-www-form-urlencoded", "a=1&b=2", "form"], ["text/plain; charset=utf-8", "a\nb", "text"],
        ["text/html", "<p>", "text"], ["image/png", "\u{0}\u{1}", "data"],
    ]

    /// The keys of the response's and the request's body.
    private func keys(_ encoding: BodyEncoding, _ readable: String) -> [String] {
        switch encoding {
        case .base64: ["data", "requestData"]
        case .readable: [readable, "request\(readable == "json" ? "JSON" : readable.capitalized)"]
        }
    }

    @Test(arguments: BodyEncoding.allCases, rows)
    func `a body is written under the key of its content type, in any case, and played back`(
        encoding: BodyEncoding,
        row: [String]
    ) async throws {
        let (type, text) = (row[0], row[1])
        for spelling in [type, type.uppercased()] {
            let server = try LoopbackServer { request in
                .init(headers: [("Content-Type", spelling)], body: .data(request.body))
            }
            let directory = TemporaryDirectory()
            func network(_ mode: RecordMode) -> StubbornNetwork {
                let network = StubbornNetwork(.persistent(name: "body", path: directory.path)!, environment: .newRun)
                network.recordMode = mode
                network.bodyEncoding = encoding
                return network
            }
            var request = URLRequest(url: server.url("/a"))
            request.httpMethod = "POST"
            request.httpBody = Data(text.utf8)
            request.setValue(spelling, forHTTPHeaderField: "Content-Type")
            let recording = network(.recording)
            _ = try await recording.session.data(for: request)
            try recording.finishRecording()
            let file = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("body.json")))
            let stub = try #require((file as? [[String: Any]])?.first)
            let bodyKeys = ["data", "json", "form", "text", "requestData", "requestJSON", "requestForm", "requestText"]
            let written = (Array(stub.keys) + Array((stub["request"] as? [String: Any] ?? [:]).keys))
                .filter(bodyKeys.contains)
            #expect(written.sorted() == keys(encoding, row[2]).sorted(), "\(spelling)")
            #expect(try network(.playback).response(to: request).0 == Data(text.utf8), "\(spelling)")
        }
    }
}
