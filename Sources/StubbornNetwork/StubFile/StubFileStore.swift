import Foundation

/// A stub file on disk. It is replaced as a whole, and locked against other processes meanwhile.
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

    /// Replaces the file, or makes it, with its directory.
    ///
    /// Whoever opens the file finds the old content or the new, never a part. It keeps its permissions, and a symbolic
    /// link in its place is followed. What fails leaves nothing behind, and throws `.unwritableStubFile`. The content is
    /// safe from the end of this process, however sudden; it is not forced to the disk, so not from a power cut.
    ///
    /// - Parameters:
    ///   - content: gives the content, chunk by chunk.
    ///   - beforeMove: called when the new file is complete, and not yet in the old one's place.
    func write(
        _ content: ((Data) throws(SystemError) -> Void) throws(SystemError) -> Void,
        beforeMove: (FileFingerprint) throws(SystemError) -> Void = { _ in }
    ) throws(StubbornNetworkError) {
        do throws(SystemError) {
            let path = try resolvedPath()
            try FileSystem.createDirectory(FileSystem.directory(of: path))
            let old = try FileFingerprint.ofFile(at: path)
            guard old?.isDirectory != true else { throw SystemError(EISDIR) }
            guard old?.isRegularFile != false else { throw SystemError.notRegularFile }
            try replace(path, old, with: content, beforeMove: beforeMove)
        } catch {
            throw .stubFile(file, cannotBe: .written, error)
        }
    }

    /// Runs `body` while no other process, and no other thread, is in here for a stub file of the same directory.
    ///
    /// Makes the directory where it is not there yet. Not recursive: from inside `body` it would wait for itself.
    func withExclusiveAccess<Result>(
        _ body: () throws(StubbornNetworkError) -> Result
    ) throws(StubbornNetworkError) -> Result {
        let lock = try locked()
        defer { _ = try? lock.finish() }
        return try body()
    }

    /// Removes the half-written files of processes that were killed. Inside `withExclusiveAccess`, where nobody else is
    /// writing.
    func removeHalfWrittenFiles() {
        for name in FileSystem.names(in: directory, beginningWith: ".\(file.lastPathComponent).")
        where FileSystem.isTemporary(name, beside: file.lastPathComponent) {
            FileSystem.remove("\(directory)/\(name)")
        }
    }

    private var directory: String { FileSystem.directory(of: file.path) }

    /// What tells whether somebody else has written the file since; `nil` when there is none, or it is out of reach.
    var fingerprint: FileFingerprint? { (try? FileFingerprint.ofFile(at: file.path)) ?? nil }

    /// Why the file could not be written now; `nil` when nothing speaks against it. Makes the directory.
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

    /// Puts new content in a file's place, or leaves everything as it was.
    func replace(
        _ path: String,
        _ old: FileFingerprint?,
        with content: ((Data) throws(SystemError) -> Void) throws(SystemError) -> Void,
        beforeMove: (FileFingerprint) throws(SystemError) -> Void = { _ in }
    ) throws(SystemError) {
        let (descriptor, temporary) = try FileSystem.temporaryFile(beside: path)
        do throws(SystemError) {
            if let old { descriptor.adoptPermissions(of: old) }
            var buffer = Data()
            try content { chunk throws(SystemError) in
                buffer.append(chunk)
                guard buffer.count >= 1 << 20 else { return }
                try descriptor.writeAll(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
            try descriptor.writeAll(buffer)
            let fingerprint = try descriptor.fingerprint()
            try descriptor.finish()
            try beforeMove(fingerprint)
            try FileSystem.move(temporary, to: path)
        } catch {
            FileSystem.remove(temporary)
            throw error
        }
    }

    /// The file's path, or that of the file that a symbolic link in its place leads to, whether or not that is there.
    ///
    /// A link that leads out of the stub directory is not followed: a recording does not write where nobody expects it.
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
