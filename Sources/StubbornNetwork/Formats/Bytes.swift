import Foundation

/// Bytes of a text or a body, which are read without a copy.
package typealias Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
    /// Returns the byte at an offset, and 0 outside.
    package func at(_ position: Int) -> UInt8 { position >= 0 && position < count ? self[position] : 0 }

    /// Returns the byte that two hexadecimal digits at an offset stand for; `nil` for other bytes.
    func hexByte(at position: Int) -> UInt8? {
        guard let high = at(position).hexValue, let low = at(position + 1).hexValue else { return nil }
        return high << 4 | low
    }

    /// Returns a Boolean value that indicates whether an escape ends at an offset: `\n`, `\u0022`, `\x22`, `%22`.
    func endsEscape(at end: Int) -> Bool {
        if at(end - 2) == .backslash { return at(end - 1).isOne(of: "bfnrt/") }
        guard hexByte(at: end - 2) != nil else { return false }
        return at(end - 3) == .percent || has("\\x", at: end - 4) || has("\\u", at: end - 6)
    }

    /// Returns a Boolean value that indicates whether a word may begin at an offset; an escape is not part of the word after it.
    func beginsWord(at start: Int) -> Bool { !at(start - 1).isWordPart || endsEscape(at: start) }

    /// Returns the bytes of a range, clamped to the existing ones.
    package func part(_ range: Range<Int>) -> Bytes { Bytes(rebasing: self[range.clamped(to: 0..<count)]) }

    /// Returns the offset of the first byte of a value at or after `start`.
    package func position(of byte: UInt8, from start: Int, to end: Int? = nil) -> Int? {
        let end = Swift.min(end ?? count, count)
        guard let base = baseAddress, start >= 0, start < end else { return nil }
        guard let found = memchr(base + start, Int32(byte), end - start) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// Returns a Boolean value that indicates whether the bytes contain a byte.
    ///
    /// Unlike the standard library's function, it is fast in debug builds too, in which stub files are recorded.
    func contains(_ byte: UInt8) -> Bool { position(of: byte, from: 0) != nil }

    /// Returns a Boolean value that indicates whether `text` is at an offset.
    func has(_ text: StaticString, at position: Int) -> Bool {
        has(Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount), at: position)
    }

    /// Returns a Boolean value that indicates whether other bytes are at an offset.
    func has(_ other: [UInt8], at position: Int) -> Bool { other.withUnsafeBufferPointer { has($0, at: position) } }

    private func has(_ other: Bytes, at position: Int) -> Bool {
        guard position >= 0, position <= count - other.count else { return false }
        guard let base = baseAddress, let start = other.baseAddress else { return true }
        return memcmp(base + position, start, other.count) == 0
    }

    /// Returns a Boolean value that indicates whether `text`, given in lower case, is at an offset in any case.
    func hasIgnoringCase(_ text: StaticString, at position: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard position >= 0, position <= count - length else { return false }
        return text.withUTF8Buffer { text in
            for offset in 0..<length where self[position + offset].lowercased != text[offset] { return false }
            return true
        }
    }

    /// Returns the first offset of a text at or after `start`.
    func position(of text: StaticString, from start: Int) -> Int? {
        position(of: Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount), from: start)
    }

    /// Returns the first offset of other bytes at or after `start`; that is `start` for no bytes.
    func position(of other: [UInt8], from start: Int) -> Int? {
        other.withUnsafeBufferPointer { position(of: $0, from: start) }
    }

    private func position(of other: Bytes, from start: Int) -> Int? {
        guard let first = other.first else { return start }
        var next = start
        while let found = position(of: first, from: next) {
            if has(other, at: found) { return found }
            next = found + 1
        }
        return nil
    }

    /// Returns the ranges of a text, none overlapping.
    func ranges(of text: [UInt8]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        while let start = position(of: text, from: result.last?.upperBound ?? 0) {
            result.append(start..<start + text.count)
        }
        return result
    }

    /// Returns a Boolean value that indicates whether a text has a word, of a name or a sentence.
    ///
    /// It is bounded by characters other than letters and digits, or by a capital that begins a word: `code` is a word
    /// in `error_code` and `codeName`, and not in `decode`.
    func hasWord(_ word: StaticString) -> Bool {
        let first = word.utf8Start.pointee
        let last = word.utf8Start[word.utf8CodeUnitCount - 1]
        func isBorder(_ before: UInt8, _ after: UInt8) -> Bool {
            !before.isAlphanumeric || !after.isAlphanumeric || after.isUppercase && !before.isUppercase
        }
        var next = 0
        while let start = position(of: word, from: next) {
            next = start + word.utf8CodeUnitCount
            if isBorder(at(start - 1), first), isBorder(last, at(next)) { return true }
        }
        return false
    }

    /// Returns the offset after the last byte, at or after `start`, for which `isMember` returns `true`.
    ///
    /// A closure is fast in debug builds, in which stub files are recorded; a key path is not.
    func end(from start: Int, while isMember: (UInt8) -> Bool) -> Int {
        var end = start
        while end < count, isMember(self[end]) { end += 1 }
        return end
    }

    /// Returns the offset from which `isMember` returns `true` for all bytes up to `end`.
    func start(before end: Int, while isMember: (UInt8) -> Bool) -> Int {
        var start = end
        while start > 0, isMember(self[start - 1]) { start -= 1 }
        return start
    }

    /// Returns a range without the white space at both ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        let first = part(0..<range.upperBound).end(from: range.lowerBound) { $0.isSpace }
        return first..<Swift.max(first, start(before: range.upperBound) { $0.isSpace })
    }

    /// Returns the ranges between the separators in a range.
    func parts(of range: Range<Int>, separatedBy separator: UInt8) -> [Range<Int>] {
        var result: [Range<Int>] = []
        result.reserveCapacity(4)
        var start = range.lowerBound
        while start < range.upperBound {
            let end = position(of: separator, from: start, to: range.upperBound) ?? range.upperBound
            result.append(start..<end)
            start = end + 1
        }
        return result
    }

    /// Returns a Boolean value that indicates whether the bytes are one of the names, given in lower case, in any case.
    func isOne(of names: [StaticString]) -> Bool {
        names.contains { count == $0.utf8CodeUnitCount && hasIgnoringCase($0, at: 0) }
    }

    /// A Boolean value that indicates whether there are both letters and digits.
    var isMixed: Bool { contains(where: { $0.isDigit }) && contains(where: { $0.isLetter }) }

    /// A Boolean value that indicates whether there are both capital and small letters.
    var hasBothCases: Bool { contains(where: { $0.isUppercase }) && contains(where: { $0.isLowercase }) }

    /// A Boolean value that indicates whether the bytes are not a text in UTF-8.
    var isBinary: Bool { contains(0) || firstInvalidUTF8 != nil }

    /// The bytes as text.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension Sequence<UInt8> {
    /// A Boolean value that indicates whether all bytes are digits.
    var areDigits: Bool { allSatisfy { $0.isDigit } }
}

