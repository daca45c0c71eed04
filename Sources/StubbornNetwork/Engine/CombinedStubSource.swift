import Foundation

/// Declared stubs first, then recorded ones: where a network looks for answers.
struct CombinedStubSource: Sendable {
    /// A stub's response, and whether it was recorded.
    struct Answer: Sendable {
        var response: StubResponse
        var isRecorded: Bool
    }

    let declared = DeclaredStubs()
    let recorded: any StubSource

    /// Whether `answer` needs to read a file first.
    var isLoaded: Bool { recorded.isLoaded }

    /// Decides what becomes of a request, and takes the stub that answers it, if one does.
    ///
    /// - Throws: what is wrong with the recorded stubs, for a request that needs them.
    func decide(
        _ request: StubRequest,
        mode: RecordMode,
        rules: PlaybackRules
    ) throws(StubbornNetworkError) -> (disposition: Disposition, answer: Answer?) {
        if mode == .live { return (.passThrough, nil) }
        if let response = declared.response(to: request, matchers: rules.matchers, generation: rules.generation) {
            return (.playDeclared, Answer(response: response, isRecorded: false))
        }
        try recorded.load()
        let existed = recorded.existed
        func disposition(isRecorded: Bool) -> Disposition {
            mode.disposition(isDeclared: false, isRecorded: isRecorded, stubFileExisted: existed)
        }
        // Asked beforehand, because a look-up uses a stub up.
        guard disposition(isRecorded: true) == .playRecorded, let stub = recorded.take(for: request, by: rules) else {
            return (disposition(isRecorded: false), nil)
        }
        return (.playRecorded, Answer(response: stub.response, isRecorded: true))
    }
}
