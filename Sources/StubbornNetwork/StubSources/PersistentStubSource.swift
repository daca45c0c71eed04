import Foundation

/// Recorded stubs in a stub file.
final class PersistentStubSource: StubSource {
    private struct State {
        var isLoaded = false
        var existed = false
        var stubs = RecordedStubs()
        var places = 0
    }

    private let location: StubFileLocation
    private let store: StubFileStore
    private let writer: StubFileWriter
    private let state = Lock(State())
    /// What came of loading; held while the file is read, so that it is read once.
    private let loaded = Lock<Result<Void, StubbornNetworkError>?>(nil)

    init(location: StubFileLocation) {
        self.location = location
        store = StubFileStore(file: location.file)
        writer = StubFileWriter(store: store)
    }

    deinit {
        writer.finishSoon()
    }

    var file: URL? { location.file }
    var isLoaded: Bool { state.withLock { $0.isLoaded } }
    var existed: Bool { state.withLock { $0.existed } }

    func load() throws(StubbornNetworkError) {
        let result = loaded.withLock { loaded in
            if let loaded { return loaded }
            let result = Result { () throws(StubbornNetworkError) in try readFile() }
            loaded = result
            state.withLock { $0.isLoaded = true }
            return result
        }
        try result.get()
    }

    private func readFile() throws(StubbornNetworkError) {
        guard let text = try store.text() else { return }
        let document = try StubFileDocument(parsing: text)
        if let fingerprint = text.fingerprint { writer.begin(with: document, fingerprint) }
        state.withLock { state in
            state.existed = true
            for entry in document.entries { state.stubs.append(entry.stub, line: entry.line) }
        }
    }

    func reasonNotToRecord() -> StubbornNetworkError? {
        store.reasonNotToWrite()
    }

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
        writer.add(recording) { [self] error in
            if error == nil, recording.answersFromNow {
                state.withLock { $0.stubs.insert(recording.stub, place: recording.place) }
            }
            completion(error)
        }
    }

    func keepUnrequested() {
        writer.keepUnrequested()
    }

    func finishRecording() throws(StubbornNetworkError) {
        try writer.finish()
    }

    func stubs() -> [Stub] {
        state.withLock { $0.stubs.all }
    }

    func unusedStubs() -> [Stub] {
        state.withLock { $0.stubs.unused }
    }
}
