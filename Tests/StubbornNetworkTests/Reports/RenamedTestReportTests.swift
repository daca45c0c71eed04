import Foundation
import Testing

@testable import StubbornNetwork

/// The report on a missing stub file names the file that the test had before it was renamed.
struct RenamedTestReportTests {
    private let directory = TemporaryDirectory()

    private func write(_ method: String, _ url: String, to name: String, padding: Int = 0) throws {
        let text = """
            [ { "request" : { "method" : "\(method)", "url" : "\(url)" }, "response" : { "statusCode" : 200 },
                "comment" : "\(String(repeating: "x", count: padding))" } ]
            """
        let folder = (name as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(at: directory.file(folder), withIntermediateDirectories: true)
        try directory.write(text, to: name)
    }

    private func network(_ name: String) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: name, path: directory.path)!, environment: .newRun)
        network.onUnstubbedRequest = { _ in }
        return network
    }

    /// The line of the report on a request of the test that has been renamed or moved.
    private func advice(on network: StubbornNetwork, _ url: String = "https://api.test/users") throws -> String? {
        let request = URLRequest(url: try #require(URL(string: url)))
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: request) }
        return error?.message.components(separatedBy: "\n").first { $0.hasPrefix("If its test was") }?
            .replacingOccurrences(of: directory.path, with: "Stubs")
    }

    // A test that did not run, as under `--filter`, may use the file: nothing in this process knows.
    @Test func `the file with the same request and the most similar name is offered, unless another test uses it`()
        throws
    {
        try write("GET", "https://api.test/users", to: "UserTests_list.json")
        try write("GET", "https://api.test/users?page=1", to: "UserTests_listAllOf.json")
        try write("GET", "https://staging.test/users", to: "UserTests_listAllBy.json")
        try write("GET", "https://api.test/users", to: "OtherTests_all.json")
        try write("GET", "https://api.test/posts", to: "UserTests_listAl.json")
        try write("POST", "https://api.test/users", to: "UserTests_listA.json")
        try directory.write("[", to: "UserTests_listAll2.json")
        #expect(
            try advice(on: network("UserTests_listAll")) == """
                If its test was renamed, and no other test uses Stubs/UserTests_list.json, which has this request:  \
                mv Stubs/UserTests_list.json Stubs/UserTests_listAll.json
                """
        )
    }

    @Test func `a file of the same suite is offered before one whose name has more letters in common`() throws {
        try write("GET", "https://api.test/users", to: "UserXCTests_testListOfAll.json")
        try write("GET", "https://api.test/users", to: "UserTests_some.json")
        #expect(
            try advice(on: network("UserTests_listOfAll"))?.hasSuffix(
                "mv Stubs/UserTests_some.json Stubs/UserTests_listOfAll.json"
            ) == true
        )
    }

    @Test func `a file that a network of this process uses is not offered`() throws {
        try write("GET", "https://api.test/users", to: "UserTests_list.json")
        let other = network("UserTests_list")
        #expect(try advice(on: network("UserTests_listAll")) == nil)
        _ = other
    }

    @Test func `a file without the request is not offered, and neither is a large one`() throws {
        try write("GET", "https://api.test/users/1", to: "UserTests_list.json")
        try write("GET", "https://api.test/users", to: "UserTests_large.json", padding: 300_000)
        #expect(try advice(on: network("UserTests_listAll")) == nil)
    }

    @Test func `nothing is offered where the stub file exists`() throws {
        try write("GET", "https://api.test/users", to: "UserTests_list.json")
        try write("GET", "https://api.test/posts", to: "UserTests_listAll.json")
        #expect(try advice(on: network("UserTests_listAll")) == nil)
    }

    @Test func `what answers the request is decided by the network's matchers`() throws {
        try write("GET", "https://staging.test/users?page=1", to: "UserTests_list.json")
        let network = network("UserTests_listAll")
        #expect(try advice(on: network) == nil)
        network.requestMatcherOptions = [.httpMethod, .path]
        #expect(try advice(on: network)?.contains("UserTests_list.json, which has this request") == true)
    }

    @Test func `a process under test knows nothing about other tests, and offers no file`() throws {
        try write("GET", "https://api.test/users", to: "UserTests_list.json")
        for environment in [["TESTING": "UserTests.listAll"], ["STUB_RUN": "/tmp/run-of-a-test"]] {
            let network = StubbornNetwork(
                .persistent(name: "UserTests_listAll", path: directory.path)!,
                environment: environment
            )
            network.onUnstubbedRequest = { _ in }
            #expect(try advice(on: network) == nil)
        }
    }

    @Test(arguments: [
        "struct UserTests { @Test func list() {} }", "@Test(.stubbed(named: \"UserTests_list\")) func other() {}",
        "struct UserTests { @Test func `list`() {} }",
    ])
    func `a file of a test that is still in the sources is not offered`(source: String) throws {
        try write("GET", "https://api.test/users", to: "Stubs/UserTests_list.json")
        let stubs = directory.file("Stubs").path
        let network = StubbornNetwork(.persistent(name: "UserTests_listAll", path: stubs)!, environment: .newRun)
        network.onUnstubbedRequest = { _ in }
        try directory.write("struct UserTests { @Test func listAll() {} }", to: "UserTests.swift")
        #expect(try advice(on: network) != nil)
        try directory.write(source, to: "OtherTests.swift")
        #expect(try advice(on: network) == nil)
    }

    @Test func `a file of the same name in another directory of the package is offered first`() throws {
        try directory.write("", to: "Package.swift")
        try write("GET", "https://api.test/users", to: "Tests/Stubs/UserTests_list.json")
        try write("GET", "https://api.test/users", to: "Tests/.build/UserTests_list.json")
        try write("GET", "https://api.test/users", to: "Tests/Media/Stubs/UserTests_some.json")
        func moved() throws -> String? {
            let path = directory.file("Tests/Media/Stubs").path
            let network = StubbornNetwork(.persistent(name: "UserTests_list", path: path)!, environment: .newRun)
            network.onUnstubbedRequest = { _ in }
            return try advice(on: network)
        }
        let finding =
            "If its test was moved, and no other test uses Stubs/Tests/Stubs/UserTests_list.json, which has this request:  "
        let command = "mv Stubs/Tests/Stubs/UserTests_list.json Stubs/Tests/Media/Stubs/UserTests_list.json"
        #expect(try moved() == finding + command)
        // The command works where there is no such directory, too.
        try FileManager.default.removeItem(at: directory.file("Tests/Media"))
        #expect(try moved() == finding + "mkdir -p Stubs/Tests/Media/Stubs && " + command)
    }
}
