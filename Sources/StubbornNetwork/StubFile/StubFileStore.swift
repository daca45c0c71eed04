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
    ///   - beforeMove: Called with the state of the complete new file, before it replaces the old one.
    /// - Throws: `.unwritableStubFile`. Then the old file is unchanged.
    func write(
        _ content: ((Data) throws(SystemError) -> Void) throws(SystemError) -> Void,
        beforeMove: (FileFingerprint) throws(SystemError) -> Void = { _ in }
    ) throws(StubbornNetworkError) {
        do throws(SystemError) {
            let path = try resolvedPath()
            try FileSystem.createDirectory(FileSystem.directory(of: path))
            let old = try FileSystem.fingerprint(at: path)
            guard old?.isDirectory != true else { throw SystemError(EISDIR) }
            guard old?.isRegularFile != false else { throw SystemError.notRegularFile }
            try FileSystem.replaceFile(at: path, old, with: content, beforeMove: beforeMove)
        } catch {
            throw .stubFile(file, cannotBe: .written, error)
        }
    }

    /// Runs `body` while no other process and no other thread runs one for a stub file of the same directory.
    ///
    /// Creates the directory unless it exists. Not recursive: a call from inside `body` waits forever.
    func withExclusiveAccess<Result>(
        _ body: () throws(StubbornNetworkError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        let lock = try locked()
        defer { _ = try? lock.finish() }
        return try body()
    }

    /// Removes the half-written files of processes that were killed.
    ///
    /// Call this function inside `withExclusiveAccess`, where no other process writes.
    func removeHalfWrittenFiles() {
        for name in FileSystem.names(in: directory, beginningWith: ".\(file.lastPathComponent).")
        where FileSystem.isTemporary(name, beside: file.lastPathComponent) {
            FileSystem.remove("\(directory)/\(name)")
        }
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

    private func locked() throws(StubbornNetworkError) -> FileDescriptor {
        do throws(SystemError) {
            let directory = FileSystem.directory(of: file.path)
            try FileSystem.createDirectory(directory)
            let descriptor = try FileDescriptor.reading(directory)
            guard try descriptor.fingerprint().isDirectory else { throw SystemError(ENOTDIR) }
            try descriptor.lock()
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
            guard let target = FileSystem.target(ofLink: path) else {
                guard path == file.path || FileSystem.isInside(path, directory: directory) else { throw .leadsOut }
                return path
            }
            path = target.hasPrefix("/") ? target : "\(FileSystem.directory(of: path))/\(target)"
        }
        throw SystemError(ELOOP)
    }
}
