/// A text in UTF-16 (RFC 2781), and the same in UTF-8.
struct WideText {
    private let isBigEndian: Bool

    /// The text in UTF-8, a byte-order mark included.
    let narrow: [UInt8]

    /// Reads a text in UTF-16; `nil` for anything else.
    ///
    /// UTF-16 is recognised by its byte-order mark or by a NUL beside each of the first characters.
    init?(_ bytes: Bytes) {
        guard bytes.count >= 4, bytes.count % 2 == 0 else { return nil }
        if bytes[0] == 0xFF && bytes[1] == 0xFE {
            isBigEndian = false
        } else if bytes[0] == 0xFE && bytes[1] == 0xFF {
            isBigEndian = true
        } else {
            let head = Swift.min(bytes.count, 16)
            isBigEndian = bytes[0] == 0
            let nul = isBigEndian ? 0 : 1
            guard stride(from: 0, to: head, by: 2).allSatisfy({ bytes[$0 + nul] == 0 && bytes[$0 + 1 - nul] >= 9 })
            else {
                return nil
            }
        }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for start in stride(from: 0, to: bytes.count, by: 2) {
            let (first, second) = (UInt16(bytes[start]), UInt16(bytes[start + 1]))
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        narrow = Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Returns another text in the same encoding.
    func widened(_ narrow: [UInt8]) -> [UInt8] {
        String(decoding: narrow, as: UTF8.self).utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
            return isBigEndian ? [high, low] : [low, high]
        }
    }
}
