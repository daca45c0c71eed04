import Foundation
import Testing
import XCTest

@testable import StubbornNetwork
@testable import StubbornNetworkTesting

extension Bundle {
    /// The bundle of a test target that has resources.
    fileprivate static var module: Bundle { .main }
}

/// The lines that reports offer, pasted where they are read.
///
/// Each begins a line of this file, where it is compiled.
struct PastedAdviceTests {
    @Test(.stubbed(in: .module))  // in an Xcode project: in: Bundle(for: YourTests.self)
    func resources() {}

    /// A trait with settings of its own, which a pasted line must not change.
    @Test(.stubbed(named: "Advice", matching: .strict) { $0.stub(.path("/kept"), with: .status(204)) })
    func statements() throws {
        StubbornNetwork.current.recordMode = .recordingOnce
        StubbornNetwork.current.recordMode = .recordingMissing
        StubbornNetwork.current.recordMode = .recording
        StubbornNetwork.current.recordMode = .playback
        StubbornNetwork.current.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody]
        StubbornNetwork.current.playbackOrder = .sequenceThenLast
        StubbornNetwork.current.stub(.get("http://localhost/x?page=2"), with: .status(200))
        let network = StubbornNetwork.current
        #expect(network.stubFile?.lastPathComponent == "Advice.json")
        for (path, status) in ["kept": 204, "x?page=2": 200] {
            let url = try #require(URL(string: "http://localhost/\(path)"))
            #expect((try network.response(to: URLRequest(url: url)).1 as? HTTPURLResponse)?.statusCode == status)
        }
        StubbornNetwork.current.passThrough(.host("localhost"))
    }

    @Test func properties() {
        let network = StubbornNetwork(.ephemeral, environment: ["CI": "true"])
        network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody]
        network.playbackOrder = .sequenceThenLast
        network.recordMode = .recordingOnce
        network.recordMode = .recordingMissing
        network.recordMode = .recording
    }

    @Test(arguments: [AdviceTarget.network, .trait, .xcTest])
    func `every line of Swift that a report offers compiles where it is read`(form: AdviceTarget) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("advice-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let reports = try [
            report(on: "x?page=2", recorded: "x?page=1", in: directory, form),
            report(on: "x?page=2", recorded: "x?page=2", in: directory, form),
            report(on: "x?page=2", recorded: nil, in: directory, form),
        ]
        let unwritable = RecordingAdvice(
            file: directory.appendingPathComponent("1.json/Stubs/2.json"),
            environment: EnvironmentSettings([:]),
            isConfiguredByEnvironment: false,
            test: RunningTest(filter: "A.b", target: form)
        )
        let fixes = reports.flatMap(\.fixes) + unwritable.fixes("To record it", mode: .recordingMissing)
        #expect(
            Set(fixes.map { $0.purpose.prefix { $0 != "," } }) == [
                "To ignore it", "To repeat the last response", "To record it", "To record the test again",
                "To declare it",
                "To let it through",
            ]
        )
        let shown = try String(contentsOfFile: #filePath, encoding: .utf8).split(separator: "\n")
            .map { $0.drop { $0 == " " } }
        let code = fixes.map(\.code).filter {
            !$0.contains("STUB_RECORD_MODE") && !$0.hasPrefix("run it in a simulator")
        }
        for line in code { #expect(shown.contains(line[...]), "\(line)") }
    }

    /// Returns the report on a request of a test that Xcode runs, as often as it takes to be unstubbed.
    private func report(
        on address: String,
        recorded: String?,
        in directory: URL,
        _ form: AdviceTarget
    ) throws -> UnstubbedRequestReport {
        func request(_ address: String) -> StubRequest {
            StubRequest(url: URL(string: "http://localhost/\(address)")!)
        }
        if let recorded {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let entry = StubFileEntry(
                rendering: Stub(request: request(recorded), response: .status(200)),
                bodyEncoding: .base64
            )
            let file = StubFileDocument(entries: [entry]).data
            try file.write(to: directory.appendingPathComponent("1.json"))
        }
        let network = StubbornNetwork(
            .persistent(name: recorded == nil ? "2" : "1", path: directory.path)!,
            environment: ["XCTestSessionIdentifier": "1"]
        )
        network.onUnstubbedRequest = { _ in }
        network.playbackOrder = .sequence
        network.setTest(filter: "A.b", target: form)
        if recorded == address { _ = try network.response(to: request(address).urlRequest) }
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: request(address).urlRequest) }
        return try #require(error?.report)
    }
}

/// The same in XCTest.
final class PastedAdviceXCTests: XCTestCase {
    func testSettings() {
        stubbedNetwork(in: .module)  // in an Xcode project: in: Bundle(for: YourTests.self)
    }

    func testCalls() {
        let network = stubbedNetwork(named: "Advice", matching: .strict)
        network.recordMode = .recordingOnce
        network.recordMode = .recordingMissing
        network.recordMode = .recording
        network.recordMode = .playback
        network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody]
        network.playbackOrder = .sequenceThenLast
        XCTAssertEqual(network.stubFile?.lastPathComponent, "Advice.json")
        network.stub(.get("http://localhost/x?page=2"), with: .status(200))
        network.passThrough(.host("localhost"))
    }
}
