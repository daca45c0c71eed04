import Foundation

extension StubFileGeneration {
    /// Begins a generation, or joins the one in force, and creates this process's journal in it.
    ///
    /// The journal gets the recordings of a journal that somebody removed.
    mutating func join(
        as run: Run,
        by rules: MergeRules,
        insteadOf lost: OwnJournal? = nil,
        waitingAtMost seconds: Double = StubFileStore.longestWait
    ) throws(StubbornNetworkError) -> OwnJournal {
        run.note(store.file)
        return try store.withDirectoryLock(waitingAtMost: seconds) { isExclusive throws(StubbornNetworkError) in
            try store.checkSpelling()
            var generation = try current()
            if let found = generation, found.name != lost?.generation, isOver(found),
                !found.journals.contains(where: { $0.isOf(run) })
            {
                try end(found, isExclusive)
                generation = nil
            }
            if generation == nil {
                // A file that cannot be read is never replaced.
                try readFile()
                try store.access(.written) { () throws(SystemError) in
                    sweep(isExclusive)
                    try store.makeBase(of: FileSystem.randomName())
                }
                generation = try current()
            }
            guard let generation else { throw .stubFile(store.file, cannotBe: .written, .changed) }
            if let lost, lost.generation != generation.name {
                // The base was made from a file that already has what this process has recorded.
                _ = try rebase(generation, from: base.entries, madeFrom: lost.base, [lost.content])
            }
            return try store.access(.written) { () throws(SystemError) in
                try own(in: generation.name, as: run, by: rules, insteadOf: lost)
            }
        }
    }

    private mutating func own(
        in generation: String,
        as run: Run,
        by rules: MergeRules,
        insteadOf lost: OwnJournal?
    ) throws(SystemError) -> OwnJournal {
        let base = base.entries
        while true {
            let (number, path) = (sidecars.nextNumber, store.journalPath(of: generation, sidecars.nextNumber))
            let created = try Journal.creating(path)
            sidecars.journals.append((generation, number, path))
            guard let journal = created else { continue }
            var own = OwnJournal(generation: generation, journal: journal, content: JournalContent(number), base: base)
            do throws(SystemError) {
                try own.note(JournalLine(head: JournalLine.Head(run: run.name, base: base.digest)))
                try own.note(rules)
                if let loaded = lost?.content.loaded { try own.note(JournalLine(loaded: Array(loaded))) }
                for recording in (lost?.content.recordings ?? [:]).values.sorted(by: { $0.number < $1.number }) {
                    try own.append(recording)
                }
            } catch {
                try? FileSystem.remove(journal.path)
                throw error
            }
            return own
        }
    }

    /// The result of bringing the stub file up to date.
    struct FileUpdate {
        var found: Found
        var merge: StubFileMerge

        /// Returns the file that a process of a run has written, or has found up to date; `nil` if another process may change it.
        func final(by run: Run) -> WrittenFile.Final? {
            let isOfOneProcess = found.journals.allSatisfy { $0.isOfThisProcess && $0.isOf(run) }
            let isDamaged = found.contents.contains { $0.damageCount > 0 }
            guard let own = found.own, isOfOneProcess, !isDamaged else { return nil }
            return WrittenFile.Final(
                generation: found.name,
                byteCounts: found.byteCounts,
                digests: (own.base.digest, merge.entries.digest),
                checksum: StubFileDocument(entries: merge.entries).checksum,
                unrequested: merge.unrequested
            )
        }
    }

    /// Brings the stub file up to date with the base and all journals.
    ///
    /// If this fails, the file is unchanged. With `ifWritten`, a file that has no recordings yet, because it is still the base, is
    /// left as it is. If this process has no open journal, a generation that has ended is left as it is, too.
    mutating func updateFile(
        _ own: OwnJournal?,
        ifWritten: Bool = false,
        waitingAtMost seconds: Double = StubFileStore.longestWait
    ) throws(StubbornNetworkError) -> FileUpdate? {
        try store.withDirectoryLock(waitingAtMost: seconds) { _ throws(StubbornNetworkError) -> FileUpdate? in
            if ifWritten, store.fingerprint == nil || hasSameFile(as: base.fingerprint) { return nil }
            let found = try current(with: own)
            if let own, own.generation != found?.name { throw .stubFile(store.file, cannotBe: .written, .changed) }
            if let found { return try updateFile(found) }
            return nil
        }
    }

    /// Returns the numbers of the errors in this process's journal that the stub file would not get if it were written now.
    mutating func discarded(of own: OwnJournal) -> Set<Int> {
        guard own.hasErrors, let found = try? current(with: own), found.name == own.generation else { return [] }
        return StubFileMerge(base: base.entries, journals: found.contents).discarded(of: own.content.number)
    }

