/// Percent-encoding (RFC 3986, section 2) brought to one spelling, so that texts can be compared byte by byte.
enum PercentEncoding {
    /// Which characters stay as they are in a part of a URL.
    enum Part {
        /// `/` divides a path, `?` and what a URL must not hold are encoded.
        case path
        /// As a path, and `?` stays.
        case query
        /// Nothing but unreserved characters stays: the spelling of decoded form fields.
        case form
    }

    /// The one spelling: unreserved characters decoded, hexadecimal digits upper case, and what has no place in a URL
    /// (spaces, brackets, bytes above ASCII, a `%` without two digits) encoded.
    ///
    /// `%7euser/%c3%a4 ä` becomes `~user/%C3%A4%20%C3%A4`.
    static func normalised(_ bytes: ArraySlice<UInt8>, as part: Part) -> String {
        if bytes.allSatisfy({ isPlain($0, in: part) }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            var byte = bytes[index]
            var wasEncoded = false
            if byte == UInt8(ascii: "%"), let decoded = decodedByte(in: bytes, at: index) {
                byte = decoded
                wasEncoded = true
                index += 2
            } else if byte == UInt8(ascii: "+"), part == .form {
                byte = UInt8(ascii: " ")
            }
            index += 1
            if wasEncoded ? isUnreserved(byte) : isPlain(byte, in: part) {
                result.append(byte)
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(hexadecimalDigit(byte >> 4))
                result.append(hexadecimalDigit(byte & 15))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func normalised(_ text: String, as part: Part) -> String {
        normalised(ArraySlice(text.utf8), as: part)
    }

    /// A field's name or value, given as plain text, in the spelling of form fields.
    static func encodedField(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hexadecimalDigit(byte >> 4), hexadecimalDigit(byte & 15)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text that is meant. Bytes that are not UTF-8 become replacement characters: for showing, not for comparing.
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let bytes = ArraySlice(text.utf8)
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%"), let decoded = decodedByte(in: bytes, at: index) {
                result.append(decoded)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func decodedByte(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard bytes.endIndex - index > 2,
            let high = hexadecimalValue(bytes[index + 1]),
            let low = hexadecimalValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isPlain(_ byte: UInt8, in part: Part) -> Bool {
        if isUnreserved(byte) { return true }
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "$"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            return part != .form
        case UInt8(ascii: "?"): return part == .query
        default: return false
        }
    }

    /// The value of a hexadecimal digit; `nil` for anything else.
    static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
