import Foundation

/// The two kinds of access to a stub file.
package enum StubFileAccess: String {
    case read, written
}

extension StubbornNetworkError {
    /// Returns the error for a stub file that cannot be read or written.
    ///
    ///     Stubs/Login.json cannot be written: No space left on device. Make room on the disk, then record again.
    package static func stubFile(_ file: URL, cannotBe access: StubFileAccess, _ cause: SystemError)
        -> StubbornNetworkError
    {
        StubbornNetworkError(
            access == .read ? .unreadableStubFile : .unwritableStubFile,
            "\(file.relativePath) cannot be \(access): \(cause.reason). \(remedy(for: access, cause))",
            file: file,
            underlyingError: POSIXErrorCode(rawValue: cause.number).map { POSIXError($0) }
        )
    }

    /// Returns the error for the end of a run that could not be written into the stub file.
    ///
    /// It says how many of the recorded exchanges are in the file, and that the others are in the journal, or that the
    /// journal was removed.
    static func recordingKept(
        _ cause: StubbornNetworkError,
        in journal: String?,
        _ writtenCount: Int,
        of count: Int
    ) -> StubbornNetworkError {
        let (isPart, rest) = (writtenCount > 0, count - writtenCount)
        var message = cause.message
        if isPart { message += " \(writtenCount) of \(count) recorded exchanges are in the stub file." }
        message +=
            journal.map { journal in
                """
                 What \(isPart ? "else " : "")was recorded is kept in \(URL(fileURLWithPath: journal).relativeDisplayPath), \
                which whoever opens the stub file next puts into it.
                """
            } ?? " Its journal was removed: \(rest) recorded exchange\(rest == 1 ? " is" : "s are") stored nowhere."
        return StubbornNetworkError(cause.code, message, file: cause.file, underlyingError: cause.underlyingError)
    }

    private static func remedy(for access: StubFileAccess, _ cause: SystemError) -> String {
        switch cause {
        case SystemError(EISDIR), .notRegularFile: "Move away what lies in its place, or choose another name."
        case SystemError(ENOTDIR):
            "Move away the file that lies where a directory belongs, or choose another stub directory."
        case SystemError(ENAMETOOLONG): "Choose a shorter name."
        case .leadsOut: "Put a file in the link's place, or choose the directory that it leads to."
        case SystemError(ELOOP): "Mend the symbolic links that lead in a circle."
        case .busy: "See that the other process continues or ends."
        case .late: "Cancel it when less of it has arrived, or leave it out with a recording filter."
        case .changed, .cutShort: "Run again when nobody else writes it."
        case SystemError(EACCES) where access == .read, SystemError(EPERM) where access == .read:
            "Give this process the right to read it."
        case SystemError(EACCES), SystemError(EPERM):
            "Give this process the right to write in its directory, or choose another stub directory."
        case SystemError(EROFS):
            "The file system is read-only: choose another stub directory, or play back instead of recording."
        case SystemError(ENOSPC), SystemError(EDQUOT): "Make room on the disk, then record again."
        default: "See that this path can be \(access)\(access == .read ? "" : ", or choose another stub directory")."
        }
    }
}
