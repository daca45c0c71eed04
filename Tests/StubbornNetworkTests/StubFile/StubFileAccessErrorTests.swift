import Foundation
import Testing

@testable import StubbornNetwork

/// What a stub file's error advises, for each cause and both kinds of access.
struct StubFileAccessErrorTests {
    private static let right = "Give this process the right to"
    private static let write = "\(right) write in its directory, or choose another stub directory."

    @Test(
        arguments: [
            (SystemError(EACCES), "\(right) read it.", write),
            (SystemError(EPERM), "\(right) read it.", write),
            (
                SystemError(EISDIR), "Move away what lies in its place, or choose another name.",
                "Move away what lies in its place, or choose another name."
            ),
            (
                SystemError.notRegularFile, "Move away what lies in its place, or choose another name.",
                "Move away what lies in its place, or choose another name."
            ),
            (
                SystemError(ENOTDIR),
                "Move away the file that lies where a directory belongs, or choose another stub directory.",
                "Move away the file that lies where a directory belongs, or choose another stub directory."
            ),
            (SystemError(ENAMETOOLONG), "Choose a shorter name.", "Choose a shorter name."),
            (
                .leadsOut, "Put a file in the link's place, or choose the directory that it leads to.",
                "Put a file in the link's place, or choose the directory that it leads to."
            ),
            (
                SystemError(ELOOP), "Mend the symbolic links that lead in a circle.",
                "Mend the symbolic links that lead in a circle."
            ),
            (.busy, "See that the other process continues or ends.", "See that the other process continues or ends."),
            (.changed, "Run again when nobody else writes it.", "Run again when nobody else writes it."),
            (.cutShort, "Run again when nobody else writes it.", "Run again when nobody else writes it."),
            (
                SystemError(EROFS),
                "The file system is read-only: choose another stub directory, or play back instead of recording.",
                "The file system is read-only: choose another stub directory, or play back instead of recording."
            ),
            (
                SystemError(ENOSPC), "Make room on the disk, then record again.",
                "Make room on the disk, then record again."
            ),
            (
                SystemError(EDQUOT), "Make room on the disk, then record again.",
                "Make room on the disk, then record again."
            ),
            (
                SystemError(EIO), "See that this path can be read.",
                "See that this path can be written, or choose another stub directory."
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
