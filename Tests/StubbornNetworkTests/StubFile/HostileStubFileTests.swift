import Foundation
import Testing

@testable import StubbornNetwork

/// Files made to cost as much as they can, and what is not a file at all.
struct HostileStubFileTests {
    private let directory = TemporaryDirectory()
    private let request = #""request":{"method":"GET","url":"http://a.example/b"}"#

    private var store: StubFileStore { StubFileStore(file: directory.file("Login.json")) }

    private func write(_ parts: String...) throws {
        try directory.write(parts.joined(), to: "Login.json")
    }

    private func read() throws -> [StubFileEntry] {
        try #require(try store.read()).entries
    }

    private func error(_ body: () throws -> Void) -> StubbornNetworkError? {
        #expect(throws: StubbornNetworkError.self) { try body() }
    }

    @Test(arguments: ["[", #"{"a":"#])
    func `an array 10,000 levels deep is refused at level 513`(opening: String) throws {
        let levels = String(repeating: opening, count: 10_000)
        try write("[{\"x-a\":\n", levels)
        let error = error { _ = try store.read() }
        let column = 510 * opening.utf8.count + 1
        #expect(error?.message.contains("Login.json:2:\(column): expected at most 512 arrays and objects") == true)
    }

    @Test(arguments: [" ", "\t\r\n"])
    func `megabytes of white space are skipped`(space: String) throws {
        let spaces = String(repeating: space, count: 2_000_000 / space.utf8.count)
        try write("[", spaces, "{", spaces, request, spaces, "}]", spaces)
        #expect(try read().count == 1)
        try write("[{", spaces, request, spaces, "\n\n  5}]")
        let error = error { _ = try store.read() }
        let line = space == " " ? 3 : 2 * (2_000_000 / 3) + 3
        #expect(error?.message.contains(#"Login.json:\#(line):3: expected "," or "}", found 5"#) == true)
    }

    @Test func `a text of many megabytes under a key of people is skipped`() throws {
        let long = String(repeating: "é\\n", count: 1_000_000)
        try write("[{\"x-a\":\"", long, "\",\"x-b\":1,", request, "}]")
        let entry = try #require(try read().first)
        #expect(entry.json.count == long.utf8.count + request.utf8.count + 19)
    }

    @Test func `a text of many megabytes is read`() throws {
        let long = String(repeating: "ab", count: 1_000_000)
        try write("[{\"request\":{\"method\":\"", long, "\",\"url\":\"http://a/", long, "\"}}]")
        let entry = try #require(try read().first)
        #expect(entry.stub.request.method == long)
        #expect(entry.stub.request.url.path == "/" + long)
    }

    @Test func `the error for a fault in a large text names its line and column`() throws {
        let long = String(repeating: "ab", count: 50_000)
        try write("[{\n\"request\":{\"method\":\"", long, "\u{1}\", \"url\":\"http://a/\"}}]")
        let error = error { _ = try store.read() }
        #expect(error?.message.contains("Login.json:2:100022: expected control characters in text") == true)
    }

    @Test func `twenty thousand small stubs are read, each with its line`() throws {
        try write("[\n", Array(repeating: "{\(request)}", count: 20_000).joined(separator: ",\n"), "]")
        let entries = try read()
        #expect(entries.count == 20_000)
        #expect(entries.last?.line == 20_001)
    }

    @Test func `a path that is not a regular file is an error and is not waited for`() throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        #expect(mkfifo(store.file.path, 0o600) == 0)
        #expect(error { _ = try store.read() }?.message.contains("Not a regular file") == true)
        try FileManager.default.removeItem(at: store.file)
        try FileManager.default.createSymbolicLink(atPath: store.file.path, withDestinationPath: "/dev/zero")
        #expect(error { _ = try store.read() }?.message.contains("Not a regular file") == true)
        try FileManager.default.removeItem(at: store.file)
        try FileManager.default.createSymbolicLink(at: store.file, withDestinationURL: store.file)
        #expect(error { _ = try store.read() }?.code == .unreadableStubFile)
        try FileManager.default.removeItem(at: store.file)
        try FileManager.default.createDirectory(at: store.file, withIntermediateDirectories: true)
        #expect(error { _ = try store.read() }?.message.contains("Is a directory") == true)
    }

    @Test(
        arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian],
        [false, true]
    )
    func `a file in another encoding than UTF-8 is refused`(encoding: String.Encoding, hasMark: Bool) throws {
        let text = try #require(((hasMark ? "\u{FEFF}" : "") + "[{\(request)}]").data(using: encoding))
        try directory.write("", to: "Login.json")
        try text.write(to: store.file)
        let error = error { _ = try store.read() }
        #expect(error?.message.contains("Login.json:1:1: expected UTF-8 text, found another encoding.") == true)
    }

    @Test func `a mark at the beginning of a file is no part of its text`() throws {
        try write("\u{FEFF}[{\(request)}]")
        #expect(try read().count == 1)
    }
}
