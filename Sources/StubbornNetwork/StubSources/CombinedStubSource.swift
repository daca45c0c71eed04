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
        func disposition(_ answer: Answer?) -> Disposition {
            mode.disposition(
                isDeclared: answer?.isRecorded == false,
                isRecorded: answer?.isRecorded == true,
                stubFileExisted: recorded.existed
            )
        }
        if mode == .live { return (disposition(nil), nil) }
        if let response = declared.response(to: request, by: rules) {
            let answer = Answer(response: response, isRecorded: false)
            return (disposition(answer), answer)
        }
        try recorded.load()
        // Asked beforehand, because a look-up uses a stub up.
        let wanted = Answer(response: StubResponse(head: ResponseHead(statusCode: 200)), isRecorded: true)
        guard disposition(wanted) == .playRecorded else { return (disposition(nil), nil) }
        let answer = recorded.take(for: request, by: rules).map { Answer(response: $0.response, isRecorded: true) }
        return (disposition(answer), answer)
    }
}
