import Foundation

/// The two kinds of access to a stub file.
package enum StubFileAccess: String {
    case read, written
}

extension StubbornNetworkError {
    /// Returns the error for a stub file that cannot be read or written.
    ///
    ///     Stubs/Login.json cannot be written: No space left on device. Free some space on the disk, then record again.
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
    /// It says that the recorded exchanges are in the journal, or that the journal was removed.
    static func recordingKept(_ cause: StubbornNetworkError, in journal: String?) -> StubbornNetworkError {
        var rest = "were not stored, because the journal was removed"
        if let journal {
            let path = URL(fileURLWithPath: journal).relativeDisplayPath
            rest = "are kept in \(path), and the next process that opens the stub file adds them"
        }
        let message = "\(cause.message) The recorded exchanges that are not in the stub file \(rest)."
        return StubbornNetworkError(cause.code, message, file: cause.file, underlyingError: cause.underlyingError)
    }

    private static func remedy(for access: StubFileAccess, _ cause: SystemError) -> String {
        switch cause {
        case SystemError(EISDIR), .notRegularFile:
            "Something else is at this path. Move it, or choose a different name."
        case SystemError(ENOTDIR):
            "Move the file that is in the directory's place, or choose a different stub directory."
        case SystemError(ENAMETOOLONG): "Choose a shorter name."
        case .busy: "Let the other process continue, or end it."
        case .late: "Cancel it earlier, or leave it out with a recording filter."
        case .changed, .cutShort: "Run again when no other process is writing to it."
        case SystemError(EACCES) where access == .read: "Give this process permission to read it."
        case SystemError(EACCES):
            "Give this process permission to write in its directory, or choose a different stub directory."
        // macOS answers EPERM to a sandboxed process.
        case SystemError(EPERM) where access == .read:
            """
            Give this process permission to read it. A Mac app in the App Sandbox has none: run its tests without a host \
            application, turn the sandbox off for Debug, or play back from the test bundle.
            """
        case SystemError(EPERM):
            """
            Give this process permission to write in its directory, or choose a different stub directory. A Mac app in the App \
            Sandbox has none: run its tests without a host application, or turn the sandbox off for Debug.
            """
        case SystemError(EROFS):
            "The file system is read-only: choose a different stub directory, or play back instead of recording."
        case SystemError(ENOSPC), SystemError(EDQUOT): "Free some space on the disk, then record again."
        default: "Check that this path can be \(access)\(access == .read ? "" : ", or choose a different directory")."
        }
    }
}
