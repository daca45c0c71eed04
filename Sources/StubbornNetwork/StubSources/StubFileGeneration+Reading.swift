import Foundation

extension StubFileGeneration {
    /// The stubs of a file, and of the journals next to it.
    struct Opened: Sendable {
        /// The stubs, and for each whether the run that asks has recorded it.
        var stubs: [(entry: StubFileEntry, isOfRun: Bool)] = []
        /// A Boolean value that indicates whether there is a stub file, or any recording.
        var existed = false
        /// A Boolean value that indicates whether there was a stub file, or a recording, before the run that asks.
        var existedBeforeRun = false

        var entries: [StubFileEntry] { stubs.map(\.entry) }
    }

    /// Reads the file, after putting into it what dead processes have left.
    ///
    /// If it cannot be written, or not soon because another process is writing, the result is the same, and the
    /// recordings stay in their journals.
    static func open(
        _ store: StubFileStore,
        as run: Run? = nil,
        waitingAtMost seconds: Double = 2
    ) throws(StubbornNetworkError) -> Opened {
        var generation = StubFileGeneration(store)
        if hasCompanions(store) {
            var reason: StubbornNetworkError?
            do throws(StubbornNetworkError) {
                try generation.takeOver(run, waitingAtMost: seconds)
            } catch {
                reason = error
            }
            if let found = try generation.current(), found.hasRecordings {
                if let reason, generation.isOver(found) { StandardError.write(.leftoversStay(store.file, reason)) }
                return try generation.opened(found, run)
            }
        }
        let document = try store.read()
        let stubs = (document?.entries ?? []).map { ($0, false) }
        return Opened(stubs: stubs, existed: document != nil, existedBeforeRun: document != nil)
    }

    private mutating func takeOver(_ run: Run?, waitingAtMost seconds: Double) throws(StubbornNetworkError) {
        try store.withDirectoryLock(waitingAtMost: seconds) { isExclusive throws(StubbornNetworkError) in
            guard let found = try current() else {
                return try store.access(.written) { () throws(SystemError) in try sweep(isExclusive) }
            }
            guard isOver(found), !found.journals.contains(where: { journal in run.map(journal.isOf) ?? false }) else {
                return
            }
            try readFile()
            let before = Set(file.entries.map(\.identity))
            try end(found, isExclusive)
            let count = file.entries.filter { !before.contains($0.identity) }.count
            if count > 0 { StandardError.write(.tookOver(count, store.file)) }
        }
    }

    private mutating func opened(_ found: Found, _ run: Run?) throws(StubbornNetworkError) -> Opened {
        try readFile()
        let base =
            isEdited(found) ? StubFileEdit.base(of: file.entries, madeFrom: found.base, found.contents) : found.base
        let merge = StubFileMerge(base: base, journals: found.contents)
        let stubs = merge.stubs.map { stub in
            (stub.entry.entry, stub.recording != nil && stub.run != nil && stub.run == run?.name)
        }
        return Opened(stubs: stubs, existed: true, existedBeforeRun: !base.isEmpty || stubs.contains { !$0.1 })
    }

    /// Puts what processes under test have recorded so far into a stub file.
    package static func takeOverRecordings(into file: URL) {
        let store = StubFileStore(file: file)
        guard hasCompanions(store) else { return }
        var generation = StubFileGeneration(store)
        // Reading the file later throws what is wrong.
        guard (try? generation.takeOver(nil, waitingAtMost: 2)) != nil,
            let found = try? generation.current(), found.hasRecordings,
            let own = try? generation.join(as: .process, by: MergeRules())
        else { return }
        _ = try? generation.fold(own)
        own.journal.close()
    }

    /// Returns a Boolean value that indicates whether a base, a journal or a new stub file is next to the stub file.
    static func hasCompanions(_ store: StubFileStore) -> Bool {
        guard let companions = try? store.companions() else { return true }
        return !companions.isEmpty
    }
}
