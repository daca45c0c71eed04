import Foundation
import StubbornNetwork

#if canImport(XCTest)
    import XCTest

    /// Fails the running test of XCTest.
    func failXCTest(_ text: String, file: StaticString = #filePath, line: UInt = #line) {
        XCTFail(text, file: file, line: line)
    }

    extension XCTestCase {
        /// Returns a stubbed network for this test, which plays back `Stubs/<Class>_<test>.json` next to the test's file.
        ///
        ///     func testLogin() async throws {
        ///         let network = stubbedNetwork()
        ///         let (data, _) = try await network.session.data(from: url)
        ///     }
        ///
        /// At the end of the test, it fails at the line of this call for each request that no stub answered, with the whole
        /// diagnosis; the error of the request has only its first line. The test also fails if it recorded, or if a recording
        /// could not be written.
        ///
        /// The parameters are those of the trait `.stubbed`. A shared session is answered until the test is torn down.
        @discardableResult
        public func stubbedNetwork(
            named name: String? = nil,
            sharing shared: [String]? = nil,
            in directory: String? = nil,
            recordMode: RecordMode? = nil,
            matching: RequestMatcherOptions? = nil,
            order: PlaybackOrder? = nil,
            redaction: Redaction? = nil,
            bodyEncoding: BodyEncoding? = nil,
            sharedSession: Bool = false,
            failing: FailureReasons = .standard,
            file: StaticString = #filePath,
            line: UInt = #line,
            _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
        ) -> StubbornNetwork {
            let settings = TestSettings(
                name: name,
                directory: directory.map { .init(path: $0) },
                sharing: shared,
                recordMode: recordMode,
                matching: matching,
                order: order,
                redaction: redaction,
                bodyEncoding: bodyEncoding,
                sharedSession: sharedSession,
                failing: failing,
                prepare: prepare
            )
            return network(settings, file, line)
        }

        /// Returns a stubbed network for this test that plays back the resources of a bundle, for tests that run without
        /// their source files, such as those on a device.
        ///
        ///     let network = stubbedNetwork(in: .module)
        ///
        /// In an Xcode project, which has no `.module`, use `in: Bundle(for: Self.self)`. The stub directory is the folder
        /// `Stubs` of the resources, or the resources themselves without such a folder.
        /// Recording into a bundle is an error: the next build would replace the recording.
        @discardableResult
        public func stubbedNetwork(
            named name: String? = nil,
            sharing shared: [String]? = nil,
            in bundle: Bundle,
            matching: RequestMatcherOptions? = nil,
            order: PlaybackOrder? = nil,
            redaction: Redaction? = nil,
            sharedSession: Bool = false,
            failing: FailureReasons = .standard,
            file: StaticString = #filePath,
            line: UInt = #line,
            _ prepare: @escaping @Sendable (StubbornNetwork) throws -> Void = { _ in }
        ) -> StubbornNetwork {
            let settings = TestSettings(
                name: name,
                directory: .resources(of: bundle),
                sharing: shared,
                matching: matching,
                order: order,
                redaction: redaction,
                sharedSession: sharedSession,
                failing: failing,
                prepare: prepare
            )
            return network(settings, file, line)
        }

        private func network(_ settings: TestSettings, _ file: StaticString, _ line: UInt) -> StubbornNetwork {
            var settings = settings
            settings.function = "stubbedNetwork"
            settings.location = "\(("\(file)" as NSString).lastPathComponent):\(line)"
            let test: TestNetwork
            do {
                test = try TestNetwork([settings], for: TestName(ofXCTest: name), in: "\(file)", target: .xcTest)
            } catch {
                XCTFail("\(error)", file: file, line: line)
                return StubbornNetwork(
                    refusingWith: error as? StubbornNetworkError ?? StubbornNetworkError(.invalidStub, "\(error)")
                )
            }
            let interception = test.sharedSession ? test.network.interceptSharedSession() : nil
            // On Apple's platforms neither a test nor its run is sendable. XCTest runs the block when the test's code has ended.
            nonisolated(unsafe) let run = testRun
            addTeardownBlock {
                interception?.end()
                // The run has not ended yet, and has not succeeded.
                for text in test.endBlocking(isComplete: run?.totalFailureCount == 0) {
                    XCTFail(text, file: file, line: line)
                }
            }
            return test.network
        }
    }

    extension XCTestCase {
        /// Fails this test when the requests of a network differ from those in its request snapshot.
        ///
        /// The snapshot is `RequestSnapshot/<Class>/<test>.json` next to the test's file. This works like the function of
        /// the same name for Swift Testing.
        public func assertRequests(
            of network: StubbornNetwork,
            recording: Bool = false,
            inAnyOrder: Bool = false,
            named snapshotName: String? = nil,
            file: StaticString = #filePath,
            line: UInt = #line
        ) {
            let assertion = SnapshotAssertion(
                at: "\(file)",
                line: Int(line),
                test: TestName(ofXCTest: name),
                named: snapshotName,
                recording: recording,
                inAnyOrder: inAnyOrder
            )
            if let failure = assertion.failure(of: network) {
                XCTFail(failure, file: file, line: line)
            }
        }
    }
#else
    /// Does nothing: there is no XCTest, as in the static SDK for Linux.
    func failXCTest(_ text: String, file: StaticString = #filePath, line: UInt = #line) {}
#endif
