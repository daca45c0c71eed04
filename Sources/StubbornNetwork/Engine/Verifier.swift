import Dispatch

/// A recorded stub that is played, and the recording of the same request that is compared with it.
struct Verification: Sendable {
    let stub: Stub
    let recording: Recording
}

/// The results of comparing recorded stubs with the real server.
final class Verifier: Sendable {
    private let results = Lock<[(number: Int, stub: VerificationReport.Stub)]>([])

    /// The comparisons that have not ended.
    let group = DispatchGroup()

    /// Notes that the server was not asked.
    func skip(_ verification: Verification, because reason: String) {
        add(verification, [], skipped: reason)
    }

    /// Notes the differences between the stub and the response of the server.
    func end(_ verification: Verification, with received: Recording, by comparison: ResponseComparison) {
        guard let stub = received.stub else { return skip(verification, because: "the server's response has no end") }
        let (old, new) = (verification.stub.nameless, stub.nameless)
        add(verification, comparison.differences(recorded: old.response, received: new.response), skipped: nil)
    }

    private func add(_ verification: Verification, _ differences: [VerificationReport.Difference], skipped: String?) {
        let stub = VerificationReport.Stub(
            request: verification.stub.request.description.cut(to: 512),
            differences: differences,
            skipped: skipped
        )
        results.withLock { $0.append((verification.recording.requestNumber, stub)) }
    }

    /// The results so far, in the order of the requests.
    var stubs: [VerificationReport.Stub] {
        results.withLock { $0 }.sorted { $0.number < $1.number }.map(\.stub)
    }
}

extension Engine {
    /// The report on the comparisons that have ended.
    var verificationReport: VerificationReport {
        VerificationReport(file: recorded.file?.relativeDisplayPath, stubs: verifier.stubs)
    }
}
