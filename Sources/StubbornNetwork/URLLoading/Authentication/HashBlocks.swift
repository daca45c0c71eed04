import Foundation

/// What MD5 and SHA-256 have in common: both read a message as blocks of sixteen words, padded in the same way
/// (RFC 1321, section 3; FIPS 180-4, section 5.1.1), and differ in the order of a word's bytes.
enum HashBlocks {
    enum ByteOrder { case littleEndian, bigEndian }

    static let byteCount = 64

    /// Calls `process` with the sixteen words of every block; at least once, even for no data.
    static func forEach(of data: Data, _ order: ByteOrder, _ process: ([UInt32]) -> Void) {
        let tailCount = data.count % byteCount
        data.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count - tailCount, by: byteCount) {
                process(words(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + byteCount)]), order))
            }
        }
        var end = [UInt8](data.suffix(tailCount))
        end.append(0x80)
        while end.count % byteCount != byteCount - 8 { end.append(0) }
        end += bytes(UInt64(data.count) &* 8, order)
        end.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: byteCount) {
                process(words(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + byteCount)]), order))
            }
        }
    }

    /// The bytes of an integer, such as a word of the result.
    static func bytes<Word: FixedWidthInteger>(_ word: Word, _ order: ByteOrder) -> [UInt8] {
        let littleEndian = stride(from: 0, to: Word.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: word >> $0) }
        return order == .littleEndian ? littleEndian : littleEndian.reversed()
    }

    private static func words(_ block: UnsafeRawBufferPointer, _ order: ByteOrder) -> [UInt32] {
        stride(from: 0, to: block.count, by: 4).map { start in
            let word =
                UInt32(block[start]) | UInt32(block[start + 1]) << 8 | UInt32(block[start + 2]) << 16
                | UInt32(block[start + 3]) << 24
            return order == .littleEndian ? word : word.byteSwapped
        }
    }
}
