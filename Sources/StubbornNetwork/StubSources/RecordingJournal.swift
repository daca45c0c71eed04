import Foundation

/// The recordings of one run, in a file beside the stub file: `.Login.json.5f3a91c2.journal`.
///
/// The process that writes it holds a lock on it until the run ends, idle or not. A journal that nobody has locked is from
/// a process that was killed.
///
/// A record begins with a line that ends with the length of what follows, and ends with the checksum of all that is before
/// its last line. It has no empty line, and empty lines are between the records, so that whoever finds a damaged record
/// continues at the next one.
///
///     > journal 2 4711 0
///     < 5c3e0d1f3a91c25f
///
///     > stub 0 replaces 431
///     { "request" : … }
///     < 91c25f3a0d1f5c3e
///
///     > fold .Login.json.1f5c3e91.new.journal 0:c25f3a0d1f5c3e91:added 0
///     < 0d1f5c3e91c25f3a
///
/// | record | meaning |
/// |---|---|
/// | `journal` | The version, and the number of the process. |
/// | `base` | The identities of the stubs that were in the file when the run began, for a run that replaces them. |
/// | `stub` | A recording. |
/// | `in` | The stubs of the file that stand for recordings, as these were recorded so far. |
/// | `fold` | The same, if the new stub file of this name does not exist: then it has replaced the old one. |
/// | `void` | The new stub file of this name has not replaced the old one. |
final class RecordingJournal: Sendable {
    let path: String

    private let descriptor: FileDescriptor
    private let byteCount: Lock<Int>

    init(_ path: String, _ descriptor: FileDescriptor, byteCount: Int = 0) {
        self.path = path
        self.descriptor = descriptor
        self.byteCount = Lock(byteCount)
    }

    /// Replaces this journal by one with all that a run has recorded.
    func replaced(by run: RecordingRun, beside store: StubFileStore) throws(SystemError) -> RecordingJournal {
        let new = try Self.creating(run, beside: store, .new)
        try FileSystem.replaceFile(at: path, by: new.path)
        return RecordingJournal(path, new.descriptor, byteCount: new.byteCount.withLock { $0 })
    }

    /// Creates a journal with all that a run has recorded, and locks it.
    static func creating(
        _ run: RecordingRun,
        beside store: StubFileStore,
        _ companion: StubFileStore.Companion = .journal
    ) throws(SystemError) -> RecordingJournal {
        try FileSystem.createDirectory(FileSystem.directory(of: store.file.path))
        for _ in 0..<10 {
            let path = store.newPath(companion)
            let descriptor = try FileDescriptor.creating(path)
            do throws(SystemError) {
                // Another process may take an empty journal for one that a killed process left.
                guard try descriptor.tryLock() != .heldByOther, try descriptor.isFile(at: path) else { continue }
                let journal = RecordingJournal(path, descriptor)
                try journal.append(run)
                return journal
            } catch {
                try? FileSystem.remove(path)
                throw error
            }
        }
        throw SystemError(EEXIST)
    }

    /// Returns a Boolean value that indicates whether the journal is where it was created, and not removed or moved.
    func isThere() throws(SystemError) -> Bool { try descriptor.isFile(at: path) }

    func remove() throws(SystemError) {
        guard try isThere() else { return }
        try FileSystem.remove(path)
    }

    // MARK: Writing

    private func append(_ run: RecordingRun) throws(SystemError) {
        try append("journal 2 \(getpid())")
        if run.replaces { try append(base: run.base) }
        try append(places: run.recorded.filter { !$0.isFolded }, "in")
        for recording in run.recorded { try append(recording) }
        try append(places: run.recorded.filter(\.isFolded), "in")
    }

    /// Appends a recording, which then survives the end of this process.
    func append(_ recording: StoredRecording) throws(SystemError) {
        let words = (recording.replaces ? " replaces" : "") + (recording.keepsErrorsAlone ? " alone" : "")
        try append("stub \(recording.requestNumber)\(words)", byteCount: recording.entry.byteCount) {
            write throws(SystemError) in try recording.entry.forEachChunk(write)
        }
    }

    /// Appends the identities of the stubs that were in the file when the run began.
    func append(base: [UInt64: Int]) throws(SystemError) {
        let lines = base.flatMap { identity, count in Array(repeating: identity.hexadecimal, count: count) }
        let text = Data(lines.joined(separator: "\n").utf8)
        try append("base", byteCount: text.count) { write throws(SystemError) in try write(text) }
    }

    /// Appends the places of those recordings that have one, after `in`, or `fold` and the name of the new stub file.
    func append(places recorded: [StoredRecording], _ words: String) throws(SystemError) {
        let places = recorded.compactMap { recording in
            recording.place.map {
                " \(recording.requestNumber):\($0.identity.hexadecimal):\($0.isAdded ? "added" : "kept")"
            }
        }
        if !places.isEmpty { try append(words + places.joined()) }
    }

    /// Appends that a new stub file has not replaced the old one.
    func append(voidOf name: String) throws(SystemError) {
        try append("void \(name)")
    }

    /// Appends a whole record, or nothing.
    private func append(
        _ words: String,
        byteCount contentByteCount: Int = 0,
        _ content: ((Data) throws(SystemError) -> Void) throws(SystemError) -> Void = { _ in }
    ) throws(SystemError) {
        try byteCount.withLock { byteCount throws(SystemError) in
            var checksum = Checksum()
            var buffer = Data("\n\n".utf8)
            var written = 0
            func add(_ chunk: Data) throws(SystemError) {
                chunk.withBytes { checksum.add($0) }
                buffer.append(chunk)
                if buffer.count >= 1 << 20 { try flush() }
            }
            func flush() throws(SystemError) {
                try descriptor.writeAll(buffer)
                written += buffer.count
                buffer.removeAll(keepingCapacity: true)
            }
            do throws(SystemError) {
                try add(Data("> \(words) \(contentByteCount)\n".utf8))
                try content(add)
                if contentByteCount > 0 { try add(Data("\n".utf8)) }
                buffer.append(Data("< \(checksum.value.hexadecimal)\n".utf8))
                try flush()
                byteCount += written
            } catch {
                // Where this fails too, the next record begins behind the part that was written, which no checksum fits.
                try? descriptor.truncate(to: byteCount)
                throw error
            }
        }
    }
}

extension UInt64 {
    /// The number in sixteen hexadecimal digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
