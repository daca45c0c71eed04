import Foundation
import StubbornNetwork
import XCTest

extension XCTestCase {
    /// A stubbed network for this test, played back from `Stubs/<Class>_<test>.json` beside the test's file.
    ///
    ///     func testLogin() async throws {
    ///         let network = stubbedNetwork()
    ///         let (data, _) = try await network.session.data(from: url)
    ///     }
    ///
    /// Each request that no stub answers fails the test, at this call's line, with the whole diagnosis, when the test is
    /// torn down; so does a recording that could not be written.
    ///
    /// - Parameters:
    ///   - directory: the stub directory; `Stubs` beside the test's file by default.
    ///   - recordingPasses: whether a test that recorded may pass. It fails by default, saying what it recorded and where.
    public func stubbedNetwork(
        in directory: String? = nil,
        recordMode: RecordMode = .playback,
        recordingPasses: Bool = false,
        file: StaticString = #filePath,
        line: UInt = #line
    ) -> StubbornNetwork {
        let beside = ("\(file)" as NSString).deletingLastPathComponent + "/Stubs"
        let stubName = XCTestName(name).stubName
        let configuration = StubbornNetworkConfiguration.persistent(name: stubName, path: directory ?? beside)
        if configuration == nil { XCTFail("\(name) names no stub file", file: file, line: line) }
        let network = StubbornNetwork(configuration ?? .ephemeral)
        if recordMode != .playback {
            let fileName = ("\(file)" as NSString).lastPathComponent
            network.setRecordMode(recordMode, by: "stubbedNetwork(recordMode:) at \(fileName):\(line)")
        }
        network.setTest(filter: name.testFilter)
        let failures = TestFailures()
        network.onUnstubbedRequest = failures.add
        addTeardownBlock { [weak self] in
            // A test that failed may not have asked for all that it would have.
            // Its run has not ended yet, and would not count as successful.
            if self?.testRun?.totalFailureCount != 0 { network.keepUnrequestedStubs() }
            for failure in failures.all { XCTFail(failure.text, file: file, line: line) }
            do {
                try network.finishRecording()
            } catch {
                XCTFail("\(error)", file: file, line: line)
            }
            guard !recordingPasses, let text = network.recordingFailure else { return }
            XCTFail(text, file: file, line: line)
        }
        return network
    }
}

extension String {
    /// `LoginTests.testLogin` for `LoginTests.testLogin` and `-[LoginTests testLogin]`.
    fileprivate var testFilter: String {
        let words = split { "-[] ".contains($0) }
        return words.joined(separator: ".")
    }
}
