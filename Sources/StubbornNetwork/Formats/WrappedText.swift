import Foundation

/// Text recovered from bytes that are compressed or in UTF-16 (RFC 2781).
struct WrappedText {
    private enum Wrapping { case coding, gzip, littleEndian, bigEndian }

    private let wrapping: Wrapping

    /// The text in UTF-8, a byte-order mark included.
    let text: [UInt8]

    /// A Boolean value that indicates whether the text is all of the bytes' content.
    let isWhole: Bool

    /// The largest decompressed length that is read without a `Content-Encoding`: larger ones are mostly files.
    private static let limit = 4 << 20

    /// Recovers the text; `nil` for bytes that are plain text already.
    ///
    /// The bytes are decompressed where `coding` or their beginning says that they are gzip. UTF-16 is recognised by its
    /// byte-order mark or by a NUL next to each of the first characters.
    init?(_ bytes: Bytes, coding: String? = nil) {
        if let coding, let plain = Self.decoded(bytes, coding: coding) {
            (wrapping, text, isWhole) = (.coding, plain, true)
        } else if bytes.at(0) == 0x1F, bytes.at(1) == 0x8B, bytes.at(2) == 8 {
            // The decompressed length is told at the end (RFC 1952, section 2.3.1).
            let length = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            let plain = length > Self.limit ? nil : Inflation.inflate(bytes, limit: Self.limit)
            (wrapping, text, isWhole) = (.gzip, plain ?? [], plain != nil)
        } else {
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
            (text, isWhole) = (Array(String(decoding: units, as: UTF16.self).utf8), true)
        }
    }

    /// Returns a body without its `Content-Encoding`; `nil` for any encoding except gzip and deflate.
    static func decoded(_ bytes: Bytes, coding: String) -> [UInt8]? {
        let coding = coding.lowercased()
        return coding.contains("gzip") || coding.contains("deflate") ? Inflation.inflate(bytes) : nil
    }

    /// Returns a Boolean value that indicates whether a body is not a text, and has a `Content-Encoding` that cannot be
    /// removed.
    static func isUnreadable(_ bytes: Bytes, coding: String) -> Bool {
        coding.lowercased() != "identity" && (bytes.contains(0) || bytes.firstInvalidUTF8 != nil)
            && decoded(bytes, coding: coding) == nil
    }

    /// A Boolean value that indicates whether the bytes are compressed: the same text has many compressed forms.
    var isCompressed: Bool {
        switch wrapping {
        case .coding, .gzip: true
        default: false
        }
    }

    /// Returns another text in the form of the bytes: gzip or UTF-16; a body's coding is left out.
    func wrapped(_ text: [UInt8]) -> [UInt8] {
        let isBigEndian: Bool
        switch wrapping {
        case .coding: return text
        case .gzip: return Inflation.gzip(text)
        case .littleEndian: isBigEndian = false
        case .bigEndian: isBigEndian = true
        }
        return String(decoding: text, as: UTF8.self).utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
            return isBigEndian ? [high, low] : [low, high]
        }
    }
}
