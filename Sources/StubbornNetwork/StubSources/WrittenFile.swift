/// A stub file as a process of a run has last written it, and the recordings of the process since then.
struct WrittenFile: Sendable {
    let byteCount: Int
    /// The checksum of the bytes; `nil` if the process has not written them.
    ///
    /// A fingerprint does not reveal an edit of the same length and time as the last write.
    let checksum: UInt64?
    /// The generation, and the lengths of its journals by their numbers; `nil` if the end of the run may change the file.
    let generation: (name: String, byteCounts: [String: Int])?
    /// The number of bytes that were recorded since, and that only the journals contain.
    var unwrittenByteCount = 0

    /// A Boolean value that indicates whether it is worthwhile to write the file again: a third of it is new.
    ///
    /// For example, of a hundred tests that share a file, the end of the second one writes it and the end of the hundredth does
    /// not. So the number of written bytes is at most a few times the size of the file.
    var isDue: Bool { unwrittenByteCount * 3 >= byteCount }

    /// Returns a Boolean value that indicates whether only the journals remain to be removed, because nothing has changed the stub
    /// file and the journals since this process wrote them.
    func isFinal(_ store: StubFileStore, _ sidecars: StubFileStore.Sidecars) -> Bool {
        guard let generation, let checksum, sidecars.generation == generation.name, sidecars.refusal == nil,
            sidecars.journals.count == generation.byteCounts.count, store.checksum == checksum
        else { return false }
        return sidecars.journals.allSatisfy { journal in
            let found = try? FileSystem.fingerprint(at: journal.path)
            return found.map { Int(clamping: $0.size) } == generation.byteCounts[String(journal.number)]
        }
    }
}
