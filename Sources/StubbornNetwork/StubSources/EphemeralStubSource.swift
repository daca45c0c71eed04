import Foundation

/// Recorded stubs in memory, for as long as the network exists.
final class EphemeralStubSource: StubSource {
    let recorded = Lock(RecordedStubs())

    let file: URL? = nil
    let loadsQuickly = true
    let existed = false

    func load() {}

    func reasonNotToRecord() -> StubbornNetworkError? { nil }

    func noteFailure(_ error: StubbornNetworkError) {}

    let recordingError: StubbornNetworkError? = nil

    let discarded: Set<Int> = []

    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        recorded.insert(recording)
        completion(nil)
    }

    func removeLateSecrets() {}

    func keepUnrequested() {}

    func finishRecording() { recorded.withLock { $0.beginRun() } }
}
