/// A stub file that somebody else has edited during a generation: the base is computed again from it, once.
///
/// What the generation has put into the file is taken out of it first, so that the merge does not put it in a second time.
enum StubFileEdit {
    /// Returns the base of which a merge gives the edited file, with all recordings.
    ///
    /// - A stub that the last merge has put there stands for the stub of the base at its position, or for none.
    /// - A stub that equals any version of a recording stands for the same.
    /// - Any other stub is the person's, and stays.
    static func base(
        of file: [StubFileEntry],
        madeFrom base: [StubFileEntry],
        _ journals: [JournalContent]
    ) -> [StubFileEntry] {
        let written = StubFileMerge(base: base, journals: written(journals, base)).stubs
        let merged = StubFileMerge(base: base, journals: journals).stubs
        var known = Known(written)
        var versions = Versions(of: journals, in: merged)
        // Stubs that are as they were written come first: they take their own bases.
        var found = file.map { known.take($0.identity) }
        for index in file.indices where found[index] == nil {
            found[index] = known.takeValue(file[index].valueIdentity)
        }
        var taken = Set(found.compactMap { $0?.baseIndex })
        var recorded = Set(found.compactMap { $0?.recording })
        var result: [StubFileEntry] = []
        for (entry, stub) in zip(file, found) {
            if let stub {
                if let index = stub.baseIndex { result.append(base[index]) }
            } else if let source = versions.source(of: entry) {
                guard recorded.insert(source).inserted, let index = versions.baseIndex(of: source) else { continue }
                if taken.insert(index).inserted { result.append(base[index]) }
            } else {
                result.append(entry)
            }
        }
        return result
    }

    /// Returns the journals as they were when the file was written last.
    private static func written(_ journals: [JournalContent], _ base: [StubFileEntry]) -> [JournalContent] {
        let digest = base.digest
        let notes = journals.flatMap(\.notes).filter { $0.base == digest }
        func total(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }
        guard let last = notes.max(by: { total($0.read) < total($1.read) }) else { return [] }
        return journals.compactMap { journal in last.read[String(journal.number)].map(journal.cut) }
    }

    /// The stubs that the last merge has put into the file, by identity.
    private struct Known {
        private let stubs: [MergedStub]
        private var byIdentity: [UInt64: [Int]] = [:]
        private var byValue: [UInt64: [Int]]?
        private var taken: Set<Int> = []

        init(_ stubs: [MergedStub]) {
            self.stubs = stubs
            for index in stubs.indices.reversed() { byIdentity[stubs[index].entry.identity, default: []].append(index) }
        }

        mutating func take(_ identity: UInt64) -> MergedStub? {
            guard let index = byIdentity[identity]?.popLast() else { return nil }
            taken.insert(index)
            return stubs[index]
        }

        /// Takes a stub by its value: a program may have written the keys of its JSON in another order.
        mutating func takeValue(_ identity: UInt64) -> MergedStub? {
            var values = byValue ?? [:]
            if byValue == nil {
                for index in stubs.indices.reversed() {
                    values[stubs[index].entry.valueIdentity, default: []].append(index)
                }
            }
            defer { byValue = values }
            while let index = values[identity]?.popLast() {
                if taken.insert(index).inserted { return stubs[index] }
            }
            return nil
        }
    }

    /// All versions of all recordings, those that were superseded too.
    private struct Versions {
        private var sources: [String: RecordingID] = [:]
        private var baseIndices: [RecordingID: Int] = [:]

        init(of journals: [JournalContent], in merged: [MergedStub]) {
            for journal in journals {
                for recording in journal.recordings.values {
                    let source = RecordingID(journal: journal.number, number: recording.number)
                    for identity in recording.versions.flatMap(\.identities) { sources[identity] = source }
                }
            }
            for stub in merged {
                guard let recording = stub.recording else { continue }
                baseIndices[recording] = stub.baseIndex
                // A revised stub has other bytes than the recording.
                sources[stub.entry.identity.hexadecimal] = recording
            }
        }

        mutating func source(of entry: StubFileEntry) -> RecordingID? {
            sources[entry.identity.hexadecimal] ?? sources[entry.valueIdentity.hexadecimal]
        }

        func baseIndex(of source: RecordingID) -> Int? { baseIndices[source] }
    }
}
