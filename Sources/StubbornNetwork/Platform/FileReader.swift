import Foundation

/// A file that stays open and is read in parts: what somebody puts in its place makes no difference to it.
///
/// It is read rather than mapped, because a mapped file that is cut short in place ends the process.
final class FileReader: Sendable {
    private let number: CInt

    /// - Parameter number: an open descriptor, which is closed when this goes.
    init(owning number: CInt) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// The bytes of a part of the file. Throws where the file is not that long any more.
    func read(_ range: Range<Int>) throws(SystemError) -> Data {
        var data = Data(count: range.count)
        var done = 0
        while done < range.count {
            let count = data.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { pread(number, $0 + done, range.count - done, off_t(range.lowerBound + done)) }
                    ?? 0
            }
            if count > 0 {
                done += count
            } else if count == 0 {
                throw .cutShort
            } else if errno != EINTR {
                throw .last
            }
        }
        return data
    }
}
