import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RecordAndPlayBackTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "test", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test func `a recorded response is played back after the server has stopped`() async throws {
        let server = try LoopbackServer()
        let url = server.url("/counter")
        let recording = network(.recording)
        let (recorded, response) = try await recording.session.data(from: url)
        #expect(response.status == 200)
        try recording.finishRecording()
        server.stop()

        let (played, again) = try await network(.playback).session.data(from: url)
        #expect(played == recorded)
        #expect(again.status == 200)
        #expect(again.url == url)
        #expect(server.connectionCount == 1)
    }

    @Test func `a file of the older shape becomes readable when it is recorded again with readable bodies`()
        async throws
    {
        let server = try LoopbackServer()
        func record() async throws {
            let recording = network(.recording)
            recording.bodyEncoding = directory.contents.isEmpty ? .base64 : .readable
            _ = try await recording.session.data(from: server.url("/hello"))
            try recording.finishRecording()
        }
        try await record()
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("test.json")))
        var stub = try #require((content as? [[String: Any]])?.first)
        var response = try #require(stub["response"] as? [String: Any])
        response["responseData"] = stub.removeValue(forKey: "data")
        stub["response"] = response
        try JSONSerialization.data(withJSONObject: [stub]).write(to: directory.file("test.json"))

        try await record()
        let text = try directory.text(of: "test.json")
        #expect(text.contains("\"text\" : ["), "\(text)")
        #expect(!text.contains("esponseData"))
    }

    @Test func `the client sees the end of a response when it is stored, also while another process folds`()
        async throws
    {
        let server = try LoopbackServer()
        try directory.write("[]", to: "test.json")
        let delegate = CollectingDelegate()
        let recording = network(.recording)
        let session = recording.makeSession(delegate: delegate)
        _ = try await recording.session.data(from: server.url("/first"))
        // As another process would that writes the stub file just now.
        let lock = open(directory.path, O_RDONLY)
        #expect(flock(lock, LOCK_EX) == 0)
        session.dataTask(with: server.url("/hello")).resume()
        try await eventually { delegate.isComplete }
        let journal = try #require(directory.contents.first { $0.hasSuffix(".1.journal") })
        #expect(try directory.text(of: journal).contains("/hello"))
        close(lock)
        try recording.finishRecording()
        #expect(try directory.text(of: "test.json").contains("/hello"))
        #expect(directory.contents == ["test.json"])
    }
}
