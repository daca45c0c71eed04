import Foundation

/// The one way in which recordings get into a stub file.
///
/// These are the rules by which nothing is lost, and nothing is there twice, whenever a process is killed:
/// 1. A recording is in the journal of its run before the client sees the end of its exchange.
/// 2. A journal is locked by its process until the run ends. So a run is alive if its journal is locked.
/// 3. To fold is to write a new stub file, to note its name in the journals whose recordings are in it, and to give it the
///    stub file's name. These are folded from the moment at which the new file's own name is gone. A process that cannot
///    do the last step notes that before it removes the new file.
/// 4. What was folded is not added again, also if somebody has changed or removed it since. If there is no stub file,
///    nothing is folded.
/// 5. Stubs of the file that a run does not know are of others, and stay.
/// 6. Whoever folds, folds the journals of all dead processes too, and removes them then. A journal that cannot be written
///    is only read.
/// 7. All folds are made under the lock of the directory.
package struct StubFileFold: Sendable {
    let store: StubFileStore

    /// The content of the file when this process read or wrote it last, and the state of the file then.
    private var file: [IdentifiedEntry] = []
    private var fingerprint: FileFingerprint?

    init(_ store: StubFileStore) {
        self.store = store
    }

    /// The size of the file when this process read or wrote it last.
    var fileByteCount: Int { Int(clamping: fingerprint?.size ?? 0) }

    /// Brings the stub file up to date with a run, whose recordings have their places in the file afterwards, and with what
    /// dead processes have left; returns the number of bytes that were written.
    ///
    /// Call this function inside `store.withExclusiveAccess`. With `dropsUnrequested`, stubs that the run did not ask for are
    /// removed, unless another run is alive. If this function throws an error, the file is as it was.
    mutating func fold(
        _ run: inout RecordingRun,
        of journal: RecordingJournal?,
        dropsUnrequested: Bool = false
    ) throws(StubbornNetworkError) -> Int {
        let others = try found(except: journal?.path)
        let dead = others.filter { !$0.isAlive && $0.isWritable }
        let drops = dropsUnrequested && !others.contains(where: \.isAlive)
        var attempts = 0
        while true {
            attempts += 1
            try read()
            var new = file
            var runs = dead.map(\.content.run) + [run]
            var addedCount = 0
            for index in runs.indices {
                if index == dead.count { addedCount = IdentifiedEntry.count(of: new, addedSince: file) }
                if fingerprint == nil { runs[index].doubtPlaces() }
                let isOwn = index == dead.count
                runs[index].merge(into: &new, isOwn: isOwn, dropsUnrequested: isOwn && drops)
            }
            let isChanged = new.map(\.identity) != file.map(\.identity)
            do throws(StubbornNetworkError) {
                if isChanged { try write(new, &runs, dead.map(\.journal) + [journal]) }
            } catch {
                // Somebody else has written the file meanwhile.
                if attempts < 3, store.fingerprint != fingerprint { continue }
                throw error
            }
            run = runs[dead.count]
            if addedCount > 0 { StandardError.write(.tookOver(addedCount, store.file)) }
            for found in dead { finish(found) }
            // The journal of a living process may name one.
            if !others.contains(where: \.isAlive) { removeNewFiles(except: others.filter { !$0.isWritable }) }
            return isChanged ? fileByteCount : 0
        }
    }

    /// Returns the run as it would be after folding it now.
    mutating func previewing(_ run: RecordingRun) -> RecordingRun {
        var run = run
        try? read()
        var new = file
        run.merge(into: &new, isOwn: true)
        return run
    }

    /// The stubs of a file, and of the journals beside it.
    struct Opened: Sendable {
        /// The content of the file; `nil` if there is none.
        var document: StubFileDocument?
        /// The stubs of the file, and those that are only in journals yet.
        var entries: [StubFileEntry] = []
        /// The runs of other processes and networks that are recording into the file now.
        var living: [RecordingRun] = []
        /// A Boolean value that indicates whether a dead process has left recordings that are only in its journal.
        fileprivate var hasLeftovers = false

        /// The number of times that each identity is in the file, without the stubs that living runs have put there.
        var base: [UInt64: Int] {
            var base: [UInt64: Int] = [:]
            for entry in document?.entries ?? [] {
                // A stub that cannot be read any more, because the file was written in place, is not replaced.
                if let identity = try? entry.identity() { base[identity, default: 0] += 1 }
            }
            for place in living.flatMap(\.recorded).compactMap(\.place) { base[place.identity]? -= 1 }
            return base
        }
    }

    /// Folds what dead processes have left, and reads the file.
    ///
    /// If the file cannot be written, or not soon because another process is folding, the recordings stay in their journals,
    /// and are read there.
    static func open(
        _ store: StubFileStore,
        waitingAtMost seconds: Double = 2
    ) throws(StubbornNetworkError) -> Opened {
        guard hasCompanions(store) else {
            let document = try store.read()
            return Opened(document: document, entries: document?.entries ?? [])
        }
        var reason: StubbornNetworkError?
        var opened: Result<Opened, StubbornNetworkError>?
        do throws(StubbornNetworkError) {
            try store.withExclusiveAccess(waitingAtMost: seconds) { () throws(StubbornNetworkError) in
                var run = RecordingRun()
                var fold = StubFileFold(store)
                do throws(StubbornNetworkError) { _ = try fold.fold(&run, of: nil) } catch { reason = error }
                opened = Result { () throws(StubbornNetworkError) in try read(store) }
            }
        } catch {
            reason = error
        }
        let result: Opened
        if let opened { result = try opened.get() } else { result = try read(store) }
        if result.hasLeftovers { StandardError.write(.leftoversStay(store.file, reason)) }
        return result
    }

    /// Puts what a killed process has recorded into a stub file.
    package static func takeOverRecordings(into file: URL) {
        let store = StubFileStore(file: file)
        // Reading the file later throws what is wrong.
        if (try? FoundJournal.all(beside: store))?.contains(where: { !$0.isAlive }) == true { _ = try? open(store) }
    }

    private static func read(_ store: StubFileStore) throws(StubbornNetworkError) -> Opened {
        var fold = StubFileFold(store)
        let others = try fold.found(except: nil, readsLiving: true)
        let document = try store.read()
        try fold.identify(document)
        for found in others {
            var run = found.content.run
            run.merge(into: &fold.file)
        }
        return Opened(
            document: document,
            entries: fold.file.map(\.entry),
            living: others.filter(\.isAlive).map(\.content.run),
            hasLeftovers: others.contains { !$0.isAlive && !$0.content.run.isFolded }
        )
    }

    /// Returns a Boolean value that indicates whether a journal or a new stub file is beside the stub file.
    static func hasCompanions(_ store: StubFileStore) -> Bool {
        [.journal, .new].contains { (try? store.paths($0))?.isEmpty != true }
    }

    // MARK: Steps

    private func found(except own: String?, readsLiving: Bool = false) throws(StubbornNetworkError) -> [FoundJournal] {
        try store.access(.read) { () throws(SystemError) in
            try FoundJournal.all(beside: store, except: own, readsLiving: readsLiving)
        }
    }

    /// Reads the file, unless it is as this process read or wrote it last.
    private mutating func read() throws(StubbornNetworkError) {
        guard fingerprint == nil || store.fingerprint != fingerprint else { return }
        try identify(store.read())
    }

    private mutating func identify(_ document: StubFileDocument?) throws(StubbornNetworkError) {
        file = try store.access(.read) { () throws(SystemError) in
            var file: [IdentifiedEntry] = []
            for entry in document?.entries ?? [] { file.append(try IdentifiedEntry(entry)) }
            return file
        }
        fingerprint = document?.fingerprint
    }

    private mutating func write(
        _ new: [IdentifiedEntry],
        _ runs: inout [RecordingRun],
        _ journals: [RecordingJournal?]
    ) throws(StubbornNetworkError) {
        let written = try store.access(.written) { () throws(SystemError) in
            let written = try store.writeNewFile(StubFileDocument(entries: new.map(\.entry)).forEachChunk)
            do throws(SystemError) {
                for (run, journal) in zip(runs, journals) {
                    if !run.converted.isEmpty { try journal?.append(base: run.converted) }
                    try journal?.append(places: run.recorded.filter(\.isFolded), "fold \(written.name)")
                }
                guard store.fingerprint == fingerprint else { throw .changed }
                try FileSystem.move(written.path, to: written.destination)
            } catch {
                let areVoid = journals.allSatisfy { journal in
                    journal.map { (try? $0.append(voidOf: written.name)) != nil } ?? true
                }
                if areVoid { try? FileSystem.remove(written.path) }
                throw error
            }
            return written
        }
        for index in runs.indices { runs[index].converted = [:] }
        file = new
        fingerprint = written.fingerprint
    }

    /// Removes a journal whose recordings were folded, or keeps a damaged one aside.
    private func finish(_ found: FoundJournal) {
        guard found.content.damageCount > 0 else {
            try? found.journal.remove()
            return
        }
        let kept = store.newPath(.damaged)
        guard (try? FileSystem.move(found.journal.path, to: kept)) != nil else { return }
        let count = found.content.run.recorded.count
        StandardError.write(.damagedJournal(URL(fileURLWithPath: kept), store.file, readCount: count))
    }

    /// Removes the new files that killed processes have not finished, except those that a journal names.
    private func removeNewFiles(except others: [FoundJournal]) {
        let named = Set(others.flatMap(\.content.unfinished).map(store.path(of:)))
        for path in (try? store.paths(.new)) ?? [] where !named.contains(path) {
            // A living process holds a lock on a journal that it is writing.
            guard let descriptor = try? FileDescriptor.appending(path), let lock = try? descriptor.tryLock() else {
                continue
            }
            if lock == .taken || (lock == .unavailable && others.isEmpty) { try? FileSystem.remove(path) }
        }
    }
}

