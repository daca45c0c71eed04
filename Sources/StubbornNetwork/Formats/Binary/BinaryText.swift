/// An item of a binary format.
struct BinaryItem {
    enum Kind {
        /// Text in UTF-8, or bytes.
        case string(Range<Int>)
        /// Text in UTF-16, the higher byte first.
        case utf16(Range<Int>)
        /// A number, a truth value or null, as JSON writes it.
        case literal(String)
        /// An array, or a map with keys and values in turns; without a count it goes on up to `end`.
        case list(isMap: Bool, count: Int?)
        case end
    }

    let kind: Kind

    /// The offsets of the item; of a list, those of what comes before its first element.
    let range: Range<Int>
}

/// A reader of one binary format.
protocol BinaryReader {
    var bytes: Bytes { get }

    /// The offset of the first item.
    var start: Int { get }

    /// A Boolean value that indicates whether other items may follow the first.
    var isSequence: Bool { get }

    /// Returns the item at an offset; `nil` where there is none. A string that is cut off ends where the bytes do.
    func item(at offset: Int) -> BinaryItem?

    /// Returns the offset of a list's element; `nil` where it follows the one before.
    func offset(ofElement index: Int, in list: BinaryItem) -> Int?

    /// Returns a text or bytes in place of those that begin with `head`.
    func string(_ content: [UInt8], head: UInt8) -> [UInt8]

    /// Returns a number: `isNegative` has its two's complement in `bits`, `isFraction` the pattern of a `Double`.
    func number(_ bits: UInt64, isNegative: Bool, isFraction: Bool) -> [UInt8]

    /// Returns the document with the edits made.
    func applying(_ edits: [Edit]) -> [UInt8]
}

extension BinaryReader {
    var start: Int { 0 }
    var isSequence: Bool { true }

    func offset(ofElement index: Int, in list: BinaryItem) -> Int? { nil }

    func applying(_ edits: [Edit]) -> [UInt8] { Edit.apply(edits, to: bytes) ?? Array(bytes) }

    /// Returns an item with `count` bytes of text behind `head`, as many as there are.
    func string(from start: Int, head: Int, count: UInt64) -> BinaryItem {
        let end = start + Int(Swift.min(count, UInt64(bytes.count - start)))
        return BinaryItem(kind: .string(start..<end), range: head..<end)
    }

    /// Returns an array or a map; `nil` for one with more elements than there are bytes.
    func list(_ range: Range<Int>, isMap: Bool, count: UInt64) -> BinaryItem? {
        guard count <= UInt64(bytes.count) else { return nil }
        return BinaryItem(kind: .list(isMap: isMap, count: Int(count)), range: range)
    }
}

/// A document in a binary format as JSON, and the way back.
///
/// So its texts and numbers are visited under their names, as those of any JSON. What changes there is written in its
/// place in the document, with the lengths before it; the rest keeps its bytes. What is not UTF-8 is in base64.
struct BinaryText {
    private(set) var json: [UInt8] = []

    /// A Boolean value that indicates whether the document was read to its end.
    private(set) var isWhole = true

    private let reader: any BinaryReader

    /// The offsets in the document of the keys, texts, numbers and literals of the JSON, in their order.
    private var items: [Range<Int>] = []

    /// Reads a document that claims to have a content type, given in lower case; `nil` for one of another format.
    init?(_ bytes: Bytes, type: String) {
        if bytes.has("bplist0", at: 0) {
            reader = BinaryPropertyList(bytes)
        } else if bytes.at(0) >= 0x80, type.contains("cbor") {
            reader = CBOR(bytes: bytes)
        } else if bytes.at(0) >= 0x80, type.contains("msgpack") || type.contains("messagepack") {
            reader = MessagePack(bytes: bytes)
        } else {
            return nil
        }
        isWhole = read()
    }

    private struct Frame {
        let list: BinaryItem
        let isMap: Bool
        var count: Int
        var index = 0
    }

