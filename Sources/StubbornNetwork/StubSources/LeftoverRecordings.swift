import Foundation

/// The recordings in journals beside a stub file whose processes were killed.
///
/// The next process that opens the file, or records into it, puts them into the file.
enum LeftoverRecordings {
    /// Puts the recordings of dead processes into the file, and removes their journals and half-written files.
    ///
    /// This function writes a message to standard error. Call it inside `store.withExclusiveAccess`.
    static func takeOver(_ store: StubFileStore) throws(StubbornNetworkError) {
        store.removeHalfWrittenFiles()
        let left = RecordingJournal.paths(beside: store.file).compactMap { path in
            LeftoverJournal(path: path, of: store.file, onlyIfDead: true)
        }
        guard !left.isEmpty else { return }
        let document = try store.read() ?? StubFileDocument()
        let merged = left.reduce(document) { $1.added(to: $0, fileNumber: document.fingerprint?.inode) }
        let added = merged.entries(addedSince: document).count
        if added > 0 { try store.write(merged.forEachChunk) }
        for journal in left { finish(journal, store.file, addedCount: added) }
        if added > 0 { StandardError.write(tookOver(added, store.file)) }
    }

    /// Returns the stubs of the file and of all journals.
    ///
    /// The journals are those of living processes, and those of dead ones if the file cannot be written.
    ///
    /// - Parameters:
    ///   - document: The content of the file.
    ///   - store: The stub file.
    /// - Returns: The stubs, and the number of stubs that were in the file before other processes began to record. The
    ///   number is `nil` if no other process is recording now.
    static func read(_ document: StubFileDocument, of store: StubFileStore) -> (StubFileDocument, ownCount: Int?) {
        let number = store.fingerprint?.inode
        let own = RecordingsAtExit.journals
        let journals = RecordingJournal.paths(beside: store.file).compactMap { path in
            LeftoverJournal(path: path, of: store.file, onlyIfDead: false)
        }
        let ownCount = journals.filter { $0.isAlive && !own.contains($0.path) }.compactMap(\.content?.baseCount).min()
        return (journals.reduce(document) { $1.added(to: $0, fileNumber: number) }, ownCount)
    }

    /// Removes a journal.
    ///
    /// A journal that cannot be read to its end is renamed instead.
    private static func finish(_ journal: LeftoverJournal, _ file: URL, addedCount: Int) {
        guard journal.isDamaged else { return FileSystem.remove(journal.path) }
        let kept = journal.path + ".damaged"
        try? FileSystem.move(journal.path, to: kept)
        StandardError.write(damaged(URL(fileURLWithPath: kept), file, readCount: journal.content?.recorded.count ?? 0))
    }

    private static func tookOver(_ count: Int, _ file: URL) -> String {
        """
        \(file.relativeDisplayPath) now holds \(count == 1 ? "an exchange" : "\(count) exchanges") more: a recording that \
        was killed had left \(count == 1 ? "it" : "them") in a journal beside the file.
        """
    }

    private static func damaged(_ journal: URL, _ file: URL, readCount: Int) -> String {
        """
        A recording into \(file.relativeDisplayPath) that was killed left a journal which makes no sense behind its first \
        \(readCount) exchange\(readCount == 1 ? "" : "s"). Those are in the file; the rest is kept in \
        \(journal.relativeDisplayPath). Record again, then delete it.
        """
    }
}

/// A journal that this process did not write.
private struct LeftoverJournal {
    let path: String
    let content: JournalContent?
    let isAlive: Bool
    // Holds the lock, so that no other process takes the journal over.
    private let descriptor: FileDescriptor

    /// Opens a journal; `nil` if it cannot be read or was removed.
    ///
    /// If `onlyIfDead` is `true`, the result is also `nil` for the journal of a living process.
    init?(path: String, of file: URL, onlyIfDead: Bool) {
        guard let descriptor = try? FileDescriptor.reading(path), let found = try? descriptor.fingerprint(),
            found.isRegularFile
        else { return nil }
        isAlive = !descriptor.tryLock()
        guard !(onlyIfDead && isAlive), descriptor.isLinked,
            let data = try? descriptor.readToEnd(expectedCount: Int(clamping: found.size))
        else { return nil }
        self.path = path
        self.descriptor = descriptor
        isDamaged = false
        content = JournalContent(parsing: data, file: file)
        isDamaged = content.map { $0.isDamaged(data) } ?? !data.isEmpty
    }

    /// A Boolean value that indicates whether the journal has bytes that no process writes, not even one that is killed.
    private(set) var isDamaged: Bool

    /// Returns a document with the recordings of this journal that are not in it yet.
    func added(to document: StubFileDocument, fileNumber: UInt64?) -> StubFileDocument {
        guard let content else { return document }
        var folded = content.folded
        if let folding = content.folding, folding.inode == fileNumber { folded.formUnion(folding.requestNumbers) }
        var run = RecordingRun()
        if content.recorded.contains(where: \.replaces) {
            // All of them again: those that are in the file replace themselves. Those of other processes stay as they are.
            let own = StubFileDocument(
                entries: content.recorded.filter { folded.contains($0.requestNumber) }.map(\.entry)
            )
            let added = StubFileDocument(entries: Array(document.entries.dropFirst(content.baseCount)))
            let foreign = added.entries(addedSince: own)
            run.base = StubFileDocument(entries: document.entries(addedSince: StubFileDocument(entries: foreign)))
            run.foreign = foreign
            for recorded in content.recorded { run.add(recorded) }
        } else {
            run.base = document
            for recorded in content.recorded where !folded.contains(recorded.requestNumber) { run.add(recorded) }
        }
        return run.document ?? document
    }
}

extension JournalContent {
    /// Returns a Boolean value that indicates whether more than the end of the last record is missing.
    fileprivate func isDamaged(_ data: Data) -> Bool {
        guard unreadableByteCount > 0 else { return false }
        return !isCutOff(data.suffix(unreadableByteCount))
    }
}
