/// The final scan of a part of a stub before it is stored: it finds values that were replaced and are still there.
///
/// It does not use names, providers and formats, so a gap in the rules for these is not a gap here. It searches the bytes as
/// they are, without percent-encoding, as hexadecimal digits, and as base64 in both alphabets from each offset.
struct FinalScan {
    /// A value that was found, and the text of the same length that replaces it.
    struct Finding {
        let value: [UInt8]
        let filler: [UInt8]
    }

    private struct Entry {
        let value: [UInt8]
        let isWord: Bool
        /// The number of the value's bits behind the digits of base64 by which it is found.
        var rest = 0
    }

    /// The values by their last eight bytes.
    ///
    /// Tokens of one kind often begin alike, and rarely end alike.
    private var values: [UInt64: [Entry]] = [:]

    /// The values by the last eight base64 digits that contain only their bits, for each offset of a value in a digit.
    private var encodedValues: [UInt64: [Entry]] = [:]

    /// The Boolean values that indicate whether a value may have a key, by the slots of the keys of both dictionaries.
    ///
    /// Empty without values: most scans have none, and the memory takes longer than the scan.
    private var mayEnd: [Bool] = []

    private static func slot(_ key: UInt64) -> Int { Int((key &* 0x9E37_79B9_7F4A_7C15) &>> 48) }

    /// Adds a value.
    ///
    /// One that may be a part of a longer word by chance is found only where nothing is next to it.
    mutating func insert(_ value: [UInt8], _ reach: ValueFinder.Reach) {
        guard value.count >= 8, reach != .whole else { return }
        if mayEnd.isEmpty { mayEnd = [Bool](repeating: false, count: 1 << 16) }
        let isWord = reach == .word
        let key = value.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        values[key, default: []].append(Entry(value: value, isWord: isWord))
        mayEnd[Self.slot(key)] = true
        guard !isWord else { return }
        for offset in [0, 2, 4] {
            let rest = (offset + 8 * value.count) % 6
            let end = 8 * value.count - rest
            var key: UInt64 = 0
            for bit in end - 48..<end {
                let byte = UInt64(value[bit / 8])
                key = key << 1 | (byte >> UInt64(7 - bit % 8)) & 1
            }
            encodedValues[key, default: []].append(Entry(value: value, isWord: false, rest: rest))
            mayEnd[Self.slot(key)] = true
        }
    }

    /// Returns bytes without the values, and what was found; `nil` where there are none.
    ///
    /// Each value is replaced by as many bytes, which are written in the same way, so that everything around stays as it is.
    func cleaned(_ bytes: Bytes) -> (bytes: [UInt8], findings: [Finding])? {
        guard !values.isEmpty, bytes.count >= 8 else { return nil }
        let hits = hits(in: bytes) + percentEncodedHits(in: bytes)
        guard !hits.isEmpty else { return nil }
        var result = Array(bytes)
        let findings = hits.map { hit in
            let finding = Finding(value: hit.value, filler: Self.filler(for: hit.value))
            for (index, byte) in finding.filler.enumerated() { hit.place.write(byte, at: index, in: &result) }
            return finding
        }
        return (result, findings)
    }

    /// Returns the text of the same length that replaces a value.
    static func filler(for value: [UInt8]) -> [UInt8] {
        if value.allSatisfy(\.isDigit) { return Placeholder.digits(count: value.count, index: 0) }
        let zeros = [UInt8](repeating: .zero, count: value.count)
        return Array((Placeholder.unnumbered + zeros).prefix(value.count))
    }

    // MARK: Searching

    private typealias Hit = (value: [UInt8], place: EncodedPlace)

    /// Returns the values, and their places.
    ///
    /// One loop reads the bytes in three ways at once. The last eight bytes that each of them has are a key; where one may be
    /// a value's, the value is compared.
    private func hits(in bytes: Bytes) -> [Hit] {
        var result: [Hit] = []
        func compare(_ entries: [Entry]?, _ end: Int, _ place: (Entry) -> EncodedPlace) {
            for entry in entries ?? [] {
                let place = place(entry)
                guard place.holds(entry.value, in: bytes), isMeant(entry, place, end, in: bytes) else { continue }
                result.append((entry.value, place))
                return
            }
        }
        func comparePlain(_ key: UInt64, _ end: Int) {
            compare(values[key], end) { .plain(start: end - $0.value.count) }
        }
        func compareHexadecimal(_ key: UInt64, _ end: Int) {
            compare(values[key], end) { .hexadecimal(start: end - 2 * $0.value.count) }
        }
        func compareBase64(_ key: UInt64, _ end: Int) {
            compare(encodedValues[key], end) { .base64(bit: 6 * end + $0.rest - 8 * $0.value.count) }
        }
        mayEnd.withUnsafeBufferPointer { mayEnd in
            Base64.values.withUnsafeBufferPointer { digits in
                guard let text = bytes.baseAddress, let mayEnd = mayEnd.baseAddress, let digits = digits.baseAddress
                else { return }
                // No iterator and no array: quick in debug builds too, in which stub files are recorded.
                var (plain, hexadecimal, base64): (UInt64, UInt64, UInt64) = (0, 0, 0)
                var (hexadecimalCount, base64Count, end) = (0, 0, 0)
                let count = bytes.count
                while end < count {
                    let byte = text[end]
                    end &+= 1
                    plain = plain &<< 8 | UInt64(byte)
                    if mayEnd[Self.slot(plain)] { comparePlain(plain, end) }
                    let digit = digits[Int(byte)]
                    guard digit < 64 else {
                        (hexadecimalCount, base64Count) = (0, 0)
                        continue
                    }
                    base64Count &+= 1
                    base64 = (base64 &<< 6 | UInt64(digit)) & 0xFFFF_FFFF_FFFF
                    if base64Count >= 8, mayEnd[Self.slot(base64)] { compareBase64(base64, end) }
                    guard let digit = byte.hexValue else {
                        hexadecimalCount = 0
                        continue
                    }
                    hexadecimalCount &+= 1
                    hexadecimal = hexadecimal &<< 4 | UInt64(digit)
                    if hexadecimalCount >= 16, mayEnd[Self.slot(hexadecimal)] { compareHexadecimal(hexadecimal, end) }
                }
            }
        }
        return result
    }

