/// Older names, which redaction still uses.
enum TextEncodings {
    static func percentEncoded(
        _ bytes: [UInt8],
        keeping: [UInt8] = [],
        spaceAsPlus: Bool = false,
        lowercase: Bool = false
    ) -> [UInt8] {
        let kept = String(decoding: keeping, as: UTF8.self)
        return PercentEncoding.encoded(bytes, keeping: kept, spaceAsPlus: spaceAsPlus, lowercase: lowercase)
    }

    static func percentDecoded(_ bytes: Bytes, plusAsSpace: Bool = false) -> [UInt8] {
        PercentEncoding.decoded(bytes, plusAsSpace: plusAsSpace)
    }

    static func jsonEscaped(_ bytes: [UInt8], slashes: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        bytes.withUnsafeBufferPointer { JSONString.appendContent($0, escapesSlashes: slashes, to: &result) }
        return result
    }

    static func jsonUnescaped(_ bytes: Bytes) -> [UInt8] { JSONString.unescapedLeniently(bytes) }

    static func xmlEscaped(_ bytes: [UInt8], _ characters: StaticString = "&<>\"'") -> [UInt8] {
        XMLText.escaped(bytes, characters)
    }

    static func xmlUnescaped(_ bytes: Bytes) -> [UInt8] { XMLText.unescaped(bytes) }

    static func base64Decoded(_ bytes: Bytes) -> [UInt8]? { Base64.decoded(bytes) }

    static func base64Encoded(_ bytes: [UInt8], urlSafe: Bool = false, padded: Bool = true) -> [UInt8] {
        Base64.encoded(bytes, urlSafe: urlSafe, padded: padded)
    }
}
