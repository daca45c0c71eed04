import Foundation
import Testing

@testable import StubbornNetwork

struct StubFileLocationTests {
    @Test(arguments: [
        ("testLogin", "testLogin"),
        ("-[LoginTests testLogin]", "LoginTests_testLogin"),
        ("LoginTests.testLogin", "LoginTests.testLogin"),
        ("a b  c", "a_b__c"),
        ("ContentView_Previews", "ContentView_Previews"),
        ("-[App.LoginTests testLogin]", "App.LoginTests_testLogin"),
        ("../../etc/x", "___.._etc_x_24bc7b25"),
        ("..", "___b37a252a"),
        (".hidden", "_hidden_e5e365c5"),
        ("/etc/passwd", "_etc_passwd_dbe6ae2d"),
        ("C:\\Windows\\x", "C__Windows_x_f9d411ba"),
        ("tab\tnew\nline\u{0}nul\u{7F}del", "tab_new_line_nul_del_c4032bd7"),
        ("right\u{202E}to-left", "right_toleft_664449af"),
        ("Grüße 👋", "Grüße_👋"),
        (#"say "hi""#, "say__hi__82744c79"),
    ])
    func `a name becomes a file name inside the directory`(name: String, fileName: String) throws {
        #expect(StubFileLocation.fileName(for: name) == fileName)
        let location = try StubFileLocation(name: name, path: "/stubs")
        #expect(location.file.path == "/stubs/\(fileName).json")
        #expect(location.file.deletingLastPathComponent().standardizedFileURL.path == "/stubs")
    }

    @Test(
        arguments: [
            ("-[LoginTests testLogin]", ["LoginTests", "testLogin"]), ("-[LoginTests testLogin", nil),
            ("[LoginTests testLogin]", nil), ("-[LoginTests]", nil), ("-[a b c]", nil),
        ] as [(String, [String]?)]
    )
    func `the name of an XCTest test has a class and a method`(name: String, words: [String]?) {
        #expect(name.wordsOfXCTest?.map(String.init) == words)
    }

    @Test func `names that differ in what a file name cannot hold are different files`() {
        let names = ["a b", "a/b", "a\\b", "a:b", "ab", "a-b", "[a b]", "-[a b c]", "-1", "1", ".a", "_a", "a\tb"]
        let files = names.compactMap(StubFileLocation.fileName)
        #expect(Set(files).count == names.count, "\(files)")
    }

    @Test(arguments: ["", "[]", "-", "[-]"])
    func `a name of brackets and hyphens only names no file`(name: String) {
        #expect(throws: StubbornNetworkError.self) { try StubFileLocation(name: name, path: "/stubs") }
        #expect(StubbornNetworkConfiguration.persistent(name: name, path: "/stubs") == nil)
    }

    @Test func `an empty path is no location`() {
        #expect(StubbornNetworkConfiguration.persistent(name: "a", path: "") == nil)
        #expect(StubbornNetworkConfiguration.persistent(name: "a", path: "/a\u{0}b") == nil)
    }

    @Test func `long names are cut at 200 bytes and stay different`() throws {
        let long = String(repeating: "ü", count: 150)
        let first = try #require(StubFileLocation.fileName(for: long + "first"))
        let second = try #require(StubFileLocation.fileName(for: long + "second"))
        #expect(first.utf8.count <= 200)
        #expect(second.utf8.count <= 200)
        #expect(first != second)
        #expect(first.hasPrefix("üüü"))
        #expect(StubFileLocation.fileName(for: String(repeating: "a", count: 200))?.count == 200)
    }

    @Test(arguments: [(199, 199), (200, 200), (201, 200)])
    func `a name of 200 bytes is kept, and a longer one ends in a checksum`(count: Int, expected: Int) throws {
        let name = String(repeating: "a", count: count)
        let fileName = try #require(StubFileLocation.fileName(for: name))
        #expect(fileName.utf8.count == expected)
        #expect((fileName == name) == (count <= 200))
        #expect(fileName.hasPrefix(String(repeating: "a", count: 183)))
    }

    @Test func `a relative path starts at the current directory`() throws {
        let location = try StubFileLocation(name: "a", path: "Stubs")
        #expect(location.file.path == FileManager.default.currentDirectoryPath + "/Stubs/a.json")
    }

    // MARK: Names that differ in case

    /// Returns the name of the stub file for a test's name, in a directory with files.
    private func file(for name: String, in directory: TemporaryDirectory) throws -> String {
        try StubFileLocation(name: name, path: directory.path).file.lastPathComponent
    }

    /// Checks that the name of a test is an error that names the file for it, and the other one.
    private func expectError(for name: String, _ other: String, in directory: TemporaryDirectory) {
        let error = #expect(throws: StubbornNetworkError.self) { try file(for: name, in: directory) }
        let path = URL(fileURLWithPath: directory.path).relativeDisplayPath
        #expect(
            error?.message == """
                The stub files \(name).json and \(other).json in \(path) differ only in case, and many file systems \
                treat them as one file. Rename one of the tests, or rename \(other).json to \(name).json if the test was renamed.
                """
        )
    }

    @Test func `a name that differs only in case from that of an existing file is an error with both names`() throws {
        let directory = TemporaryDirectory()
        try directory.write("[]", to: "login.json")
        expectError(for: "Login", "login", in: directory)
        #expect(try file(for: "login", in: directory) == "login.json")
    }

    @Test func `a file that exists keeps its name, next to one that differs only in case`() throws {
        let directory = TemporaryDirectory()
        try directory.write("[]", to: "login.json")
        try directory.write("[]", to: "Login.json")
        let names = FileManager.default.enumerator(atPath: directory.path)?.allObjects.count
        try #require(names == 2, "This file system ignores case.")
        #expect(try file(for: "login", in: directory) == "login.json")
        #expect(try file(for: "Login", in: directory) == "Login.json")
    }

    @Test func `names that differ only in case are an error before any file exists`() throws {
        let directory = TemporaryDirectory()
        #expect(try file(for: "login", in: directory) == "login.json")
        expectError(for: "Login", "login", in: directory)
        #expect(try file(for: "login", in: directory) == "login.json")
    }

    @Test func `a directory is listed once, and a file that is gone since then takes no name`() throws {
        let directory = TemporaryDirectory()
        try directory.write("[]", to: "login.json")
        let listCount = Lock(0)
        FileOperation.faults.withLock { faults in
            faults[directory.path] = { operation, _ in
                if operation == .list { listCount.withLock { $0 += 1 } }
                return nil
            }
        }
        defer { FileOperation.faults.withLock { $0[directory.path] = nil } }
        for number in 0..<10 {
            #expect(try file(for: "test \(number)", in: directory) == "test_\(number).json")
            try directory.write("[]", to: "test_\(number).json")
        }
        expectError(for: "Login", "login", in: directory)
        try FileManager.default.removeItem(at: directory.file("login.json"))
        #expect(try file(for: "Login", in: directory) == "Login.json")
        #expect(try file(for: "test 3", in: directory) == "test_3.json")
        #expect(listCount.withLock { $0 } == 1)
    }

    @Test func `accents name the same file in both encodings`() throws {
        let directory = TemporaryDirectory()
        #expect(try file(for: "Gru\u{308}ße", in: directory).utf8.elementsEqual("Gr\u{FC}ße.json".utf8))
        try directory.write("[]", to: "Gru\u{308}ße.json")
        #expect(try file(for: "Gr\u{FC}ße", in: directory).utf8.elementsEqual("Gru\u{308}ße.json".utf8))
    }
}
