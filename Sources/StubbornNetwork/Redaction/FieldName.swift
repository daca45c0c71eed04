/// A name as the rules compare it: lower case, without what separates its words.
struct FieldName {
    /// `accesstoken` for `access_token`, `accessToken` and `ACCESS-TOKEN`.
    let compact: [UInt8]

    /// Where in `compact` a word begins: 0 and 6 for `accessToken`.
    private let wordStarts: Set<Int>

    init(_ bytes: Bytes) {
        var compact: [UInt8] = []
        compact.reserveCapacity(bytes.count)
        var starts: Set<Int> = [0]
        var previous: UInt8 = 0x5F
        for byte in bytes.prefix(256) {
            if byte.isLetter || byte.isDigit || byte >= 0x80 {
                if !(previous.isLetter || previous.isDigit) || (byte.isUppercase && previous.isLowercase) {
                    starts.insert(compact.count)
                }
                compact.append(byte.lowercased)
            }
            previous = byte
        }
        self.compact = compact
        wordStarts = starts
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
        ends(suffix) && wordStarts.contains(compact.count - suffix.utf8CodeUnitCount)
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
