import Foundation

/// Recorded stubs in memory, until the network goes.
final class EphemeralStubSource: StubSource {
    private struct State {
        var stubs = RecordedStubs()
        var places = 0
    }

    private let state = Lock(State())

    let file: URL? = nil
    let isLoaded = true
    let existed = false

    func load() {}

    func reasonNotToRecord() -> StubbornNetworkError? { nil }

    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        state.withLock { $0.stubs.take(for: request, by: rules) }
    }

    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        state.withLock { $0.stubs.diagnose(request, by: rules) }
    }

    func nextPlace() -> Int {
        state.withLock { state in
            state.places += 1
            return state.places - 1
        }
    }

    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        if recording.answersFromNow { state.withLock { $0.stubs.insert(recording.stub, place: recording.place) } }
        completion(nil)
    }

    func keepUnrequested() {}

    func finishRecording() {}

    func stubs() -> [Stub] {
        state.withLock { $0.stubs.all }
    }

    func unusedStubs() -> [Stub] {
        state.withLock { $0.stubs.unused }
    }
}
