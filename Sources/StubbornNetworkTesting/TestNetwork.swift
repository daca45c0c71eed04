import Foundation
import StubbornNetwork

/// The network of one test, and the reasons for which the test fails.
struct TestNetwork: Sendable {
    let network: StubbornNetwork
    /// The different unstubbed requests, each with the number of times that it was made and is not an issue yet.
    let unstubbed = Lock<[(report: UnstubbedRequestReport, count: Int)]>([])
    /// The messages of failures that the end of the test records.
    private let failures = Lock<[String]>([])
    private let context = Lock<TaskContext?>(nil)
    private let hasEnded = Lock(false)
    private let settings: [TestSettings]
    private let failsOn: FailureReasons
    private let target: AdviceTarget
    private let test: TestName
    /// The stub files of the tests that have ended, each named after its test.
    private static let recordedFiles = Lock<Set<URL>>([])

    /// Creates the network of a test.
    ///
    /// Later settings replace earlier ones, and all closures are called, in this order.
    ///
    /// - Throws: `StubbornNetworkError` for a name that no file can have, and for recording into a bundle; the error of a
    ///   closure.
    init(_ settings: [TestSettings], for test: TestName, in file: String, target: AdviceTarget) throws {
        (self.settings, self.target, self.test) = (settings, target, test)
        let name = settings.last(\.name) ?? test.stubName
        let directory = settings.last(\.directory)
        let path = directory?.path ?? (file as NSString).deletingLastPathComponent + "/Stubs"
        let shared = settings.last(\.sharing) ?? []
        let configuration = StubbornNetworkConfiguration.persistent(named: name, in: path, sharing: shared)
        if let problem = configuration.problem { throw problem }
        let environment = settings.last(\.environment) ?? ProcessInfo.processInfo.environment
        network = StubbornNetwork(configuration, environment: environment)
        // A file that is named after its test is recorded completely by that test, even if other tests do not run.
        if settings.last(\.name) == nil { network.keepUnrequestedStubs(false) }
        if let file = network.stubFile, Self.recordedFiles.withLock({ $0.contains(file) }) { network.beginAgain() }
        let recordsCopies = network.engine.environment.recordsCopies
        failsOn = (settings.last(\.failsOn) ?? .standard).subtracting(recordsCopies ? .recorded : [])
        let fail: @Sendable (String) -> Void = { [failures] text in failures.withLock { $0.append(text) } }
        let report: @Sendable (UnstubbedRequestReport) -> Void = { [unstubbed, hasEnded] report in
            let isLate = unstubbed.withLock { unstubbed in
                if let index = unstubbed.firstIndex(where: { $0.report.description == report.description }) {
                    unstubbed[index].count += 1
                    return false
                }
                unstubbed.append((report, 1))
                return hasEnded.withLock { $0 }
            }
            // The test has failed or passed already.
            let advice = "The test had ended: await or cancel the request in it."
            if isLate { StubbornNetwork.reportUnhandled("\(report)\n\(advice)") }
        }
        network.setTest(reportUnstubbed: failsOn.contains(.unstubbed) ? report : nil, fail: fail)
        network.setTest(filter: test.filter, target: target, mayShareFile: settings.last(\.name) != nil)
        for settings in settings { try settings.apply(to: network) }
        if directory?.isInBundle == true, network.recordMode.isRecording {
            throw StubbornNetworkError(
                .invalidSettings,
                """
                Stubs cannot be recorded into \(URL(fileURLWithPath: path).relativeDisplayPath): a bundle is a copy that \
                the next build replaces. Record without `in:`, next to the test, and add the directory to the target's resources.
                """
            )
        }
    }

    /// A Boolean value that indicates whether the network also answers `URLSession.shared`.
    var sharedSession: Bool { settings.last(\.sharedSession) ?? false }

    /// Returns a Boolean value that indicates whether an error that a test throws comes from an unstubbed request.
    func hasReport(of error: any Error) -> Bool { reportIndex(of: error) != nil }

    /// Notes the error of an issue, which may be known.
    ///
    /// If the error comes from an unstubbed request, the request counts as reported.
    func noteIssue(_ error: any Error) {
        if let index = reportIndex(of: error) { unstubbed.withLock { $0[index].count -= 1 } }
    }

    /// Returns the index of the unstubbed request that an error comes from; `nil` if there is none.
    private func reportIndex(of error: any Error) -> Int? {
        // An error that Apple's URL loading system has passed on may have lost its report, but not its message. In the error of a
        // synchronous call, the caller follows the report's text.
        guard let message = StubbornNetworkError(error)?.message else { return nil }
        return unstubbed.withLock { $0.firstIndex { message.hasPrefix($0.report.description) } }
    }

    /// Makes the network run the user's code in the context of the running task, until the end of the test.
    func adoptContext() {
        let new = TaskContext()
        context.withLock { $0 = new }
        network.setContext { new.run($0) }
    }

    /// Ends the recording run, and returns the messages of the failures.
    ///
    /// They are an error while storing, a recording that no server answered, and the reasons in the settings: unstubbed
    /// requests, the recording itself, differences of a verified recording, and unused stubs. A test that has failed
    /// already is not complete: it may not have made all its requests. The same applies to a skipped test, which has not failed.
    /// Requests that start after the end of a test with `.stubbed` are not recorded.
    ///
    /// No thread is blocked. A cancelled test is treated like any other.
    func end(isComplete: Bool, isSkipped: Bool = false) async -> [String] {
        await Task { await failures(isComplete: isComplete, isSkipped: isSkipped) }.value
    }

