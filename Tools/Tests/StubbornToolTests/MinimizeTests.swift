import Foundation
import Testing

/// `stubborn minimize`: what of a stub file no test needs.
@Suite(.timeLimit(.minutes(5))) struct MinimizeTests {
    private let directory: TemporaryDirectory
    private let swift: FakeSwift

    /// A response with a list of a hundred users, of which the tests need the tenth, and of each the name.
    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.file("tmp"), withIntermediateDirectories: true)
        let users = (1...100).map { #"{"address":{"city":"Berlin","zip":"10115"},"id":\#($0),"name":"user \#($0)"}"# }
        let json = #"{"page":1,"total":100,"users":[\#(users.joined(separator: ","))]}"#
        let stub = Recorded.stub(
            "/users",
            json: json.spaced,
            headers: ["Content-Type[:::]application/json", "X-Served-By[:::]a"]
        )
        try directory.write(Recorded.file(stub), to: "Stubs/Users.json")
        swift = try FakeSwift(
            [
                .checking("UserTests.names", "Stubs/Users.json", #""name" : "user 10""#, "Content-Type"),
                .checking("UserTests.total", "Stubs/Users.json", #""total" : 100"#),
            ],
            in: directory
        )
    }

    @Test func `what the tests pass without is shown, and nothing is written`() throws {
        let before = try directory.text("Stubs/Users.json")
        let result = try swift.stubborn("minimize", "Stubs/Users.json", "--", "swift", "test")
        #expect(result.status == 1)
        let removed = result.output.split(separator: "\n").filter { $0.hasPrefix("- stub") }
        #expect(
            removed == [
                "- stub 1: users: all but the first 12 elements", "- stub 1: page", "- stub 1: users[].address",
                "- stub 1: users[].id", "- stub 1: header field x-served-by",
            ]
        )
        #expect(result.output.contains("--- Stubs/Users.json\n+++ Stubs/Users.json"))
        #expect(try directory.text("Stubs/Users.json") == before)
        #expect(swift.runCount < 30)
    }

    @Test func `the file is written on request, and the tests pass with it`() throws {
        let result = try swift.stubborn(
            "minimize",
            "Stubs/Users.json",
            "--apply",
            "--format",
            "json",
            "--",
            "swift",
            "test"
        )
        #expect(result.status == 0, "\(result.errors)")
        let text = try directory.text("Stubs/Users.json")
        let users = (1...12).map { #"{"name":"user \#($0)"}"# }.joined(separator: ",")
        let body = try Tool.run(["show", "Stubs/Users.json", "--stub", "1", "--body"], in: directory.url)
        #expect(
            body.output.filter { !$0.isWhitespace } == #"{"total":100,"users":[\#(users)]}"#.filter { !$0.isWhitespace }
        )
        #expect(!text.contains("X-Served-By"))
        struct Report: Decodable {
            let bytes: Int
            let minimizedBytes: Int
            let isApplied: Bool
            let isComplete: Bool
        }
        let report = try JSONDecoder().decode(Report.self, from: result.outputData)
        #expect(report.isApplied && report.isComplete)
        #expect(report.minimizedBytes == text.utf8.count)
        let again = try swift.stubborn("minimize", "Stubs/Users.json", "--", "swift", "test")
        #expect(again.status == 0)
        #expect(again.output.isEmpty)
    }

    @Test func `of a part that is removed, the parts inside it are not listed`() throws {
        let json = #"{"id":1,"facets":{"a":[1,2,3,4],"b":[1,2,3,4,5]},"tags":[1,2,3,4]}"#
        try directory.write(Recorded.file(Recorded.stub("/a", json: json.spaced)), to: "Stubs/A.json")
        let swift = try FakeSwift([.checking("UserTests.a", "Stubs/A.json", #""id" : 1"#, "tags")], in: directory)
        let result = try swift.stubborn("minimize", "Stubs/A.json", "--", "swift", "test")
        #expect(
            result.output.split(separator: "\n").filter { $0.hasPrefix("- stub") } == [
                "- stub 1: tags: all but the first 3 elements", "- stub 1: facets",
                "- stub 1: header field content-type",
            ]
        )
    }

    @Test func `when the time is over, the command says that not everything was tried`() throws {
        struct Report: Decodable {
            let runs: Int
            let isComplete: Bool
        }
        let slow = FakeSwift.FakeTest(name: "UserTests.slow", file: "Stubs/Users.json", check: "sleep 0.2")
        let result = try FakeSwift([slow], in: directory)
            .stubborn("minimize", "Stubs/Users.json", "--budget", "0.1s", "--format", "json", "--", "swift", "test")
        let report = try JSONDecoder().decode(Report.self, from: result.outputData)
        #expect(!report.isComplete)
        #expect(report.runs < 5)
        #expect(result.errors.contains("The time ran out before everything was tried."))
    }

    @Test func `a file that was changed meanwhile stays as it is`() throws {
        let file = directory.file("Stubs/Users.json").path
        let changing = FakeSwift.FakeTest(
            name: "UserTests.names",
            file: "Stubs/Users.json",
            check:
                "grep -q -F 'user 1' \"$file\" && { [ -e '\(file).old' ] || cp '\(file)' '\(file).old'; echo >> '\(file)'; }"
        )
        let swift = try FakeSwift([changing], in: directory)
        let result = try swift.stubborn("minimize", "Stubs/Users.json", "--apply", "--", "swift", "test")
        #expect(result.status == 2)
        #expect(try directory.text("Stubs/Users.json").hasPrefix(directory.text("Stubs/Users.json.old")))
    }

    @Test func `a test that does not always pass keeps what it reads, or ends the command`() throws {
        let count = directory.file("count").path
        let unsteady = FakeSwift.FakeTest(
            name: "UserTests.unsteady",
            file: "Stubs/Users.json",
            check: "echo >> '\(count)'; [ $(($(wc -l < '\(count)') % 3)) != 0 ] && grep -q 'user 1' \"$file\""
        )
        let swift = try FakeSwift([unsteady], in: directory)
        let result = try swift.stubborn("minimize", "Stubs/Users.json", "--apply", "--", "swift", "test")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try directory.text("Stubs/Users.json").contains("user 1"))
    }

    @Test func `a file that no test uses is an error, and so are tests that fail`() throws {
        try directory.write(Recorded.file(Recorded.stub("/a", json: "{}")), to: "Stubs/Other.json")
        let other = try swift.stubborn("minimize", "Stubs/Other.json", "--", "swift", "test")
        #expect(other.status == 2)
        #expect(other.errors == "error: No test of this command has used Stubs/Other.json.\n")
        try directory.write(Recorded.file(Recorded.stub("/a", json: "{}")), to: "Stubs/Users.json")
        let failing = try swift.stubborn("minimize", "Stubs/Users.json", "--", "swift", "test")
        #expect(failing.status == 2)
        #expect(failing.errors.hasPrefix("error: The tests fail without a change"))
    }
}
