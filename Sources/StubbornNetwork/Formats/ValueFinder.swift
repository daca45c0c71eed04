import Foundation

/// A search for any of many values in a text in one pass, which skips most of the text.
///
/// The values' first six bytes are compared by blocks of three (Wu and Manber, 1994): if a block is in none of the
/// values, the search moves on by four bytes. The time does not depend on the number of values.
struct ValueFinder {
    /// The surroundings in which a value counts as found.
    enum Reach {
        /// The whole value of a field, or a text between quotation marks.
        case whole
        /// A text with no letter or digit next to it.
        case word
        case everywhere
    }

    /// A spelling of a value.
    struct Pattern {
        enum Coding: Equatable {
            /// The unencoded value, or the value in an encoding in which its placeholder is also written.
            case plain
            case hex
            /// Base64, with the number of characters between the beginning of a group and the pattern.
            case base64(group: Int)
        }

        /// The bytes to look for.
        var bytes: [UInt8]
        /// The value that they stand for.
        var value: [UInt8]
        var coding = Coding.plain
        var reach = Reach.everywhere
    }

    struct Hit {
        var range: Range<Int>
        var pattern: Pattern
    }

    /// The patterns by their bytes.
    private var patterns: [[UInt8]: [Pattern]] = [:]
    /// The lengths of the patterns by their first six bytes, the longest first.
    private var lengths: [UInt64: [Int]] = [:]
    private var shifts = [UInt8](repeating: 4, count: 1 << 14)

    /// The fewest bytes of a value that can be found.
    static let minimumByteCount = 6

    /// Adds a value: literally, and percent-, form-, JSON-, XML-, base64- and hex-encoded.
    ///
    /// A value of fewer than 8 bytes is not searched for in base64 and hexadecimal digits, where it may occur by coincidence,
    /// unless `isShortEncoded` is `true`.
    mutating func insert(_ value: [UInt8], _ reach: Reach, isShortEncoded: Bool = false) {
        let forms = Self.forms(of: value)
        for form in forms { insert(Pattern(bytes: form, value: value, reach: reach)) }
        guard value.count >= 8 || isShortEncoded, reach != .whole else { return }
        insertHex(value)
        for form in forms { insertBase64(form, for: value) }
    }

    /// Returns the usual ways in which a value is written in other formats; `EscapedText` decodes the others.
    static func forms(of value: [UInt8]) -> Set<[UInt8]> {
        guard !value.allSatisfy({ $0.isUnreserved }) else { return [value] }
        let forms: Set<[UInt8]> = [
            value,
            PercentEncoding.encoded(value),
            PercentEncoding.encoded(value, spaceAsPlus: true),
            JSONString.escaped(value),
            JSONString.escaped(value, escapesSlashes: true),
        ]
        return forms.union(["&<>\"'", "&<>\"", "&<>", "&<\"", "&<"].map { XMLText.escaped(value, $0.utf8) })
    }

    /// Adds base64 of a value, at each of the three offsets that it can have in a group.
    ///
    /// `value` is a spelling of `secret`.
    mutating func insertBase64(_ value: [UInt8], for secret: [UInt8]? = nil) {
        for offset in 0..<3 {
            let (first, last) = ([0, 2, 3][offset], (offset + value.count) * 8 / 6)
            guard last - first >= 6 else { continue }
            let groups = [UInt8](repeating: 0, count: offset) + value
            let spellings = [false, true].map { Base64.encoded(groups, urlSafe: $0, padded: false)[first..<last] }
            for bytes in Set(spellings.map { Array($0) }) {
                insert(Pattern(bytes: bytes, value: secret ?? value, coding: .base64(group: first)))
            }
        }
    }

    mutating func insertHex(_ value: [UInt8]) {
        for lowercase in [true, false] {
            insert(Pattern(bytes: Self.hex(value, lowercase: lowercase), value: value, coding: .hex))
        }
    }

    static func hex(_ bytes: [UInt8], lowercase: Bool) -> [UInt8] {
        bytes.flatMap { $0.hexDigits(lowercase: lowercase) }
    }

    /// Adds one spelling of a value.
    mutating func insert(_ pattern: Pattern) {
        guard pattern.bytes.count >= Self.minimumByteCount else { return }
        pattern.bytes.withUnsafeBufferPointer { bytes in
            for start in 0..<4 {
                let hash = Self.hash(bytes, at: start)
                shifts[hash] = Swift.min(shifts[hash], UInt8(3 - start))
            }
            let key = Self.key(bytes, at: 0)
            lengths[key] = Set(lengths[key, default: []] + [bytes.count]).sorted(by: >)
        }
        patterns[pattern.bytes, default: []].append(pattern)
    }

