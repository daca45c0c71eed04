import StubbornNetwork

/// The decompression of gzip and deflate (RFC 1950 to 1952).
struct Inflation {
    private let input: Bytes
    private let limit: Int
    private var position: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    /// Returns the decompressed bytes; `nil` for anything that is not complete gzip, zlib or deflate, and for more than
    /// `limit` bytes.
    static func inflate(_ bytes: Bytes, limit: Int = 64 << 20) -> [UInt8]? {
        for start in [gzipHeader(bytes), zlibHeader(bytes), 0].compactMap(\.self) {
            var inflation = Inflation(input: bytes, limit: limit, position: start)
            if inflation.run(), inflation.position + 8 >= bytes.count { return inflation.output }
        }
        return nil
    }

    private init(input: Bytes, limit: Int, position: Int) {
        (self.input, self.limit, self.position) = (input, limit, position)
    }

    private static func gzipHeader(_ bytes: Bytes) -> Int? {
        guard bytes.at(0) == 0x1F, bytes.at(1) == 0x8B, bytes.at(2) == 8 else { return nil }
        let flags = bytes.at(3)
        var position = 10
        if flags & 4 != 0 { position += 2 + Int(bytes.at(position)) + Int(bytes.at(position + 1)) << 8 }
        for flag: UInt8 in [8, 16] where flags & flag != 0 {
            guard let end = bytes.position(of: 0, from: position) else { return nil }
            position = end + 1
        }
        if flags & 2 != 0 { position += 2 }
        return position
    }

    private static func zlibHeader(_ bytes: Bytes) -> Int? {
        let isHeader = bytes.at(0) & 15 == 8 && (Int(bytes.at(0)) << 8 | Int(bytes.at(1))) % 31 == 0
        return isHeader && bytes.count > 2 ? 2 : nil
    }

    private mutating func run() -> Bool {
        while true {
            guard let isLast = take(1), let kind = take(2) else { return false }
            let isDone =
                switch kind {
                case 0: stored()
                case 1: block(Self.fixedLengths, Self.fixedDistances)
                case 2: tables().map { block($0, $1) } ?? false
                default: false
                }
            guard isDone else { return false }
            if isLast == 1 { return true }
        }
    }

    private mutating func take(_ count: Int) -> Int? {
        while bitCount < count {
            guard position < input.count else { return nil }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = Int(bits & ((1 << UInt32(count)) - 1))
        bits >>= UInt32(count)
        bitCount -= count
        return value
    }

    private mutating func stored() -> Bool {
        (bits, bitCount) = (0, 0)
        guard let length = take(16), let check = take(16), length == ~check & 0xFFFF, position + length <= input.count,
            output.count + length <= limit
        else { return false }
        output += input.part(position..<position + length)
        position += length
        return true
    }

    /// A canonical Huffman code: the number of symbols of each length, and the symbols in order.
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(_ lengths: some Collection<Int>) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            for length in 1..<16 {
                for (symbol, other) in lengths.enumerated() where other == length { symbols.append(symbol) }
            }
        }
    }

    private static let fixedLengths = Code((0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Code([Int](repeating: 5, count: 30))

    private mutating func symbol(_ code: Code) -> Int? {
        var (value, first, index) = (0, 0, 0)
        for length in 1..<16 {
            guard let bit = take(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - count < first {
                return index + value - first < code.symbols.count ? code.symbols[index + value - first] : nil
            }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    private mutating func tables() -> (Code, Code)? {
        guard let literals = take(5), let distances = take(5), let codes = take(4) else { return nil }
        var lengths = [Int](repeating: 0, count: 19)
        for index in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(codes + 4) {
            guard let length = take(3) else { return nil }
            lengths[index] = length
        }
        let code = Code(lengths)
        let total = literals + 257 + distances + 1
        lengths = []
        while lengths.count < total {
            guard let symbol = symbol(code) else { return nil }
            guard symbol >= 16 else {
                lengths.append(symbol)
                continue
            }
            // The last length again, or zeros.
            let (bitCount, least) = [(2, 3), (3, 3), (7, 11)][symbol - 16]
            guard let repeated = symbol == 16 ? lengths.last : 0, let more = take(bitCount) else { return nil }
            lengths += [Int](repeating: repeated, count: least + more)
        }
        guard lengths.count == total else { return nil }
        return (Code(lengths[..<(literals + 257)]), Code(lengths[(literals + 257)...]))
    }

    /// Returns the number that a symbol for a length or a distance stands for, with the bits that follow it.
    private mutating func number(_ index: Int, groupSize: Int) -> Int? {
        guard index >= 2 * groupSize else { return index }
        let bitCount = index / groupSize - 1
        return take(bitCount).map { (groupSize + index % groupSize) << bitCount + $0 }
    }

    private mutating func block(_ literals: Code, _ distances: Code) -> Bool {
        while let symbol = symbol(literals) {
            if symbol == 256 { return true }
            if symbol < 256 {
                guard output.count < limit else { return false }
                output.append(UInt8(symbol))
                continue
            }
            guard symbol <= 285, let length = symbol == 285 ? 258 : number(symbol - 257, groupSize: 4).map({ $0 + 3 }),
                let index = self.symbol(distances), index < 30, let distance = number(index, groupSize: 2)
            else { return false }
            let start = output.count - distance - 1
            guard start >= 0, output.count + length <= limit else { return false }
            for offset in 0..<length { output.append(output[start + offset]) }
        }
        return false
    }
}
