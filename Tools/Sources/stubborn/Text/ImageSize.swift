import Foundation

/// The format and the dimensions of an image, which stand in its first bytes: `PNG image, 64 × 48`.
struct ImageSize: CustomStringConvertible {
    let format: String
    let width: Int
    let height: Int

    var description: String { "\(format) image, \(width) × \(height)" }

    /// Reads the head of an image in PNG, GIF, JPEG, WebP or BMP; `nil` for anything else.
    init?(_ data: Data) {
        let bytes = Array(data.prefix(1 << 16))
        guard
            let (format, width, height) = Self.png(bytes) ?? Self.gif(bytes) ?? Self.jpeg(bytes) ?? Self.webp(bytes)
                ?? Self.bmp(bytes)
        else { return nil }
        (self.format, self.width, self.height) = (format, width, height)
    }

    private typealias Size = (String, Int, Int)

    private static func png(_ bytes: [UInt8]) -> Size? {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), bytes.count >= 24 else {
            return nil
        }
        return ("PNG", bytes.number(at: 16, count: 4), bytes.number(at: 20, count: 4))
    }

    private static func gif(_ bytes: [UInt8]) -> Size? {
        guard bytes.starts(with: Array("GIF8".utf8)), bytes.count >= 10 else { return nil }
        return ("GIF", bytes.littleEndianNumber(at: 6, count: 2), bytes.littleEndianNumber(at: 8, count: 2))
    }

    /// Goes from segment to segment up to the one that begins the frame (ITU-T T.81, annex B).
    private static func jpeg(_ bytes: [UInt8]) -> Size? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var position = 2
        while position + 9 < bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return ("JPEG", bytes.number(at: position + 7, count: 2), bytes.number(at: position + 5, count: 2))
            }
            position += marker == 0xFF ? 1 : 2 + bytes.number(at: position + 2, count: 2)
        }
        return nil
    }

    /// Reads the three kinds of WebP (RFC 9649, section 2).
    private static func webp(_ bytes: [UInt8]) -> Size? {
        guard bytes.starts(with: Array("RIFF".utf8)), bytes.count >= 30, bytes[8..<12].elementsEqual("WEBP".utf8) else {
            return nil
        }
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8X":
            let (width, height) = (
                bytes.littleEndianNumber(at: 24, count: 3), bytes.littleEndianNumber(at: 27, count: 3)
            )
            return ("WebP", width + 1, height + 1)
        case "VP8L":
            let bits = bytes.littleEndianNumber(at: 21, count: 4)
            return ("WebP", bits & 0x3FFF + 1, (bits >> 14) & 0x3FFF + 1)
        case "VP8 ":
            let (width, height) = (
                bytes.littleEndianNumber(at: 26, count: 2), bytes.littleEndianNumber(at: 28, count: 2)
            )
            return ("WebP", width & 0x3FFF, height & 0x3FFF)
        default: return nil
        }
    }

    private static func bmp(_ bytes: [UInt8]) -> Size? {
        guard bytes.starts(with: Array("BM".utf8)), bytes.count >= 26, bytes[6..<10].allSatisfy({ $0 == 0 }) else {
            return nil
        }
        return ("BMP", bytes.littleEndianNumber(at: 18, count: 4), bytes.littleEndianNumber(at: 22, count: 4))
    }
}

extension [UInt8] {
    /// Returns the number in some bytes, the most significant one first.
    fileprivate func number(at position: Int, count: Int) -> Int {
        self[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
    }

    fileprivate func littleEndianNumber(at position: Int, count: Int) -> Int {
        self[position..<position + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
