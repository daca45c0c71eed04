import Foundation

/// The two kinds of access to a stub file.
enum StubFileAccess: String {
    case read, written
}

extension StubbornNetworkError {
    /// Returns the error for a stub file that cannot be read or written.
    ///
    ///     Stubs/Login.json cannot be written: No space left on device. Make room on the disk, then record again.
    static func stubFile(_ file: URL, cannotBe access: StubFileAccess, _ cause: SystemError) -> StubbornNetworkError {
        StubbornNetworkError(
            access == .read ? .unreadableStubFile : .unwritableStubFile,
            "\(file.relativePath) cannot be \(access): \(cause.reason). \(remedy(for: access, cause))",
            file: file,
            underlyingError: POSIXErrorCode(rawValue: cause.number).map { POSIXError($0) }
        )
    }

    /// Returns the error for the end of a run that could not be written into the stub file, which says what is where.
    ///
    /// - Parameters:
    ///   - cause: The error of writing.
    ///   - journal: The path of the journal; `nil` if it was removed.
    ///   - foldedCount: The number of recorded exchanges that are in the stub file.
    ///   - count: The number of all recorded exchanges.
    /// - Returns: The error.
    static func recordingKept(
        _ cause: StubbornNetworkError,
        in journal: String?,
        _ foldedCount: Int,
        of count: Int
    ) -> StubbornNetworkError {
        let isPart = foldedCount > 0
        var message = cause.message
        if isPart { message += " \(foldedCount) of \(count) recorded exchanges are in the stub file." }
        if let journal {
            let name = URL(fileURLWithPath: journal).relativeDisplayPath
            message += " What \(isPart ? "else " : "")was recorded is kept in \(name)"
            message += ", which whoever opens the stub file next puts into it."
        } else {
            let rest = count - foldedCount
            message +=
                " Its journal was removed: \(rest) recorded exchange\(rest == 1 ? " is" : "s are") stored nowhere."
        }
        return StubbornNetworkError(cause.code, message, file: cause.file, underlyingError: cause.underlyingError)
    }

    private static func remedy(for access: StubFileAccess, _ cause: SystemError) -> String {
        switch (cause.number, access) {
        case (EISDIR, _), (SystemError.notRegularFile.number, _):
            "Move away what lies in its place, or choose another name."
        case (ENOTDIR, _): "Move away the file that lies where a directory belongs, or choose another stub directory."
        case (ENAMETOOLONG, _): "Choose a shorter name."
        case (SystemError.leadsOut.number, _):
            "Put a file in the link's place, or choose the directory that it leads to."
        case (ELOOP, _): "Mend the symbolic links that lead in a circle."
        case (SystemError.busy.number, _): "See that the other process continues or ends."
        case (SystemError.changed.number, _), (SystemError.cutShort.number, _):
            "Run again when nobody else writes it."
        case (EACCES, .read), (EPERM, .read): "Give this process the right to read it."
        case (EACCES, .written), (EPERM, .written):
            "Give this process the right to write in its directory, or choose another stub directory."
        case (EROFS, _):
            "The file system is read-only: choose another stub directory, or play back instead of recording."
        case (ENOSPC, _), (EDQUOT, _): "Make room on the disk, then record again."
        case (_, .read): "See that this path can be read."
        case (_, .written): "See that this path can be written, or choose another stub directory."
        }
    }
}
