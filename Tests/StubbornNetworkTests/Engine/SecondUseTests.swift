import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// The state of a network, used a second time.
@Suite(.timeLimit(.minutes(5)))
struct SecondUseTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode = .playback) throws -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "twice", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func writeStubs() throws {
        let stub = { (text: String) in
            """
            { "request" : { "method" : "GET", "url" : "https://a.example/a?x=1" }, "response" : { "statusCode" : 200 },
              "text" : [ "\(text)" ] }
            """
        }
        try directory.write("[\(stub("one")),\(stub("two"))]", to: "twice.json")
    }

    private func played(_ network: StubbornNetwork, _ url: String = "https://a.example/a?x=1") throws -> String? {
        let request = URLRequest(url: try URL.parsed(url))
        return (try? network.response(to: request)).map { String(decoding: $0.0, as: UTF8.self) }
    }

    private struct Appending: BodyDataProcessor {
        let text: String

        func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? {
            (data ?? Data()) + Data(text.utf8)
        }
    }

    @Test func `matchers that are set again apply to the next request`() throws {
        try writeStubs()
        let network = try network()
        let other = "https://a.example/a?x=9"
        #expect(try played(network, other) == nil)
        network.requestMatcherOptions = .lenient
        #expect(try played(network, other) == "one")
        network.requestMatcherOptions = [.url(ignoringQueryItems: ["x"])]
        #expect(try played(network, other) == "two")
        network.requestMatcherOptions = .standard
        #expect(try played(network, other) == nil)
        #expect(try played(network) == "two")
    }

    @Test func `a playback order that is set again applies to the next request`() throws {
        try writeStubs()
        let network = try network()
        network.playbackOrder = .sequence
        #expect(try [played(network), played(network), played(network)] == ["one", "two", nil])
        network.playbackOrder = .sequenceThenLast
        #expect(try played(network) == "two")
        network.playbackOrder = .firstMatch
        #expect(try played(network) == "one")
        network.playbackOrder = .sequence
        #expect(try played(network) == nil)
    }

    @Test func `a body processor that is set again takes the place of the first one`() throws {
        try writeStubs()
        let network = try network()
        network.playbackOrder = .firstMatch
        network.bodyDataProcessor = Appending(text: "!")
        #expect(try played(network) == "one!")
        network.bodyDataProcessor = Appending(text: "?")
        #expect(try played(network) == "one?")
        network.bodyDataProcessor = nil
        #expect(try played(network) == "one")
    }

    @Test func `a handler of unstubbed requests that is set again takes the place of the first one`() throws {
        try writeStubs()
        let network = try network()
        let calls = Lock<[String]>([])
        for name in ["first", "second"] {
            network.onUnstubbedRequest = { _ in calls.withLock { $0.append(name) } }
            #expect(try played(network, "https://a.example/\(name)") == nil)
        }
        #expect(calls.withLock { $0 } == ["first", "second"])
    }

    @Test func `a record mode that is set again applies to the next request`() async throws {
        let server = try LoopbackServer()
        let network = try network(.live)
        let ask = { String(decoding: try await network.session.data(from: server.url("/counter")).0, as: UTF8.self) }
        #expect(try await ask() == "1")
        network.recordMode = .recording
        #expect(try await ask() == "2")
        network.recordMode = .live
        #expect(try await ask() == "3")
        network.recordMode = .recording
        #expect(try await ask() == "4")
        try network.finishRecording()
        network.recordMode = .playback
        #expect(try await [ask(), ask(), ask()] == ["2", "4", "4"])
        server.stop()
        network.recordMode = .live
        await #expect(throws: URLError.self) { try await ask() }
    }

    @Test func `a body encoding and the recording of timing that are set again apply to the next request`() async throws
    {
        let server = try LoopbackServer()
        let network = try network(.recording)
        for (path, encoding, recordsTiming) in [
            ("/hello?n=1", BodyEncoding.readable, true), ("/hello?n=2", .base64, false),
            ("/hello?n=3", .readable, true),
        ] {
            (network.bodyEncoding, network.recordsTiming) = (encoding, recordsTiming)
            _ = try await network.session.data(from: server.url(path))
        }
        try network.finishRecording()
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("twice.json")))
        let stubs = try #require(json as? [[String: Any]])
        #expect(stubs.map { $0["text"] != nil } == [true, false, true])
        #expect(stubs.map { $0["data"] != nil } == [false, true, false])
        #expect(stubs.map { $0["timing"] != nil } == [true, false, true])
    }

    @Test func `settings that are set again have the second value`() throws {
        let network = try network()
        network.playbackSpeed = .recorded
        network.playbackSpeed = .delays(scaledBy: 2)
        #expect(network.playbackSpeed == .delays(scaledBy: 2))
        network.volatileHeaderFields = VolatileHeaderFields(["X-A"])
        network.volatileHeaderFields = VolatileHeaderFields(["X-B"])
        #expect(network.volatileHeaderFields == VolatileHeaderFields(["x-b"]))
        network.volatileJSONKeyPaths = ["a"]
        network.volatileJSONKeyPaths = ["b"]
        #expect(network.volatileJSONKeyPaths == ["b"])
        network.recordingFilter = { $0 }
        network.recordingFilter = nil
        #expect(network.recordingFilter == nil)
        network.cancellationTimeout = .seconds(1)
        network.cancellationTimeout = .milliseconds(7)
        #expect(network.cancellationTimeout == .milliseconds(7))
        network.redaction = .standard.including(values: ["planted-77q-value"])
        network.redaction = .none
        #expect(network.redaction.knownValues.isEmpty)
    }

    @Test func `each setting of a network is tested here by a second use, or cannot be set`() {
        let settable: Set = [
            "recordMode", "rules", "recordsTiming", "playbackSpeed", "bodyEncoding", "volatileHeaderFields",
            "volatileJSONKeyPaths", "cancellationTimeout", "bodyDataProcessor", "recordingFilter",
            "onUnstubbedRequest",
        ]
        // The trait sets the last two once, for its test.
        let fixed: Set = [
            "answersUnstubbedRequests", "directory", "variables", "hasFault", "clock", "onFailureOfTest",
            "onUnstubbedRequestOfTest",
        ]
        // A property with a wrapper is stored with an underscore.
        let names = Mirror(reflecting: NetworkSettings()).children.compactMap(\.label).map { $0.drop { $0 == "_" } }
        #expect(Set(names.map(String.init)) == settable.union(fixed))
    }

    @Test func `what is done twice is done once`() async throws {
        try writeStubs()
        let server = try LoopbackServer()
        let network = try network(.recordingMissing)
        try network.loadStubs()
        try network.loadStubs()
        #expect(network.unusedStubs.count == 2)
        #expect(network.session === network.session)
        _ = try await network.session.data(from: server.url("/hello"))
        try network.finishRecording()
        let file = try directory.text(of: "twice.json")
        try network.finishRecording()
        #expect(try directory.text(of: "twice.json") == file)
        #expect(directory.contents == ["twice.json"])

        let interception = network.interceptSharedSession()
        interception.end()
        interception.end()
    }

    @Test func `declared stubs are removed once, and declared again`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        let first = network.stub(.path("/a"), with: .text("first"))
        let second = network.stub(.path("/a"), with: .text("second"))
        #expect(try played(network) == "second")
        network.remove(second)
        network.remove(second)
        #expect(try played(network) == "first")
        network.removeAllStubs()
        network.removeAllStubs()
        #expect(try played(network) == nil)
        network.stub(.path("/a"), times: 1, with: .text("third"))
        // The stub of before is gone, and is not the one that was declared since.
        network.remove(first)
        #expect(try [played(network), played(network)] == ["third", nil])
        network.stub(.path("/a"), times: 1, with: .text("fourth"))
        #expect(try [played(network), played(network)] == ["fourth", nil])
    }
}
