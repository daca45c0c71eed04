/// A binary property list (CFBinaryPList.c), which `PropertyListEncoder` writes by default, converted to JSON and back.
///
/// As JSON, its texts and numbers are visited under their names. Converting back writes the values that have changed; the rest
/// keeps its bytes. Data that is not UTF-8 is in base64.
struct BinaryPropertyList {
    private(set) var json: [UInt8] = []

    /// A Boolean value that indicates whether the list was read to its end.
    private(set) var isWhole = false

    private let bytes: Bytes
    /// The offsets of the objects, and the offset of their table, which follows the last object.
    private var offsets: [Int] = []
    private var table = 0
    private var referenceSize = 0

    /// The offsets of the keys, texts, numbers and literals of the JSON, in their order.
    private var items: [Range<Int>] = []

    private static let trailerSize = 32

    private enum Object {
        case text(Range<Int>), wideText(Range<Int>)
        case literal(String, end: Int)
        case array([Int]), map(keys: [Int], values: [Int])
    }

    /// Reads a property list; `nil` for bytes in another format.
    init?(_ bytes: Bytes) {
        guard bytes.has("bplist0", at: 0) else { return nil }
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        let size = Int(bytes.at(trailer + 6))
        guard trailer >= 8, 1...8 ~= size, 1...8 ~= bytes[trailer + 7],
            let count = bytes.number(at: trailer + 8, count: 8), count > 0, count <= UInt64(trailer / size),
            let top = bytes.number(at: trailer + 16, count: 8), top < count,
            let table = bytes.number(at: trailer + 24, count: 8), table <= UInt64(trailer - Int(count) * size)
        else { return }
        (self.table, referenceSize) = (Int(table), Int(bytes[trailer + 7]))
        offsets = (0..<Int(count)).map { index in
            bytes.number(at: Int(table) + index * size, count: size).map { Int(Swift.min($0, table)) } ?? 0
        }
        isWhole = read(Int(top), depth: 0)
    }

    // MARK: Reading

