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
