import Foundation

/// Recorded stubs in a stub file.
final class PersistentStubSource: StubSource {
    private struct State {
        var isLoaded = false
        var existed = false
    }

    private let location: StubFileLocation
    private let store: StubFileStore
    private let writer: StubFileWriter
    private let state = Lock(State())
    let recorded = Lock(RecordedStubs())
    /// The result of loading.
    ///
    /// It is locked while the file is read, so that the file is read once.
    private let loaded = Lock<Result<Void, StubbornNetworkError>?>(nil)

    init(location: StubFileLocation) {
        self.location = location
        store = StubFileStore(file: location.file)
        store.noteUse()
        writer = StubFileWriter(store: store)
    }

    deinit {
        writer.finishSoon()
    }

    var file: URL? { location.file }

    /// The size of a small file, in bytes.
    ///
    /// Reading such a file takes less than a millisecond.
    private static let smallByteCount = 64 << 10

    var loadsQuickly: Bool {
        if state.withLock({ $0.isLoaded }) { return true }
        // A journal is taken over under the file's lock, which another process may hold.
        if StubFileFold.hasCompanions(store) { return false }
        guard let file = try? FileSystem.fingerprint(at: location.file.path) else { return true }
        return file.isRegularFile && file.size <= Self.smallByteCount
    }

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
        StubFileWriter.fold(into: location.file)
        let opened = try StubFileFold.open(store)
        writer.begin(with: opened)
        guard opened.document != nil || !opened.entries.isEmpty else { return }
        recorded.withLock { recorded in
            for entry in opened.entries { recorded.append(entry) }
        }
        state.withLock { $0.existed = true }
    }

    func reasonNotToRecord() -> StubbornNetworkError? {
        // Called for every request. A run that is writing already finds out by writing.
        if writer.isRecording { return nil }
        let reason = store.reasonNotToWrite()
        if let reason { writer.noteFailure(reason) }
        return reason
    }

    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        do throws(StubbornNetworkError) {
            try writer.add(recording)
            recorded.insert(recording)
            completion(nil)
        } catch {
            completion(error)
        }
    }

    func removeLateSecrets() { writer.removeLateSecrets() }

    func keepUnrequested() {
        writer.keepUnrequested()
    }

    func noteFailure(_ error: StubbornNetworkError) {
        writer.noteFailure(error)
    }

    var recordingError: StubbornNetworkError? { writer.error }

    var discarded: Set<Int> { writer.discarded }

    func finishRecording() throws(StubbornNetworkError) {
        try writer.finish()
        recorded.withLock { $0.beginRun() }
    }
}