    /// Appends an object to the JSON; returns `false` at the first one that cannot be read.
    private mutating func read(_ index: Int, depth: Int, isKey: Bool = false) -> Bool {
        // Objects can be shared, so a small list can become endless.
        guard offsets.indices.contains(index), depth < JSONScanner.maximumDepth,
            json.count < 64 * bytes.count + 1 << 20,
            let object = object(at: offsets[index])
        else { return false }
        let start = offsets[index]
        switch object {
        case .text(let range):
            let content = bytes.part(range)
            append(content.firstInvalidUTF8 == nil ? Array(content) : Base64.encoded(Array(content)))
            items.append(start..<range.upperBound)
        case .wideText(let range):
            let units = stride(from: range.lowerBound, to: range.upperBound - 1, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            append(Array(String(decoding: units, as: UTF16.self).utf8))
            items.append(start..<range.upperBound)
        case .literal(let text, let end):
            if isKey { append(Array(text.utf8)) } else { json += text.utf8 }
            items.append(start..<end)
        case .array(let elements):
            guard !isKey else { return false }
            json.append(.openingBracket)
            for (position, element) in elements.enumerated() {
                if position > 0 { json.append(.comma) }
                guard read(element, depth: depth + 1) else { return false }
            }
            json.append(.closingBracket)
        case .map(let keys, let values):
            guard !isKey else { return false }
            json.append(.openingBrace)
            for (position, (key, value)) in zip(keys, values).enumerated() {
                if position > 0 { json.append(.comma) }
                guard read(key, depth: depth + 1, isKey: true) else { return false }
                json.append(.colon)
                guard read(value, depth: depth + 1) else { return false }
            }
            json.append(.closingBrace)
        }
        return true
    }

    private mutating func append(_ text: [UInt8]) { json += [.quote] + JSONString.escaped(text) + [.quote] }

    private func object(at start: Int) -> Object? {
        guard start >= 8, start < table else { return nil }
        let (kind, detail) = (bytes[start] >> 4, Int(bytes[start] & 15))
        /// Returns a number in `width` bytes.
        func literal(_ width: Int, _ text: (UInt64) -> String) -> Object? {
            bytes.number(at: start + 1, count: width).map { .literal(text($0), end: start + 1 + width) }
        }
        /// Returns the number as JSON writes it; `null` for one that JSON does not have.
        func real(_ number: Double) -> String { number.isFinite ? "\(number)" : "null" }
        switch kind {
        case 0: return literal(0) { _ in detail == 9 ? "true" : detail == 8 ? "false" : "null" }
        case 1 where detail < 5:
            return literal(1 << detail) { detail == 3 ? "\(Int64(bitPattern: $0))" : "\($0)" }
        case 2 where detail == 2: return literal(4) { real(Double(Float(bitPattern: UInt32($0)))) }
        case 2 where detail == 3, 3 where detail == 3: return literal(8) { real(Double(bitPattern: $0)) }
        case 8: return literal(detail + 1) { "\($0)" }
        default: break
        }
        var (first, count) = (start + 1, UInt64(detail))
        if detail == 15 {
            let width = 1 << Int(bytes.at(first) & 15)
            guard bytes.at(first) >> 4 == 1, width <= 8, let long = bytes.number(at: first + 1, count: width) else {
                return nil
            }
            (first, count) = (first + 1 + width, long)
        }
        let size = kind >= 10 ? referenceSize : kind == 6 ? 2 : 1
        guard first <= table, count <= UInt64((table - first) / size) else { return nil }
        let length = Int(count)
        func references(_ from: Int) -> [Int] {
            (from..<from + length).map { index in
                bytes.number(at: first + index * size, count: size).flatMap { Int(exactly: $0) } ?? -1
            }
        }
        switch kind {
        case 4, 5: return .text(first..<first + length)
        case 6: return .wideText(first..<first + length * 2)
        case 10, 11, 12: return .array(references(0))
        case 13: return .map(keys: references(0), values: references(length))
        default: return nil
        }
    }

    // MARK: Writing

    /// Returns the list with the changes to its JSON; the JSON itself if its parts are no longer the same.
    func document(_ changed: [UInt8]) -> [UInt8] {
        let (old, new) = (Self.parts(of: json), Self.parts(of: changed))
        guard old.count == new.count, old.count <= items.count else { return changed }
        // A shared object is written once.
        var edits: [Int: Edit] = [:]
        for (item, (old, new)) in zip(items, zip(old, new)) where !json[old].elementsEqual(changed[new]) {
            edits[item.lowerBound] = Edit(range: item, text: encoded(changed[new], inPlaceOf: item.lowerBound))
        }
        return applying(edits.values.sorted { $0.range.lowerBound < $1.range.lowerBound })
    }

    /// Returns the list with the edits made, and with the offsets of the objects behind them.
    private func applying(_ edits: [Edit]) -> [UInt8] {
        guard var result = Edit.apply(edits, to: bytes.part(0..<table)) else { return Array(bytes) }
        let newTable = UInt64(result.count)
        let size = 8
        var moved = offsets
        var (next, shift) = (0, 0)
        for index in offsets.indices.sorted(by: { offsets[$0] < offsets[$1] }) {
            while next < edits.count, edits[next].range.lowerBound < offsets[index] {
                shift += edits[next].text.count - edits[next].range.count
                next += 1
            }
            moved[index] = offsets[index] + shift
        }
        for offset in moved { result += UInt64(offset).bytes(size) }
        var trailer = Array(bytes.part(bytes.count - Self.trailerSize..<bytes.count))
        trailer[6] = UInt8(size)
        trailer.replaceSubrange(24..., with: newTable.bytes(8))
        return result + trailer
    }

    private func encoded(_ part: ArraySlice<UInt8>, inPlaceOf start: Int) -> [UInt8] {
        let isQuoted = part.first == .quote
        let text = (isQuoted ? part.dropFirst().dropLast() : part).withUnsafeBufferPointer {
            JSONString.unescapedLeniently($0)
        }
        switch object(at: start) {
        case .literal:
            let number = String(decoding: text, as: UTF8.self)
            if let value = Int64(number) { return [0x13] + UInt64(bitPattern: value).bytes(8) }
            return [0x23] + (Double(number) ?? 0).bitPattern.bytes(8)
        case .text(let content) where bytes[start] >> 4 == 4:
            if bytes.part(content).firstInvalidUTF8 != nil, !text.contains(.hyphen),
                let data = text.withUnsafeBufferPointer({ Base64.decoded($0) })
            {
                return Self.head(4, data.count) + data
            }
            return Self.head(4, text.count) + text
        default:
            if text.allSatisfy({ $0 < 0x80 }) { return Self.head(5, text.count) + text }
            let units = Array(String(decoding: text, as: UTF8.self).utf16)
            return Self.head(6, units.count) + units.flatMap { UInt64($0).bytes(2) }
        }
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + UInt64(count).bytes(4)
    }

    /// Returns the ranges of the keys and scalars of JSON, as far as it goes.
    private static func parts(of json: [UInt8]) -> [Range<Int>] {
        json.withUnsafeBufferPointer { bytes in
            var parts: [Range<Int>] = []
            var scanner = JSONScanner(bytes)
            try? scanner.walk { token in
                switch token {
                case .key(let value), .scalar(let value): parts.append(value.range)
                default: break
                }
            }
            return parts
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the number in `count` bytes, the highest first; `nil` where there are fewer.
    ///
    /// Of more than 8 bytes the lowest count.
    func number(at start: Int, count length: Int) -> UInt64? {
        guard start >= 0, length <= count, start <= count - length else { return nil }
        return part(start..<start + length).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UInt64 {
    /// Returns the lowest `count` bytes, the highest of them first.
    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: self >> UInt64(8 * $0)) }
    }
}
