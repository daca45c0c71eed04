import Foundation

/// The text of a body that is compressed or in UTF-16 (RFC 2781).
struct WrappedText {
    private enum Wrapping { case compression, littleEndian, bigEndian }

    private let wrapping: Wrapping

    /// The text in UTF-8, a byte-order mark included.
    let text: [UInt8]

    /// Reads a body; `nil` for one that is a text as it is.
    ///
    /// Bodies are decompressed where `coding` says that they are, also twice. UTF-16 is recognised by its byte-order mark
    /// or by a NUL beside each of the first characters.
    init?(_ bytes: Bytes, coding: String? = nil) {
        let coding = coding?.lowercased() ?? ""
        if coding.contains("gzip") || coding.contains("deflate"), let plain = Inflation.inflate(bytes) {
            wrapping = .compression
            text = plain.withUnsafeBufferPointer { plain in
                WrappedText(plain, coding: plain.at(0) == 0x1F && plain.at(1) == 0x8B ? "gzip" : nil)?.text
                    ?? Array(plain)
            }
            return
        }
        guard bytes.count >= 4, bytes.count % 2 == 0 else { return nil }
        let isBigEndian = bytes[0] == 0 || (bytes[0] == 0xFE && bytes[1] == 0xFF)
        let isMarked = isBigEndian ? bytes[0] != 0 : bytes[0] == 0xFF && bytes[1] == 0xFE
        let (high, low) = isBigEndian ? (0, 1) : (1, 0)
        let head = stride(from: 0, to: Swift.min(bytes.count, 16), by: 2)
        guard isMarked || head.allSatisfy({ bytes[$0 + high] == 0 && bytes[$0 + low] >= 9 }) else { return nil }
        let units = stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
        }
        wrapping = isBigEndian ? .bigEndian : .littleEndian
        text = Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Returns another text as the body was: decompressed, or in the same UTF-16.
    func wrapped(_ text: [UInt8]) -> [UInt8] {
        if case .compression = wrapping { return text }
        return String(decoding: text, as: UTF8.self).utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
            return wrapping == .bigEndian ? [high, low] : [low, high]
        }
    }
}
