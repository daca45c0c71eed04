import Foundation

/// A stub file on disk, which is replaced as a whole, and locked against other processes meanwhile.
struct StubFileStore: Sendable {
    let file: URL

    /// Reads the file; returns `nil` when there is none, and throws an error for a file that must not be overwritten: one
    /// that cannot be read, or is not an array of stubs.
    ///
    /// Large bodies stay in the file until they are asked for. A file that somebody writes in place at the same time is read
    /// again, up to two times.
    func read() throws(StubbornNetworkError) -> StubFileDocument? {
        var attempts = 0
        while true {
            attempts += 1
            let document: Result<StubFileDocument, StubbornNetworkError>
            do throws(SystemError) {
                let descriptor = try FileDescriptor.reading(file.path)
                let fingerprint = try descriptor.fingerprint()
                guard !fingerprint.isDirectory else { throw SystemError(EISDIR) }
                guard fingerprint.isRegularFile else { throw .notRegularFile }
                let large = try StubFileText(descriptor, fingerprint, file: file)
                let small =
                    try large == nil ? descriptor.availableData(in: 0..<Int(clamping: fingerprint.size)) : Data()
                document = Result { () throws(StubbornNetworkError) in
                    if let large { return try StubFileDocument(parsing: large) }
                    return try StubFileDocument(parsing: StubFileText(small, file: file, fingerprint: fingerprint))
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

    /// A stub file that was written beside the one that it is to replace.
    struct NewFile {
        let path: String
        let fingerprint: FileFingerprint
        /// The path of the stub file, or of the file that it is a symbolic link to.
        let destination: String

        var name: String { String(path.dropFirst(FileSystem.directory(of: path).count + 1)) }
    }

    /// Writes a new stub file beside the old one, and creates its directory.
    ///
    /// When it is moved to its destination, another process that opens the file gets the old content or the new, never a
    /// part. The new file has the permissions of the old one. The content survives the end of this process, also a sudden
    /// one; it is not forced to the disk, so it may not survive a power cut.
    func writeNewFile(
        _ content: ((Data) throws(SystemError) -> Void) throws(SystemError) -> Void
    ) throws(SystemError) -> NewFile {
        let destination = try resolvedPath()
        try FileSystem.createDirectory(FileSystem.directory(of: destination))
        let old = try FileSystem.fingerprint(at: destination)
        guard old?.isDirectory != true else { throw SystemError(EISDIR) }
        guard old?.isRegularFile != false else { throw .notRegularFile }
        // Beside the file's own path, also if that is a link: all that is left by a kill is in one directory.
        let path = newPath(.new)
        let fingerprint = try FileSystem.createFile(at: path, withPermissionsOf: old, content)
        return NewFile(path: path, fingerprint: fingerprint, destination: destination)
    }

    /// Replaces the file, or creates it.
    func write(
        _ content: ((Data) throws(SystemError) -> Void) throws(SystemError) -> Void
    ) throws(StubbornNetworkError) {
        try access(.written) { () throws(SystemError) in
            let new = try writeNewFile(content)
            try FileSystem.replaceFile(at: new.destination, by: new.path)
        }
    }

    /// Runs `body`, and throws its error as one that names the file and says what to do.
    func access<Result>(
        _ access: StubFileAccess,
        _ body: () throws(SystemError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .stubFile(file, cannotBe: access, error) }
    }

    /// The files that may be beside the stub file for a while, whose names match `.*.journal`, a line of a `.gitignore`.
    enum Companion: String, CaseIterable {
        /// The recordings of a run: `.Login.json.5f3a91c2.journal`.
        case journal = ".journal"
        /// A stub file or a journal that is being written.
        case new = ".new.journal"
        /// A journal of which a part could not be read.
        case damaged = ".damaged.journal"
    }

    /// Returns a path for a companion that no file has.
    func newPath(_ companion: Companion) -> String {
        FileSystem.hiddenPath(beside: file.path, ending: companion.rawValue)
    }

    /// Returns the path of a companion by its name.
    func path(of name: String) -> String { "\(directory)/\(name)" }

    /// Returns the paths of the companions that are there.
    func paths(_ companion: Companion) throws(SystemError) -> [String] {
        let prefix = ".\(file.lastPathComponent)."
        return try FileSystem.names(in: directory, beginningWith: prefix).filter { name in
            let suffix = name.utf8.dropFirst(prefix.utf8.count).dropLast(companion.rawValue.utf8.count)
            return name.hasSuffix(companion.rawValue) && suffix.count == 8
                && suffix.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }.map(path(of:))
    }

    /// Runs `body` while no other process and no other thread runs one for a stub file of the same directory.
    ///
    /// Creates the directory unless it exists. Not recursive: a call from inside `body` waits forever. On a file system
    /// without locks, nothing is exclusive. Without a number of seconds, this function waits as long as it takes.
    func withExclusiveAccess<Result>(
        waitingAtMost seconds: Double? = nil,
        _ body: () throws(StubbornNetworkError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        let lock = try access(.written) { () throws(SystemError) in
            try FileSystem.createDirectory(directory)
            let descriptor = try FileDescriptor.reading(directory)
            guard try descriptor.fingerprint().isDirectory else { throw SystemError(ENOTDIR) }
            guard try descriptor.lock(forAtMost: seconds) != .heldByOther else { throw .busy }
            return descriptor
        }
        defer { try? lock.finish() }
        return try body()
    }

    private var directory: String { FileSystem.directory(of: file.path) }

    /// The state of the file now; `nil` if there is none, and if it cannot be reached.
    var fingerprint: FileFingerprint? { (try? FileSystem.fingerprint(at: file.path)) ?? nil }

    /// Creates the directory, and throws the error because of which the file cannot be written now, if there is one.
    func prepareToWrite() throws(StubbornNetworkError) {
        try access(.written) { () throws(SystemError) in
            let directory = FileSystem.directory(of: try resolvedPath())
            try FileSystem.createDirectory(directory)
            try FileSystem.checkWritable(directory)
        }
    }

    /// Returns the path of the file, or of the target of a symbolic link, which need not exist, but is in the stub
    /// directory.
    private func resolvedPath() throws(SystemError) -> String {
        var path = file.path
        for _ in 0..<32 {
            guard let target = try FileSystem.target(ofLink: path) else {
                guard path == file.path || FileSystem.isInside(path, directory: directory) else { throw .leadsOut }
                return path
            }
            path = target.hasPrefix("/") ? target : "\(FileSystem.directory(of: path))/\(target)"
        }
        throw SystemError(ELOOP)
    }
}
