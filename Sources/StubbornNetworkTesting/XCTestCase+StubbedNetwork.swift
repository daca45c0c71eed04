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
    /// - Parameter directory: the stub directory; `Stubs` beside the test's file by default.
    public func stubbedNetwork(
        in directory: String? = nil,
        recordMode: RecordMode = .playback,
        file: StaticString = #filePath,
        line: UInt = #line
    ) -> StubbornNetwork {
        let beside = ("\(file)" as NSString).deletingLastPathComponent + "/Stubs"
        let stubName = XCTestName(name).stubName
        let configuration = StubbornNetworkConfiguration.persistent(name: stubName, path: directory ?? beside)
        if configuration == nil { XCTFail("\(name) names no stub file", file: file, line: line) }
        let network = StubbornNetwork(configuration ?? .ephemeral)
        network.recordMode = recordMode
        let reports = Lock<[String]>([])
        network.onUnstubbedRequest = { report in reports.withLock { $0.append(report.description) } }
        addTeardownBlock { [weak self] in
            // A test that failed may not have asked for all that it would have.
            if self?.testRun?.hasSucceeded == false { network.keepUnrequestedStubs() }
            for report in reports.withLock({ $0 }) { XCTFail(report, file: file, line: line) }
            do {
                try network.finishRecording()
            } catch {
                XCTFail("\(error)", file: file, line: line)
            }
        }
        return network
    }
}
