/// A stub file as a process of a run has written it last, and what the process has recorded since.
struct WrittenFile: Sendable {
    let byteCount: Int
    /// The checksum of the bytes; `nil` if the process has not written them.
    ///
    /// A fingerprint does not show an edit of the same length that is as old as the last writing.
    let checksum: UInt64?
    /// The generation, and the lengths of its journals by their numbers; `nil` if the end of the run may change the file.
    let generation: (name: String, byteCounts: [String: Int])?
    /// The number of bytes that were recorded since, and that only the journals contain.
    var unwrittenByteCount = 0

    /// A Boolean value that indicates whether it pays to write the file again: a third of it is new.
    ///
    /// For example, of a hundred tests that share a file, the end of the second one writes it and the end of the hundredth
    /// does not. So the written bytes are at most a few times the file.
    var isDue: Bool { unwrittenByteCount * 3 >= byteCount }

    /// Returns a Boolean value that indicates whether only the journals remain to be removed, because the stub file and the
    /// journals are as this process has left them.
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