    /// Returns the values in a text, from left to right and without overlaps; of several at one offset, the longest.
    func hits(in bytes: Bytes) -> [Hit] {
        guard !patterns.isEmpty, bytes.count >= 6 else { return [] }
        var isBinary: Bool?
        var result: [Hit] = []
        shifts.withUnsafeBufferPointer { shifts in
            var position = 0
            let last = bytes.count - 6
            while position <= last {
                let shift = Int(shifts[Self.hash(bytes, at: position + 3)])
                if shift > 0 {
                    position += shift
                } else if let hit = hit(in: bytes, at: position, &isBinary) {
                    result.append(hit)
                    position = hit.range.upperBound
                } else {
                    position += 1
                }
            }
        }
        return result
    }

    /// Returns the longest value at an offset.
    ///
    /// If thousands of tokens begin alike, this needs one lookup for each of their lengths.
    private func hit(in bytes: Bytes, at position: Int, _ isBinary: inout Bool?) -> Hit? {
        for length in lengths[Self.key(bytes, at: position)] ?? [] where position + length <= bytes.count {
            let range = position..<position + length
            // Of several values with the same spelling, the last one that was added.
            for pattern in (patterns[Array(bytes.part(range))] ?? []).reversed()
            where Self.isMeant(pattern.reach, bytes, range, &isBinary) {
                return Hit(range: range, pattern: pattern)
            }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether the bytes next to a range are allowed by a boundary rule.
    private static func isMeant(_ reach: Reach, _ bytes: Bytes, _ range: Range<Int>, _ isBinary: inout Bool?) -> Bool {
        let (before, after) = (bytes.at(range.lowerBound - 1), bytes.at(range.upperBound))
        switch reach {
        case .everywhere: return true
        case .whole:
            // 0 is the end of the text.
            return before.isOne(of: "\0\"'=>/:&\n") && after.isOne(of: "\0\"'</?&;,\\\r\n")
        case .word:
            if !after.isAlphanumeric, !before.isAlphanumeric || bytes.endsEscape(at: range.lowerBound) { return true }
            // In a binary format, the byte before a value may be its length, which may look like a letter.
            isBinary = isBinary ?? bytes.isBinary
            return isBinary == true
        }
    }

    private static func hash(_ bytes: Bytes, at position: Int) -> Int {
        let block = UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2])
        return Int((block &* 2_654_435_761) >> 18)
    }

    private static func key(_ bytes: Bytes, at position: Int) -> UInt64 {
        var key: UInt64 = 0
        for offset in 0..<6 { key = key << 8 | UInt64(bytes[position + offset]) }
        return key
    }
}

/// Base64 or hexadecimal digits in a text, around a value that was found in them.
struct EncodedText {
    /// The offsets of the digits, and of the padding after them.
    let range: Range<Int>
    let isHex: Bool

    /// The bytes that the digits stand for.
    let decoded: [UInt8]
    private let digits: Bytes

    /// Finds the digits around a hit, from the first whole group; `nil` for a value that is not encoded.
    init?(_ text: Bytes, around hit: ValueFinder.Hit) {
        let isHex = hit.pattern.coding == .hex
        let isDigit = { (byte: UInt8) in isHex ? byte.hexValue != nil : byte.isBase64 }
        let first = text.start(before: hit.range.lowerBound, while: isDigit)
        let end = text.end(from: hit.range.upperBound, while: isDigit)
        let decoded: [UInt8]?
        switch hit.pattern.coding {
        case .plain: return nil
        case .hex:
            range = first + (hit.range.lowerBound - first) % 2..<end - (end - hit.range.upperBound) % 2
            decoded = Self.bytes(ofHex: text.part(range))
        case .base64(let offset):
            let start = first + ((hit.range.lowerBound - offset - first) % 4 + 4) % 4
            let digits = start..<Swift.max(start, (end - start) % 4 == 1 ? end - 1 : end)
            range = start..<text.end(from: digits.upperBound) { $0 == .equals }
            decoded = Base64.decoded(text.part(digits))
        }
        guard let decoded else { return nil }
        (self.isHex, digits, self.decoded) = (isHex, text.part(range), decoded)
    }

    /// Returns the bytes that an even number of hexadecimal digits stands for; `nil` for any other text.
    static func bytes(ofHex digits: Bytes) -> [UInt8]? {
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { digits.hexByte(at: $0) }
        return bytes.count * 2 == digits.count ? bytes : nil
    }

    /// Returns the edit that replaces the digits with the digits of other bytes, in the same alphabet.
    func edit(_ bytes: [UInt8], isPadded: Bool = true) -> Edit {
        if isHex {
            let isUppercase = digits.contains(where: { $0.isUppercase })
            return Edit(range: range, text: ValueFinder.hex(bytes, lowercase: !isUppercase))
        }
        return Edit(range: range, text: Base64.encoded(bytes, like: digits, isPadded: isPadded))
    }
}
