import Foundation
import Testing

@testable import StubbornNetwork

/// What a writer leaves at any moment is all that whoever comes after a kill has.
@Suite(.timeLimit(.minutes(5)))
struct StubFileWriterTests {
    private let directory = TemporaryDirectory()

    private func add(
        _ path: String,
        _ status: Int,
        byteCount: Int,
        replaces: Bool,
        place: Int,
        to writer: StubFileWriter
    )
        async
    {
        let response = StubResponse(
            head: ResponseHead(statusCode: status),
            body: Data(repeating: 7, count: byteCount)
        )
        let stub = Stub(request: StubRequest(url: URL(string: "http://a\(path)")!), response: response)
        let recording = Recording(stub, requestNumber: place, replaces: replaces)
        await withCheckedContinuation { continuation in
            writer.add(recording) { error in
                #expect(error == nil)
                continuation.resume()
            }
        }
    }

    /// What somebody finds who opens the file after the process has been killed now, as `path:status`.
    ///
    /// A copy has the journal without its lock.
    private func foundAfterKill() throws -> [String] {
        let copy = directory.url.appendingPathExtension("killed")
        defer { try? FileManager.default.removeItem(at: copy) }
        try FileManager.default.copyItem(at: directory.url, to: copy)
        let store = StubFileStore(file: copy.appendingPathComponent("a.json"))
        try store.withExclusiveAccess { () throws(StubbornNetworkError) in try LeftoverRecordings.takeOver(store) }
        return try #require(try store.read()).entries.map { entry in
            "\(entry.stub.request.url.path):\(entry.stub.response.head?.statusCode ?? 0)"
        }
    }

    @Test(arguments: [true, false])
    func `all recordings are on the disk at every moment, once`(replaces: Bool) async throws {
        let store = StubFileStore(file: directory.file("a.json"))
        let writer = StubFileWriter(store: store)
        // The first ones are folded at once, the others kept in the journal.
        let sizes = [100, 200, 60_000, 90_000, 100, 100, 100]
        var expected: [String] = []
        for (place, size) in sizes.enumerated() {
            // Each request twice, with another answer.
            await add("/\(place / 2)", 200 + place, byteCount: size, replaces: replaces, place: place, to: writer)
            expected.append("/\(place / 2):\(200 + place)")
            #expect(try foundAfterKill() == expected)
            if place == 4 {
                try writer.fold()
                #expect(try foundAfterKill() == expected)
            }
        }
        try writer.finish()
        #expect(try foundAfterKill() == expected)
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a recording replaces its stub on the disk at once`() async throws {
        let store = StubFileStore(file: directory.file("a.json"))
        let first = StubFileWriter(store: store)
        for place in 0..<3 { await add("/a", 200 + place, byteCount: 100, replaces: true, place: place, to: first) }
        try first.finish()
        let writer = StubFileWriter(store: store)
        writer.begin(with: try #require(try store.read()), ownCount: nil)
        var expected = ["/a:200", "/a:201", "/a:202"]
        for (place, size) in [100, 200_000, 300].enumerated() {
            await add("/a", 300 + place, byteCount: size, replaces: true, place: place, to: writer)
            expected[place] = "/a:\(300 + place)"
            #expect(try foundAfterKill() == expected)
        }
        try writer.fold()
        #expect(try foundAfterKill() == expected)
        try writer.finish()
        #expect(try foundAfterKill() == expected)
    }

    @Test func `if the file cannot be written at the end, the journal has everything and the error says so`()
        async throws
    {
        let store = StubFileStore(file: directory.file("a.json"))
        let writer = StubFileWriter(store: store)
        for place in 0..<2 {
            await add("/\(place)", 200, byteCount: 200_000, replaces: true, place: place, to: writer)
        }
        // A directory in its place is not replaced.
        try? FileManager.default.removeItem(at: store.file)
        try FileManager.default.createDirectory(at: store.file, withIntermediateDirectories: true)
        let error = #expect(throws: StubbornNetworkError.self) { try writer.finish() }
        // What cannot be read is not overwritten.
        #expect(error?.code == .unreadableStubFile)
        #expect(error?.message.contains("What was recorded is kept in ") == true)
        #expect(RecordingJournal.paths(beside: store.file).count == 1)
        try FileManager.default.removeItem(at: store.file)
        #expect(try foundAfterKill() == ["/0:200", "/1:200"])
        try writer.finish()
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a run that has ended does not create a file again that somebody removes`() async throws {
        let writer = StubFileWriter(store: StubFileStore(file: directory.file("a.json")))
        await add("/a", 200, byteCount: 10, replaces: true, place: 0, to: writer)
        try writer.finish()
        try FileManager.default.removeItem(at: directory.url)
        try writer.finish()
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func `a secret that is recognised later is removed from earlier recordings`() async throws {
        let store = StubFileStore(file: directory.file("a.json"))
        let writer = StubFileWriter(store: store)
        let redactor = Redactor(.standard, environment: [:])
        func record(_ stub: Stub, place: Int) async {
            let recording = Recording(stub, requestNumber: place, replaces: true, redactor: redactor)
            await withCheckedContinuation { continuation in writer.add(recording) { _ in continuation.resume() } }
        }
        // A neutral name first, then one that tells.
        await record(try .get("http://a/1", .text("ticket f3c9a17b22e84d")), place: 0)
        #expect(try directory.text(of: "a.json").contains(Data("ticket f3c9a17b22e84d".utf8).base64EncodedString()))
        var request = StubRequest(url: URL(string: "http://a/2")!)
        request.headerFields["Authorization"] = "Bearer f3c9a17b22e84d"
        await record(Stub(request: request, response: .status(200)), place: 1)
        try writer.finish()
        let document = try #require(try store.read())
        let body = document.entries.first?.stub.response.bytes.map { String(decoding: $0, as: UTF8.self) }
        #expect(body?.contains("f3c9a17b22e84d") == false)
        #expect(body?.hasPrefix("ticket REDACTED-") == true)
    }
}
