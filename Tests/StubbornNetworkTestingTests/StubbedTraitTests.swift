import Foundation
import StubbornNetwork
import Testing

@testable import StubbornNetworkTesting

@Suite(.timeLimit(.minutes(5)))
struct StubbedTraitTests {
    let url = URL(string: "https://api.example.com/greeting")!

    private func text() async throws -> String {
        String(decoding: try await StubbornNetwork.current.session.data(from: url).0, as: UTF8.self)
    }

    @Test(.stubbed) func login() async throws {
        #expect(try await text() == "from Stubs/StubbedTraitTests_login.json")
    }

    @Test(.stubbed(named: "StubbedTraitTests_login")) func `the name of another test`() async throws {
        #expect(try await text() == "from Stubs/StubbedTraitTests_login.json")
    }

    @Test(.stubbed { $0.stub(.any, with: .status(503)) }) func outage() async throws {
        let (_, response) = try await StubbornNetwork.current.session.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 503)
    }

    @Test(.stubbed { $0.stub(.any, with: .text("mine")) }, arguments: 0..<20)
    func `each case has a network of its own`(number: Int) async throws {
        let network = StubbornNetwork.current
        network.stub(.any, with: .text("\(number)"))
        #expect(try await text() == "\(number)")
        #expect(network.exchanges.count == 1)
    }

    @Test(.stubbed, arguments: ["one", "two words"])
    func cases(argument: String) async throws {
        let name = argument.replacingOccurrences(of: " ", with: "_")
        #expect(StubbornNetwork.current.stubFile?.lastPathComponent == "StubbedTraitTests_cases_\(name).json")
    }

    @Test(.stubbed, arguments: [(1, true)], ["a"])
    func cases(of pairs: (Int, Bool), and text: String) async throws {
        #expect(StubbornNetwork.current.stubFile?.lastPathComponent == "StubbedTraitTests_cases_(1,_true)_a.json")
    }

    @Test func `a declared stub that nobody asked for fails the test where that is wanted`() async throws {
        let test = try #require(Test.current)
        try await withKnownIssue {
            var trait = StubbedTrait(name: "StubbedTraitTests_login", failsOnUnusedStubs: true)
            trait.prepare = { $0.stub(.path("/never"), with: .status(200)) }
            try await trait.provideScope(for: test, testCase: nil) { _ = try await text() }
        } matching: { issue in
            issue.comments.contains("No request asked for the stub path /never")
        }
    }

    @Test func `without the trait every request fails, saying so`() async throws {
        let error = await #expect(throws: (any Error).self) { try await text() }
        #expect(error?.localizedDescription.contains("Add .stubbed to the test or its suite") == true)
    }

    @Test func `an unstubbed request fails the test with the whole report`() async throws {
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await StubbedTrait(name: "nothing").provideScope(for: test, testCase: nil) {
                _ = try? await StubbornNetwork.current.session.data(from: url)
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.hasPrefix("No stub answers GET https://api.example.com/greeting") }
        }
    }

    @Test func `a test that throws still tells what was not stubbed`() async throws {
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await StubbedTrait(name: "nothing").provideScope(for: test, testCase: nil) {
                _ = try await StubbornNetwork.current.session.data(from: url)
            }
        } matching: { issue in
            // The report, and the error that the test threw.
            issue.comments.contains { $0.rawValue.hasPrefix("No stub answers GET https://api.example.com/greeting") }
                || issue.error is StubbornNetworkError
        }
    }

    @Test(arguments: [
        ("Module.login()/File.swift:1:2", "login"),
        ("Module.Outer/Inner/login()/File.swift:11:50", "Outer_Inner_login"),
        ("Module.Outer/`with a number`(n:)/File.swift:10:75", "Outer_with a number"),
    ])
    func `a test's name is its suites' and its own`(id: String, name: String) {
        #expect(TestName(id: id, fileID: "Module/File.swift").stubName == name)
    }
}
