import Foundation

/// A value that a property list can hold.
indirect enum BinaryValue {
    case text(String), bytes([UInt8]), number(Int), fraction(Double), truth(Bool), list([BinaryValue])
    case map([(String, BinaryValue)])

    /// The value as a binary property list, which Foundation writes.
    var propertyList: Data {
        (try? PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)) ?? Data()
    }

    private var object: Any {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): Data(bytes)
        case .number(let number): number
        case .fraction(let number): number
        case .truth(let isTrue): isTrue
        case .list(let values): values.map(\.object)
        case .map(let pairs): Dictionary(pairs.map { ($0, $1.object) }) { _, last in last }
        }
    }

    /// Returns the lowest `count` bytes of a number, the highest of them first.
    static func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }

    /// Returns a map with one text in CBOR (RFC 8949), a format that the library does not read.
    static func cbor(_ name: String, _ value: String) -> Data {
        func text(_ text: String) -> [UInt8] {
            let count = UInt8(text.utf8.count)
            return (count < 24 ? [0x60 | count] : [0x78, count]) + Array(text.utf8)
        }
        return Data([0xA1] + text(name) + text(value))
    }
}
