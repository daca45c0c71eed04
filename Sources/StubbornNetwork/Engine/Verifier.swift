import Dispatch

/// A recorded stub that is played, and the recording of the same request that is compared with it.
///
/// An object, because copying all values of a stub and a recording was most of the compiled code.
final class Verification: Sendable {
    let stub: Stub
    let recording: Recording
    /// Signalled when the comparison has ended.
    fileprivate let end = DispatchSemaphore(value: 0)

    init(stub: Stub, recording: Recording) { (self.stub, self.recording) = (stub, recording) }

    fileprivate var number: Int { recording.requestNumber }

    /// The number of bytes after which the client cancelled the recorded request; `nil` for a response with an end.
    var cancelledByteCount: Int? {
        stub.response.waitsToBeCancelled ? stub.response.body?.count ?? 0 : nil
    }
}

/// The results of comparing recorded stubs with the real server.
///
/// The client has recorded ids, and placeholders instead of secrets. What the server says now shows the live values in their
/// places, and the next requests are sent with these. A server has a state too, so the requests are sent one after the other,
/// in their order.
final class Verifier: Sendable {
    private struct State {
        var results: [Result] = []
        /// The comparisons that have not ended, by the numbers of their requests.
        var pending: [Int: Verification] = [:]
        var made = ServerMadeValues()
    }

    /// The end of a comparison.
    private struct Result {
        let verification: Verification
        var differences: [VerificationReport.Difference] = []
        /// The reason why the server was not asked, or has not answered; `nil` if it has.
        var skipped: String?
        var change: StubChange?

        /// Returns the result for a report: differences in values that the server has made are volatile.
        func reported(_ made: ServerMadeValues) -> VerificationReport.Stub {
            let request = verification.stub.request
            return VerificationReport.Stub(
                request: request.description.cut(to: 512),
                differences: differences.map { change?.hides($0, made) == true ? $0.volatile : $0 },
                skipped: skipped,
                needsSecret: PlaceholderSearch.placeholder(in: request).map { _ in true }
            )
        }
    }

    private let state = Lock(State())
    /// The queue on which requests are sent, and wait for their comparisons.
    let queue = DispatchQueue(label: "StubbornNetwork.Verifier", qos: .userInitiated)

    /// The comparisons that have not ended.
    let group = DispatchGroup()

    /// The seconds for which a request waits for the one before it: that may wait for an event which a later one causes.
    private static let longestWait = 5.0

    /// Sends a request with the live values that are known when its turn comes; `nil` for one that changes something, if it has
    /// an id that may be that of another thing now.
    func begin(
        _ verification: Verification,
        _ request: StubRequest,
        send: @escaping @Sendable (StubRequest?) -> Void
    ) {
        group.enter()
        state.withLock { $0.pending[verification.number] = verification }
        queue.async { [self] in
            let made = state.withLock(\.made)
            send(!request.isReadOnly && made.isAmbiguous(request) ? nil : made.live(request))
            _ = verification.end.wait(timeout: .now() + Self.longestWait)
        }
    }

    /// Returns a request with the live secrets that responses have shown.
    func withSecrets(_ request: StubRequest) -> StubRequest { state.withLock(\.made).secrets.live(request) }

    /// Notes that the server was not asked.
    func skip(_ verification: Verification, because reason: String) {
        add(Result(verification: verification, skipped: reason))
    }

    /// Notes the differences between the stub and the response of the server.
    func end(_ verification: Verification, with received: ReceivedExchange) {
        var recording = verification.recording
        let stub = verification.stub
        guard let live = received.response(for: recording) else {
            return skip(verification, because: "the server's response has no end")
        }
        let made = state.withLock(\.made)
        let answered = Stub(request: made.live(stub.request), response: live)
        // A refusal says nothing about what the server calls things.
        let isSame = live.head?.statusCode == stub.response.head?.statusCode
        let values = isSame ? StubChange(stub, answered, recording.rules).values : []
        // A secret keeps the placeholder that it has in the stub file.
        let secrets = values.map(\.pair).filter { $0.old.withBytes(Placeholder.isWhole) }
        recording.redactor.adopt(secrets.map { ($0.old, Array($0.new.utf8)) })
        recording.endUnfiltered(with: received)
        guard var received = recording.stub else { return }
        received.response = made.recorded(received.response)
        let differences = recording.rules.differences(
            recorded: stub.nameless.response,
            received: received.nameless.response
        )
        let change = StubChange(stub, received, recording.rules)
        add(Result(verification: verification, differences: differences, change: change), giving: values)
    }

    private func add(_ result: Result, giving values: [StubChange.Value] = []) {
        let verification = result.verification
        let isPending = state.withLock { state in
            state.results.append(result)
            state.made.add(values)
            return state.pending.removeValue(forKey: verification.number) != nil
        }
        guard isPending else { return }
        verification.end.signal()
        group.leave()
    }

    /// The results so far, in the order of the requests.
    var stubs: [VerificationReport.Stub] {
        let (results, made, pending) = state.withLock { ($0.results, $0.made, $0.pending) }
        let open = pending.values.map { Result(verification: $0, skipped: "the server has not answered") }
        return (results + open).sorted { $0.verification.number < $1.verification.number }.map { $0.reported(made) }
    }
}

extension Engine {
    /// The report on the comparisons that have ended.
    var verificationReport: VerificationReport {
        VerificationReport(file: recorded.file?.relativeDisplayPath, stubs: verifier.stubs)
    }
}