    // MARK: Ending

    /// Ends the generation for a run whose process exits, unless another process records into the file.
    ///
    /// - Returns: A Boolean value that indicates whether no other process records into the file.
    mutating func end(as run: Run) throws(StubbornNetworkError) -> Bool {
        guard store.hasSidecars else { return true }
        return try store.withDirectoryLock { isExclusive throws(StubbornNetworkError) in
            let hasAskedForAll = run.hasAskedForAll(of: store.file)
            if let final = try final(for: run), hasAskedForAll ? try removeUnrequested(from: final) : true {
                try remove(final.generation, damaged: [], isExclusive)
                return true
            }
            guard var found = try current(), found.journals.contains(where: { $0.isOf(run) }) else { return true }
            // A run with a name chosen by hand has no founder, and more launches may follow.
            guard run.isFounder || run.hasFile, isOver(found, for: run) else {
                if run.hasUnwritten(in: store.file) { _ = try updateFile(found) }
                return false
            }
            // If this fails, no stubs are removed.
            if hasAskedForAll { try? Self.append(JournalLine(endsRun: true), to: &found) }
            try end(found, isExclusive)
            return true
        }
    }

    /// Returns the file as the founder of a run has written it last; `nil` if something has changed it or the journals since.
    private mutating func final(for run: Run) throws(StubbornNetworkError) -> WrittenFile.Final? {
        guard run.isFounder, let final = run.written(store.file)?.final else { return nil }
        sidecars = try store.access(.written) { () throws(SystemError) in try store.sidecars() }
        return final.isUnchanged(store, sidecars) ? final : nil
    }

    /// Removes the stubs that the run has not requested from the file as this process has written it last.
    ///
    /// - Returns: A Boolean value that indicates whether nobody has edited the file in the meantime.
    private mutating func removeUnrequested(from final: WrittenFile.Final) throws(StubbornNetworkError) -> Bool {
        if final.unrequested.isEmpty { return true }
        try readFile()
        guard file.entries.digest == final.digests.file, let journal = sidecars.journals.last else { return false }
        var (kept, counts) = (file.entries, final.byteCounts)
        let removed = final.unrequested.reversed().map { kept.remove(at: $0) }
        // If this fails, no stubs are removed.
        guard let line = try? Self.append(JournalLine(endsRun: true), toJournalAt: journal.path) else { return true }
        counts[String(journal.number)] = line.upperBound
        let note = JournalLine.Note(digest: kept.digest, base: final.digests.base, read: counts)
        let isWritten = try write(kept) { () throws(SystemError) in
            _ = try Self.append(JournalLine(wrote: note), toJournalAt: journal.path)
        }
        if isWritten { StandardError.write(.removed(removed.reversed(), from: store.file)) }
        return isWritten && hasSameFile(as: file.fingerprint)
    }

    /// Removes the base of a generation, which is over then, and its journals, except damaged ones.
    mutating func remove(_ name: String, damaged: [JournalFile], _ isExclusive: Bool) throws(StubbornNetworkError) {
        try store.access(.written) { () throws(SystemError) in
            try FileSystem.remove(store.basePath(of: name))
            sidecars.bases.remove(name)
            for journal in damaged { keepAside(journal) }
            sweep(isExclusive)
        }
    }

    /// Brings the file up to date, and ends the generation.
    mutating func end(_ found: Found, _ isExclusive: Bool) throws(StubbornNetworkError) {
        var attempts = 0
        while found.hasRecordings {
            _ = try updateFile(found)
            // Somebody may edit the file until the base is removed.
            if hasSameFile(as: file.fingerprint) { break }
            attempts += 1
            guard attempts < 3 else { throw .stubFile(store.file, cannotBe: .written, .changed) }
        }
        try remove(found.name, damaged: found.journals.filter { $0.content.damageCount > 0 }, isExclusive)
    }

    private func keepAside(_ journal: JournalFile) {
        let kept = store.damagedPath()
        guard (try? FileSystem.move(journal.path, to: kept)) != nil else { return }
        let count = journal.content.recordings.count
        StandardError.write(.damagedJournal(URL(fileURLWithPath: kept), store.file, readCount: count))
    }

    /// Removes journals without a base, new files that killed processes have not finished, and the directory if nothing is left.
    func sweep(_ isExclusive: Bool) {
        for journal in sidecars.journals where !sidecars.bases.contains(journal.generation) {
            // Without the lock, another process may have begun this generation in the meantime.
            if !isExclusive, FileSystem.exists(store.basePath(of: journal.generation)) { continue }
            JournalFile.remove(journal.path)
        }
        if isExclusive { for path in sidecars.new { try? FileSystem.remove(path) } }
        store.removeSidecarDirectory()
    }

