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
        case SystemError(EACCES) where access == .read: "Give this process read access to the file."
        case SystemError(EACCES):
            "Give this process write access to the file's directory, or choose a different stub directory."
        // macOS answers EPERM to a sandboxed process.
        case SystemError(EPERM) where access == .read:
            """
            Give this process read access to the file. The App Sandbox denies a Mac app this access: run the tests without a \
            host application, turn the sandbox off in Debug builds, or play back from the test bundle.
            """
        case SystemError(EPERM):
            """
            Give this process write access to the file's directory, or choose a different stub directory. The App Sandbox denies \
            a Mac app this access: run the tests without a host application, or turn the sandbox off in Debug builds.
            """
        case SystemError(EROFS):
            "The file system is read-only: choose a different stub directory, or play back instead of recording."
        case SystemError(ENOSPC), SystemError(EDQUOT): "Free some space on the disk, then record again."
        default: "Check that this path can be \(access)\(access == .read ? "" : ", or choose a different directory")."
        }
    }
}

extension String {
    /// The line for a `.gitignore`, in the messages about journals that were left.
    private static let adviceToIgnore = " To keep such files out of git, add .*.journal to .gitignore."

    static func tookOver(_ count: Int, _ file: URL) -> String {
        """
        \(file.relativeDisplayPath) now contains \(count.counting("more exchange")): a process that was killed \
        while it recorded had left \(count == 1 ? "it" : "them") in a journal next to the file.\(adviceToIgnore)
        """
    }

    static func leftoversStay(_ file: URL, _ reason: StubbornNetworkError) -> String {
        """
        A process was killed while it recorded, and left a journal next to \(file.relativeDisplayPath). The journal is played \
        back, but cannot be added to the file: \(reason.message)\(adviceToIgnore)
        """
    }

    static func notPlayed(_ unreadable: UnreadableFile, _ file: URL) -> String {
        let name = URL(fileURLWithPath: unreadable.path).relativeDisplayPath
        return """
            The recordings in \(name) are not played, because they cannot be read: \(unreadable.error.reason). They are kept, \
            and \(file.relativeDisplayPath) is not written. Give this process permission to read the journal, or delete it.
            """
    }

    static func damagedBase(_ base: String, _ file: URL) -> String {
        let path = URL(fileURLWithPath: base).relativeDisplayPath
        return """
            \(path), the copy of \(file.relativeDisplayPath) from the beginning of a recording, is damaged, because the \
            file was saved in the middle of a change. The current content of \(file.relativeDisplayPath) is used instead.
            """
    }

    static func damagedJournal(_ journal: URL, _ file: URL, readCount: Int) -> String {
        """
        A process was killed while it recorded into \(file.relativeDisplayPath), and left a damaged journal. \
        \(readCount.counting("exchange")) could be read, and \(readCount == 1 ? "is" : "are") in the file; the rest is \
        kept in \(journal.relativeDisplayPath). Record again, then delete the journal.\(adviceToIgnore)
        """
    }

    /// The message for an exit that does not wait any longer.
    static let lateAtExit = """
        \(SystemError.late.reason), when the process exited, and was not stored. Cancel it earlier, or leave it out with \
        a recording filter.
        """

    /// The message for a file that was edited while it was recorded into.
    static func edited(_ file: URL) -> String {
        """
        \(file.relativeDisplayPath) was changed during a recording. The changes were kept, and the recordings were added.
        """
    }

    /// The message, at the end of a run, for stubs that no request of the run has used.
    static func removed(_ entries: [StubFileEntry], from file: URL) -> String {
        let names = entries.map { "\($0.stub.request)" }
        return """
            \(entries.count == 1 ? "A stub was" : "\(entries.count) stubs were") removed from \(file.relativeDisplayPath), \
            because no request of this run needed \(entries.count == 1 ? "it" : "them"): \
            \(names.listed(upTo: 8).joined(separator: ", ")). If another process of the test uses them, give \
            both processes the same STUB_RUN.
            """
    }
}
