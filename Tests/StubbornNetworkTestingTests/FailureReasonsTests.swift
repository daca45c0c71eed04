import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork
@testable import StubbornNetworkTesting

struct FailureReasonsTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "reasons-\(UUID().uuidString)"
    )

    @Test(arguments: VerificationReport.Severity.allCases)
    func `differences of a degree are those of each higher degree too`(degree: VerificationReport.Severity) {
        let reasons = FailureReasons.differences(atLeast: degree)
        #expect(reasons.severity == degree)
        for other in VerificationReport.Severity.allCases {
            #expect(reasons.isSuperset(of: .differences(atLeast: other)) == (other >= degree))
        }
        #expect(reasons.isDisjoint(with: [.unstubbed, .unused, .recorded]))
    }

    @Test func `the standard reasons are an unstubbed request, a recording, and a breaking difference`() {
        #expect(FailureReasons.standard == [.unstubbed, .recorded, .differences(atLeast: .breaking)])
        #expect(FailureReasons.standard.severity == .breaking)
        #expect(FailureReasons([.unstubbed, .unused, .recorded]).severity == nil)
    }

    /// Returns the strings that a test fails with which makes a request that nothing stubs, and leaves a stub unused.
    private func failures(_ failsOn: FailureReasons?) async throws -> [String] {
        var settings = TestSettings(name: "test", directory: .init(path: directory.path), failsOn: failsOn)
        settings.environment = [:]
        let test = try TestNetwork([settings], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .trait)
        test.network.stub(.get("/unused"), with: .status(200))
        let url = try #require(URL(string: "https://api.example.com/none"))
        let error = await #expect(throws: (any Error).self) { try await test.network.session.data(from: url) }
        #expect(error.map { test.hasReport(of: $0) } == (failsOn ?? .standard).contains(.unstubbed))
        return await test.end(isComplete: true)
    }

    @Test func `only what is a reason fails the test, and an unstubbed request fails in any case`() async throws {
        for failsOn in [nil, FailureReasons.standard, .unstubbed] {
            let texts = try await failures(failsOn)
            #expect(texts.count == 1)
            #expect(texts.first?.hasPrefix("No stub answers GET https://api.example.com/none") == true)
        }
        let unused = try await failures(.unused)
        #expect(unused.count == 1)
        #expect(unused.first?.contains("/unused") == true)
        #expect(try await failures([.standard, .unused]).count == 2)
        #expect(try await failures(.recorded) == [])
        #expect(try await failures([]) == [])
    }

    @Test(arguments: [("live", 0), ("playback", 2)])
    func `in live mode no stub is unused, because none can answer`(mode: String, count: Int) async throws {
        let reasons: FailureReasons = [.standard, .unused]
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let request = #"{ "method": "GET", "url": "https://api.test/a" }"#
        let file = #"[ { "request": \#(request), "response": { "statusCode": 200 } } ]"#
        try Data(file.utf8).write(to: directory.appendingPathComponent("test.json"))
        var settings = TestSettings(name: "test", directory: .init(path: directory.path), failsOn: reasons)
        settings.environment = ["STUB_RECORD_MODE": mode]
        let test = try TestNetwork([settings], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .trait)
        test.network.stub(.get("/declared"), with: .status(200))
        let texts = await test.end(isComplete: true)
        #expect(texts.count == count, "\(texts)")
    }

    @Test func `a stub file that is damaged fails a test that checks for unused stubs, and a missing one does not`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: directory) }
        func texts() async throws -> [String] {
            var settings = TestSettings(name: "test", directory: .init(path: directory.path), failsOn: .unused)
            settings.environment = [:]
            let test = try TestNetwork([settings], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .trait)
            return await test.end(isComplete: true)
        }
        #expect(try await texts() == [])
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data("[ {".utf8).write(to: directory.appendingPathComponent("test.json"))
        let damaged = try await texts()
        #expect(damaged.map { $0.contains("/test.json:1:") } == [true], "\(damaged)")
    }
}
