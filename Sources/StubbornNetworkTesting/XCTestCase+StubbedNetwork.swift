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
    /// whole diagnosis, unless a failure that XCTest has recorded holds the diagnosis already. It also fails for a
    /// recording that could not be written, and for having recorded at all.
    ///
    /// - Parameters:
    ///   - name: the stub file's name; by default those of the class and the test, as in `LoginTests_testLogin`.
    ///   - directory: the stub directory; `Stubs` beside the test's file by default.
    ///   - recordMode: the record mode; `.playback` by default. `STUB_RECORD_MODE` overrides it. When `CI` is set,
    ///     nothing is recorded without that variable.
    ///   - matching: the matchers that compare requests; `.standard` by default.
    ///   - order: the order in which recorded stubs answer; `.sequenceThenLast` by default.
    ///   - redaction: the rules for secrets; `.standard` by default.
    ///   - bodyEncoding: the encoding of bodies in the stub file; that of the stub directory's settings by default, or
    ///     else `.base64`.
    ///   - sharedSession: whether the network also answers `URLSession.shared` until the test is torn down.
    ///   - failsOnUnusedStubs: whether a stub that no request asked for, recorded or declared, fails a test that has not
    ///     failed otherwise.
    ///   - recordingPasses: whether a test that recorded may pass. By default it fails, and lists what it recorded.
    ///   - failsOn: in `.verifying`, the least degree of a difference that fails the test; `.breaking` by default.
    ///   - file: the test's file, beside which the stubs are.
    ///   - line: the line that failures are reported at.
    ///   - prepare: called with the network, to declare stubs and change settings.
    /// - Returns: the network.
    @discardableResult
    public func stubbedNetwork(
        named name: String? = nil,
        in directory: String? = nil,
        recordMode: RecordMode? = nil,
        matching: RequestMatcherOptions? = nil,
        order: PlaybackOrder? = nil,
        redaction: Redaction? = nil,
        bodyEncoding: BodyEncoding? = nil,
        sharedSession: Bool = false,
        failsOnUnusedStubs: Bool = false,
        recordingPasses: Bool = false,
        failsOn: VerificationReport.Severity = .breaking,
        file: StaticString = #filePath,
        line: UInt = #line,
        _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
    ) -> StubbornNetwork {
        let settings = TestSettings(
            name: name,
            directory: directory.map(TestSettings.Directory.path),
            recordMode: recordMode,
            matching: matching,
            order: order,
            redaction: redaction,
            bodyEncoding: bodyEncoding,
            sharedSession: sharedSession,
            failsOnUnusedStubs: failsOnUnusedStubs,
            recordingPasses: recordingPasses,
            failsOn: failsOn,
            prepare: prepare
        )
        return network(settings, file, line)
    }

    /// Returns a stubbed network for this test that plays back the resources of a bundle, for tests that run without
    /// their source files, such as those on a device.
    ///
    ///     let network = stubbedNetwork(in: .module)
    ///
    /// The stub directory is the folder `Stubs` of the resources, or the resources themselves without such a folder.
    /// Recording into a bundle is an error: the next build would replace the recording.
    @discardableResult
    public func stubbedNetwork(
        named name: String? = nil,
        in bundle: Bundle,
        matching: RequestMatcherOptions? = nil,
        order: PlaybackOrder? = nil,
        redaction: Redaction? = nil,
        sharedSession: Bool = false,
        failsOnUnusedStubs: Bool = false,
        file: StaticString = #filePath,
        line: UInt = #line,
        _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
    ) -> StubbornNetwork {
        let settings = TestSettings(
            name: name,
            directory: .resources(of: bundle),
            matching: matching,
            order: order,
            redaction: redaction,
            sharedSession: sharedSession,
            failsOnUnusedStubs: failsOnUnusedStubs,
            prepare: prepare
        )
        return network(settings, file, line)
    }

    private func network(_ settings: TestSettings, _ file: StaticString, _ line: UInt) -> StubbornNetwork {
        var settings = settings
        settings.function = "stubbedNetwork"
        settings.location = "\(("\(file)" as NSString).lastPathComponent):\(line)"
        let name = XCTestName(name)
        let names = TestNetwork.Names(stub: name.stubName, filter: name.filter, file: "\(file)")
        let test: TestNetwork
        do {
            test = try TestNetwork([settings], for: names, form: .xcTest)
        } catch {
            XCTFail("\(error)", file: file, line: line)
            return StubbornNetwork(
                refusingWith: error as? StubbornNetworkError ?? StubbornNetworkError(.invalidStub, "\(error)")
            )
        }
        let interception = test.sharedSession ? test.network.interceptSharedSession() : nil
        let recorded = RecordedFailures()
        XCTestObservationCenter.shared.addTestObserver(recorded)
        // On Apple's platforms neither a test nor its run is sendable. XCTest runs the block when the test's code has ended.
        nonisolated(unsafe) let run = testRun
        addTeardownBlock {
            XCTestObservationCenter.shared.removeTestObserver(recorded)
            interception?.end()
            // The run has not ended yet, and has not succeeded.
            for text in test.end(isComplete: run?.totalFailureCount == 0) where !recorded.contain(text) {
                XCTFail(text, file: file, line: line)
            }
        }
        return test.network
    }
}

/// The failures that XCTest records while a test runs, such as the error that the test throws.
private final class RecordedFailures: NSObject, XCTestObservation, Sendable {
    private let descriptions = Lock<[String]>([])

    /// Returns a Boolean value that indicates whether a failure contains a text.
    func contain(_ text: String) -> Bool {
        descriptions.withLock { $0.contains { $0.contains(text) } }
    }

    func testCase(
        _ testCase: XCTestCase,
        didFailWithDescription description: String,
        inFile filePath: String?,
        atLine lineNumber: Int
    ) {
        descriptions.withLock { $0.append(description) }
    }
}
