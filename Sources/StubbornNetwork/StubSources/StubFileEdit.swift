/// A stub file that somebody else edited during a generation.
///
/// The base is computed again from it, once.
///
/// Stubs that the generation added are removed first, so that the merge does not add them twice.
enum StubFileEdit {
    /// Returns the base from which a merge makes the edited file, with all recordings.
    ///
    /// - A stub that the last merge has added stands for the stub of the base at its position, or for none.
    /// - A stub that equals any version of a recording stands for that recording.
    /// - Any other stub is the person's, and is kept.
    static func base(
        of file: [StubFileEntry],
        madeFrom base: [StubFileEntry],
        _ journals: [JournalContent]
    ) -> [StubFileEntry] {
        let found = stubs(StubFileMerge(base: base, journals: written(journals, base)).stubs, in: file)
        let merged = StubFileMerge(base: base, journals: journals).stubs
        let versions = versions(of: journals, in: merged)
        let baseIndices = merged.reduce(into: [RecordingID: Int]()) { indices, stub in
            if let recording = stub.recording { indices[recording] = stub.baseIndex }
        }
        var taken = Set(found.compactMap { $0?.baseIndex })
        var recorded = Set(found.compactMap { $0?.recording })
        var result: [StubFileEntry] = []
        for (entry, stub) in zip(file, found) {
            if let stub {
                if let index = stub.baseIndex { result.append(base[index]) }
            } else if let recording = versions[entry.identity] ?? versions[entry.valueIdentity] {
                guard recorded.insert(recording).inserted, let index = baseIndices[recording] else { continue }
                if taken.insert(index).inserted { result.append(base[index]) }
            } else {
                result.append(entry)
            }
        }
        return result
    }

    /// Returns the journals in their state at the last write of the file.
    private static func written(_ journals: [JournalContent], _ base: [StubFileEntry]) -> [JournalContent] {
        let digest = base.digest
        let notes = journals.flatMap(\.notes).filter { $0.base == digest }
        func total(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }
        guard let last = notes.max(by: { total($0.read) < total($1.read) }) else { return [] }
        return journals.compactMap { journal in last.read[String(journal.number)].map(journal.cut) }
    }

    /// Returns the stub of each entry of a file; `nil` for an entry that is not one of the stubs.
    ///
    /// Unchanged stubs come first, with their own bases. In the others, a program may have changed the order of keys.
    private static func stubs(_ stubs: [MergedStub], in file: [StubFileEntry]) -> [MergedStub?] {
        var found = [MergedStub?](repeating: nil, count: file.count)
        var free = Set(stubs.indices)
        for identity in [\StubFileEntry.identity, \.valueIdentity] where found.contains(where: { $0 == nil }) {
            // Of several equal stubs, the first one is used first.
            var indices = Dictionary(grouping: free.sorted(by: >)) { stubs[$0].entry[keyPath: identity] }
            for position in file.indices where found[position] == nil {
                guard let index = indices[file[position][keyPath: identity]]?.popLast() else { continue }
                free.remove(index)
                found[position] = stubs[index]
            }
        }
        return found
    }

    /// Returns the recordings by the identities of all their versions, including superseded ones.
    private static func versions(of journals: [JournalContent], in merged: [MergedStub]) -> [UInt64: RecordingID] {
        var versions: [UInt64: RecordingID] = [:]
        for journal in journals {
            for recording in journal.recordings.values {
                let id = RecordingID(journal: journal.number, number: recording.number)
                for identity in recording.identities + [recording.entry.valueIdentity] { versions[identity] = id }
            }
        }
        // The bytes of a revised stub differ from those of the recording.
        for stub in merged {
            if let recording = stub.recording { versions[stub.entry.identity] = recording }
        }
        return versions
    }
}