extension IdentifiedEntry {
    /// Returns the number of stubs that are in a file and were not in it before.
    fileprivate static func count(of new: [IdentifiedEntry], addedSince old: [IdentifiedEntry]) -> Int {
        var known = Dictionary(old.map { ($0.identity, 1) }, uniquingKeysWith: +)
        return new.filter { entry in
            guard let count = known[entry.identity], count > 0 else { return true }
            known[entry.identity] = count - 1
            return false
        }.count
    }
}

// Messages.
extension String {
    private static let advice = Lock(" A line .*.journal in .gitignore keeps such files from being committed.")

    /// The line for a `.gitignore`, the first time that this process meets a journal which was left behind.
    private static var adviceToIgnore: String {
        advice.withLock { advice in
            defer { advice = "" }
            return advice
        }
    }

    fileprivate static func tookOver(_ count: Int, _ file: URL) -> String {
        """
        \(file.relativeDisplayPath) now holds \(count == 1 ? "an exchange" : "\(count) exchanges") more: a recording that \
        was killed had left \(count == 1 ? "it" : "them") in a journal beside the file.\(adviceToIgnore)
        """
    }

    fileprivate static func leftoversStay(_ file: URL, _ reason: StubbornNetworkError?) -> String {
        """
        Beside \(file.relativeDisplayPath) lies what a killed recording has left. It is played back, and stays where it \
        is: \(reason?.message ?? "this process may not write the journal.")\(adviceToIgnore)
        """
    }

    fileprivate static func damagedJournal(_ journal: URL, _ file: URL, readCount: Int) -> String {
        """
        A recording into \(file.relativeDisplayPath) that was killed left a damaged journal. \(readCount) \
        exchange\(readCount == 1 ? "" : "s") could be read, and \(readCount == 1 ? "is" : "are") in the file; the rest is \
        kept in \(journal.relativeDisplayPath). Record again, then delete it.\(adviceToIgnore)
        """
    }
}
