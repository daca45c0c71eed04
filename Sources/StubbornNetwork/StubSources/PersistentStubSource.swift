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
        guard RecordingJournal.paths(beside: location.file).isEmpty else { return false }
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
        RecordingsAtExit.fold(into: location.file)
        let hasJournals = !RecordingJournal.paths(beside: location.file).isEmpty
        if hasJournals { takeOverLeftovers() }
        let onDisk = try store.read()
        guard onDisk != nil || hasJournals else { return }
        var document = onDisk ?? StubFileDocument()
        var ownCount: Int?
        if hasJournals { (document, ownCount) = LeftoverRecordings.read(document, of: store) }
        if let onDisk { writer.begin(with: onDisk, ownCount: ownCount) }
        guard onDisk != nil || !document.entries.isEmpty else { return }
        recorded.withLock { recorded in
            for entry in document.entries { recorded.append(entry) }
        }
        state.withLock { $0.existed = true }
    }

    /// Puts the recordings of killed processes into the file.
    ///
    /// If the file cannot be written, the recordings stay in their journals.
    private func takeOverLeftovers() {
        do throws(StubbornNetworkError) {
            try store.withExclusiveAccess { () throws(StubbornNetworkError) in try LeftoverRecordings.takeOver(store) }
        } catch {
            StandardError.write(
                """
                Beside \(location.file.relativeDisplayPath) lies what a killed recording has left. It is played back, and \
                stays where it is: \(error.message)
                """
            )
        }
    }

    func reasonNotToRecord() -> StubbornNetworkError? {
        // Called for every request. A run that is writing already finds out by writing.
        if writer.isJournaling { return nil }
        let reason = store.reasonNotToWrite()
        if let reason { writer.noteFailure(reason) }
        return reason
    }

    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        writer.add(recording) { [self] error in
            if error == nil { recorded.insert(recording) }
            completion(error)
        }
    }

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
