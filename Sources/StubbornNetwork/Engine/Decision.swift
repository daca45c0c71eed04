/// The action to take for a request.
enum Decision: Sendable {
    /// Play a stub's response.
    case play(StubResponse, isRecorded: Bool)
    /// Play a recorded stub's response, and compare the stub with what the real server says now.
    indirect case verify(StubResponse, Verification)
    /// Send the request to the real server and store the exchange.
    indirect case record(Recording)
    /// Send the request to the real server and store nothing.
    case passThrough
    /// Fail the request; the network is not touched.
    case fail(any Error)
}

extension Decision {
    /// Decides on a request: the table of `RecordMode`, and nothing else.
    ///
    /// The parameters say what answers the request, what records it, and what happens if nothing answers. They are
    /// functions because a look-up may read the stub file and uses the stub that it finds. Only those that the mode needs
    /// are called, each once at most, in the order in which they count.
    ///
    /// - Throws: the error of a look-up.
    init(
        mode: RecordMode,
        declared: () -> DeclaredStubs.Reply?,
        stubFileExisted: () throws(StubbornNetworkError) -> Bool,
        recorded: () throws(StubbornNetworkError) -> StubResponse?,
        record: () throws(StubbornNetworkError) -> Decision,
        unstubbed: () -> Decision
    ) throws(StubbornNetworkError) {
        if mode == .live {
            self = .passThrough
            return
        }
        switch declared() {
        case .response(let response)?:
            self = .play(response, isRecorded: false)
            return
        case .passThrough?:
            self = .passThrough
            return
        case nil: break
        }
        let playsRecorded: Bool
        let recordsRest: Bool
        switch mode {
        case .playback, .live, .verifying: (playsRecorded, recordsRest) = (true, false)
        case .recording: (playsRecorded, recordsRest) = (false, true)
        case .recordingMissing: (playsRecorded, recordsRest) = (true, true)
        case .recordingOnce:
            playsRecorded = try stubFileExisted()
            recordsRest = !playsRecorded
        }
        if playsRecorded, let response = try recorded() {
            self = .play(response, isRecorded: true)
        } else {
            self = recordsRest ? try record() : unstubbed()
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
