import Foundation

/// Values in binary formats that the library does not read.
enum BinaryValue {
    /// Returns a map with one text in CBOR (RFC 8949).
    static func cbor(_ name: String, _ value: String) -> Data {
        func text(_ text: String) -> [UInt8] {
            let count = UInt8(text.utf8.count)
            return (count < 24 ? [0x60 | count] : [0x78, count]) + Array(text.utf8)
        }
        return Data([0xA1] + text(name) + text(value))
    }
}
