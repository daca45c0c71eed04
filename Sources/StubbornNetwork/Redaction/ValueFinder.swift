/// A search for any of many values in a text in one pass, which skips most of the text.
///
/// The values' first six bytes are compared by blocks of three (Wu and Manber, 1994): a block that is in none of them
/// moves the search on by four bytes. The time does not depend on the number of values.
struct ValueFinder {
    /// A spelling of a value.
    struct Pattern {
        var bytes: [UInt8]
        var value: [UInt8]

        /// The number of characters between the beginning of a group and the pattern, for a value inside base64.
        ///
        /// It is `nil` for a value as it is, or encoded so that its placeholder is written in the same way.
        var groupOffset: Int?
        var needsBoundary = false
    }

    struct Hit {
        var range: Range<Int>
        var pattern: Pattern
    }

    private var patterns: [Pattern] = []
    private var shifts = [UInt8](repeating: 4, count: 1 << 14)
    private var buckets: [UInt64: [Int]] = [:]

    var isEmpty: Bool { patterns.isEmpty }

    static let empty = ValueFinder()

    /// A finder of base64 with a placeholder inside.
    static let placeholders: ValueFinder = {
        var finder = ValueFinder()
        finder.insertBase64(Array("REDACTED-".utf8))
        return finder
    }()

    /// Adds a value: as it is, percent-, form-, JSON-, XML- and base64-encoded.
    ///
    /// - Parameters:
    ///   - value: The bytes of the value.
    ///   - searchesNestedBase64: A Boolean value that indicates whether base64 of what is encoded already is added too.
    ///     It costs more than all else, and a request by itself hardly has a secret twice in such different ways.
    mutating func insert(_ value: [UInt8], searchesNestedBase64: Bool = true) {
        let needsBoundary = value.withUnsafeBufferPointer(SecretValues.needsBoundary)
        let forms = Self.forms(of: value)
        for form in forms {
            insert(Pattern(bytes: form, value: value, needsBoundary: needsBoundary))
        }
        guard value.count >= 8 || !needsBoundary else { return }
        let inner = insertBase64(value)
        guard searchesNestedBase64, value.count >= 12 else { return }
        for form in inner { insertBase64(form, for: value) }
        for form in forms where form != value { insertBase64(form, for: value) }
    }

    /// Returns the ways in which a value is written in other formats.
    ///
    /// A value that no format escapes has one.
    private static func forms(of value: [UInt8]) -> Set<[UInt8]> {
        guard !value.allSatisfy(\.isUnreserved) else { return [value] }
        var forms: Set<[UInt8]> = [
            value,
            PercentEncoding.encoded(value),
            PercentEncoding.encoded(value, lowercase: true),
            PercentEncoding.encoded(value, spaceAsPlus: true),
            // What scripts do not encode, and what a query may contain.
            PercentEncoding.encoded(value, keeping: "!'()*"),
            PercentEncoding.encoded(value, keeping: "!$'()*,;:@/?"),
            JSONString.escaped(value),
            JSONString.escaped(value, escapesSlashes: true),
        ]
        for characters: StaticString in ["&<>\"'", "&<>\"", "&<>", "&<\"", "&<"] {
            forms.insert(XMLText.escaped(value, characters))
        }
        guard value.contains(.apostrophe) || value.contains(.quote) else { return forms }
        for marks in [("&#34;", "&#39;"), ("&quot;", "&#39;"), ("&quot;", "&#x27;"), ("&quot;", "&#039;")] {
            forms.insert(
                XMLText.escaped(value, "&<>").flatMap { byte in
                    byte == .quote ? Array(marks.0.utf8) : byte == .apostrophe ? Array(marks.1.utf8) : [byte]
                }
            )
        }
        return forms
    }

    /// Adds a value inside base64, at each of the three offsets that it can have in a group.
    ///
    /// - Parameters:
    ///   - value: The bytes that are encoded.
    ///   - secret: The value inside `value`, where that is base64 itself.
    /// - Returns: The spellings in the standard alphabet.
    @discardableResult
    private mutating func insertBase64(_ value: [UInt8], for secret: [UInt8]? = nil) -> [[UInt8]] {
        var result: [[UInt8]] = []
        for offset in 0..<3 {
            let encoded = Base64.encoded([UInt8](repeating: 0, count: offset) + value, padded: false)
            let first = [0, 2, 3][offset]
            let last = (offset + value.count) * 8 / 6
            guard last - first >= 6 else { continue }
            let inner = Array(encoded[first..<Swift.min(last, encoded.count)])
            let urlSafe = inner.map { $0 == .plus ? .hyphen : $0 == .slash ? .underscore : $0 }
            for bytes in inner == urlSafe ? [inner] : [inner, urlSafe] {
                insert(Pattern(bytes: bytes, value: secret ?? value, groupOffset: first))
            }
            result.append(inner)
        }
        return result
    }

    private mutating func insert(_ pattern: Pattern) {
        guard pattern.bytes.count >= 6 else { return }
        pattern.bytes.withUnsafeBufferPointer { bytes in
            for start in 0..<4 {
                let hash = Self.hash(bytes, at: start)
                shifts[hash] = Swift.min(shifts[hash], UInt8(3 - start))
            }
            buckets[Self.key(bytes, at: 0), default: []].append(patterns.count)
        }
        patterns.append(pattern)
    }

    /// Returns the values in a text, from left to right, none overlapping; of several at one offset the longest.
    func hits(in bytes: Bytes) -> [Hit] {
        guard !patterns.isEmpty, bytes.count >= 6 else { return [] }
        var result: [Hit] = []
        shifts.withUnsafeBufferPointer { shifts in
            var position = 0
            let last = bytes.count - 6
            while position <= last {
                let shift = Int(shifts[Self.hash(bytes, at: position + 3)])
                if shift > 0 {
                    position += shift
                } else if let hit = hit(in: bytes, at: position) {
                    result.append(hit)
                    position = hit.range.upperBound
                } else {
                    position += 1
                }
            }
        }
        return result
    }

    private func hit(in bytes: Bytes, at position: Int) -> Hit? {
        guard let bucket = buckets[Self.key(bytes, at: position)] else { return nil }
        var best: Hit?
        for index in bucket {
            let pattern = patterns[index]
            let range = position..<position + pattern.bytes.count
            guard range.upperBound <= bytes.count, range.count > best?.range.count ?? 0,
                bytes.part(range).elementsEqual(pattern.bytes)
            else { continue }
            if pattern.needsBoundary, !Self.standsAlone(bytes, range) { continue }
            best = Hit(range: range, pattern: pattern)
        }
        return best
    }

    /// Returns a Boolean value that indicates whether no letter or digit is beside a range, but for those of an escape
    /// before it.
    private static func standsAlone(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
        guard !bytes.at(range.upperBound).isAlphanumeric else { return false }
        guard bytes.at(range.lowerBound - 1).isAlphanumeric else { return true }
        return bytes.at(range.lowerBound - 3) == .percent
            || (bytes.at(range.lowerBound - 2) == .backslash && "nrt".utf8.contains(bytes.at(range.lowerBound - 1)))
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