    /// Returns a Boolean value that indicates whether a word is by itself.
    private func isMeant(_ entry: Entry, _ place: EncodedPlace, _ end: Int, in bytes: Bytes) -> Bool {
        guard entry.isWord else { return true }
        guard case .plain(let start) = place else { return false }
        // In a binary format, the byte before a value may be its length, and a letter by chance.
        return !bytes.at(start - 1).isAlphanumeric && !bytes.at(end).isAlphanumeric || bytes.isBinary
    }

    /// Returns the values that have percent-encoded bytes.
    private func percentEncodedHits(in bytes: Bytes) -> [Hit] {
        guard bytes.contains(.percent) else { return [] }
        var decoded: [UInt8] = []
        var origins: [Int] = []
        var position = 0
        while position < bytes.count {
            let byte = PercentEncoding.byte(in: bytes, at: position)
            decoded.append(byte ?? bytes[position])
            origins.append(position)
            position += byte == nil ? 1 : 3
        }
        origins.append(bytes.count)
        return decoded.withUnsafeBufferPointer { hits(in: $0) }.compactMap { value, place in
            guard case .plain(let start) = place else { return nil }
            let places = Array(origins[start...start + value.count])
            return places[value.count] - places[0] == value.count ? nil : (value, .percent(origins: places))
        }
    }
}

/// The place of a value in a text, in one of the ways in which texts encode bytes.
private enum EncodedPlace {
    case plain(start: Int)
    case hexadecimal(start: Int)
    /// The place in base64, by the first bit.
    case base64(bit: Int)
    /// The offset of each byte in percent-encoding.
    case percent(origins: [Int])

    /// Returns a Boolean value that indicates whether a value is there.
    func holds(_ value: [UInt8], in text: Bytes) -> Bool {
        switch self {
        case .plain(let start):
            return start >= 0 && text.part(start..<start + value.count).elementsEqual(value)
        case .hexadecimal(let start):
            return start >= 0
                && value.indices.allSatisfy { index in
                    (text.at(start + 2 * index).hexValue, text.at(start + 2 * index + 1).hexValue)
                        == (value[index] >> 4, value[index] & 15)
                }
        case .base64(let bit):
            return bit >= 0 && value.indices.allSatisfy { Self.pair(at: bit + 8 * $0, in: text)?.byte == value[$0] }
        case .percent: return true
        }
    }

    /// Writes a byte of a value.
    func write(_ byte: UInt8, at index: Int, in text: inout [UInt8]) {
        switch self {
        case .plain(let start): text[start + index] = byte
        case .hexadecimal(let start):
            let origin = start + 2 * index
            let isUppercase = text[origin].isUppercase || text[origin + 1].isUppercase
            (text[origin], text[origin + 1]) = byte.hexDigits(lowercase: !isUppercase)
        case .percent(let origins):
            let origin = origins[index]
            if origins[index + 1] - origin == 3 {
                (text[origin + 1], text[origin + 2]) = byte.hexDigits()
            } else {
                text[origin] = byte
            }
        case .base64(let bit):
            let bit = bit + 8 * index
            guard let pair = text.withUnsafeBufferPointer({ Self.pair(at: bit, in: $0) }), pair.byte != byte else {
                return
            }
            let mask = UInt16(0xFF) << pair.shift
            let digits = pair.digits & ~mask | UInt16(byte) << pair.shift
            text[bit / 6] = Base64.digits[Int(digits >> 6)]
            text[bit / 6 + 1] = Base64.digits[Int(digits & 63)]
        }
    }

    /// Returns the two digits that hold the byte from a bit on; `nil` where there are no digits.
    private static func pair(at bit: Int, in text: Bytes) -> (byte: UInt8, digits: UInt16, shift: UInt16)? {
        let (first, second) = (Base64.values[Int(text.at(bit / 6))], Base64.values[Int(text.at(bit / 6 + 1))])
        guard first < 64, second < 64 else { return nil }
        let digits = UInt16(first) << 6 | UInt16(second)
        let shift = UInt16(4 - bit % 6)
        return (UInt8(truncatingIfNeeded: digits >> shift), digits, shift)
    }
}
