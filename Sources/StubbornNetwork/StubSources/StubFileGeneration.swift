import Foundation

/// The recordings into one stub file, as they are on disk.
///
/// A generation is one base (the stub file as it was when the recording began) and the journals of all processes that
/// have recorded since. The stub file is a function of them (`StubFileMerge`), which is written again when that is
/// worthwhile. With these rules, nothing is lost or duplicated, even if a process is killed:
/// 1. A recording is in the journal of its process before the client sees the end of its exchange.
/// 2. Everything except appending to one's own journal is done under the lock of the directory.
/// 3. Before a stub file is written, its digest is noted in a journal. A stub file that is neither noted nor the base
///    was edited by somebody else, and becomes the new base (`StubFileEdit`).
/// 4. Removing the base ends the generation. Journals without a base have ended.
/// 5. A generation is alive while one of its journals is locked, or while the founder of one of its runs is alive. The
///    last process, or the next reader, ends it.
package struct StubFileGeneration: Sendable {
    let store: StubFileStore

    /// The stub file and the base, as this process read or wrote them last.
    var (file, base) = (StubFileDocument(), StubFileDocument())
    /// The files next to the stub file when they were read last.
    var sidecars = StubFileStore.Sidecars()
    /// A file of the generation that cannot be read, for example because it belongs to a different user.
    ///
    /// Its contents are unknown, so the generation is kept, and the stub file is not written.
    var unreadable: UnreadableFile?

    init(_ store: StubFileStore) { self.store = store }

    // MARK: Reading

    /// The stubs of a file, and of the journals next to it.
    struct LoadedStubs: Sendable {
        /// The stubs, and for each whether the run that asks has recorded it.
        var stubs: [(entry: StubFileEntry, isOfRun: Bool)] = []
        /// A Boolean value that indicates whether there is a stub file, or any recording.
        var existed = false
        /// A Boolean value that indicates whether there was a stub file, or a recording, before the run that asks.
        var existedBeforeRun = false

        /// The stub file; empty if journals were read too.
        var file = StubFileDocument()
    }

    /// Reads the file, after adding the journals of dead processes.
    ///
    /// If it cannot be written, or not soon because another process is writing, the result is the same, and the
    /// recordings stay in their journals.
    ///
    /// If a different file is played instead, only that file is read.
    static func open(
        _ store: StubFileStore,
        as run: Run? = nil,
        playing replacement: String? = nil,
        waitingAtMost seconds: Double = 2
    ) throws(StubbornNetworkError) -> LoadedStubs {
        var generation = StubFileGeneration(store)
        if replacement == nil, store.hasSidecars {
            var reason: StubbornNetworkError?
            let found: Found?
            do throws(StubbornNetworkError) {
                found = try generation.takeOver(run, waitingAtMost: seconds)
            } catch {
                reason = error
                found = try generation.current()
            }
            if let unreadable = generation.unreadable { StandardError.writeOnce(.notPlayed(unreadable, store.file)) }
            if let found, found.hasRecordings {
                if let reason, generation.isOver(found) { StandardError.write(.leftoversStay(store.file, reason)) }
                return try generation.loadedStubs(found, run)
            }
        }
        guard let file = try store.read(from: replacement) else { return LoadedStubs() }
        return LoadedStubs(stubs: file.entries.map { ($0, false) }, existed: true, existedBeforeRun: true, file: file)
    }

    /// Ends a generation that is over, and returns the one in force; `nil` if there is none.
    private mutating func takeOver(_ run: Run?, waitingAtMost seconds: Double) throws(StubbornNetworkError) -> Found? {
        try store.withDirectoryLock(waitingAtMost: seconds) { isExclusive throws(StubbornNetworkError) in
            guard let found = try current() else {
                sweep(isExclusive)
                return nil
            }
            guard isOver(found), !found.journals.contains(where: { journal in run.map(journal.isOf) ?? false }) else {
                return found
            }
            try readFile()
            let before = Set(file.entries.map(\.identity))
            try end(found, isExclusive)
            let count = file.entries.filter { !before.contains($0.identity) }.count
            if count > 0 { StandardError.write(.tookOver(count, store.file)) }
            return nil
        }
    }

    private mutating func loadedStubs(_ found: Found, _ run: Run?) throws(StubbornNetworkError) -> LoadedStubs {
        try readFile()
        var base = base.entries
        if isEdited(found) { base = StubFileEdit.base(of: file.entries, madeFrom: base, found.contents) }
        let merge = StubFileMerge(base: base, journals: found.contents)
        let stubs = merge.stubs.map { ($0.entry, $0.recording == nil ? false : $0.run == run?.name) }
        return LoadedStubs(stubs: stubs, existed: true, existedBeforeRun: !base.isEmpty || stubs.contains { !$0.1 })
    }

    /// Adds the recordings that processes under test have made so far to a stub file.
    package static func takeOverRecordings(into file: URL) {
        let store = StubFileStore(file: file)
        guard store.hasSidecars else { return }
        var generation = StubFileGeneration(store)
        // Reading the file later throws the error.
        guard let found = try? generation.takeOver(nil, waitingAtMost: 2), found.hasRecordings,
            let own = try? generation.join(as: .process, by: MergeRules())
        else { return }
        _ = try? generation.updateFile(own)
        own.journal.close()
    }

    // MARK: The state on disk

    /// A generation as it is on disk, except its base.
    struct Found {
        let name: String
        var journals: [JournalFile]
        var own: OwnJournal?

        var contents: [JournalContent] { journals.map(\.content) + (own.map { [$0.content] } ?? []) }

        /// The lengths of the journals, by their numbers.
        var byteCounts: [String: Int] { Dictionary(contents.map { (String($0.number), $0.byteCount) }) { $1 } }

        var hasRecordings: Bool { contents.contains { !$0.recordings.isEmpty } }
    }

    /// Reads the generation in force; `nil` if there is none.
    mutating func current(with own: OwnJournal? = nil) throws(StubbornNetworkError) -> Found? {
        let found: (name: String, journals: [JournalFile])? = try store.access(.read) { () throws(SystemError) in
            sidecars = try store.sidecars()
            unreadable = sidecars.refusal
            guard let name = sidecars.generation else { return nil }
            return (name, try journals(of: name, except: own?.generation == name ? own?.content.number : nil))
        }
        guard let found, try readBase(of: found.name) else { return nil }
        return Found(name: found.name, journals: found.journals, own: own)
    }

    /// Reads the journals of a generation, except this process's own, in the order of their numbers.
    private mutating func journals(of generation: String, except own: Int?) throws(SystemError) -> [JournalFile] {
        var journals: [JournalFile] = []
        for (_, number, path) in sidecars.journals.sorted(by: { $0.number < $1.number })
            .filter({ $0.generation == generation }) where number != own
        {
            do throws(SystemError) {
                journals.append(try JournalFile(number, at: path, of: store.file))
            } catch {
                guard [ENOENT, EACCES, EPERM].contains(error.number) else { throw error }
                // The file was deleted in the meantime, or is kept unchanged.
                if !FileSystem.isGone(path) { unreadable = UnreadableFile(path: path, error: error) }
            }
        }
        return journals
    }

    /// Reads the base of a generation, and returns a Boolean value that indicates whether there is one.
    private mutating func readBase(of generation: String) throws(StubbornNetworkError) -> Bool {
        let path = store.basePath(of: generation)
        let fingerprint = try store.access(.read) { () throws(SystemError) in try FileSystem.fingerprint(at: path) }
        guard let fingerprint else { return false }
        // The base of a file that did not exist is empty.
        if fingerprint.size == 0 {
            base = StubFileDocument(fingerprint: fingerprint)
            return true
        }
        do throws(StubbornNetworkError) {
            base = try stubs(of: fingerprint, at: path)
        } catch {
            guard error.code == .malformedStubFile else { throw error }
            // If a damaged stub file was saved in place, the base is also damaged, because it is a link to that file.
            // Then all of the stub file counts as an edit.
            base = StubFileDocument()
            if !hasSameFile(as: fingerprint) { StandardError.writeOnce(.damagedBase(path, store.file)) }
        }
        return true
    }

    /// Reads the file, unless it is unchanged since this process last read or wrote it.
    mutating func readFile() throws(StubbornNetworkError) { file = try stubs(of: store.fingerprint, at: nil) }

    /// Returns the stubs of a file in a state.
    ///
    /// The file is read only if this state is not known yet: a base is often the stub file itself.
    private func stubs(of state: FileFingerprint?, at path: String?) throws(StubbornNetworkError) -> StubFileDocument {
        if let state, let known = [file, base].first(where: { $0.fingerprint?.hasSameContent(as: state) == true }) {
            return known
        }
        return try store.read(from: path) ?? StubFileDocument()
    }

    /// Returns a Boolean value that indicates whether no process records into a generation any more.
    ///
    /// The journals that this process writes for `run` do not count, because this process exits.
    func isOver(_ found: Found, for run: Run? = nil) -> Bool {
        if unreadable != nil { return false }
        for journal in found.journals where journal.isRecording {
            guard let run, journal.isOf(run), journal.isOfThisProcess else { return false }
        }
        var names = Set(found.journals.compactMap(\.content.head?.run))
        if let run, run.isFounder { names.remove(run.name) }
        return !names.contains(where: Run.isFounderAlive)
    }

    /// Returns a Boolean value that indicates whether the file is neither the base nor noted by a process.
    func isEdited(_ found: Found) -> Bool {
        let (digest, baseDigest) = (file.entries.digest, base.entries.digest)
        if digest == baseDigest { return false }
        return !found.contents.flatMap(\.notes).contains { ($0.digest, $0.base) == (digest, baseDigest) }
    }
}
