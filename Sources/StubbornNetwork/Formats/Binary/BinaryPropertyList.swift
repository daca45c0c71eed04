/// Apple's binary property lists (CFBinaryPList.c): objects, a table of their offsets, and a trailer.
struct BinaryPropertyList: BinaryReader {
    let bytes: Bytes
    let start: Int
    let isSequence = false
    private var offsets: [Int] = []
    private var referenceSize = 0
    /// The offset of the table, behind the last object.
    private var table = 0

    private static let trailerSize = 32

    /// Reads table and trailer; where these are damaged, there are no items.
    init(_ bytes: Bytes) {
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        let size = Int(bytes.at(trailer + 6))
        guard trailer >= 8, 1...8 ~= size, 1...8 ~= bytes[trailer + 7],
            let count = bytes.number(at: trailer + 8, count: 8), count > 0, count <= UInt64(trailer / size),
            let top = bytes.number(at: trailer + 16, count: 8), top < count,
            let table = bytes.number(at: trailer + 24, count: 8), table <= UInt64(trailer - Int(count) * size)
        else {
            start = bytes.count
            return
        }
        (self.table, referenceSize) = (Int(table), Int(bytes[trailer + 7]))
        offsets = (0..<Int(count)).map { index in
            bytes.number(at: Int(table) + index * size, count: size).map { Int(Swift.min($0, table)) } ?? 0
        }
        start = offsets[Int(top)]
    }

    func item(at start: Int) -> BinaryItem? {
        guard start >= 8, start < table else { return nil }
        let (kind, detail) = (bytes[start] >> 4, Int(bytes[start] & 15))
        /// Returns a number in `width` bytes.
        func literal(_ width: Int, _ text: (UInt64) -> String) -> BinaryItem? {
            bytes.number(at: start + 1, count: width).map {
                BinaryItem(kind: .literal(text($0)), range: start..<start + 1 + width)
            }
        }
        switch kind {
        case 0: return literal(0) { _ in detail == 9 ? "true" : detail == 8 ? "false" : "null" }
        case 1 where detail < 5:
            return literal(1 << detail) { detail == 3 ? "\(Int64(bitPattern: $0))" : "\($0)" }
        case 2 where detail == 2: return literal(4) { Double(Float(bitPattern: UInt32($0))).literal }
        case 2 where detail == 3, 3 where detail == 3: return literal(8) { Double(bitPattern: $0).literal }
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
        let isList = kind >= 10
        let size = isList ? referenceSize : kind == 6 ? 2 : 1
        guard first <= table, count <= UInt64((table - first) / size) else { return nil }
        let end = first + Int(count) * size
        switch kind {
        case 4, 5: return BinaryItem(kind: .string(first..<end), range: start..<end)
        case 6: return BinaryItem(kind: .utf16(first..<end), range: start..<end)
        case 10, 11, 12: return list(start..<first, isMap: false, count: count)
        case 13: return list(start..<first, isMap: true, count: count)
        default: return nil
        }
    }

    func offset(ofElement index: Int, in list: BinaryItem) -> Int? {
        guard case .list(let isMap, let count?) = list.kind else { return nil }
        // The references to the values follow those to the keys.
        let position = isMap ? index / 2 + index % 2 * count : index
        let object = bytes.number(at: list.range.upperBound + position * referenceSize, count: referenceSize)
        return object.flatMap { $0 < UInt64(offsets.count) ? offsets[Int($0)] : nil } ?? bytes.count
    }

    func string(_ content: [UInt8], head: UInt8) -> [UInt8] {
        if head >> 4 == 4 || content.allSatisfy({ $0 < 0x80 }) {
            return Self.head(head >> 4 == 4 ? 4 : 5, UInt64(content.count)) + content
        }
        let units = Array(String(decoding: content, as: UTF8.self).utf16)
        return Self.head(6, UInt64(units.count)) + units.flatMap { UInt64($0).bytes(2) }
    }

    func number(_ bits: UInt64, isNegative: Bool, isFraction: Bool) -> [UInt8] {
        [isFraction ? 0x23 : 0x13] + bits.bytes(8)
    }

    private static func head(_ kind: UInt8, _ count: UInt64) -> [UInt8] {
        if count < 15 { return [kind << 4 | UInt8(count)] }
        let width = count.byteCount
        return [kind << 4 | 15, 0x10 | UInt8(width.trailingZeroBitCount)] + count.bytes(width)
    }

    /// Returns the document with the edits made, and with the offsets of the objects behind them.
    func applying(_ edits: [Edit]) -> [UInt8] {
        guard var result = Edit.apply(edits, to: bytes.part(0..<table)) else { return Array(bytes) }
        let size = UInt64(result.count).byteCount
        let newTable = UInt64(result.count)
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
}
