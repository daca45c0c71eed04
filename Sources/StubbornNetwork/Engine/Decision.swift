/// The action to take for a request.
enum Decision: Sendable {
    /// Play the response of a stub.
    case play(Stub, isRecorded: Bool)
    /// Play the response of a recorded stub, and compare it with what the real server says now.
    indirect case verify(Stub, Verification)
    /// Send the request to the real server and store the exchange.
    indirect case record(Recording)
    /// Send the request to the real server and store nothing.
    case passThrough
    /// Fail the request; the network is not touched.
    case fail(any Error)
}

extension Decision {
    /// Decides on a request, as the rules of the mode say.
    ///
    /// The functions say what answers the request, what records it, and what happens if nothing answers. They are functions
    /// because a look-up may read the stub file and uses the stub that it finds. Only those that the mode needs are called,
    /// each at most once, in the order of their priority.
    ///
    /// - Throws: the error of a look-up.
    init(
        on request: StubRequest,
        by mode: ModeRules,
        declared: () -> DeclaredStubs.Reply?,
        stubFileExisted: () throws(StubbornNetworkError) -> Bool,
        recorded: () throws(StubbornNetworkError) -> Stub?,
        record: () throws(StubbornNetworkError) -> Decision,
        unstubbed: () -> Decision
    ) throws(StubbornNetworkError) {
        if mode.passesThrough {
            self = .passThrough
            return
        }
        switch declared() {
        case .response(let response)?:
            self = .play(Stub(request: request, response: response), isRecorded: false)
            return
        case .passThrough?:
            self = .passThrough
            return
        case nil: break
        }
        var mode = mode
        if mode.playsBackExistingFile, try stubFileExisted() { mode = .playback }
        let stub = mode.recordedStubs == .ignore ? nil : try recorded()
        if mode.recordedStubs == .answer, let stub {
            self = .play(stub, isRecorded: true)
            return
        }
        switch mode.unanswered {
        case .failure: self = unstubbed()
        case .recording: self = try record()
        }
    }

    /// A Boolean value that indicates whether the request is sent to the real server.
    var asksServer: Bool {
        switch self {
        case .record, .passThrough: true
        case .play, .verify, .fail: false
        }
    }

    /// The outcome of the request in the request log, if the request is answered.
    var outcome: Exchange.Outcome {
        switch self {
        case .play, .verify: .stubbed
        case .record(let recording): recording.isShared ? .passedThrough : .recorded
        case .passThrough: .passedThrough
        case .fail(let error as StubbornNetworkError) where error.isAboutMissingStub: .unstubbed
        case .fail: .failed
        }
    }
}