    // MARK: Writing

    /// Makes the base from the stubs of an edited file, without the stubs that journals have put there.
    ///
    /// - Returns: A Boolean value that indicates whether the base was changed.
    private mutating func rebase(
        _ found: Found,
        from file: [StubFileEntry],
        madeFrom base: [StubFileEntry],
        _ journals: [JournalContent]
    ) throws(StubbornNetworkError) -> Bool {
        let new = StubFileEdit.base(of: file, madeFrom: base, journals)
        guard new.digest != self.base.entries.digest else { return false }
        try store.access(.written) { () throws(SystemError) in
            let path = try store.newPath()
            let fingerprint = try FileSystem.createFile(at: path) { output in
                if !new.isEmpty { StubFileDocument(entries: new).forEachPart { output.add($0) } }
            }
            try FileSystem.replaceFile(at: store.basePath(of: found.name), by: path)
            self.base = StubFileDocument(entries: new, fingerprint: fingerprint)
        }
        return true
    }

    private mutating func updateFile(_ found: Found) throws(StubbornNetworkError) -> FileUpdate {
        if let unreadable {
            throw .stubFile(URL(fileURLWithPath: unreadable.path), cannotBe: .read, unreadable.error)
        }
        var found = found
        for _ in 0..<3 {
            try readFile()
            if isEdited(found), try rebase(found, from: file.entries, madeFrom: base.entries, found.contents) {
                found.own?.base = base.entries
                StandardError.write(.edited(store.file))
            }
            let merge = StubFileMerge(base: base.entries, journals: found.contents)
            let (new, old) = (merge.entries, file)
            if new.digest == old.entries.digest, old.fingerprint != nil || new.isEmpty {
                return FileUpdate(found: found, merge: merge)
            }
            let note = JournalLine.Note(digest: new.digest, base: base.entries.digest, read: found.byteCounts)
            let isWritten = try write(new) { () throws(SystemError) in
                try Self.append(JournalLine(wrote: note), to: &found)
            }
            guard isWritten else { continue }
            let before = Set(old.entries.map(\.identity))
            let gone = merge.removed.filter { before.contains($0.identity) }
            if !gone.isEmpty { StandardError.write(.removed(gone, from: store.file)) }
            return FileUpdate(found: found, merge: merge)
        }
        throw .stubFile(store.file, cannotBe: .written, .changed)
    }

    /// Writes the file with other stubs after they were noted, unless somebody has edited it since it was read.
    ///
    /// - Returns: A Boolean value that indicates whether the file was written.
    private mutating func write(
        _ entries: [StubFileEntry],
        noting note: () throws(SystemError) -> Void
    ) throws(StubbornNetworkError) -> Bool {
        try store.access(.written) { () throws(SystemError) in
            try note()
            let new = StubFileDocument(entries: entries)
            let written = try store.writeNewFile { output in new.forEachPart { output.add($0) } }
            guard hasSameFile(as: file.fingerprint) else {
                try FileSystem.remove(written.path)
                return false
            }
            try FileSystem.replaceFile(at: store.file.path, by: written.path)
            file = StubFileDocument(entries: entries, fingerprint: written.fingerprint)
            return true
        }
    }

    func hasSameFile(as known: FileFingerprint?) -> Bool {
        guard let known else { return store.fingerprint == nil }
        return store.fingerprint?.hasSameContent(as: known) ?? false
    }

    /// Appends a line to this process's journal, or else to a journal that no process is writing.
    private static func append(_ line: JournalLine, to found: inout Found) throws(SystemError) {
        if found.own != nil {
            try found.own?.note(line)
            return
        }
        // The process may exit while its own journal is open, because the file could not be written.
        guard let index = found.journals.firstIndex(where: { !$0.isRecording || $0.isOfThisProcess }) else {
            throw SystemError(ENOENT)
        }
        let path = found.journals[index].path
        found.journals[index].content.note(line, in: try append(line, toJournalAt: path))
    }

    /// Appends a line to a journal that no process is writing, and returns its range.
    private static func append(_ line: JournalLine, toJournalAt path: String) throws(SystemError) -> Range<Int> {
        let descriptor = try FileDescriptor.appending(path)
        let journal = Journal(path, descriptor, byteCount: Int(clamping: try descriptor.fingerprint().size))
        defer { journal.close() }
        return try journal.append(line)
    }
}
