import Foundation

extension StubFileGeneration {
    /// This process's journal.
    struct Own: Sendable {
        let generation: String
        let journal: Journal
        var content: JournalContent
        var base: [StubFileEntry]
        /// The number of the last rules in the journal.
        var rulesGeneration: Int
    }

    /// Begins a generation, or joins the one in force, and creates this process's journal in it.
    ///
    /// The journal gets the recordings of a journal that somebody removed.
    mutating func join(
        as run: Run,
        by rules: MergeRules,
        insteadOf lost: Own? = nil,
        waitingAtMost seconds: Double = StubFileStore.longestWait
    ) throws(StubbornNetworkError) -> Own {
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
                _ = try store.read()
                try store.access(.written) { () throws(SystemError) in
                    sweep(isExclusive)
                    let name = FileSystem.randomName()
                    try store.makeBase(of: name)
                }
                generation = try current()
            }
            guard let generation else { throw .stubFile(store.file, cannotBe: .written, .changed) }
            if let lost, lost.generation != generation.name {
                // The base was made from a file that already has what this process has recorded.
                _ = try rebase(generation, from: generation.base, madeFrom: lost.base, [lost.content])
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
        insteadOf lost: Own?
    ) throws(SystemError) -> Own {
        let head = JournalLine.Head(
            run: run.name,
            process: SystemProcess.current,
            host: SystemProcess.host,
            base: base.entries.digest
        )
        var lines = [JournalLine(head: head), JournalLine(rules: JournalLine.Rules(rules, base: base.entries))]
        if let loaded = lost?.content.loaded { lines.append(JournalLine(loaded: Array(loaded))) }
        while true {
            let (number, path) = (sidecars.nextNumber, store.journalPath(of: generation, sidecars.nextNumber))
            let created = try Journal.creating(path)
            sidecars.journals.append((generation, number, path))
            guard let journal = created else { continue }
            var own = Own(
                generation: generation,
                journal: journal,
                content: JournalContent(number),
                base: base.entries,
                rulesGeneration: rules.generation
            )
            do throws(SystemError) {
                for line in lines { try own.note(line) }
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
        /// The checksum of the bytes that were written; `nil` if the file was up to date.
        var checksum: UInt64?

        /// Returns the file as a process of a run has written it.
        func writtenFile(byteCount: Int, by run: Run) -> WrittenFile {
            let isOfOneProcess = found.journals.allSatisfy { $0.isOfThisProcess && $0.isOf(run) }
            // A stub that nobody has requested may be removed.
            let isRequested = merge.stubs.allSatisfy { $0.run == run.name }
            let isDamaged = found.contents.contains { $0.damageCount > 0 }
            let isFinal = isOfOneProcess && isRequested && !isDamaged
            return WrittenFile(
                byteCount: byteCount,
                checksum: checksum,
                generation: isFinal ? (found.name, found.byteCounts) : nil
            )
        }
    }

    /// Brings the stub file up to date with the base and all journals.
    ///
    /// If this fails, the file is as it was.
    mutating func updateFile(
        _ own: Own,
        waitingAtMost seconds: Double = StubFileStore.longestWait
    ) throws(StubbornNetworkError) -> FileUpdate {
        try store.withDirectoryLock(waitingAtMost: seconds) { _ throws(StubbornNetworkError) in
            guard let found = try current(with: own), found.name == own.generation else {
                throw .stubFile(store.file, cannotBe: .written, .changed)
            }
            return try updateFile(found)
        }
    }

    /// Returns the numbers of the errors in this process's journal that the stub file would not get if it were written now.
    mutating func discarded(of own: Own) -> Set<Int> {
        guard own.hasErrors, let found = try? current(with: own), found.name == own.generation else { return [] }
        return StubFileMerge(base: found.base, journals: found.contents).discarded(of: own.content.number)
    }

    // MARK: Ending

    /// Ends the generation for a run whose process exits, unless another process records into the file.
    ///
    /// - Returns: A Boolean value that indicates whether no other process records into the file.
    mutating func end(as run: Run) throws(StubbornNetworkError) -> Bool {
        guard store.hasSidecars else { return true }
        return try store.withDirectoryLock { isExclusive throws(StubbornNetworkError) in
            if run.isFounder, let written = run.written(store.file), try endAsIs(written, isExclusive) { return true }
            guard var found = try current(), found.journals.contains(where: { $0.isOf(run) }) else { return true }
            // A run with a name chosen by hand has no founder, and more launches may follow.
            guard run.isFounder || run.hasFile, isOver(found, for: run) else {
                if run.hasUnwritten(in: store.file) { _ = try updateFile(found) }
                return false
            }
            if run.hasAskedForAll(of: store.file) {
                // If this fails, no stubs are removed.
                try? append(JournalLine(endsRun: true), to: &found)
            }
            try end(found, isExclusive)
            return true
        }
    }

    /// Ends the generation without reading it, if the file and the journals are as this process has left them.
    ///
    /// - Returns: A Boolean value that indicates whether the generation has ended.
    private mutating func endAsIs(_ written: WrittenFile, _ isExclusive: Bool) throws(StubbornNetworkError) -> Bool {
        try store.access(.written) { () throws(SystemError) in
            sidecars = try store.sidecars()
            guard let name = sidecars.generation, written.isFinal(store, sidecars) else { return false }
            try removeBase(of: name)
            sweep(isExclusive)
            return true
        }
    }

    private mutating func removeBase(of name: String) throws(SystemError) {
        try FileSystem.remove(store.basePath(of: name))
        sidecars.bases.remove(name)
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
        try store.access(.written) { () throws(SystemError) in
            try removeBase(of: found.name)
            for journal in found.journals where journal.content.damageCount > 0 { keepAside(journal) }
            sweep(isExclusive)
        }
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
        guard new.digest != found.base.digest else { return false }
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
            if isEdited(found), try rebase(found, from: file.entries, madeFrom: found.base, found.contents) {
                found.base = base.entries
                found.own?.base = base.entries
                StandardError.write(.edited(store.file))
            }
            let merge = StubFileMerge(base: found.base, journals: found.contents)
            let (new, old) = (merge.entries, file)
            if new.digest == old.entries.digest, old.fingerprint != nil || new.isEmpty {
                return FileUpdate(found: found, merge: merge)
            }
            let checksum: UInt64? = try store.access(.written) { () throws(SystemError) in
                let note = JournalLine.Note(digest: new.digest, base: found.base.digest, read: found.byteCounts)
                try append(JournalLine(wrote: note), to: &found)
                var checksum = Checksum()
                let written = try store.writeNewFile { output in
                    StubFileDocument(entries: new).forEachPart { part in
                        checksum.add(part)
                        output.add(part)
                    }
                }
                guard hasSameFile(as: old.fingerprint) else {
                    try FileSystem.remove(written.path)
                    return nil
                }
                try FileSystem.replaceFile(at: store.file.path, by: written.path)
                file = StubFileDocument(entries: new, fingerprint: written.fingerprint)
                return checksum.value
            }
            guard let checksum else { continue }
            let before = Set(old.entries.map(\.identity))
            let gone = merge.removed.filter { before.contains($0.identity) }
            if !gone.isEmpty { StandardError.write(.removed(gone, from: store.file)) }
            return FileUpdate(found: found, merge: merge, checksum: checksum)
        }
        throw .stubFile(store.file, cannotBe: .written, .changed)
    }

    func hasSameFile(as known: FileFingerprint?) -> Bool {
        guard let known else { return store.fingerprint == nil }
        return store.fingerprint?.hasSameContent(as: known) ?? false
    }

    /// Appends a line to this process's journal, or else to a journal that no process is writing.
    private func append(_ line: JournalLine, to found: inout Found) throws(SystemError) {
        if found.own != nil {
            try found.own?.note(line)
            return
        }
        // The process may exit while its own journal is open, because the file could not be written.
        guard let index = found.journals.firstIndex(where: { !$0.isRecording || $0.isOfThisProcess }) else {
            throw SystemError(ENOENT)
        }
        let dead = found.journals[index]
        let descriptor = try FileDescriptor.appending(dead.path)
        let byteCount = Int(clamping: try descriptor.fingerprint().size)
        let journal = Journal(dead.path, descriptor, byteCount: byteCount)
        found.journals[index].content.note(line, in: try journal.append(line))
        journal.close()
    }
}

extension StubFileGeneration.Own {
    /// A Boolean value that indicates whether the journal has an exchange that ended with an error.
    var hasErrors: Bool { content.recordings.values.contains(where: \.response.endsWithError) }

    /// Appends a line without a stub.
    mutating func note(_ line: JournalLine) throws(SystemError) {
        content.note(line, in: try journal.append(line))
    }

    /// Appends a recording to the journal, and then removes the version that it supersedes.
    mutating func append(_ recording: StoredRecording, insteadOf old: StoredRecording? = nil) throws(SystemError) {
        let line = JournalLine(recording: recording.line)
        content.note(line, recording, in: try journal.append(line, with: recording.entry))
        // If this fails, the earlier version stays in the journal, where nobody reads it any more.
        for lines in old?.allLines ?? [] { try? journal.erase(lines) }
    }
}
