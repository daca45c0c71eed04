import Foundation

/// The MD5 digest (RFC 1321), which digest authentication asks for.
enum MD5 {
    /// The digest as 32 hexadecimal digits: `900150983cd24fb0d6963f7d28e17f72` for `abc`.
    static func hex(_ text: String) -> String {
        var message = Array(text.utf8)
        let bitCount = UInt64(message.count) &* 8
        message.append(0x80)
        message.append(contentsOf: repeatElement(0, count: (120 - message.count % 64) % 64))
        message.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> ($0 * 8)) })

        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for start in stride(from: 0, to: message.count, by: 64) {
            let words = (0..<16).map { word(message, at: start + $0 * 4) }
            state = zip(state, mix(state, words)).map { $0 &+ $1 }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            .joined()
    }

    private static func mix(_ state: [UInt32], _ words: [UInt32]) -> [UInt32] {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let mixed: UInt32
            let index: Int
            switch step / 16 {
            case 0: (mixed, index) = ((b & c) | (~b & d), step)
            case 1: (mixed, index) = ((d & b) | (~d & c), (5 * step + 1) % 16)
            case 2: (mixed, index) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (mixed, index) = (c ^ (b | ~d), 7 * step % 16)
            }
            let sum = a &+ mixed &+ sines[step] &+ words[index]
            let shift = shifts[step / 16][step % 4]
            (a, b, c, d) = (d, b &+ ((sum << shift) | (sum >> (32 - shift))), b, c)
        }
        return [a, b, c, d]
    }

    private static func word(_ bytes: [UInt8], at index: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32($1 * 8) }
    }

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    /// The table T of the RFC: the whole part of 2^32 times the sine of 1, 2, 3 …
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
