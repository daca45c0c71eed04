import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Many at once: nothing is mixed up, lost or answered twice.
@Suite(.timeLimit(.minutes(5)))
struct ConcurrencyTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode, named name: String = "many") -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: name, path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func fetch(_ urls: [URL], on session: URLSession) async throws -> [URL: Data] {
        try await withThrowingTaskGroup(of: (URL, Data).self) { group in
            for url in urls { group.addTask { (url, try await session.data(from: url).0) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test func `three hundred parallel requests are recorded, and played back`() async throws {
        let server = try LoopbackServer()
        let urls = (0..<300).map { server.url("/bytes/\(1000 + $0)") }
        let recording = network(.recording)
        let recorded = try await fetch(urls, on: recording.session)
        try recording.finishRecording()
        server.stop()
        let played = try await fetch(urls, on: network(.playback).session)
        #expect(played == recorded)
        #expect(played.count == 300)
    }

    @Test func `two networks that record into one file both keep theirs`() async throws {
        let server = try LoopbackServer()
        let networks = [network(.recordingMissing), network(.recordingMissing)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, network) in networks.enumerated() {
                let urls = (0..<40).map { server.url("/bytes/\(1 + $0 * 2 + number)") }
                group.addTask { _ = try await fetch(urls, on: network.session) }
            }
            try await group.waitForAll()
        }
        let playback = network(.playback)
        let played = try await fetch((1...80).map { server.url("/bytes/\($0)") }, on: playback.session)
        #expect(played.count == 80)
        #expect(playback.unusedStubs.isEmpty)
    }

    @Test func `two networks that rerecord one file keep each other's stubs`() async throws {
        let server = try LoopbackServer()
        let urls = (1...4).map { server.url("/bytes/\($0)") }
        let first = network(.recording)
        _ = try await fetch(urls, on: first.session)
        try first.finishRecording()
        // Each asks for half, and gets what is there already.
        let (one, other) = (network(.recording), network(.recording))
        _ = try await fetch([urls[0]], on: one.session)
        _ = try await fetch([urls[1]], on: other.session)
        _ = try await fetch([server.url("/counter")], on: one.session)
        _ = try await fetch([server.url("/json")], on: other.session)
        try one.finishRecording()
        try other.finishRecording()
        let playback = network(.playback)
        let played = try await fetch(
            [urls[0], urls[1], server.url("/counter"), server.url("/json")],
            on: playback.session
        )
        #expect(played.count == 4)
    }

    private func recordedURLs() throws -> [String] {
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("many.json")))
        let stubs = try #require(content as? [[String: Any]])
        return stubs.compactMap { ($0["request"] as? [String: Any])?["url"] as? String }
    }

    @Test func `a stub that another network adds is not written twice`() async throws {
        let server = try LoopbackServer()
        let slow = network(.recordingMissing)
        try slow.loadStubs()
        let other = network(.recordingMissing)
        _ = try await fetch([server.url("/hello")], on: other.session)
        try other.finishRecording()
        _ = try await fetch([server.url("/json")], on: slow.session)
        try slow.finishRecording()
        #expect(try recordedURLs() == ["/hello", "/json"].map { server.url($0).absoluteString })
    }

    @Test func `what a run has added and written is not added again by one that had begun before`() async throws {
        let server = try LoopbackServer()
        let slow = network(.recordingMissing)
        try slow.loadStubs()
        let other = network(.recordingMissing)
        _ = try await fetch([server.url("/hello")], on: other.session)
        try other.finishRecording()
        _ = try await fetch([server.url("/json"), server.url("/hello")], on: slow.session)
        try slow.finishRecording()
        #expect(try recordedURLs().sorted() == ["/hello", "/json"].map { server.url($0).absoluteString })
    }

    @Test func `recording the same again leaves the file as it is, byte for byte`() async throws {
        let server = try LoopbackServer()
        // The server says another date and another id each time.
        let urls = (0..<200).map { server.url($0 % 2 == 0 ? "/bytes/\(10 + $0)" : "/volatile?\($0)") }
        var contents: Set<String> = []
        for _ in 0..<5 {
            let network = network(.recording)
            network.volatileHeaderFields = .standard.including("X-Build")
            _ = try await fetch(urls.shuffled(), on: network.session)
            try network.finishRecording()
            contents.insert(try directory.text(of: "many.json"))
        }
        #expect(contents.count == 1)
        #expect(contents.first?.components(separatedBy: "\"request\"").count == 201)
    }

    @Test func `delayed, immediate, recorded and cancelled tasks each end exactly once`() async throws {
        let server = try LoopbackServer()
        let networks = (0..<10).map { network(.recordingMissing, named: "mixed-\($0)") }
        for network in networks {
            network.stub(.path("/now"), with: .text("now"))
            network.stub(.path("/later"), with: .text("later").delayed(by: .milliseconds(20)))
            network.stub(.path("/slow"), with: .data(Data(count: 5000)).throttled(to: .init(bytesPerSecond: 50_000)))
        }
        let ends = Counter()
        let paths = ["/now", "/later", "/slow", "/hello", "/bytes/5000"]
        let tasks = (0..<500).map { number in
            let session = networks[number % 10].session
            let task = session.dataTask(with: server.url(paths[number % 5] + "?n=\(number)")) { data, _, error in
                ends.add(number, isError: error != nil, hasData: data?.isEmpty == false)
            }
            task.resume()
            return task
        }
        for number in stride(from: 0, to: 500, by: 7) { tasks[number].cancel() }
        try await eventually { ends.count == 500 }
        #expect(ends.counts.allSatisfy { $0.value == 1 })
        #expect(ends.withNeither == 0)
    }
}

final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var ends: [Int: Int] = [:]
    private var neither = 0

    var count: Int { lock.withLock { ends.values.reduce(0, +) } }
    var counts: [Int: Int] { lock.withLock { ends } }
    var withNeither: Int { lock.withLock { neither } }

    func add(_ number: Int, isError: Bool, hasData: Bool) {
        lock.withLock {
            ends[number, default: 0] += 1
            if isError == hasData { neither += 1 }
        }
    }
}
