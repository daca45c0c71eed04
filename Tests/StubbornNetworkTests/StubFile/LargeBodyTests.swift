import Foundation
import Testing

@testable import StubbornNetwork

/// Bodies of megabytes.
struct LargeBodyTests {
    private let directory = TemporaryDirectory()

    private func stub(_ body: Data) throws -> Stub {
        Stub(request: StubRequest(url: try URL.parsed("http://api.test/large")), response: .data(body))
    }

    @Test(arguments: [65_535, 65_536, 100_000, 1_048_576, 3_145_727, 3_145_728, 3_145_729, 9_000_001])
    func `a large body is read back byte for byte`(count: Int) throws {
        var generator = Generator(seed: UInt64(count))
        var body = Data(count: count)
        for index in stride(from: 0, to: count, by: 7) { body[index] = UInt8.random(in: 0...255, using: &generator) }
        let store = StubFileStore(file: directory.file("large.json"))
        let entries = try (0..<2).map { _ in
            StubFileEntry(rendering: try stub(body), bodyEncoding: .base64)
        }
        try store.write(StubFileDocument(entries: entries).data)

        let document = try #require(try store.read())
        #expect(document.entries.map(\.stub.response.bytes) == [body, body])
        #expect(document.entries == entries)
        let data = try Data(contentsOf: store.file)
        #expect(document.data == data)
        let decoded = try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
        #expect(decoded?.first?["data"] as? String == body.base64EncodedString())
    }

    /// Values with more than two megabytes, as the members of a stub.
    enum LongValue: String, CaseIterable {
        case body = #""data":"AAAA""#
        case request = #""data":"","request":{"method":"GET","url":"http://api.test/a","requestData":"AAAA"}"#
        case escapedSlash = #""data":"AAAA\/AAA""#
        case paddedInside = #""data":"AAAAAA==AAAA""#
        case unusualEnd = #""data":"AAAAAB==""#
        case cut = #""data":"AAAAA""#
        case word = #""text":"AAAA""#
        case words = #""text":"AAAA AAAA\\""#
        case image = #""json":{"image":"AAAA"}"#
        case unknownKey = #""_note":"AAAA","data":"""#
    }

    @Test(arguments: LongValue.allCases)
    func `a file that is read in parts of a megabyte has the stubs of its whole text`(value: LongValue) throws {
        let request = value == .request ? "" : #","request":{"method":"GET","url":"http://api.test/a"}"#
        let member = value.rawValue.replacingOccurrences(of: "AAAA", with: String(repeating: "AbC/", count: 1 << 18))
        let store = StubFileStore(file: directory.file("parts.json"))
        try store.write(Data("[]".utf8))
        // The parts end at other places of the value each time.
        for shift in 0..<9 {
            let spaces = String(repeating: " ", count: (1 << 20) - 16 + shift)
            let data = Data("[\(spaces){\(member)\(request)},{\(member)\(request)}]".utf8)
            try data.write(to: store.file)
            let whole = Result { try StubFileDocument(parsing: StubFileText(data, file: store.file)) }
            let read = Result { try store.read() }
            if let document = try? whole.get() {
                let found = try #require(try read.get())
                #expect(found.entries == document.entries)
                #expect(found.entries.map(\.stub) == document.entries.map(\.stub))
                #expect(found.entries.map(\.identity) == document.entries.map(\.identity))
            } else {
                #expect("\(read)" == "\(whole)")
            }
        }
    }

    @Test func `the text of a long body is not kept while its file is read`() {
        var reader = LongBodyReader()
        let body = Data(repeating: 7, count: 6 << 20)
        for part in [Data("[\"".utf8), body.base64EncodedData(), Data("\"]".utf8)] {
            part.withBytes { reader.add($0) }
            #expect(reader.text.count < 8)
        }
        #expect(reader.text == Data("[\"\0\"]".utf8))
        #expect(reader.bodies == [body])
    }

    @Test func `a body that was decoded while its file was read is the stub's`() throws {
        let body = Data(repeating: 7, count: 3 << 20)
        var reader = LongBodyReader()
        StubFileDocument(entries: [.init(rendering: try stub(body), bodyEncoding: .base64)]).forEachPart {
            reader.add($0)
        }
        let text = try StubFileText(reader.text, longBodies: reader.bodies, file: directory.file("large.json"))
        #expect(text.content.count < 1_000)
        #expect(try StubFileDocument(parsing: text).entries.map(\.stub.response.body) == [body])
    }

    @Test func `a recording with two large bodies is in the file after a kill`() throws {
        let scene = RecordingScene(directory)
        let bodies = [3_000_001, 1_048_576].map { Data((0..<$0).map { UInt8(truncatingIfNeeded: $0 * 7 / 3) }) }
        var recording = RecordingScene.recording("large", 200, replaces: true, number: 0)
        recording.request.body = bodies[0]
        recording.response?.replaceBody(with: bodies[1])
        try scene.writer().add(recording)
        let killed = try scene.killed()
        let stub = try #require(try StubFileGeneration.open(killed.store).entries.first?.stub)
        #expect([stub.request.body, stub.response.body] == bodies)
        let rendered = StubFileEntry(rendering: stub, bodyEncoding: .base64)
        #expect(try killed.store.read()?.entries.first?.json == rendered.json)
    }

    @Test func `a large body that is no base64 is an error that names line and column`() throws {
        let good = try stub(Data(repeating: 1, count: 4_000_000))
        var file = StubFileDocument(entries: [.init(rendering: good, bodyEncoding: .base64)]).data
        file.replaceSubrange(try #require(file.range(of: Data("AQEB".utf8))), with: Data("A***".utf8))
        try directory.write("", to: "large.json")
        try file.write(to: directory.file("large.json"))
        let network = StubbornNetwork(.persistent(name: "large", path: directory.path)!, environment: .newRun)
        let error = #expect(throws: StubbornNetworkError.self) { try network.loadStubs() }
        #expect(error?.code == .malformedStubFile)
        #expect(error?.message.contains("large.json:3:14: expected base64 text under \"data\"") == true)
    }

    @Test func `a file that is cut, replaced or removed after it was read plays what was read`() throws {
        let large = try stub(Data(repeating: 1, count: 5_000_000))
        let source = StubFileDocument(entries: [.init(rendering: large, bodyEncoding: .base64)])
        let store = StubFileStore(file: directory.file("large.json"))
        let changes: [() throws -> Void] = [
            { try Data("[]".utf8).write(to: store.file, options: .atomic) },
            { try FileManager.default.removeItem(at: store.file) },
            { try FileHandle(forWritingTo: store.file).truncate(atOffset: 100) },
        ]
        for change in changes {
            try store.write(source.data)
            let network = StubbornNetwork(.persistent(name: "large", path: directory.path)!, environment: .newRun)
            try network.loadStubs()
            try change()
            #expect(try network.response(to: large.request.urlRequest).0.count == 5_000_000)
        }
    }
}
