/// The Concise Binary Object Representation (RFC 8949).
///
/// Tags are skipped. The chunks of a string without a length are the elements of an array.
struct CBOR: BinaryReader {
    let bytes: Bytes

    func item(at offset: Int) -> BinaryItem? {
        var start = offset
        while start < bytes.count {
            let (major, detail) = (bytes[start] >> 5, bytes[start] & 31)
            let width = 24...27 ~= detail ? 1 << Int(detail - 24) : 0
            let end = start + 1 + width
            if detail == 31 {
                guard major >= 2, major != 6 else { return nil }
                return BinaryItem(
                    kind: major == 7 ? .end : .list(isMap: major == 5, count: nil),
                    range: start..<end
                )
            }
            guard detail < 28, let wide = bytes.number(at: start + 1, count: width) else { return nil }
            let number = width == 0 ? UInt64(detail) : wide
            switch major {
            case 2, 3: return string(from: end, head: start, count: number)
            case 4, 5: return list(start..<end, isMap: major == 5, count: number)
            case 6: start = end
            default: return BinaryItem(kind: .literal(Self.literal(major, detail, number)), range: start..<end)
            }
        }
        return nil
    }

    private static func literal(_ major: UInt8, _ detail: UInt8, _ number: UInt64) -> String {
        switch (major, detail) {
        case (1, _): "-\(number &+ 1)"
        case (7, 20): "false"
        case (7, 21): "true"
        case (7, 22), (7, 23): "null"
        case (7, 26): Double(Float(bitPattern: UInt32(number))).literal
        case (7, 27): Double(bitPattern: number).literal
        default: "\(number)"
        }
    }

    func string(_ content: [UInt8], head: UInt8) -> [UInt8] {
        Self.head(head >> 5, UInt64(content.count)) + content
    }

    func number(_ bits: UInt64, isNegative: Bool, isFraction: Bool) -> [UInt8] {
        isFraction ? [0xFB] + bits.bytes(8) : isNegative ? Self.head(1, ~bits) : Self.head(0, bits)
    }

    private static func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
        if number < 24 { return [major << 5 | UInt8(number)] }
        let width = number.byteCount
        return [major << 5 | UInt8(24 + width.trailingZeroBitCount)] + number.bytes(width)
    }
}
