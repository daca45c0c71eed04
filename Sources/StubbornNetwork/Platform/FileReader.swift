import Foundation

/// A file that stays open and is read in parts: what somebody puts in its place makes no difference to it.
///
/// It is read rather than mapped, because a mapped file that is cut short in place ends the process.
final class FileReader: Sendable {
    private let number: CInt

    /// What the file looked like when it was opened.
    let fingerprint: FileFingerprint

    /// - Parameter number: an open descriptor, which is closed when this goes.
    init(owning number: CInt, _ fingerprint: FileFingerprint) {
        self.number = number
        self.fingerprint = fingerprint
    }

    deinit {
        close(number)
    }

    /// The bytes of a part of the file, as they were when it was opened. Throws where somebody has written it since.
    func read(_ range: Range<Int>) throws(SystemError) -> Data {
        guard let memory = malloc(max(range.count, 1)) else { throw SystemError(ENOMEM) }
        do throws(SystemError) {
            let buffer = UnsafeMutableRawBufferPointer(start: memory, count: range.count)
            guard try fill(buffer, from: range.lowerBound) == range.count else { throw .cutShort }
            try checkUnchanged()
        } catch {
            free(memory)
            throw error
        }
        // Only now: of a few bytes it makes a copy at once.
        return Data(bytesNoCopy: memory, count: range.count, deallocator: .free)
    }

    /// Reads as much as there is from a place, and as fits. What it returns is the count.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count, let base = buffer.baseAddress {
            let count = pread(number, base + done, buffer.count - done, off_t(offset + done))
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw .last
            }
        }
        return done
    }

    /// Throws when somebody has written the file since it was opened.
    func checkUnchanged() throws(SystemError) {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last }
        let now = FileFingerprint(status)
        if now.size < fingerprint.size { throw .cutShort }
        guard now.hasSameContent(as: fingerprint) else { throw .changed }
    }
}
