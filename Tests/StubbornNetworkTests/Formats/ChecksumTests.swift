import Foundation
import Testing

@testable import StubbornNetwork

struct ChecksumTests {
    /// The test vectors of the algorithm's authors, from `test_fnv.c`.
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
            ("chongo was here!\n", 0x4681_0940_EFF5_F915),
        ] as [(String, UInt64)]
    )
    func `the checksum is FNV-1a with 64 bits`(text: String, expected: UInt64) {
        var checksum = Checksum()
        text.withBytes { checksum.add($0) }
        #expect(checksum.value == expected)
        var slow = Checksum()
        for byte in text.utf8 { slow.add(byte) }
        #expect(slow.value == expected)
    }
}
