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
///
/// The client has recorded ids, and placeholders instead of secrets. What the server says now shows the live values in their
/// places, and the next requests are sent with these. A server has a state, so the requests are sent in their order: each waits
/// for the answer to the one before it, for a moment, and for the comparisons of the stubs that gave it values.
final class Verifier: Sendable {
    /// A request that is to be sent.
    private struct Request {
        let verification: Verification
        let words: Set<String>
        let request: StubRequest
        let send: @Sendable (StubRequest) -> Void

        /// The values that the recorded response gives to later requests.
        let given: Set<String>

        var number: Int { verification.recording.requestNumber }
    }

    /// A stub with the answer of the server, as it is and without secrets.
    private struct Answer {
        let old: Stub
        let live: Stub
        let values: [StubChange.Value]
        let change: StubChange
    }

    private struct State {
        var results: [(number: Int, stub: VerificationReport.Stub, answer: Answer?)] = []
        var waiting: [Request] = []
        var running: [Int: Request] = [:]
        /// The numbers of the requests whose answers take so long that the next ones do not wait for them.
        var late: Set<Int> = []
        var known = RenamedValues()

        /// Begins the requests that wait for nothing.
        mutating func begin() -> [Request] {
            waiting.sort { $0.number < $1.number }
            var ready: [Request] = []
            var given = running.values.reduce(into: Set<String>()) { $0.formUnion($1.given) }
            var isFree = late.isSuperset(of: running.keys)
            waiting.removeAll { request in
                let isReady = isFree && given.isDisjoint(with: request.words)
                given.formUnion(request.given)
                if isReady { ready.append(request) }
                isFree = false
                return isReady
            }
            for request in ready { running[request.number] = request }
            return ready
        }
    }

    private let state = Lock(State())

    /// The comparisons that have not ended.
    let group = DispatchGroup()

    /// Sends a request with live values, when they are known.
    func begin(
        _ verification: Verification,
        _ request: StubRequest,
        send: @escaping @Sendable (StubRequest) -> Void
    ) {
        group.enter()
        start { state in
            state.waiting.append(
                Request(
                    verification: verification,
                    words: request.tellingWords.filter(\.mayBeGiven),
                    request: request,
                    send: send,
                    given: verification.stub.response.tellingWords
                )
            )
        }
    }

    /// Changes the state, and sends what waits for nothing any more.
    private func start(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            let known = state.known
            return state.begin().map { ($0, known.live($0.request)) }
        }
        for (request, live) in ready {
            request.send(live)
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestWait) { [weak self] in
                self?.start { state in
                    if state.running[request.number] != nil { state.late.insert(request.number) }
                }
            }
        }
    }

    /// The seconds for which a request waits for the one before it: that may wait for an event which a later one causes.
    private static let longestWait = 1.0

    /// Notes that the server was not asked.
    func skip(_ verification: Verification, because reason: String) {
        add(Self.result(for: verification.stub, skipped: reason), of: verification)
    }

    /// Notes the differences between the stub and the response of the server.
    func end(_ verification: Verification, with received: ReceivedExchange, by comparison: ResponseComparison) {
        var recording = verification.recording
        recording.endUnfiltered(with: received)
        guard let new = recording.stub, let live = received.response(for: recording) else {
            return skip(verification, because: "the server's response has no end")
        }
        let stub = verification.stub
        let known = state.withLock { $0.known }
        var received = new
        received.response = known.recorded(new.response)
        let change = StubChange(stub, received, recording.rules)
        let differences = comparison.differences(
            recorded: stub.nameless.response,
            received: received.nameless.response
        )
        let answered = Stub(request: stub.request, response: live)
        let values = StubChange(stub, answered, recording.rules).values
        let answer = Answer(old: stub, live: answered, values: values, change: change)
        add(Self.result(for: stub, differences, skipped: nil), of: verification, answer)
    }

    private func add(
        _ result: VerificationReport.Stub,
        of verification: Verification,
        _ answer: Answer? = nil
    ) {
        let number = verification.recording.requestNumber
        start { state in
            state.results.append((number, result, answer))
            if state.running.removeValue(forKey: number) != nil { group.leave() }
            for value in answer?.values ?? [] { state.known.add(value) }
        }
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
        let (results, known, pending) = state.withLock { ($0.results, $0.known, $0.waiting + $0.running.values) }
        let made = ServerMadeValues(
            results.compactMap(\.answer).map { (old: $0.old, new: $0.live, values: $0.values) },
            known
        )
        let ended = results.map { number, stub, answer in
            let differences = stub.differences.map { answer?.change.hides($0, made) == true ? $0.volatile : $0 }
            return (
                number, VerificationReport.Stub(request: stub.request, differences: differences, skipped: stub.skipped)
            )
        }
        let open = pending.map {
            ($0.number, Self.result(for: $0.verification.stub, skipped: "the server has not answered"))
        }
        return (ended + open).sorted { $0.0 < $1.0 }.map(\.1)
    }
}

extension StubChange {
    /// Returns a Boolean value that indicates whether a difference is only in values that a server makes anew.
    fileprivate func hides(_ difference: VerificationReport.Difference, _ made: ServerMadeValues) -> Bool {
        guard [.valueChanged, .headerChanged].contains(difference.kind), let old = difference.recorded,
            let new = difference.received
        else { return false }
        // Of a long text, the difference shows only a part, or the length.
        if !differsInForm, values.allSatisfy(made.contains) { return true }
        guard difference.part != "body" else { return false }
        let hidden = Set(values.filter(made.contains).map(\.pair))
        return TextWords.pairs(old, new).map { !$0.isEmpty && $0.allSatisfy(hidden.contains) } ?? false
    }
}

extension String {
    /// A Boolean value that indicates whether a word may be a value that a server gives: it has a digit, or looks random.
    fileprivate var mayBeGiven: Bool { withBytes { $0.contains(where: \.isDigit) || RandomText.looksRandom($0) } }
}

extension VerificationReport.Difference {
    fileprivate var volatile: Self { Self(kind: .volatile, part: part, recorded: recorded, received: received) }
}

extension Engine {
    /// The report on the comparisons that have ended.
    var verificationReport: VerificationReport {
        VerificationReport(file: recorded.file?.relativeDisplayPath, stubs: verifier.stubs)
    }
}
