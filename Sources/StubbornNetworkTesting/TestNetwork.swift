import Foundation
import StubbornNetwork

/// The network of one test, and what the test fails for.
struct TestNetwork: Sendable {
    /// The names of a test.
    struct Names: Sendable {
        /// The stub file's name, unless a setting names it.
        let stub: String
        /// The test for `swift test --filter`.
        let filter: String
        /// The path of the test's source file.
        let file: String
    }

    let network: StubbornNetwork
    let failures = TestFailures()
    let sharedSession: Bool
    private let failsOnUnusedStubs: Bool
    private let recordingPasses: Bool
    private let failsOn: VerificationReport.Severity

    /// Creates the network of a test.
    ///
    /// - Parameters:
    ///   - settings: the settings, of which later ones replace earlier ones. All closures are called, in this order.
    ///   - names: the names of the test.
    ///   - form: the code that names the settings.
    /// - Throws: `StubbornNetworkError` for a name that no file can have, and for recording into a bundle; the error of a
    ///   closure.
    init(_ settings: [TestSettings], for names: Names, form: AdviceForm) throws {
        let name = settings.last(\.name) ?? names.stub
        let directory = settings.last(\.directory)
        let path =
            switch directory {
            case nil: (names.file as NSString).deletingLastPathComponent + "/Stubs"
            case .path(let path): path
            case .resources(let directory): directory.path
            }
        guard let configuration = StubbornNetworkConfiguration.persistent(name: name, path: path) else {
            throw StubbornNetworkError.unusableName(name, origin: path.isEmpty ? "in an empty directory" : "in \(path)")
        }
        let environment = settings.last(\.environment) ?? ProcessInfo.processInfo.environment
        network = StubbornNetwork(configuration, environment: environment)
        sharedSession = settings.last(\.sharedSession) ?? false
        failsOnUnusedStubs = settings.last(\.failsOnUnusedStubs) ?? false
        recordingPasses = settings.last(\.recordingPasses) ?? false
        failsOn = settings.last(\.failsOn) ?? .breaking
        network.onUnstubbedRequest = failures.add
        network.setTest(filter: names.filter, form: form)
        for settings in settings { try settings.apply(to: network) }
        if case .resources(let directory) = directory, network.recordMode.isRecording {
            throw StubbornNetworkError(
                .invalidLocation,
                """
                Stubs cannot be recorded into \(directory.relativeDisplayPath): a bundle is a copy that the next build \
                replaces. Record without `in: .module`, beside the test, and add the directory to the target's resources.
                """
            )
        }
    }

    /// Ends the recording run, and returns the texts of the failures: the unstubbed requests, an error while storing, a
    /// recording that no server answered, the recording itself unless it passes, differences of a verified recording, and
    /// unused stubs where they fail the test.
    ///
    /// - Parameter isComplete: whether the test has not failed so far. A test that has may not have made all its
    ///   requests.
    /// - Returns: the texts.
    func end(isComplete: Bool) -> [String] {
        if !isComplete { network.keepUnrequestedStubs() }
        var texts = failures.all.map(\.text)
        do {
            try network.finishRecording()
        } catch {
            texts.append("\(error)")
        }
        let report = network.recordingReport
        let text = [report.description, network.redactionReport.summary].filter { !$0.isEmpty }
        if !report.description.isEmpty, report.isWithoutAnswer || !recordingPasses {
            texts.append(text.joined(separator: "\n"))
        }
        if let text = network.verificationFailure(of: failsOn) { texts.append(text) }
        if isComplete, failsOnUnusedStubs { texts += unusedStubs }
        return texts
    }

    private var unusedStubs: [String] {
        var texts: [String] = []
        // Without a request the stubs have not been read. A file that does not exist holds none.
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
