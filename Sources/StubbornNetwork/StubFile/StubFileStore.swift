import Foundation

/// A stub file on disk.
///
/// It is replaced as a whole, while it is locked against other processes.
package struct StubFileStore: Sendable {
    let file: URL

    /// The directory of the stub file.
    private let directory: String

    /// The directory of the files that are there while the stub file is recorded into: `.Login.json.journal`, which matches the
    /// line `.*.journal` of a `.gitignore`.
    ///
    /// The directory of the stub file may have thousands of files of other tests, which take long to list.
    private let sidecarDirectory: String

    package init(file: URL) {
        self.file = file
        directory = FileSystem.directory(of: file.path)
        sidecarDirectory = "\(directory)/.\(file.lastPathComponent).journal"
    }

    /// Reads the file; returns `nil` if there is none, and throws an error if the file must not be overwritten, because it cannot
    /// be read or is not an array of stubs.
    ///
    /// A file that somebody is writing in place is read again, up to two times.
    ///
    /// With a path, the content is read from there: from a copy of the file.
    package func read(from path: String? = nil) throws(StubbornNetworkError) -> StubFileDocument? {
        try read(from: path ?? file.path, decodesLongBodies: true, attempts: 3)
    }

    private func read(
        from path: String,
        decodesLongBodies: Bool,
        attempts: Int
    ) throws(StubbornNetworkError) -> StubFileDocument? {
        var reader = LongBodyReader(decodes: decodesLongBodies)
        let fingerprint: FileFingerprint
        do throws(SystemError) {
            fingerprint = try FileDescriptor.reading(path).forEachPart { reader.add($0) }
            guard !fingerprint.isDirectory else { throw SystemError(EISDIR) }
            guard fingerprint.isRegularFile else { throw .notRegularFile }
        } catch {
            if error.number == ENOENT { return nil }
            guard attempts > 1, error == .changed || error == .cutShort else {
                throw .stubFile(file, cannotBe: .read, error)
            }
            return try read(from: path, decodesLongBodies: decodesLongBodies, attempts: attempts - 1)
        }
        if reader.isFaulty { return try read(from: path, decodesLongBodies: false, attempts: attempts) }
        do throws(StubbornNetworkError) {
            let text = try StubFileText(reader.text, longBodies: reader.bodies, file: file)
            return try StubFileDocument(parsing: text, fingerprint: fingerprint)
        } catch {
            // This is long base64 that is not a body, or a real fault.
            guard !reader.bodies.isEmpty else { throw error }
            return try read(from: path, decodesLongBodies: false, attempts: attempts)
        }
    }

    /// Writes a new stub file next to the old one, and creates its directory.
    ///
    /// When it replaces the old one, another process that opens the stub file gets the old content or the new, never a
    /// part. The new file has the permissions of the old one. The content survives a kill of this process. It is not
    /// forced to the disk, so it may not survive a power cut.
    func writeNewFile(
        _ write: (inout FileDescriptor.Output) -> Void
    ) throws(SystemError) -> (path: String, fingerprint: FileFingerprint) {
        try FileSystem.createDirectory(directory)
        let old = try FileSystem.fingerprint(at: file.path)
        guard old?.isDirectory != true else { throw SystemError(EISDIR) }
        guard old?.isRegularFile != false else { throw .notRegularFile }
        let path = try newPath()
        return (path, try FileSystem.createFile(at: path, withPermissionsOf: old, write))
    }

    /// Replaces the file, or creates it; the caller has the lock of the directory.
    package func write(_ content: Data) throws(StubbornNetworkError) {
        defer { removeSidecarDirectory() }
        try access(.written) { () throws(SystemError) in
            let new = try writeNewFile { output in content.withBytes { output.add($0) } }
            try FileSystem.replaceFile(at: file.path, by: new.path)
        }
    }

    /// Runs `body`, and converts an error of the system to an error with the file and the remedy.
    func access<Result>(
        _ access: StubFileAccess,
        _ body: () throws(SystemError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .stubFile(file, cannotBe: access, error) }
    }

    // MARK: Files next to the stub file

    /// The files in the directory next to the stub file.
    struct Sidecars: Sendable {
        /// The generations that have a base: `5f3a91c2.base.journal`.
        var bases: Set<String> = []
        /// The journals of processes: `5f3a91c2.1.journal`.
        var journals: [(generation: String, number: Int, path: String)] = []
        /// The paths of files that are being written: `5f3a91c2.new.journal`.
        var new: [String] = []
        /// The directory, if its files may not be listed.
        var refusal: UnreadableFile?

        /// The generation in force; `nil` if nothing is being recorded, and nothing was left.
        var generation: String? { bases.min() }

        /// The number of the next journal.
        var nextNumber: Int { (journals.map(\.number).max() ?? 0) + 1 }
    }

    /// A Boolean value that indicates whether something is being recorded, or was left, as far as can be seen.
    var hasSidecars: Bool { !FileSystem.isGone(sidecarDirectory) }

    /// Returns the files next to the stub file; journals that were kept because they are damaged are not among them.
    func sidecars() throws(SystemError) -> Sidecars {
        var result = Sidecars()
        let names: [String]
        do throws(SystemError) {
            names = try FileSystem.names(in: sidecarDirectory)
        } catch {
            guard [EACCES, EPERM].contains(error.number) else { throw error }
            return Sidecars(refusal: UnreadableFile(path: sidecarDirectory, error: error))
        }
        for name in names {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2] == "journal", parts[0].count == 8, parts[0].allSatisfy(\.isHexDigit) else {
                continue
            }
            let (generation, path) = (String(parts[0]), "\(sidecarDirectory)/\(name)")
            switch parts[1] {
            case "base": result.bases.insert(generation)
            case "new": result.new.append(path)
            default:
                if let number = Int(parts[1]) { result.journals.append((generation, number, path)) }
            }
        }
        return result
    }

    /// Throws an error if the stub file, or the directory next to it, exists with a name that differs only in case.
    ///
    /// `StubFileLocation` checks this when a network is created. A process that started at the same time may have created the file
    /// since then. If the file system ignores case, both would record into the same file.
    func checkSpelling() throws(StubbornNetworkError) {
        let name = file.lastPathComponent
        for (prefix, suffix) in [("", ""), (".", ".journal")] {
            // On a file system that distinguishes case, the directory, which may have thousands of files, is not
            // listed.
            guard FileSystem.exists("\(directory)/\(prefix)\(name.inOtherCase)\(suffix)") else { continue }
            let own = "\(prefix)\(name)\(suffix)"
            let spellings = (try? FileSystem.names(in: directory))?.filter { $0.lowercased() == own.lowercased() } ?? []
            guard let other = spellings.first, !spellings.contains(own) else { continue }
            let otherName = String(other.dropFirst(prefix.count).dropLast(suffix.count))
            throw .namesDifferInCase(name, otherName, in: file.deletingLastPathComponent())
        }
    }

    /// Removes the directory next to the stub file, unless it has files.
    func removeSidecarDirectory() { try? FileSystem.removeDirectory(sidecarDirectory) }

    /// Returns an unused path for a new stub file or base.
    func newPath() throws(SystemError) -> String {
        try FileSystem.createDirectory(sidecarDirectory)
        return "\(sidecarDirectory)/\(FileSystem.randomName()).new.journal"
    }

    /// Returns an unused path for a damaged journal.
    func damagedPath() -> String { FileSystem.hiddenPath(beside: file.path, ending: ".damaged.journal") }

    func basePath(of generation: String) -> String { "\(sidecarDirectory)/\(generation).base.journal" }

    func journalPath(of generation: String, _ number: Int) -> String {
        "\(sidecarDirectory)/\(generation).\(number).journal"
    }

    /// Makes the current stub file the base of a new generation, by a link or by a copy.
    ///
    /// Without a stub file, the base is empty.
    func makeBase(of generation: String) throws(SystemError) {
        let path = basePath(of: generation)
        try FileSystem.createDirectory(sidecarDirectory)
        guard try FileSystem.fingerprint(at: file.path) != nil else {
            return try FileDescriptor.creating(path).finish()
        }
        guard (try? FileSystem.addName(path, to: file.path)) == nil else { return }
        let new = try newPath()
        var content = Data()
        _ = try FileDescriptor.reading(file.path).forEachPart { content.append($0) }
        _ = try FileSystem.createFile(at: new) { output in content.withBytes { output.add($0) } }
        try FileSystem.replaceFile(at: path, by: new)
    }

    /// The longest time, in seconds, of a wait for another process that is writing in the directory.
    @TaskLocal package static var longestWait = 10.0

    /// The directories with such a wait, and the times at which the wait was given up, until the lock is free again.
    ///
    /// No wait for such a directory begins for the same time again, because many files may need it when a process
    /// exits.
    private static let busy = Lock<[String: DispatchTime]>([:])

    /// Runs `body` while no other process and no other thread runs one for a stub file of the same directory.
    ///
    /// Creates the directory unless it exists. Not recursive: a call from inside `body` fails. On a file system without
    /// locks, nothing is exclusive, and `false` is passed to `body`.
    package func withDirectoryLock<Result>(
        waitingAtMost seconds: Double = longestWait,
        _ body: (_ isExclusive: Bool) throws(StubbornNetworkError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        let (locked, isExclusive) = try access(.written) { () throws(SystemError) -> (FileDescriptor, Bool) in
            try FileSystem.createDirectory(directory)
            let descriptor = try FileDescriptor.reading(directory)
            let isBusy = Self.busy.withLock { $0[directory] }.map { $0 + Self.longestWait > .now() } ?? false
            let state = try descriptor.lock(forAtMost: isBusy ? 0 : seconds)
            if state == .heldByOther {
                if !isBusy, seconds >= Self.longestWait { Self.busy.withLock { $0[directory] = .now() } }
                throw .busy
            }
            Self.busy.withLock { $0[directory] = nil }
            return (descriptor, state == .taken)
        }
        defer { try? locked.finish() }
        return try body(isExclusive)
    }

    /// The state of the file now; `nil` if there is none, and if it cannot be reached.
    package var fingerprint: FileFingerprint? { (try? FileSystem.fingerprint(at: file.path)) ?? nil }

    /// The length of the file; `nil` if there is none.
    var byteCount: Int? { fingerprint.map { Int(clamping: $0.size) } }

    /// The checksum of the bytes of the file; `nil` if it cannot be read.
    var checksum: UInt64? {
        var checksum = Checksum()
        guard (try? FileDescriptor.reading(file.path).forEachPart { checksum.add($0) }) != nil else { return nil }
        return checksum.value
    }

    /// Creates the directory, and throws an error if the file cannot be written now.
    func prepareToWrite() throws(StubbornNetworkError) {
        try access(.written) { () throws(SystemError) in
            try FileSystem.createDirectory(directory)
            try FileSystem.checkWritable(directory)
        }
    }
}

/// A file or a directory that is there, and that this process may not read.
struct UnreadableFile: Sendable {
    let path: String
    let error: SystemError
}

extension String {
    /// The text with the other case of each letter of ASCII, without the extension of a stub file.
    fileprivate var inOtherCase: String {
        let name = hasSuffix(".json") ? dropLast(5) : self[...]
        let letters = name.map { !$0.isASCII ? String($0) : $0.isLowercase ? $0.uppercased() : $0.lowercased() }
        return letters.joined() + dropFirst(name.count)
    }
}