    /// Reads the items one by one, without recursion; returns `false` at what is none.
    private mutating func read() -> Bool {
        let bytes = reader.bytes
        // The elements of property lists are shared, so that a small one may be endless.
        let limit = 64 * bytes.count + 1 << 20
        var frames: [Frame] = []
        var position = reader.start
        repeat {
            let last = frames.count - 1
            var isKey = false
            if last >= 0 {
                let frame = frames[last]
                if frame.index == frame.count {
                    json.append(frame.isMap ? .closingBrace : .closingBracket)
                    frames.removeLast()
                    continue
                }
                isKey = frame.isMap && frame.index % 2 == 0
                position = reader.offset(ofElement: frame.index, in: frame.list) ?? position
            } else if !json.isEmpty {
                json.append(.lineFeed)
            }
            guard let item = reader.item(at: position), json.count < limit else { return false }
            position = item.range.upperBound
            if case .end = item.kind {
                guard last >= 0, frames[last].count == .max, isKey || !frames[last].isMap else { return false }
                frames[last].count = frames[last].index
                continue
            }
            if last >= 0 {
                if frames[last].index > 0 { json.append(frames[last].isMap && !isKey ? .colon : .comma) }
                frames[last].index += 1
            }
            if case .list(let isMap, let count) = item.kind {
                guard !isKey, frames.count < JSONScanner.maximumDepth else { return false }
                json.append(isMap ? .openingBrace : .openingBracket)
                frames.append(Frame(list: item, isMap: isMap, count: count.map { isMap ? 2 * $0 : $0 } ?? .max))
            } else {
                items.append(item.range)
                append(item, isKey: isKey)
            }
        } while !frames.isEmpty || (reader.isSequence && position < bytes.count)
        return true
    }

    private mutating func append(_ item: BinaryItem, isKey: Bool) {
        var text: [UInt8]
        switch item.kind {
        case .string(let range):
            let content = reader.bytes.part(range)
            text = content.firstInvalidUTF8 == nil ? Array(content) : Base64.encoded(Array(content))
        case .utf16(let range): text = Array(String(decoding: units(range), as: UTF16.self).utf8)
        case .literal(let literal):
            json += isKey ? [.quote] + literal.utf8 + [.quote] : Array(literal.utf8)
            return
        default: return
        }
        text = JSONString.escaped(text)
        json += [.quote] + text + [.quote]
    }

    private func units(_ range: Range<Int>) -> [UInt16] {
        stride(from: range.lowerBound, to: range.upperBound - 1, by: 2).map {
            UInt16(reader.bytes[$0]) << 8 | UInt16(reader.bytes[$0 + 1])
        }
    }

    // MARK: The way back

    /// Returns the document with what has changed in its JSON; the JSON itself where it has not the same parts any more.
    func document(_ changed: [UInt8]) -> [UInt8] {
        let (old, new) = (Self.parts(of: json), Self.parts(of: changed))
        guard old.count == new.count, old.count <= items.count else { return changed }
        var edits: [Int: Edit] = [:]
        for (item, (old, new)) in zip(items, zip(old, new)) where !json[old].elementsEqual(changed[new]) {
            // A part that property lists share is written once.
            edits[item.lowerBound] = Edit(range: item, text: encoded(changed[new], inPlaceOf: item))
        }
        return reader.applying(edits.values.sorted { $0.range.lowerBound < $1.range.lowerBound })
    }

    private func encoded(_ part: ArraySlice<UInt8>, inPlaceOf range: Range<Int>) -> [UInt8] {
        let isQuoted = part.first == .quote
        let text = (isQuoted ? part.dropFirst().dropLast() : part).withUnsafeBufferPointer {
            JSONString.unescapedLeniently($0)
        }
        let (head, kind) = (reader.bytes[range.lowerBound], reader.item(at: range.lowerBound)?.kind)
        if case .string(let content) = kind, reader.bytes.part(content).firstInvalidUTF8 != nil,
            !text.contains(.hyphen), let decoded = text.withUnsafeBufferPointer({ Base64.decoded($0) })
        {
            return reader.string(decoded, head: head)
        }
        guard case .literal = kind else { return reader.string(text, head: head) }
        let number = String(decoding: text, as: UTF8.self)
        if let value = UInt64(number) { return reader.number(value, isNegative: false, isFraction: false) }
        if let value = Int64(number) {
            return reader.number(UInt64(bitPattern: value), isNegative: true, isFraction: false)
        }
        return reader.number((Double(number) ?? 0).bitPattern, isNegative: false, isFraction: true)
    }

    /// Returns the ranges of the keys and scalars of JSON, as far as it goes.
    private static func parts(of json: [UInt8]) -> [Range<Int>] {
        json.withUnsafeBufferPointer { bytes in
            var parts: [Range<Int>] = []
            var scanner = JSONScanner(bytes)
            while scanner.current != nil {
                do {
                    try scanner.walk { token in
                        switch token {
                        case .key(let value), .scalar(let value): parts.append(value.range)
                        default: break
                        }
                    }
                } catch {
                    break
                }
                scanner.skipWhitespace()
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

    /// The least of 1, 2, 4 and 8 bytes that hold the number.
    var byteCount: Int { self < 1 << 8 ? 1 : self < 1 << 16 ? 2 : self < 1 << 32 ? 4 : 8 }
}

extension Double {
    /// The number as JSON writes it; `null` for what is none.
    var literal: String { isFinite ? "\(self)" : "null" }
}
