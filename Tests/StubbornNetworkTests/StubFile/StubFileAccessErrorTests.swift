import Foundation
import Testing

@testable import StubbornNetwork

/// What a stub file's error advises, for each cause and both kinds of access.
struct StubFileAccessErrorTests {
    private static let read = "Give this process read access to the file."
    private static let write =
        "Give this process write access to the file's directory, or choose a different stub directory."

    @Test(
        arguments: [
            (SystemError(EACCES), read, write),
            (
                SystemError(EPERM),
                """
                \(read) The App Sandbox denies a Mac app this access: run the tests without a host application, turn the sandbox \
                off in Debug builds, or play back from the test bundle.
                """,
                """
                \(write) The App Sandbox denies a Mac app this access: run the tests without a host application, or turn the \
                sandbox off in Debug builds.
                """
            ),
            (
                SystemError(EISDIR), "Something else is at this path. Move it, or choose a different name.",
                "Something else is at this path. Move it, or choose a different name."
            ),
            (
                SystemError.notRegularFile, "Something else is at this path. Move it, or choose a different name.",
                "Something else is at this path. Move it, or choose a different name."
            ),
            (
                SystemError(ENOTDIR),
                "Move the file that is in the directory's place, or choose a different stub directory.",
                "Move the file that is in the directory's place, or choose a different stub directory."
            ),
            (SystemError(ENAMETOOLONG), "Choose a shorter name.", "Choose a shorter name."),
            (.busy, "Let the other process continue, or end it.", "Let the other process continue, or end it."),
            (
                .changed, "Run again when no other process is writing to it.",
                "Run again when no other process is writing to it."
            ),
            (
                .cutShort, "Run again when no other process is writing to it.",
                "Run again when no other process is writing to it."
            ),
            (
                SystemError(EROFS),
                "The file system is read-only: choose a different stub directory, or play back instead of recording.",
                "The file system is read-only: choose a different stub directory, or play back instead of recording."
            ),
            (
                SystemError(ENOSPC), "Free some space on the disk, then record again.",
                "Free some space on the disk, then record again."
            ),
            (
                SystemError(EDQUOT), "Free some space on the disk, then record again.",
                "Free some space on the disk, then record again."
            ),
            (
                SystemError(EIO), "Check that this path can be read.",
                "Check that this path can be written, or choose a different directory."
            ),
        ] as [(SystemError, String, String)]
    )
    func `each cause has its remedy, for reading and for writing`(cause: SystemError, reading: String, writing: String)
    {
        let file = URL(fileURLWithPath: "/stubs/Login.json")
        let read = StubbornNetworkError.stubFile(file, cannotBe: .read, cause)
        #expect(read.code == .unreadableStubFile)
        #expect(read.message == "/stubs/Login.json cannot be read: \(cause.reason). \(reading)")
        let written = StubbornNetworkError.stubFile(file, cannotBe: .written, cause)
        #expect(written.code == .unwritableStubFile)
        #expect(written.message == "/stubs/Login.json cannot be written: \(cause.reason). \(writing)")
    }
}
