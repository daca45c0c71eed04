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
    func `a name becomes a file name inside the directory`(name: String, fileName: String) {
        #expect(StubFileLocation.fileName(for: name) == fileName)
        let location = StubFileLocation(name: name, path: "/stubs")
        #expect(location?.file.path == "/stubs/\(fileName).json")
        #expect(location?.file.deletingLastPathComponent().standardizedFileURL.path == "/stubs")
    }

    @Test func `names that differ in what a file name cannot hold are different files`() {
        let names = ["a b", "a/b", "a\\b", "a:b", "ab", "a-b", "[a b]", "-[a b c]", "-1", "1", ".a", "_a", "a\tb"]
        let files = names.compactMap(StubFileLocation.fileName)
        #expect(Set(files).count == names.count, "\(files)")
    }

    @Test(arguments: ["", "[]", "-", "[-]"])
    func `a name of brackets and hyphens only names no file`(name: String) {
        #expect(StubFileLocation(name: name, path: "/stubs") == nil)
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
        let location = try #require(StubFileLocation(name: "a", path: "Stubs"))
        #expect(location.file.path == FileManager.default.currentDirectoryPath + "/Stubs/a.json")
    }
}
