import Foundation
import StubbornNetwork
import XCTest

extension XCTestCase {
    /// Returns a stubbed network for this test, which plays back `Stubs/<Class>_<test>.json` beside the test's file.
    ///
    ///     func testLogin() async throws {
    ///         let network = stubbedNetwork()
    ///         let (data, _) = try await network.session.data(from: url)
    ///     }
    ///
    /// When the test is torn down, it fails at the line of this call for each request that no stub answered, with the
    /// whole diagnosis. It also fails for a recording that could not be written.
    ///
    /// - Parameters:
    ///   - directory: the stub directory; `Stubs` beside the test's file by default.
    ///   - recordMode: the record mode; `STUB_RECORD_MODE` overrides it.
    ///   - recordingPasses: whether a test that recorded may pass. By default it fails, and lists what it recorded.
    ///   - file: the test's file, beside which the stubs are.
    ///   - line: the line that failures are reported at.
    /// - Returns: the network.
    public func stubbedNetwork(
        in directory: String? = nil,
        recordMode: RecordMode = .playback,
        recordingPasses: Bool = false,
        file: StaticString = #filePath,
        line: UInt = #line
    ) -> StubbornNetwork {
        let test = XCTestName(name)
        let path = directory ?? ("\(file)" as NSString).deletingLastPathComponent + "/Stubs"
        let configuration = StubbornNetworkConfiguration.persistent(name: test.stubName, path: path)
        if configuration == nil {
            XCTFail("\(StubbornNetworkError.unusableName(test.stubName, origin: "in \(path)"))", file: file, line: line)
        }
        let network = StubbornNetwork(configuration ?? .ephemeral)
        if recordMode != .playback {
            let fileName = ("\(file)" as NSString).lastPathComponent
            network.setRecordMode(recordMode, by: "stubbedNetwork(recordMode:) at \(fileName):\(line)")
        }
        network.setTest(filter: test.filter)
        let failures = TestFailures()
        network.onUnstubbedRequest = failures.add
        // On Apple's platforms neither a test nor its run is sendable. XCTest runs the block when the test's code has ended.
        nonisolated(unsafe) let run = testRun
        addTeardownBlock {
            // A test that failed may not have made all its requests. Its run has not ended yet, and has not succeeded.
            if run?.totalFailureCount != 0 { network.keepUnrequestedStubs() }
            let texts = failures.all.map(\.text) + network.finishTest(recordingPasses: recordingPasses)
            for text in texts { XCTFail(text, file: file, line: line) }
        }
        return network
    }
}
