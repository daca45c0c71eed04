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
        /// When the test ends, each unstubbed request is reported as a failure at the line of this call, with the whole
        /// diagnosis. A diagnosis that XCTest has already reported is not repeated. The test also fails if it makes a recording,
        /// or if a recording could not be written.
        ///
        /// The parameters are the same as for the trait `.stubbed`. With `sharedSession`, requests of
        /// `URLSession.shared` are answered until the test is torn down.
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
            failsOn: FailureReasons = .standard,
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
            failsOn: FailureReasons = .standard,
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
                failsOn: failsOn,
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
            let recorded = RecordedFailures()
            recorded.startObserving()
            // On Apple's platforms neither a test nor its run is sendable. XCTest runs the block when the test's code has ended.
            nonisolated(unsafe) let run = testRun
            addTeardownBlock {
                recorded.stopObserving()
                interception?.end()
                // The run has not ended yet, and has not succeeded.
                let isSkipped = run?.hasBeenSkipped == true
                let texts = test.endBlocking(isComplete: run?.totalFailureCount == 0, isSkipped: isSkipped)
                for text in texts where !recorded.contain(text) {
                    XCTFail(text, file: file, line: line)
                }
            }
            return test.network
        }
    }

    extension XCTestCase {
        /// Fails this test if the requests of a network differ from those in its request snapshot.
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

    /// The failures that XCTest records while a test runs, such as the error that the test throws.
    ///
    /// XCTest ends the process when an observer is added or removed outside the main thread, on which an asynchronous test does
    /// not run. Waiting for the main thread there could block the process, so the observer may be added a moment later. A failure
    /// that it misses is reported twice.
    final class RecordedFailures: NSObject, XCTestObservation, Sendable {
        private enum Observation { case notStarted, running, stopped }

        private let observation = Lock(Observation.notStarted)
        private let descriptions = Lock<[String]>([])
        private let add, remove: @MainActor @Sendable (RecordedFailures) -> Void

        /// Creates an observer, which two closures add to XCTest's observers and remove from them.
        init(
            add: @escaping @MainActor @Sendable (RecordedFailures) -> Void = {
                XCTestObservationCenter.shared.addTestObserver($0)
            },
            remove: @escaping @MainActor @Sendable (RecordedFailures) -> Void = {
                XCTestObservationCenter.shared.removeTestObserver($0)
            }
        ) {
            (self.add, self.remove) = (add, remove)
        }

        /// Starts observing on the main thread, unless `stopObserving()` has been called by then.
        func startObserving() {
            onMainThread {
                let isFirst = self.observation.withLock { observation in
                    guard observation == .notStarted else { return false }
                    observation = .running
                    return true
                }
                if isFirst { self.add(self) }
            }
        }

        /// Stops observing on the main thread; an observation that has not started yet never starts.
        func stopObserving() {
            let isRunning = observation.withLock { observation in
                defer { observation = .stopped }
                return observation == .running
            }
            if isRunning { onMainThread { self.remove(self) } }
        }

        /// Performs work on the main thread: at once if this is the main thread, and asynchronously otherwise.
        private func onMainThread(_ work: @escaping @MainActor @Sendable () -> Void) {
            if Thread.isMainThread { return MainActor.assumeIsolated(work) }
            DispatchQueue.main.async { MainActor.assumeIsolated(work) }
        }

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
#else
    /// Does nothing: there is no XCTest, as in the static SDK for Linux.
    func failXCTest(_ text: String, file: StaticString = #filePath, line: UInt = #line) {}
#endif
