import Foundation
import Testing

@testable import StubbornNetwork

/// Files made to cost as much as they can, and what is no file at all.
struct HostileStubFileTests {
    private let directory = TemporaryDirectory()
    private let request = #""request":{"method":"GET","url":"http://a.example/b"}"#

    private var store: StubFileStore { StubFileStore(file: directory.file("Login.json")) }

    private func text(_ parts: String...) throws -> StubFileText {
        try directory.write(parts.joined(), to: "Login.json")
        return try #require(try store.text())
    }

    private func error(_ body: () throws -> Void) -> StubbornNetworkError? {
        #expect(throws: StubbornNetworkError.self) { try body() }
    }

    @Test(arguments: ["[", #"{"a":"#])
    func `ten thousand levels are refused where they become too many`(opening: String) throws {
        let levels = String(repeating: opening, count: 10_000)
        let file = try text("[{\"x\":\n", levels)
        let error = error { _ = try StubFileDocument(parsing: file) }
        let column = 510 * opening.utf8.count + 1
        #expect(error?.message.contains("Login.json:2:\(column): expected at most 512 arrays and objects") == true)
    }

    @Test(arguments: [" ", "\t\r\n"])
    func `megabytes of white space take no memory`(space: String) throws {
        let spaces = String(repeating: space, count: 8_000_000 / space.utf8.count)
        let file = try text("[", spaces, "{", spaces, request, spaces, "}]", spaces)
        #expect(file.skeleton.bytes.count < 10_000)
        #expect(try StubFileDocument(parsing: file).entries.count == 1)
        let faulty = try text("[{", spaces, request, spaces, "\n\n  5}]")
        let error = error { _ = try StubFileDocument(parsing: faulty) }
        let line = space == " " ? 3 : 2 * (8_000_000 / 3) + 3
        #expect(error?.message.contains(#"Login.json:\#(line):3: expected "," or "}", found 5"#) == true)
    }

    @Test func `a text of many megabytes that nobody reads stays in the file`() throws {
        let long = String(repeating: "é\\n", count: 4_000_000)
        let file = try text("[{\"x\":\"", long, "\",\"", long, "\":1,", request, "}]")
        #expect(file.skeleton.bytes.count < 1_000)
        let entry = try #require(try StubFileDocument(parsing: file).entries.first)
        #expect(entry.source.count == file.origin.count - 2)
    }

    @Test func `a text of many megabytes that is asked for is there`() throws {
        let long = String(repeating: "ab", count: 1_000_000)
        let file = try text("[{\"request\":{\"method\":\"", long, "\",\"url\":\"http://a/", long, "\"}}]")
        #expect(file.skeleton.bytes.count < 1_000)
        let entry = try #require(try StubFileDocument(parsing: file).entries.first)
        #expect(entry.stub.request.method == long)
        #expect(entry.stub.request.url.path == "/" + long)
    }

    @Test func `a fault in a text that stays in the file has its place`() throws {
        let long = String(repeating: "ab", count: 50_000)
        let file = try text("[{\n\"request\":{\"method\":\"", long, "\u{1}\", \"url\":\"http://a/\"}}]")
        let error = error { _ = try StubFileDocument(parsing: file) }
        #expect(error?.message.contains("Login.json:2:100022: expected control characters in text") == true)
    }

    @Test func `twenty thousand small stubs are all there, each in its line`() throws {
        let file = try text("[\n", Array(repeating: "{\(request)}", count: 20_000).joined(separator: ",\n"), "]")
        let entries = try StubFileDocument(parsing: file).entries
        #expect(entries.count == 20_000)
        #expect(entries.last?.line == 20_001)
    }

    @Test func `what lies in the place of the file is named, and not waited for`() throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        #expect(mkfifo(store.file.path, 0o600) == 0)
        #expect(error { _ = try store.text() }?.message.contains("Not a regular file") == true)
        try FileManager.default.removeItem(at: store.file)
        try FileManager.default.createSymbolicLink(atPath: store.file.path, withDestinationPath: "/dev/zero")
        #expect(error { _ = try store.text() }?.message.contains("Not a regular file") == true)
        try FileManager.default.removeItem(at: store.file)
        try FileManager.default.createSymbolicLink(at: store.file, withDestinationURL: store.file)
        #expect(error { _ = try store.text() }?.code == .unreadableStubFile)
        try FileManager.default.removeItem(at: store.file)
        try FileManager.default.createDirectory(at: store.file, withIntermediateDirectories: true)
        #expect(error { _ = try store.text() }?.message.contains("Is a directory") == true)
    }

    @Test(arguments: [false, true])
    func `a file that is written while it is read is not taken for what it was`(isCut: Bool) throws {
        let stubs = Array(repeating: "{\(request)}", count: 5_000).joined(separator: ",\n")
        try directory.write("[\(stubs)]", to: "Login.json")
        let reader = try FileDescriptor.reading(store.file.path).reader()
        let handle = try FileHandle(forUpdating: store.file)
        if isCut {
            try handle.truncate(atOffset: 100_000)
        } else {
            try handle.seekToEnd(); handle.write(Data("  ".utf8))
        }
        #expect(throws: isCut ? SystemError.cutShort : .changed) {
            try StubFileText(streaming: reader, file: store.file)
        }
        let again = Result { try store.text().map { try StubFileDocument(parsing: $0).entries.count } }
        #expect(try isCut ? (try? again.get()) == nil : again.get() == 5_000)
    }

    @Test func `a body of a file that was changed in place is an error, and not other bytes`() throws {
        let body = String(repeating: "AQEB", count: 40_000)
        let file = try text("[{\"data\":\"", body, "\",", request, "}]")
        let entry = try #require(try StubFileDocument(parsing: file).entries.first)
        let handle = try FileHandle(forUpdating: store.file)
        try handle.seek(toOffset: 100)
        handle.write(Data("AAAA".utf8))
        let error = error { _ = try entry.stub.response.content?.data() }
        #expect(error?.code == .unreadableStubFile)
        #expect(
            error?.message.hasSuffix(
                "Login.json cannot be read: It was changed while it was in use. Run again when nobody else writes it."
            ) == true
        )
        #expect(throws: SystemError.changed) { try entry.source.data() }
        #expect(entry.line == nil)
    }
}
