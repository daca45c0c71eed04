import Foundation
import Testing

@testable import StubbornNetwork

struct PersistentStubSourceTests {
    private let directory = TemporaryDirectory()

    private func source() throws -> StubSource { StubSource(file: directory.file("a.json")) }

    @Test func `a small file, or none, is read quickly`() throws {
        #expect(try source().loadsQuickly)
        try directory.write("[]", to: "a.json")
        #expect(try source().loadsQuickly)
    }

    @Test func `a large file is read quickly only after it has been read`() throws {
        try directory.write("[\(String(repeating: " ", count: 100_000))]", to: "a.json")
        let source = try source()
        #expect(!source.loadsQuickly)
        try source.load()
        #expect(source.loadsQuickly)
    }

    @Test func `a pipe is not read quickly, because opening it may block`() throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        #expect(mkfifo(directory.file("a.json").path, 0o600) == 0)
        #expect(try !source().loadsQuickly)
    }

    @Test func `a file with a journal is not read quickly, because taking it over may wait for a lock`() throws {
        try directory.write("[]", to: "a.json")
        try directory.write("", to: ".a.json.journal/0a1b2c3d.1.journal")
        #expect(try !source().loadsQuickly)
    }
}
