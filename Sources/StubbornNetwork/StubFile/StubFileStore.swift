import Foundation

/// A stub file on disk, which is replaced as a whole, and locked against other processes meanwhile.
package struct StubFileStore: Sendable {
    let file: URL

    package init(file: URL) { self.file = file }

    /// Reads the file; returns `nil` when there is none, and throws an error for a file that must not be overwritten: one
    /// that cannot be read, or is not an array of stubs.
    ///
    /// A file that somebody writes in place at the same time is read again, up to two times.
    ///
    /// With a path, the content is read from there: from a copy of the file.
    package func read(from path: String? = nil) throws(StubbornNetworkError) -> StubFileDocument? {
        var attempts = 0
        while true {
            attempts += 1
            let document: Result<StubFileDocument, StubbornNetworkError>
            do throws(SystemError) {
                let descriptor = try FileDescriptor.reading(path ?? file.path)
                let fingerprint = try descriptor.fingerprint()
                guard !fingerprint.isDirectory else { throw SystemError(EISDIR) }
                guard fingerprint.isRegularFile else { throw .notRegularFile }
                let data = try descriptor.availableData(in: 0..<Int(clamping: fingerprint.size))
                document = Result { () throws(StubbornNetworkError) in
                    try StubFileDocument(parsing: StubFileText(data, file: file, fingerprint: fingerprint))
                }
                try descriptor.checkContent(isThatOf: fingerprint)
            } catch {
                if error.number == ENOENT { return nil }
                if attempts < 3, error == .changed || error == .cutShort { continue }
                throw .stubFile(file, cannotBe: .read, error)
            }
            return try document.get()
        }
    }

    /// Writes a new stub file next to the old one, and creates its directory.
    ///
    /// When it replaces the old one, another process that opens the stub file gets the old content or the new, never a part. The new file has the permissions of the old one. The content survives the end of this process, also a sudden one;
    /// it is not forced to the disk, so it may not survive a power cut.
    func writeNewFile(_ content: Data) throws(SystemError) -> (path: String, fingerprint: FileFingerprint) {
        try FileSystem.createDirectory(directory)
        let old = try FileSystem.fingerprint(at: file.path)
        guard old?.isDirectory != true else { throw SystemError(EISDIR) }
        guard old?.isRegularFile != false else { throw .notRegularFile }
        let path = newPath()
        return (path, try FileSystem.createFile(at: path, withPermissionsOf: old, content))
    }

    /// Replaces the file, or creates it.
    package func write(_ content: Data) throws(StubbornNetworkError) {
        try access(.written) { () throws(SystemError) in
            let new = try writeNewFile(content)
            try FileSystem.replaceFile(at: file.path, by: new.path)
        }
    }

    /// Runs `body`, and converts an error of the system to one that names the file and says what to do.
    func access<Result>(
        _ access: StubFileAccess,
        _ body: () throws(SystemError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .stubFile(file, cannotBe: access, error) }
    }

    // MARK: Files next to the stub file

    /// The files that may be next to the stub file while it is recorded into, with names that match `.*.journal`, a line of
    /// a `.gitignore`.
    struct Sidecars: Sendable {
        /// The paths of bases, by the generation: `.Login.json.5f3a91c2.base.journal`.
        var bases: [String: String] = [:]
        /// The journals of processes: `.Login.json.5f3a91c2.1.journal`.
        var journals: [(generation: String, number: Int, path: String)] = []
        /// The paths of files that are being written: `.Login.json.5f3a91c2.new.journal`.
        var new: [String] = []

        var isEmpty: Bool { bases.isEmpty && journals.isEmpty && new.isEmpty }

        /// The generation in force; `nil` if nothing is being recorded, and nothing was left.
        var generation: String? { bases.keys.min() }

        /// The number of the next journal.
        var nextNumber: Int { (journals.map(\.number).max() ?? 0) + 1 }

        mutating func addJournal(_ number: Int, of generation: String, at path: String) {
            journals.append((generation, number, path))
        }
    }

    /// The files of the generations that this process records into, by the path of the stub file.
    private static let known = Lock<[String: Sidecars]>([:])

    /// Notes the files of a generation that this process records into, so that the directory is not listed again for it; `nil`
    /// when the generation has ended.
    func remember(_ sidecars: Sidecars?) { Self.known.withLock { $0[file.path] = sidecars } }

    /// Returns the files of a generation that this process records into, with the journals that were added to it.
    private func knownSidecars() throws(SystemError) -> Sidecars? {
        guard var known = Self.known.withLock({ $0[file.path] }), let generation = known.generation,
            try FileSystem.fingerprint(at: basePath(of: generation)) != nil
        else { return nil }
        // Journals are numbered one after the other.
        while try FileSystem.fingerprint(at: journalPath(of: generation, known.nextNumber)) != nil {
            known.addJournal(known.nextNumber, of: generation, at: journalPath(of: generation, known.nextNumber))
        }
        return known
    }

    /// Returns the files next to the stub file; journals that were kept because they are damaged are not among them.
    ///
    /// A directory may have thousands of files of other tests, so it is listed only if this process does not record into the
    /// stub file.
    func sidecars() throws(SystemError) -> Sidecars {
        if let known = try knownSidecars() { return known }
        let prefix = ".\(file.lastPathComponent)."
        var result = Sidecars()
        for name in try FileSystem.names(in: directory, beginningWith: prefix) {
            let parts = name.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2] == "journal", parts[0].count == 8, parts[0].allSatisfy(\.isHexDigit) else {
                continue
            }
            let (generation, path) = (String(parts[0]), "\(directory)/\(name)")
            switch parts[1] {
            case "base": result.bases[generation] = path
            case "new": result.new.append(path)
            default:
                if let number = Int(parts[1]) { result.journals.append((generation, number, path)) }
            }
        }
        return result
    }

    /// Returns a path for a new stub file or base that no file has.
    func newPath() -> String { FileSystem.hiddenPath(beside: file.path, ending: ".new.journal") }

    /// Returns a path for a damaged journal that no file has.
    func damagedPath() -> String { FileSystem.hiddenPath(beside: file.path, ending: ".damaged.journal") }

    func basePath(of generation: String) -> String {
        "\(directory)/.\(file.lastPathComponent).\(generation).base.journal"
    }

    func journalPath(of generation: String, _ number: Int) -> String {
        "\(directory)/.\(file.lastPathComponent).\(generation).\(number).journal"
    }

    /// Makes the stub file, as it is now, the base of a new generation: by a link to it, or by a copy.
    ///
    /// Without a stub file, the base is empty.
    func makeBase(of generation: String) throws(SystemError) {
        let path = basePath(of: generation)
        guard try FileSystem.fingerprint(at: file.path) != nil else {
            return try FileDescriptor.creating(path).finish()
        }
        guard (try? FileSystem.addName(path, to: file.path)) == nil else { return }
        let (new, file) = (newPath(), try FileDescriptor.reading(file.path))
        let content = try file.data(in: 0..<Int(clamping: try file.fingerprint().size))
        _ = try FileSystem.createFile(at: new, content)
        try FileSystem.replaceFile(at: path, by: new)
    }

    /// The longest time, in seconds, that anything waits for another process to write in the directory.
    @TaskLocal package static var longestWait = 10.0

    /// The directories for which something has waited that long, and when it gave up.
    ///
    /// Nothing waits for such a directory again for as long: at the exit of a process, many files may need it.
    private static let busy = Lock<[String: DispatchTime]>([:])

    /// Runs `body` while no other process and no other thread runs one for a stub file of the same directory.
    ///
    /// Creates the directory unless it exists. Not recursive: a call from inside `body` fails. On a file system without locks,
    /// nothing is exclusive.
    package func withExclusiveAccess<Result>(
        waitingAtMost seconds: Double = longestWait,
        _ body: () throws(StubbornNetworkError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        try withDirectoryLock(waitingAtMost: seconds) { _ throws(StubbornNetworkError) in try body() }
    }

    /// Runs `body` as `withExclusiveAccess` does, and passes on whether the file system has locks.
    ///
    /// Messages are written when the lock has been released: a reader of standard error may be slow.
    func withDirectoryLock<Result>(
        waitingAtMost seconds: Double = longestWait,
        _ body: (_ isExclusive: Bool) throws(StubbornNetworkError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        try StandardError.holdingMessages { () throws(StubbornNetworkError) in
            var isExclusive = false
            let locked = try access(.written) { () throws(SystemError) in
                try FileSystem.createDirectory(directory)
                let descriptor = try FileDescriptor.reading(directory)
                guard try descriptor.fingerprint().isDirectory else { throw SystemError(ENOTDIR) }
                isExclusive = try lock(descriptor, forAtMost: seconds) == .taken
                return descriptor
            }
            defer { try? locked.finish() }
            return try body(isExclusive)
        }
    }

    private func lock(
        _ descriptor: FileDescriptor,
        forAtMost seconds: Double
    ) throws(SystemError) -> FileDescriptor.LockState {
        let isBusy = Self.busy.withLock { $0[directory].map { DispatchTime.now() < $0 + Self.longestWait } ?? false }
        let state = try descriptor.lock(forAtMost: isBusy ? 0 : seconds)
        guard state == .heldByOther else { return state }
        if !isBusy, seconds >= Self.longestWait { Self.busy.withLock { $0[directory] = .now() } }
        throw .busy
    }

    private var directory: String { FileSystem.directory(of: file.path) }

    /// The state of the file now; `nil` if there is none, and if it cannot be reached.
    package var fingerprint: FileFingerprint? { (try? FileSystem.fingerprint(at: file.path)) ?? nil }

    /// The length of the file; zero if there is none.
    var byteCount: Int { Int(clamping: fingerprint?.size ?? 0) }

    /// Creates the directory, and throws the error because of which the file cannot be written now, if there is one.
    func prepareToWrite() throws(StubbornNetworkError) {
        try access(.written) { () throws(SystemError) in
            try FileSystem.createDirectory(directory)
            try FileSystem.checkWritable(directory)
        }
    }
}
