/// The FNV-1a hash with 64 bits, which detects damaged bytes and distinguishes stubs.
///
/// It does not protect against attackers. See Fowler, Noll, Vo and Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
struct Checksum: Sendable {
    /// The hash of the added bytes.
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init() {}

    /// Creates the hash of a text.
    init(_ text: String) { text.withBytes { add($0) } }

    /// Adds bytes after those that were added before.
    mutating func add(_ bytes: Bytes) {
        guard let base = bytes.baseAddress else { return }
        // Eight bytes at a time, and no iterator: this is fast in debug builds too, in which stub files are recorded.
        let raw = UnsafeRawPointer(base)
        var hash = value
        var index = 0
        while index &+ 8 <= bytes.count {
            var word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            var rest = 8
            while rest > 0 {
                hash = (hash ^ (word & 0xFF)) &* 0x100_0000_01B3
                word &>>= 8
                rest &-= 1
            }
            index &+= 8
        }
        while index < bytes.count {
            hash = (hash ^ UInt64(base[index])) &* 0x100_0000_01B3
            index &+= 1
        }
        value = hash
    }

    /// Adds a byte.
    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

extension UInt64 {
    /// The number in sixteen hexadecimal digits.
    var hexadecimal: String { digits(16, radix: 16) }
}

extension BinaryInteger {
    /// Returns at least `count` digits of the number, with zeros in front of it.
    func digits(_ count: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
    }
}
