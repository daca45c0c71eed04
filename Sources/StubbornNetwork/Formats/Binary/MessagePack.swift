/// MessagePack (github.com/msgpack/msgpack, spec.md).
///
/// The data of extensions are bytes, but for times.
struct MessagePack: BinaryReader {
    let bytes: Bytes

    func item(at start: Int) -> BinaryItem? {
        guard start < bytes.count else { return nil }
        let head = bytes[start]
        /// Returns the number in the bytes behind the first.
        func number(_ width: Int) -> UInt64? { bytes.number(at: start + 1, count: width) }
        func literal(_ text: String?, _ width: Int = 0) -> BinaryItem? {
            text.map { BinaryItem(kind: .literal($0), range: start..<start + 1 + width) }
        }
        func string(_ width: Int) -> BinaryItem? {
            number(width).map { self.string(from: start + 1 + width, head: start, count: $0) }
        }
        func list(_ width: Int, isMap: Bool) -> BinaryItem? {
            number(width).flatMap { self.list(start..<start + 1 + width, isMap: isMap, count: $0) }
        }
        let short = UInt64(head & 15)
        switch head {
        case ..<0x80: return literal("\(head)")
        case 0x80...0x9F: return self.list(start..<start + 1, isMap: head < 0x90, count: short)
        case 0xA0...0xBF: return self.string(from: start + 1, head: start, count: UInt64(head & 31))
        case 0xC0: return literal("null")
        case 0xC2, 0xC3: return literal(head == 0xC3 ? "true" : "false")
        case 0xC4...0xC6: return string(1 << Int(head - 0xC4))
        case 0xC7...0xC9:
            let width = 1 << Int(head - 0xC7)
            return number(width).flatMap { extended($0, start, start + 1 + width) }
        case 0xCA: return literal(number(4).map { Double(Float(bitPattern: UInt32($0))).literal }, 4)
        case 0xCB: return literal(number(8).map { Double(bitPattern: $0).literal }, 8)
        case 0xCC...0xCF:
            let width = 1 << Int(head - 0xCC)
            return literal(number(width).map { "\($0)" }, width)
        case 0xD0...0xD3:
            let width = 1 << Int(head - 0xD0)
            let unused = UInt64(64 - 8 * width)
            return literal(number(width).map { "\(Int64(bitPattern: $0 << unused) >> Int64(unused))" }, width)
        case 0xD4...0xD8: return extended(1 << UInt64(head - 0xD4), start, start + 1)
        case 0xD9...0xDB: return string(1 << Int(head - 0xD9))
        case 0xDC, 0xDD: return list(head == 0xDC ? 2 : 4, isMap: false)
        case 0xDE, 0xDF: return list(head == 0xDE ? 2 : 4, isMap: true)
        case 0xE0...: return literal("\(Int8(bitPattern: head))")
        default: return nil
        }
    }

    /// Returns an extension whose type is at an offset; a time is a number.
    private func extended(_ count: UInt64, _ head: Int, _ type: Int) -> BinaryItem? {
        guard type < bytes.count else { return nil }
        let data = string(from: type + 1, head: head, count: count)
        guard bytes[type] == 0xFF, count <= 12 else { return data }
        return bytes.number(at: type + 1, count: Int(count)).map {
            BinaryItem(kind: .literal("\($0)"), range: data.range)
        }
    }

    func string(_ content: [UInt8], head: UInt8) -> [UInt8] {
        let count = UInt64(content.count)
        let step = UInt8(Swift.min(count.byteCount, 4).trailingZeroBitCount)
        let isText = 0xA0...0xBF ~= head || head >= 0xD9
        if isText, count < 32 { return [0xA0 | UInt8(count)] + content }
        return [(isText ? 0xD9 : 0xC4) + step] + count.bytes(1 << Int(step)) + content
    }

    func number(_ bits: UInt64, isNegative: Bool, isFraction: Bool) -> [UInt8] {
        if !isFraction, !isNegative, bits < 128 { return [UInt8(bits)] }
        return [isFraction ? 0xCB : isNegative ? 0xD3 : 0xCF] + bits.bytes(8)
    }
}
