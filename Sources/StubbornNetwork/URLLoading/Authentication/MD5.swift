import Foundation

/// The message digest of RFC 1321, for digest authentication alone: it protects nothing, and servers still ask for it.
enum MD5 {
    /// The sixteen bytes of the digest.
    static func hash(_ data: Data) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        HashBlocks.forEach(of: data, .littleEndian) { words in
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for step in 0..<64 {
                let mixed: UInt32
                let word: Int
                switch step / 16 {
                case 0: (mixed, word) = ((b & c) | (~b & d), step)
                case 1: (mixed, word) = ((b & d) | (c & ~d), (5 * step + 1) % 16)
                case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
                default: (mixed, word) = (c ^ (b | ~d), 7 * step % 16)
                }
                let sum = a &+ mixed &+ sines[step] &+ words[word]
                let shift = shifts[step / 16][step % 4]
                (a, b, c, d) = (d, b &+ (sum << shift | sum >> (32 - shift)), b, c)
            }
            state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
        }
        return state.flatMap { HashBlocks.bytes($0, .littleEndian) }
    }

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    /// The RFC's table T: the first 32 bits of the fraction of each step's sine.
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
