import Dispatch

/// A recorded stub that is played, and the recording of the same request that is compared with it.
struct Verification: Sendable {
    let stub: Stub
    let recording: Recording

    /// The number of bytes after which the client cancelled the recorded request; `nil` for a response with an end.
    var cancelledByteCount: Int? {
        stub.response.waitsToBeCancelled ? (try? stub.response.body)?.count ?? 0 : nil
    }
}

/// The results of comparing recorded stubs with the real server.
final class Verifier: Sendable {
    private let results = Lock<[(number: Int, stub: VerificationReport.Stub)]>([])
    /// The stubs that the server has not answered for yet, by the numbers of their requests.
    private let pending = Lock<[Int: Stub]>([:])

    /// The comparisons that have not ended.
    let group = DispatchGroup()

    /// Notes that the server is asked.
    func begin(_ verification: Verification) {
        group.enter()
        pending.withLock { $0[verification.recording.requestNumber] = verification.stub }
    }

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
        let number = verification.recording.requestNumber
        results.withLock { $0.append((number, Self.result(for: verification.stub, differences, skipped: skipped))) }
        pending.withLock { $0[number] = nil }
    }

    private static func result(
        for stub: Stub,
        _ differences: [VerificationReport.Difference] = [],
        skipped: String?
    ) -> VerificationReport.Stub {
        VerificationReport.Stub(
            request: stub.request.description.cut(to: 512),
            differences: differences,
            skipped: skipped
        )
    }

    /// The results so far, in the order of the requests.
    var stubs: [VerificationReport.Stub] {
        let pending = pending.withLock { $0 }.map { number, stub in
            (number: number, stub: Self.result(for: stub, skipped: "the server has not answered"))
        }
        let results = results.withLock { $0 }
        let ended = Set(results.map(\.number))
        return (results + pending.filter { !ended.contains($0.number) }).sorted { $0.number < $1.number }.map(\.stub)
    }
}

extension Engine {
    /// The report on the comparisons that have ended.
    var verificationReport: VerificationReport {
        VerificationReport(file: recorded.file?.relativeDisplayPath, stubs: verifier.stubs)
    }
}
