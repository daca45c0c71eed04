import Foundation

/// The operations on paths that this library needs, with the system's own errors.
package enum FileSystem {
    /// Returns the path of the directory of a file: `.` for a name without a directory.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns a directory, given by an absolute path, and the directories above it, up to `/`.
    package static func directories(from directory: String) -> [String] {
        Array(sequence(first: directory) { $0 == "/" ? nil : self.directory(of: $0) })
    }

    /// Returns the state of the file at a path, with symbolic links followed; `nil` if there is none.
    static func fingerprint(at path: String) throws(SystemError) -> FileFingerprint? {
        var status = stat()
        do throws(SystemError) {
            try FileOperation.status.perform(path) { Int(stat(path, &status)) }
            return FileFingerprint(status)
        } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
    }

    /// Returns a Boolean value that indicates whether there is a file or a directory at a path.
    package static func exists(_ path: String) -> Bool { (try? fingerprint(at: path)) != nil }

    /// Returns a Boolean value that indicates whether nothing exists at a path, as far as that is certain.
    static func isGone(_ path: String) -> Bool {
        do throws(SystemError) { return try fingerprint(at: path) == nil } catch { return false }
    }

    /// Creates a directory and the directories above it, unless they exist.
    static func createDirectory(_ path: String) throws(SystemError) {
        if let found = try fingerprint(at: path) {
            guard found.isDirectory else { throw SystemError(ENOTDIR) }
            return
        }
        try createDirectory(directory(of: path))
        do throws(SystemError) {
            try FileOperation.createDirectory.perform(path) { Int(mkdir(path, 0o777)) }
        } catch {
            // Another process may have created it.
            guard try fingerprint(at: path) != nil else { throw error }
        }
    }

    /// Removes a directory, if it exists and is empty.
    static func removeDirectory(_ path: String) throws(SystemError) {
        try FileOperation.remove.perform(path) { Int(rmdir(path)) }
    }

    /// Returns an unused path next to another path: `.Login.json.5f3a91c2` and an ending.
    static func hiddenPath(beside path: String, ending: String = "") -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return "\(directory(of: path))/.\(name).\(randomName())\(ending)"
    }

    /// Returns eight hexadecimal digits.
    static func randomName() -> String { String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16) }

    /// Returns the names in a directory, sorted; none if there is no such directory.
    package static func names(in directory: String) throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try list(directory).sorted()
        } catch {
            guard [ENOENT, ENOTDIR].contains(error.number) else { throw error }
            return []
        }
    }

    private static func list(_ directory: String) throws(SystemError) -> [String] {
        let stream = try FileOperation.list.perform(directory) { opendir(directory) }
        defer { closedir(stream) }
        var names: [String] = []
        guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else { return [] }
        while let entry = readdir(stream) {
            // The entry is only as long as its name: copying the whole structure would read beyond its end.
            names.append(String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)))
        }
        return names
    }

    /// The names in the directories that were listed, by their lower-case spellings.
    ///
    /// A directory may have thousands of files, and each test needs the list. So a process lists the directory once,
    /// and does not see files that are created later.
    private static let listings = Lock<[String: [String: [String]]]>([:])

    /// Returns the names in a directory that differ from a name at most in case, or in the encoding of accents.
    static func spellings(of name: String, in directory: String) -> [String] {
        let listing = listings.withLock { listings in
            if listings[directory] == nil, let names = try? list(directory) {
                listings[directory] = Dictionary(grouping: names) { $0.lowercased() }
            }
            return listings[directory]
        }
        return listing?[name.lowercased()]?.filter { exists("\(directory)/\($0)") } ?? []
    }

    /// Creates a file, and returns its state; nothing is left if this fails.
    static func createFile(
        at path: String,
        withPermissionsOf old: FileFingerprint? = nil,
        _ write: (inout FileDescriptor.Output) -> Void
    ) throws(SystemError) -> FileFingerprint {
        let descriptor = try FileDescriptor.creating(path)
        do throws(SystemError) {
            if let old { descriptor.adoptPermissions(of: old) }
            var output = FileDescriptor.Output(descriptor)
            write(&output)
            try output.finish()
            let fingerprint = try descriptor.fingerprint()
            try descriptor.finish()
            return fingerprint
        } catch {
            try? remove(path)
            throw error
        }
    }

    /// Replaces a file with a new one in one step, or removes the new file if that fails.
    static func replaceFile(at path: String, by new: String) throws(SystemError) {
        do throws(SystemError) {
            try move(new, to: path)
        } catch {
            try? remove(new)
            throw error
        }
    }

    /// Renames a file, and replaces a file of the new name in the same step.
    static func move(_ path: String, to destination: String) throws(SystemError) {
        try FileOperation.rename.perform(path) { Int(rename(path, destination)) }
    }

    /// Gives a file a second name, which must be unused, with symbolic links followed.
    static func addName(_ new: String, to path: String) throws(SystemError) {
        // On Linux, `link` links a symbolic link itself, and a relative one leads nowhere from a different directory.
        try FileOperation.link.perform(new) { Int(linkat(AT_FDCWD, path, AT_FDCWD, new, AT_SYMLINK_FOLLOW)) }
    }

    /// Removes a file, if it exists.
    static func remove(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try FileOperation.remove.perform(path) { Int(unlink(path)) }
        } catch {
            guard error.number == ENOENT else { throw error }
        }
    }

    /// Throws an error if files cannot be created in a directory, as far as the system says beforehand.
    static func checkWritable(_ directory: String) throws(SystemError) {
        guard access(directory, W_OK | X_OK) == 0 else { throw .last }
    }
}

/// The state of a file: its identity, its size, the time of the last change, and its permissions.
///
/// A stub file is replaced as a whole, so that a write by another process changes its identity, its size or its time.
package struct FileFingerprint: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    /// The time of the last change in nanoseconds.
    let modification: Int64

    private let mode: mode_t
    let owner: uid_t
    let group: gid_t

    var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    var permissions: mode_t { mode & 0o7777 }

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        let time = status.modificationTime
        modification = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        (mode, owner, group) = (status.st_mode, status.st_uid, status.st_gid)
    }

    /// Returns a Boolean value that indicates whether the content is the same, as far as the system shows.
    func hasSameContent(as other: FileFingerprint) -> Bool {
        (device, inode, size, modification) == (other.device, other.inode, other.size, other.modification)
    }
}

extension stat {
    #if canImport(Darwin) || SIMULATES_APPLE
        fileprivate var modificationTime: timespec { st_mtimespec }
    #else
        fileprivate var modificationTime: timespec { st_mtim }
    #endif
}