    private func failures(isComplete: Bool, isSkipped: Bool) async -> [String] {
        // XCTest calls `tearDown()` later, which may clean up on the server.
        if target != .xcTest { network.endTest() }
        let held = network.failHeldRequests()
        failures.withLock { $0 += held }
        if isSkipped { network.keepUnrequestedStubs() }
        if !isComplete { network.noteFailedTest() }
        let running = await runningRecordings()
        await network.waitForPendingWork()
        let verification = await network.verificationReport().failure(of: failsOn.severity)
        network.setContext(nil)
        context.withLock { $0.take() }?.end()
        network.removeSharedCookies()
        // Files are written here, and another process may have locked their directory.
        return await onOtherThread { texts(isComplete: isComplete, isSkipped: isSkipped, running, verification) }
    }

    /// Returns the messages of a test's failures, as `end(isComplete:isSkipped:)` does, but blocks the thread.
    func endBlocking(isComplete: Bool, isSkipped: Bool = false) -> [String] {
        let texts = Lock<[String]>([])
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            let failures = await self.end(isComplete: isComplete, isSkipped: isSkipped)
            texts.withLock { $0 = failures }
            end.signal()
        }
        end.wait()
        return texts.withLock { $0 }
    }

    private func texts(isComplete: Bool, isSkipped: Bool, _ running: [String], _ verification: String?) -> [String] {
        var texts = unstubbedTexts + failures.withLock { $0 }
        if !running.isEmpty {
            texts.append(
                """
                The test ended while these requests were still being recorded:
                \(running.listed(upTo: 8).map { "  \($0)" }.joined(separator: "\n"))
                Await or cancel them in the test. Their responses may be stored after this report.
                """
            )
        }
        do {
            try network.engine.finishRecording(mayWriteLater: true)
        } catch {
            texts.append("\(error)")
        }
        let report = network.recordingReport
        network.addToSummary(report)
        if !report.description.isEmpty, report.isWithoutAnswer || failsOn.contains(.recorded) {
            // Without a recording, nothing was redacted.
            let redaction = report.isWithoutAnswer ? "" : network.redactionReport.description
            texts.append([report.description, redaction].filter { !$0.isEmpty }.joined(separator: "\n"))
        }
        if let file = network.stubFile {
            if settings.last(\.name) == nil {
                Self.recordedFiles.withLock { _ = $0.insert(file) }
            } else if let text = SharedRecordings.conflict(of: test, in: file, network.recordedStubs) {
                texts.append(text)
            }
        }
        if let verification { texts.append(verification) }
        // In `.live` no stub answers.
        if isComplete, !isSkipped, failsOn.contains(.unused), network.recordMode != .live { texts += unusedStubs }
        if !isComplete, let text = failureOfOldAnswers { texts.append(text) }
        return texts
    }

    /// The reports on the unstubbed requests; if the stub file is missing, one report on all of them.
    private var unstubbedTexts: [String] {
        let all = unstubbed.withLock { unstubbed in
            hasEnded.withLock { $0 = true }
            return unstubbed
        }
        .filter { $0.count > 0 }
        let others = all.filter { $0.report.cause == .noStubFile }.dropFirst().map { "  \($0.report.request)" }
        var isFirst = true
        return all.compactMap { report, count in
            var text = count == 1 ? "\(report)" : "\(report)\n(\(count) times)"
            guard report.cause == .noStubFile else { return text }
            defer { isFirst = false }
            guard isFirst else { return nil }
            if !others.isEmpty { text += "\nNothing answers these requests either:\n" }
            return text + others.listed(upTo: 20).joined(separator: "\n")
        }
    }

    /// Waits at most two seconds for requests that are being recorded, and returns those that have not ended.
    ///
    /// Requests that the end of the test cancels are stored a moment later.
    private func runningRecordings() async -> [String] {
        guard network.recordMode.isRecording else { return [] }
        let isRunning = { (exchange: Exchange) in
            exchange.duration == nil && (exchange.outcome ?? .recorded) == .recorded
        }
        var running = Set(network.exchanges.filter(isRunning).map(\.id))
        if !running.isEmpty {
            _ = await network.engine.log.firstExchange(within: .seconds(2)) { exchange in
                if !isRunning(exchange) { running.remove(exchange.id) }
                return running.isEmpty
            }
        }
        return zip(network.exchanges, network.redactedRequests).filter { isRunning($0.0) }.map { "\($0.1)" }
    }

    /// The message for a test that failed after stubs of its file answered, in `.recordingMissing`; `nil` otherwise.
    ///
    /// An old answer may be the cause of the failure.
    private var failureOfOldAnswers: String? {
        let count = network.engine.recorded.usedCount
        guard network.recordMode == .recordingMissing, count > 0, let file = network.stubFile else { return nil }
        let first = """
            The test failed in recording-missing, which plays \(file.relativeDisplayPath) before it records: \(count) of its \
            stubs answered with earlier recordings.
            """
        return ([first] + network.engine.fixesToRecordAgain.lines).joined(separator: "\n")
    }

    private var unusedStubs: [String] {
        var texts: [String] = []
        // Without a request the stubs have not been read. A file that does not exist contains none.
        do {
            try network.loadStubs()
        } catch let error as StubbornNetworkError where error.code == .stubFileNotFound {
        } catch {
            texts.append("\(error)")
        }
        // In `.recording` no recorded stub answers, so only declared ones count.
        let reports = network.unusedStubReports.filter { network.recordMode != .recording || $0.isDeclared }
        return texts + reports.map(\.description)
    }
}
