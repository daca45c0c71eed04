import Foundation

/// The names of the functions in a file of machine code (ELF, 64 bits, as System V's ABI describes it).
struct SymbolTable {
    private let file: Data
    private let symbols: Range<Int>
    private let names: Range<Int>

    /// `nil` for a file that cannot be read, is none of machine code, or has no names.
    init?(path: String) {
        guard let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped),
            file.prefix(6).elementsEqual([0x7F, 0x45, 0x4C, 0x46, 2, 1]),
            let table = file.number(at: 0x28, UInt64.self), let count = file.number(at: 0x3C, UInt16.self)
        else { return nil }
        let section = { (index: Int) in Self.section(index, in: file, table: table) }
        for index in 0..<Int(count) {
            guard let symbols = section(index), symbols.type == 2, let names = section(symbols.link) else { continue }
            self.file = file
            self.symbols = symbols.range
            self.names = names.range
            return
        }
        return nil
    }

    private static func section(
        _ index: Int,
        in file: Data,
        table: UInt64
    ) -> (type: UInt32, link: Int, range: Range<Int>)? {
        guard let start = Int(exactly: table), start < file.count, index < 1 << 16 else { return nil }
        let header = start + index * 64
        guard let type = file.number(at: header + 4, UInt32.self),
            let offset = file.number(at: header + 24, UInt64.self).flatMap(Int.init(exactly:)),
            let size = file.number(at: header + 32, UInt64.self).flatMap(Int.init(exactly:)),
            let link = file.number(at: header + 40, UInt32.self),
            offset <= file.count, size <= file.count - offset
        else { return nil }
        return (type, Int(link), offset..<(offset + size))
    }

    /// The functions that the addresses lie in, each from the file's beginning in memory and behind a call.
    func names(at addresses: [UInt64]) -> [String?] {
        var found: [Int?] = Array(repeating: nil, count: addresses.count)
        file.withUnsafeBytes { bytes in
            var symbol = symbols.lowerBound
            while symbol + 24 <= symbols.upperBound {
                defer { symbol += 24 }
                // The kind of a function.
                guard bytes[symbol + 4] & 15 == 2 else { continue }
                let start = bytes.loadUnaligned(fromByteOffset: symbol + 8, as: UInt64.self)
                let size = bytes.loadUnaligned(fromByteOffset: symbol + 16, as: UInt64.self)
                for (index, address) in addresses.enumerated() where address > start && address - start <= size {
                    found[index] = Int(bytes.loadUnaligned(fromByteOffset: symbol, as: UInt32.self))
                }
            }
        }
        return found.map { $0.flatMap(name) }
    }

    private func name(at offset: Int) -> String? {
        guard offset < names.count else { return nil }
        let rest = file[(names.lowerBound + offset)..<names.upperBound]
        return String(decoding: rest.prefix(4_096).prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension Data {
    /// A number at a place, of a file with the least significant byte first; `nil` behind its end.
    fileprivate func number<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type) -> Number? {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
        return withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }
}
