import Foundation

/// A stub file on disk.
///
/// The file is replaced as a whole, and locked against other processes meanwhile.
struct StubFileStore: Sendable {
    let file: URL

    /// Reads the file; returns `nil` when there is none.
    ///
    /// Large bodies stay in the file until they are asked for. A file that somebody writes in place at the same time is read
    /// again, up to two times.
    ///
    /// - Throws: `.unreadableStubFile` when there is something that cannot be read, and `.malformedStubFile` when it is not
    ///   an array of stubs. Such a file must not be overwritten.
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
                if let text = try StubFileText(descriptor, fingerprint, file: file) {
                    document = Result { () throws(StubbornNetworkError) in try StubFileDocument(parsing: text) }
                } else {
                    let data = try descriptor.readToEnd(expectedCount: Int(clamping: fingerprint.size))
                    document = Result { () throws(StubbornNetworkError) in
                        try StubFileDocument(parsing: StubFileText(data, file: file, fingerprint: fingerprint))
                    }
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

    /// Replaces the file, or creates it and its directory.
    ///
    /// Another process that opens the file gets the old content or the new, never a part. The file keeps its permissions,
    /// and a symbolic link is followed. The content survives the end of this process, also a sudden one; it is not forced
    /// to the disk, so it may not survive a power cut.
    ///
    /// - Parameters:
    ///   - content: Passes the content on, chunk by chunk.
    ///   - beforeMove: Called with the name and the state of the complete new file, before it replaces the old one.
    ///   - undo: Called with that name if this fails after `beforeMove` was called: if it returns `false`, the new file
    ///     keeps that name.
    /// - Throws: `.unwritableStubFile`. Then the old file is unchanged.
    func write(
        _ content: ((Data) throws(SystemError) -> Void) throws(SystemError) -> Void,
        beforeMove: (String, FileFingerprint) throws(SystemError) -> Void = { _, _ in },
        undo: (String) -> Bool = { _ in true }
    ) throws(StubbornNetworkError) {
        do throws(SystemError) {
            let path = try resolvedPath()
            try FileSystem.createDirectory(FileSystem.directory(of: path))
            let old = try FileSystem.fingerprint(at: path)
            guard old?.isDirectory != true else { throw SystemError(EISDIR) }
            guard old?.isRegularFile != false else { throw SystemError.notRegularFile }
            // Beside the file's own path, also if that is a link: all that is left by a kill is in one directory.
            let new = newPath(.new)
            let name = String(new.dropFirst(directory.count + 1))
            try FileSystem.replaceFile(at: path, old, from: new, with: content) { fingerprint throws(SystemError) in
                try beforeMove(name, fingerprint)
            } undo: {
                undo(name)
            }
        } catch {
            throw .stubFile(file, cannotBe: .written, error)
        }
    }

    /// The files that may be beside the stub file for a while.
    ///
    /// Their names match `.*.journal`: a line of a `.gitignore`.
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
    /// without locks, nothing is exclusive.
    ///
    /// - Parameters:
    ///   - seconds: The longest time to wait for another process; `nil` for as long as it takes.
    ///   - body: The function to run.
    /// - Returns: The result of `body`.
    /// - Throws: `.unwritableStubFile` if the directory cannot be created or locked, and the error of `body`.
    func withExclusiveAccess<Result>(
        waitingAtMost seconds: Double? = nil,
        _ body: () throws(StubbornNetworkError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        let lock = try locked(waitingAtMost: seconds)
        defer { try? lock.finish() }
        return try body()
    }

    private var directory: String { FileSystem.directory(of: file.path) }

    /// The state of the file now; `nil` if there is none, and if it cannot be reached.
    var fingerprint: FileFingerprint? { (try? FileSystem.fingerprint(at: file.path)) ?? nil }

    /// Returns the reason why the file cannot be written now; `nil` if there is none.
    ///
    /// This function creates the directory.
    func reasonNotToWrite() -> StubbornNetworkError? {
        do throws(SystemError) {
            let path = try resolvedPath()
            let directory = FileSystem.directory(of: path)
            try FileSystem.createDirectory(directory)
            try FileSystem.checkWritable(directory)
            return nil
        } catch {
            return .stubFile(file, cannotBe: .written, error)
        }
    }

    private func locked(waitingAtMost seconds: Double?) throws(StubbornNetworkError) -> FileDescriptor {
        do throws(SystemError) {
            try FileSystem.createDirectory(directory)
            let descriptor = try FileDescriptor.reading(directory)
            guard try descriptor.fingerprint().isDirectory else { throw SystemError(ENOTDIR) }
            guard try descriptor.lock(forAtMost: seconds) != .heldByOther else { throw .busy }
            return descriptor
        } catch {
            throw .stubFile(file, cannotBe: .written, error)
        }
    }

    /// Returns the path of the file, or of the target of a symbolic link, which need not exist.
    ///
    /// A link that leads out of the stub directory is an error: a recording must not write where nobody expects it.
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
