import Foundation

/// Recorded stubs in memory, until the network goes.
final class EphemeralStubSource: StubSource {
    private let recorded = Lock(RecordedStubs())
    private let places = Lock(0)

    let file: URL? = nil
    let isLoaded = true
    let existed = false

    func load() {}

    func reasonNotToRecord() -> StubbornNetworkError? { nil }

    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        recorded.take(for: request, by: rules)
    }

    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        recorded.diagnose(request, by: rules)
    }

    func nextPlace() -> Int {
        places.withLock { places in
            places += 1
            return places - 1
        }
    }

    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        if recording.answersFromNow { recorded.withLock { $0.insert(recording) } }
        completion(nil)
    }

    func keepUnrequested() {}

    func finishRecording() {}

    func stubs() -> [Stub] {
        recorded.withLock { $0.all }
    }

    func unusedStubs() -> [Stub] {
        recorded.withLock { $0.unused }
    }

    func unusedPlaces() -> [StubPlace] {
        recorded.withLock { $0.unusedPlaces }
    }
}
