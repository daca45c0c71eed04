import Foundation
import StubbornNetwork
import Testing

/// The unstubbed requests of a test, each different one once.
///
/// They may be added from any thread.
final class TestFailures: Sendable {
    /// An unstubbed request, and the number of times it was made.
    struct Failure: Sendable {
        let report: UnstubbedRequestReport
        var count = 1

        var text: String { count == 1 ? report.description : "\(report.description)\n(\(count) times)" }
    }

    private let failures = Lock<[Failure]>([])

    var all: [Failure] { failures.withLock { $0 } }

    /// Returns a Boolean value that indicates whether an error that a test throws is that of one of these requests.
    func contains(_ error: any Error) -> Bool {
        guard let report = (error as? StubbornNetworkError)?.report else { return false }
        return all.contains { $0.report.request == report.request && $0.report.cause == report.cause }
    }

    func add(_ report: UnstubbedRequestReport) {
        failures.withLock { failures in
            if let index = failures.firstIndex(where: { $0.report.description == report.description }) {
                failures[index].count += 1
            } else {
                failures.append(Failure(report: report))
            }
        }
    }
}

extension StubbornNetwork {
    /// Ends the recording run, and returns the texts of the failures: an error while storing, a recording that no server
    /// answered, the recording itself unless it passes, and differences of a verified recording.
    func finishTest(recordingPasses: Bool, failsOn severity: VerificationReport.Severity = .breaking) -> [String] {
        var texts: [String] = []
        do {
            try finishRecording()
        } catch {
            texts.append("\(error)")
        }
        let report = recordingReport
        let summary = redactionReport.summary
        let text = [report.description, summary].filter { !$0.isEmpty }.joined(separator: "\n")
        if !report.description.isEmpty, report.isWithoutAnswer || !recordingPasses { texts.append(text) }
        if let text = verificationFailure(of: severity) { texts.append(text) }
        return texts
    }
}
