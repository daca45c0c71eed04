/// A name as the rules compare it: lower case, without what separates its words.
struct FieldName {
    /// `accesstoken` for `access_token`, `accessToken` and `ACCESS-TOKEN`.
    let compact: [UInt8]

    /// Whether a word begins there, for each byte of `compact`: at 0 and 6 for `accessToken`.
    private let beginsWord: [Bool]

    init(_ bytes: Bytes) {
        var compact: [UInt8] = []
        compact.reserveCapacity(bytes.count)
        var starts: [Bool] = []
        starts.reserveCapacity(bytes.count)
        var previous: UInt8 = 0x5F
        for byte in bytes.prefix(256) {
            if byte.isLetter || byte.isDigit || byte >= 0x80 {
                let continues = previous.isAlphanumeric || previous >= 0x80
                starts.append(!continues || (byte.isUppercase && previous.isLowercase))
                compact.append(byte.lowercased)
            }
            previous = byte
        }
        self.compact = compact
        beginsWord = starts
    }

    /// The compact form of a name as text.
    static func compact(_ name: String) -> String {
        name.withBytes { FieldName($0).text }
    }

    var text: String { String(decoding: compact, as: UTF8.self) }

    func ends(_ suffix: StaticString) -> Bool {
        compact.count >= suffix.utf8CodeUnitCount && matches(suffix, at: compact.count - suffix.utf8CodeUnitCount)
    }

    /// Whether the suffix is the last word, or words, of the name: `user_pin`, and not `spin`.
    func endsInWord(_ suffix: StaticString) -> Bool {
        ends(suffix)
            && (compact.count == suffix.utf8CodeUnitCount || beginsWord[compact.count - suffix.utf8CodeUnitCount])
    }

    func contains(_ part: StaticString) -> Bool {
        guard compact.count >= part.utf8CodeUnitCount else { return false }
        return (0...compact.count - part.utf8CodeUnitCount).contains { matches(part, at: $0) }
    }

    func equals(_ name: StaticString) -> Bool {
        compact.count == name.utf8CodeUnitCount && matches(name, at: 0)
    }

    private func matches(_ text: StaticString, at start: Int) -> Bool {
        text.withUTF8Buffer { text in
            for offset in text.indices where compact[start + offset] != text[offset] { return false }
            return true
        }
    }
}
