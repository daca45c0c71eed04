import Dispatch

/// A recorded stub that is played, and the recording of the same request that is compared with it.
///
/// An object, because copying all values of a stub and a recording was most of the compiled code.
final class Verification: Sendable {
    let stub: Stub
    let recording: Recording

    init(stub: Stub, recording: Recording) { (self.stub, self.recording) = (stub, recording) }

    /// The number of bytes after which the client cancelled the recorded request; `nil` for a response with an end.
    var cancelledByteCount: Int? {
        stub.response.waitsToBeCancelled ? stub.response.body?.count ?? 0 : nil
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

    private struct State {
        var results: [(number: Int, stub: VerificationReport.Stub, change: StubChange?)] = []
        var waiting: [Request] = []
        var running: [Int: Request] = [:]
        /// The numbers of the requests whose answers take so long that the next ones do not wait for them.
        var late: Set<Int> = []
        var made = ServerMadeValues()

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
            let made = state.made
            return state.begin().map { ($0, made.live($0.request)) }
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

    /// Returns a request with the live secrets that responses have shown.
    func withSecrets(_ request: StubRequest) -> StubRequest { state.withLock(\.made).secrets.live(request) }

    /// Notes that the server was not asked.
    func skip(_ verification: Verification, because reason: String) {
        add(Self.result(for: verification.stub, skipped: reason), of: verification)
    }

    /// Notes the differences between the stub and the response of the server.
    func end(_ verification: Verification, with received: ReceivedExchange, by comparison: ResponseComparison) {
        var recording = verification.recording
        let stub = verification.stub
        guard let live = received.response(for: recording) else {
            return skip(verification, because: "the server's response has no end")
        }
        let made = state.withLock(\.made)
        let answered = Stub(request: made.live(stub.request), response: live)
        let values = StubChange(stub, answered, recording.rules).values
        // A secret keeps the placeholder that it has in the stub file.
        let secrets = values.map(\.pair).filter { $0.old.withBytes(Placeholder.isWhole) }
        recording.redactor.adopt(secrets.map { ($0.old, Array($0.new.utf8)) })
        recording.endUnfiltered(with: received)
        guard var received = recording.stub else { return }
        received.response = made.recorded(received.response)
        let differences = comparison.differences(
            recorded: stub.nameless.response,
            received: received.nameless.response
        )
        add(
            Self.result(for: stub, differences, skipped: nil),
            of: verification,
            StubChange(stub, received, recording.rules),
            giving: values
        )
    }

    private func add(
        _ result: VerificationReport.Stub,
        of verification: Verification,
        _ change: StubChange? = nil,
        giving values: [StubChange.Value] = []
    ) {
        let number = verification.recording.requestNumber
        start { state in
            state.results.append((number, result, change))
            if state.running.removeValue(forKey: number) != nil { group.leave() }
            state.made.add(values)
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
            skipped: skipped,
            needsSecret: PlaceholderSearch.placeholder(in: stub.request).map { _ in true }
        )
    }

    /// The results so far, in the order of the requests.
    var stubs: [VerificationReport.Stub] {
        let (results, made, pending) = state.withLock { ($0.results, $0.made, $0.waiting + $0.running.values) }
        let ended = results.map { number, stub, change in
            let differences = stub.differences.map { change?.hides($0, made) == true ? $0.volatile : $0 }
            return (number, stub.differing(in: differences))
        }
        let open = pending.map {
            ($0.number, Self.result(for: $0.verification.stub, skipped: "the server has not answered"))
        }
        return (ended + open).sorted { $0.0 < $1.0 }.map(\.1)
    }
}

extension String {
    /// A Boolean value that indicates whether a word may be a value that a server gives: it has a digit, or looks random.
    fileprivate var mayBeGiven: Bool { withBytes { $0.contains(where: \.isDigit) || RandomText.looksRandom($0) } }
}

extension Engine {
    /// The report on the comparisons that have ended.
    var verificationReport: VerificationReport {
        VerificationReport(file: recorded.file?.relativeDisplayPath, stubs: verifier.stubs)
    }
}
