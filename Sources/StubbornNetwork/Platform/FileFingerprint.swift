import Foundation

/// The state of a file: its identity, its size, the time of the last change, and its permissions.
///
/// A stub file is replaced as a whole, so that a write by another process changes its identity, its size or its time.
package struct FileFingerprint: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    /// The time of the last change in nanoseconds.
    let modification: Int64

    let isRegularFile: Bool
    let isDirectory: Bool
    let permissions: mode_t
    let owner: uid_t
    let group: gid_t

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        let time = status.modificationTime
        modification = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        permissions = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
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