extension String {
    /// Calls `body` with the text's bytes.
    package func withBytes<Result>(_ body: (Bytes) throws -> Result) rethrows -> Result {
        var copy = self
        return try copy.withUTF8(body)
    }
}

extension Data {
    /// Calls `body` with the data's bytes.
    package func withBytes<Result>(_ body: (Bytes) throws -> Result) rethrows -> Result {
        try withUnsafeBytes { try body($0.bindMemory(to: UInt8.self)) }
    }

    /// The same bytes with indices that begin at 0, as `URLSession` delivers them.
    ///
    /// A part of other data keeps the indices that it has there: the first index of `data[4...]` is 4, and reading its
    /// byte 0 crashes. Bytes that leave the library have indices that begin at 0.
    package var indexedFromZero: Data { startIndex == 0 ? self : Data(self) }

    /// Returns the bytes of a range that begins at 0.
    func part(_ range: Range<Int>) -> Data {
        self[startIndex + range.lowerBound..<startIndex + range.upperBound]
    }
}

extension BidirectionalCollection where Element: Equatable {
    /// Returns the number of equal elements at the start of two collections, and at the end of the remaining elements.
    func commonCounts(with other: some BidirectionalCollection<Element>) -> (start: Int, end: Int) {
        let start = zip(self, other).prefix { $0 == $1 }.count
        let end = zip(dropFirst(start).reversed(), other.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        return (start, end)
    }
}

extension Array {
    /// Returns the elements whose ranges overlap none of the others; both are in the order of the text.
    func apart(from others: [Range<Int>], _ range: (Element) -> Range<Int>) -> [Element] {
        var rest = others[...]
        return filter { element in
            let range = range(element)
            rest = rest.drop { $0.upperBound <= range.lowerBound }
            return rest.first.map { $0.lowerBound >= range.upperBound } ?? true
        }
    }
}

/// A replacement of a range of bytes.
struct Edit {
    var range: Range<Int>
    /// The bytes that replace the range.
    var text: [UInt8]

    /// Returns the shortest replacement in each line that differs; in the whole text if the numbers of lines differ.
    static func all(from old: Data, to new: Data) -> [Edit] {
        var lines = [old, new].map { $0.split(separator: .lineFeed, omittingEmptySubsequences: false) }
        if lines[0].count != lines[1].count { lines = [[old], [new]] }
        return zip(lines[0], lines[1]).filter { $0 != $1 }.map { line, other in
            let (start, end) = line.commonCounts(with: other)
            let first = line.startIndex - old.startIndex
            let range = first + start..<first + line.count - end
            return Edit(range: range, text: Array(other.dropFirst(start).dropLast(end)))
        }
    }

    /// Returns the bytes with the edits made; `nil` if there are no edits.
    ///
    /// If edits overlap, only the first one is made.
    static func apply(_ edits: [Edit], to bytes: Bytes) -> [UInt8]? {
        guard !edits.isEmpty else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + edits.count * 8)
        var end = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) where edit.range.lowerBound >= end {
            result.append(contentsOf: bytes.part(end..<edit.range.lowerBound))
            result.append(contentsOf: edit.text)
            end = edit.range.upperBound
        }
        result.append(contentsOf: bytes.part(end..<Swift.max(end, bytes.count)))
        return result
    }
}
