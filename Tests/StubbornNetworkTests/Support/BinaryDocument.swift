import Foundation

/// A value that CBOR, MessagePack and binary property lists can hold.
indirect enum BinaryValue {
    case text(String), bytes([UInt8]), number(Int), fraction(Double), truth(Bool), list([BinaryValue])
    case map([(String, BinaryValue)])
}

/// A binary format, written as others write it.
///
/// It shares nothing with the library.
enum BinaryFormat: String, CaseIterable, Sendable {
    case cbor, messagePack, propertyList

    var contentType: String {
        switch self {
        case .cbor: "application/cbor"
        case .messagePack: "application/msgpack"
        case .propertyList: "application/x-plist"
        }
    }

    func data(_ value: BinaryValue) -> Data {
        switch self {
        case .cbor: Data(Self.cbor(value))
        case .messagePack: Data(Self.messagePack(value))
        case .propertyList:
            (try? PropertyListSerialization.data(fromPropertyList: Self.object(value), format: .binary, options: 0))
                ?? Data()
        }
    }

    /// A map with one string: `{"password": "…"}`.
    func data(_ name: String, _ value: String) -> Data { data(.map([(name, .text(value))])) }

    static func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }

    // MARK: CBOR (RFC 8949)

    static func cborHead(_ major: UInt8, _ number: Int) -> [UInt8] {
        let kind = major << 5
        switch number {
        case ..<24: return [kind | UInt8(number)]
        case ..<0x100: return [kind | 24, UInt8(number)]
        case ..<0x1_0000: return [kind | 25] + bigEndian(UInt64(number), 2)
        case ..<0x1_0000_0000: return [kind | 26] + bigEndian(UInt64(number), 4)
        default: return [kind | 27] + bigEndian(UInt64(number), 8)
        }
    }

    static func cbor(_ value: BinaryValue) -> [UInt8] {
        switch value {
        case .text(let text): cborHead(3, text.utf8.count) + Array(text.utf8)
        case .bytes(let bytes): cborHead(2, bytes.count) + bytes
        case .number(let number): number < 0 ? cborHead(1, -1 - number) : cborHead(0, number)
        case .fraction(let number): [0xFB] + bigEndian(number.bitPattern, 8)
        case .truth(let isTrue): [isTrue ? 0xF5 : 0xF4]
        case .list(let values): cborHead(4, values.count) + values.flatMap(cbor)
        case .map(let pairs): cborHead(5, pairs.count) + pairs.flatMap { cbor(.text($0)) + cbor($1) }
        }
    }

    // MARK: MessagePack

    private static func head(_ count: Int, fix: (UInt8, Int)?, _ wide: [UInt8?]) -> [UInt8] {
        if let (base, limit) = fix, count < limit { return [base | UInt8(count)] }
        for (index, byte) in wide.enumerated() where count < 1 << (8 << index) {
            if let byte { return [byte] + bigEndian(UInt64(count), 1 << index) }
        }
        return []
    }

    static func messagePack(_ value: BinaryValue) -> [UInt8] {
        switch value {
        case .text(let text): head(text.utf8.count, fix: (0xA0, 32), [0xD9, 0xDA, 0xDB]) + Array(text.utf8)
        case .bytes(let bytes): head(bytes.count, fix: nil, [0xC4, 0xC5, 0xC6]) + bytes
        case .number(let number):
            number < 0
                ? [0xD3] + bigEndian(UInt64(bitPattern: Int64(number)), 8)
                : head(number, fix: (0, 128), [0xCC, 0xCD, 0xCE])
        case .fraction(let number): [0xCB] + bigEndian(number.bitPattern, 8)
        case .truth(let isTrue): [isTrue ? 0xC3 : 0xC2]
        case .list(let values): head(values.count, fix: (0x90, 16), [nil, 0xDC, 0xDD]) + values.flatMap(messagePack)
        case .map(let pairs):
            head(pairs.count, fix: (0x80, 16), [nil, 0xDE, 0xDF])
                + pairs.flatMap { messagePack(.text($0)) + messagePack($1) }
        }
    }

    // MARK: Property lists

    private static func object(_ value: BinaryValue) -> Any {
        switch value {
        case .text(let text): text
        case .bytes(let bytes): Data(bytes)
        case .number(let number): number
        case .fraction(let number): number
        case .truth(let isTrue): isTrue
        case .list(let values): values.map(object)
        case .map(let pairs): Dictionary(pairs.map { ($0, object($1)) }) { _, last in last }
        }
    }
}
