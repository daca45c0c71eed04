/// The last look at a part of a stub before it is stored: which finds values that were replaced and are still there.
///
/// It knows no names, no providers and no formats, so that a gap in what redacts a stub is not a gap here. It searches the
/// bytes as they are, without percent-encoding, as hexadecimal digits, and as base64 in both alphabets from each offset.
struct LastLook {
    /// A value that was found, and what it is replaced by in its place: a text of the same length.
    struct Finding {
        let value: [UInt8]
        let filler: [UInt8]
    }

    /// The values by a hash of their last eight bytes.
    ///
    /// Tokens of one kind often begin alike, and rarely end alike.
    private var values: [UInt64: [(value: [UInt8], isWord: Bool)]] = [:]

    /// The Boolean values that indicate for parts of such hashes whether there is a value.
    private var mayEnd = [Bool](repeating: false, count: 1 << 16)

    /// Adds a value.
    ///
    /// One that may be a part of a longer word by chance is found only where nothing is next to it.
    mutating func insert(_ value: [UInt8], _ reach: ValueFinder.Reach) {
        guard value.count >= 8, reach != .whole else { return }
        let key = value.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        values[key, default: []].append((value, reach == .word))
        mayEnd[Self.slot(key)] = true
    }

    private static func slot(_ key: UInt64) -> Int { Int((key &* 0x9E37_79B9_7F4A_7C15) >> 48) }

    /// Returns bytes without the values, and what was found; `nil` where there are none.
    ///
    /// Each value is replaced by as many bytes, which are written in the same way, so that everything around stays as it is.
    func cleaned(_ bytes: Bytes) -> (bytes: [UInt8], findings: [Finding])? {
        guard !values.isEmpty, bytes.count >= 8 else { return nil }
        var result: [UInt8]?
        var findings: [Finding] = []
        for view in DecodedView.views(of: bytes) {
            for (end, value) in hits(in: view, of: bytes) {
                let filler = Self.filler(for: value)
                findings.append(Finding(value: value, filler: filler))
                var text = result ?? Array(bytes)
                for (offset, byte) in filler.enumerated() {
                    view.write(byte, at: end - value.count + offset, in: &text)
                }
                result = text
            }
        }
        return result.map { ($0, findings) }
    }

    private func hits(in view: DecodedView, of text: Bytes) -> [(end: Int, value: [UInt8])] {
        var result: [(end: Int, value: [UInt8])] = []
        view.bytes.withUnsafeBufferPointer { bytes in
            var key: UInt64 = 0
            for position in 0..<bytes.count {
                key = key << 8 | UInt64(bytes[position])
                guard mayEnd[Self.slot(key)], position >= 7, let candidates = values[key] else { continue }
                let end = position + 1
                let hit = candidates.first { value, isWord in
                    let start = end - value.count
                    guard start >= 0, bytes.part(start..<end).elementsEqual(value) else { return false }
                    // In a binary format, the byte before a value may be its length, and a letter by chance.
                    guard isWord, !text.isBinary else { return true }
                    return view.isText && !bytes.at(start - 1).isAlphanumeric && !bytes.at(end).isAlphanumeric
                }
                if let hit { result.append((end, hit.value)) }
            }
        }
        return result
    }

    /// Returns the text that takes a value's place, with as many characters.
    static func filler(for value: [UInt8]) -> [UInt8] {
        if value.allSatisfy(\.isDigit) { return Placeholder.digits(count: value.count, index: 0) }
        let zeros = [UInt8](repeating: .zero, count: value.count)
        return Array((Placeholder.unnumbered + zeros).prefix(value.count))
    }
}

/// Bytes that stand in a text in one of the ways in which texts encode bytes.
private struct DecodedView {
    private enum Coding { case plain, percent, hex, base64 }

    private(set) var bytes: [UInt8] = []
    private var coding = Coding.plain

    /// The offset in the text of each byte, for percent-encoding alone.
    private var origins: [Int] = []

    /// The offset in the text at which the digits begin.
    private var start = 0

    /// A Boolean value that indicates whether what is next to a byte is next to it in the text too.
    var isText: Bool { coding == .plain || coding == .percent }

    /// Returns the ways in which a text can be read.
    static func views(of text: Bytes) -> [DecodedView] {
        var result = [DecodedView(bytes: Array(text))]
        if text.contains(.percent) { result.append(percentDecoded(text)) }
        var next = 0
        while next < text.count {
            let start = next
            var hexCount = 0
            while next < text.count, text[next].isBase64 {
                hexCount = text[next].hexValue == nil ? 0 : hexCount + 1
                next += 1
                let endsHex = next == text.count || text[next].hexValue == nil
                guard hexCount >= 16, endsHex else { continue }
                for first in [next - hexCount, next - hexCount + 1] { result.append(hexDecoded(text, first..<next)) }
            }
            if next - start >= 11 {
                for first in start..<start + 4 { result.append(base64Decoded(text, first..<next)) }
            }
            next += 1
        }
        return result
    }

    private static func percentDecoded(_ text: Bytes) -> DecodedView {
        var view = DecodedView(coding: .percent)
        var position = 0
        while position < text.count {
            let decoded = PercentEncoding.byte(in: text, at: position)
            view.bytes.append(decoded ?? text[position])
            view.origins.append(position)
            position += decoded == nil ? 1 : 3
        }
        return view
    }

    private static func hexDecoded(_ text: Bytes, _ range: Range<Int>) -> DecodedView {
        var view = DecodedView(coding: .hex, start: range.lowerBound)
        view.bytes = stride(from: range.lowerBound, to: range.upperBound - 1, by: 2).map {
            (text[$0].hexValue ?? 0) << 4 | (text[$0 + 1].hexValue ?? 0)
        }
        return view
    }

    private static func base64Decoded(_ text: Bytes, _ range: Range<Int>) -> DecodedView {
        var view = DecodedView(coding: .base64, start: range.lowerBound)
        view.bytes.reserveCapacity(range.count * 3 / 4)
        var (bits, count): (UInt32, Int) = (0, 0)
        for position in range {
            bits = bits << 6 | UInt32(base64Value(text[position]))
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            view.bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return view
    }

    /// Writes a byte into the text from which the view was read.
    func write(_ byte: UInt8, at position: Int, in text: inout [UInt8]) {
        switch coding {
        case .plain: text[position] = byte
        case .percent:
            let origin = origins[position]
            if text[origin] == .percent {
                (text[origin + 1], text[origin + 2]) = byte.hexDigits()
            } else {
                text[origin] = byte
            }
        case .hex:
            let origin = start + 2 * position
            let isUppercase = text[origin].isUppercase || text[origin + 1].isUppercase
            (text[origin], text[origin + 1]) = byte.hexDigits(lowercase: !isUppercase)
        case .base64:
            for bit in 0..<8 {
                let place = 8 * position + bit
                let mask = UInt8(32) >> UInt8(place % 6)
                let old = Self.base64Value(text[start + place / 6])
                let new = byte & (128 >> UInt8(bit)) == 0 ? old & ~mask : old | mask
                guard new != old else { continue }
                text[start + place / 6] = Self.base64Digits[Int(new)]
            }
        }
    }

    private static let base64Digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let base64Values: [UInt8] = {
        var result = [UInt8](repeating: 0, count: 256)
        for (value, digit) in base64Digits.enumerated() { result[Int(digit)] = UInt8(value) }
        (result[Int(UInt8.hyphen)], result[Int(UInt8.underscore)]) = (62, 63)
        return result
    }()

    private static func base64Value(_ digit: UInt8) -> UInt8 { base64Values[Int(digit)] }
}
