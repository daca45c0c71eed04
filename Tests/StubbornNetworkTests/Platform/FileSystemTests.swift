import Foundation
import Testing

@testable import StubbornNetwork

/// The operations on paths, in a directory of the test's own.
struct FileSystemTests {
    private let directory = TemporaryDirectory()

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    @Test(arguments: [
        ("/a/b/c.json", "/a/b"), ("a/b/c.json", "a/b"), ("/c.json", "/"), ("c.json", "."), ("/a/b/", "/a/b"), ("", "."),
    ])
    func `the directory of a path is all before its last slash`(path: String, expected: String) {
        #expect(FileSystem.directory(of: path) == expected)
    }

    @Test func `a hidden path is in the same directory, has the name in it, and is new each time`() {
        let paths = (0..<4).map { _ in FileSystem.hiddenPath(beside: "/a/b/Login.json", ending: ".new") }
        for path in paths {
            #expect(path.hasPrefix("/a/b/.Login.json.") && path.hasSuffix(".new"), "\(path)")
        }
        #expect(Set(paths).count == paths.count)
    }

    @Test func `a path is told apart from one where nothing is, and from one that cannot be followed`() throws {
        try directory.write("a", to: "file")
        #expect(FileSystem.exists(path("file")) && FileSystem.exists(directory.path))
        #expect(!FileSystem.exists(path("none")))
        #expect(try FileSystem.fingerprint(at: path("none")) == nil)
        #expect(try FileSystem.fingerprint(at: path("file"))?.size == 1)
        #expect(throws: SystemError(ENOTDIR)) { try FileSystem.fingerprint(at: path("file/below")) }
    }

    @Test func `directories are created with those above them, twice without an error, and never over a file`() throws {
        try FileSystem.createDirectory(path("a/b/c"))
        try FileSystem.createDirectory(path("a/b/c"))
        #expect(try FileSystem.fingerprint(at: path("a/b/c"))?.isDirectory == true)
        try FileSystem.createDirectory(path("long/below"))
        #expect(directory.contents == ["a/b/c", "long/below"])
        try directory.write("", to: "file")
        #expect(throws: SystemError(ENOTDIR)) { try FileSystem.createDirectory(path("file")) }
        #expect(throws: SystemError(ENOTDIR)) { try FileSystem.createDirectory(path("file/below")) }
    }

    @Test func `names are listed in order, and a directory that does not exist has none`() throws {
        for name in ["b.json", "a.json", ".a.json.1", "ab"] { try directory.write("", to: name) }
        #expect(try FileSystem.names(in: directory.path) == [".", "..", ".a.json.1", "a.json", "ab", "b.json"])
        #expect(try FileSystem.names(in: path("none")) == [])
        #expect(try FileSystem.names(in: path("ab")) == [])
    }
}
