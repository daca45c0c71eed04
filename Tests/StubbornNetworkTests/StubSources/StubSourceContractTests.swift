import Foundation
import Testing

@testable import StubbornNetwork

/// The rules that every stub source keeps.
struct StubSourceContractTests {
    enum Kind: CaseIterable { case ephemeral, persistent }

    private let directory = TemporaryDirectory()

    private func source(_ kind: Kind) throws -> StubSource {
        StubSource(file: kind == .persistent ? try location.file : nil)
    }

    private var location: StubFileLocation {
        get throws { try StubFileLocation(name: "contract", path: directory.path) }
    }

    private func stub(_ path: String, _ body: String) -> Stub {
        Stub(request: StubRequest(url: URL(string: "http://api.test\(path)")!), response: .text(body))
    }

    private func store(_ stub: Stub, in source: StubSource, place: Int? = nil) throws {
        try source.store(Recording(stub, requestNumber: place ?? source.startRequest().number))
    }

    private func take(_ path: String, from source: StubSource, order: PlaybackOrder = .sequenceThenLast) -> String? {
        var rules = PlaybackRules()
        rules.order = order
        let stub = source.take(for: StubRequest(url: URL(string: "http://api.test\(path)")!), by: rules)
        return stub?.response.bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: Kind.allCases)
    func `a stored stub is found, and no other`(kind: Kind) throws {
        let source = try source(kind)
        try source.load()
        #expect(!source.existed)
        #expect(take("/a", from: source) == nil)
        try store(stub("/a", "a"), in: source)
        #expect(take("/a", from: source) == "a")
        #expect(take("/b", from: source) == nil)
        try source.finishRecording()
    }

    @Test(arguments: Kind.allCases)
    func `a repeated request gets the next recorded response, and then the last again`(kind: Kind) throws {
        let source = try source(kind)
        try source.load()
        for body in ["1", "2", "3"] { try store(stub("/a", body), in: source) }
        #expect((0..<5).map { _ in take("/a", from: source) } == ["1", "2", "3", "3", "3"])
    }

    @Test(arguments: Kind.allCases)
    func `a sequence stops answering after its last stub`(kind: Kind) throws {
        let source = try source(kind)
        try source.load()
        for body in ["1", "2"] { try store(stub("/a", body), in: source) }
        #expect((0..<4).map { _ in take("/a", from: source, order: .sequence) } == ["1", "2", nil, nil])
        var rules = PlaybackRules()
        rules.order = .sequence
        let diagnosis = source.diagnose(stub("/a", "").request, by: rules)
        #expect(diagnosis.count == 2)
        #expect(diagnosis.usedUp.count == 2)
    }

    @Test(arguments: Kind.allCases)
    func `the first match can be asked for again and again`(kind: Kind) throws {
        let source = try source(kind)
        try source.load()
        for body in ["1", "2"] { try store(stub("/a", body), in: source) }
        #expect((0..<3).map { _ in take("/a", from: source, order: .firstMatch) } == ["1", "1", "1"])
    }

    @Test(arguments: Kind.allCases)
    func `stubs recorded in this run do not count as unused`(kind: Kind) throws {
        let source = try source(kind)
        try source.load()
        for path in ["/a", "/b"] { try store(stub(path, ""), in: source) }
        _ = take("/b", from: source)
        #expect(source.unusedStubs().isEmpty)
    }

    @Test func `stubs that were not asked for are unused, in their order`() throws {
        let recording = try source(.persistent)
        for path in ["/a", "/b", "/c"] { try store(stub(path, ""), in: recording) }
        try recording.finishRecording()
        let source = try source(.persistent)
        try source.load()
        _ = take("/b", from: source)
        #expect(source.unusedStubs().map(\.request.url.path) == ["/a", "/c"])
    }

    @Test(arguments: Kind.allCases)
    func `each request gets a unique number`(kind: Kind) throws {
        let source = try source(kind)
        let places = Lock<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            let place = source.startRequest().number
            places.withLock { $0.append(place) }
        }
        #expect(places.withLock { $0.sorted() } == Array(0..<200))
    }

    @Test(arguments: Kind.allCases)
    func `changing the matchers changes which stubs are found`(kind: Kind) throws {
        let source = try source(kind)
        try source.load()
        try store(stub("/a?page=1", "1"), in: source)
        var rules = PlaybackRules()
        let request = StubRequest(url: URL(string: "http://api.test/a?page=2")!)
        #expect(source.take(for: request, by: rules) == nil)
        rules.matchers = [.url(ignoringQueryItems: ["page"])]
        #expect(source.take(for: request, by: rules)?.response.bytes == Data("1".utf8))
    }

    @Test(arguments: Kind.allCases)
    func `equal requests are answered in the order in which they started`(kind: Kind) throws {
        let source = try source(kind)
        try source.load()
        let places = (0..<3).map { _ in source.startRequest().number }
        try store(stub("/a", "third"), in: source, place: places[2])
        try store(stub("/a", "first"), in: source, place: places[0])
        try store(stub("/a", "second"), in: source, place: places[1])
        #expect((0..<3).map { _ in take("/a", from: source) } == ["first", "second", "third"])
    }

    @Test func `stubs are in the file in the order in which their requests started`() throws {
        let source = try source(.persistent)
        try source.load()
        let places = (0..<3).map { _ in source.startRequest().number }
        try store(stub("/third", ""), in: source, place: places[2])
        try store(stub("/first", ""), in: source, place: places[0])
        try store(stub("/second", ""), in: source, place: places[1])
        try source.finishRecording()
        let file = try location.file
        let document = try StubFileDocument(Data(contentsOf: file), file: file)
        #expect(document.entries.map(\.stub.request.url.path) == ["/first", "/second", "/third"])
    }
}
