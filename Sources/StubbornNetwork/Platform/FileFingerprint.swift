import Foundation

/// What tells a file from another, and from itself before somebody wrote it.
///
/// A stub file is replaced as a whole, so that any write by another process changes its identity, its size or its time.
struct FileFingerprint: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let modificationSeconds: Int64
    let modificationNanoseconds: Int64

    let isRegularFile: Bool
    let isDirectory: Bool
    let permissions: mode_t
    let owner: uid_t
    let group: gid_t

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            modificationSeconds = Int64(status.st_mtimespec.tv_sec)
            modificationNanoseconds = Int64(status.st_mtimespec.tv_nsec)
        #else
            modificationSeconds = Int64(status.st_mtim.tv_sec)
            modificationNanoseconds = Int64(status.st_mtim.tv_nsec)
        #endif
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        permissions = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
    }

    /// Whether nobody has written the file in between, as far as the system tells. Its name and its rights may be others.
    func hasSameContent(as other: FileFingerprint) -> Bool {
        device == other.device && inode == other.inode && size == other.size
            && modificationSeconds == other.modificationSeconds
            && modificationNanoseconds == other.modificationNanoseconds
    }

    /// The fingerprint of the file at a path, symbolic links followed; `nil` when there is none.
    static func ofFile(at path: String) throws(SystemError) -> FileFingerprint? {
        var status = stat()
        if stat(path, &status) == 0 { return FileFingerprint(status) }
        guard errno == ENOENT else { throw .last }
        return nil
    }
}
