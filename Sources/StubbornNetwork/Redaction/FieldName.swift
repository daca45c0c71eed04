/// A name as the rules compare it: lower case, without what separates its words.
struct FieldName {
    /// The name in lower case without separators: `accesstoken` for `access_token`, `accessToken` and `ACCESS-TOKEN`.
    let compact: [UInt8]

    /// The Boolean values that indicate for each byte of `compact` whether a word begins there: at 0 and 6 for
    /// `accessToken`.
    private let beginsWord: [Bool]

    init(_ bytes: Bytes) {
        var compact: [UInt8] = []
        compact.reserveCapacity(bytes.count)
        var starts: [Bool] = []
        starts.reserveCapacity(bytes.count)
        var previous: UInt8 = .underscore
        for byte in bytes.prefix(256) {
            if byte.isAlphanumeric || byte >= 0x80 {
                let continues = previous.isAlphanumeric || previous >= 0x80
                starts.append(!continues || (byte.isUppercase && previous.isLowercase))
                compact.append(byte.lowercased)
            }
            previous = byte
        }
        self.compact = compact
        beginsWord = starts
    }

    /// Returns the compact form of a name.
    static func compact(_ name: String) -> String {
        name.withBytes { FieldName($0).text }
    }

    var text: String { String(decoding: compact, as: UTF8.self) }

    func ends(in suffix: [UInt8]) -> Bool { has(suffix, at: compact.count - suffix.count) }

    func contains(_ part: [UInt8]) -> Bool { compact.indices.contains { has(part, at: $0) } }

    private func has(_ part: [UInt8], at start: Int) -> Bool {
        guard start >= 0, start + part.count <= compact.count else { return false }
        // A loop, because slices are slow to compare in a debug build.
        for offset in 0..<part.count where compact[start + offset] != part[offset] { return false }
        return true
    }

    /// Returns a Boolean value that indicates whether the suffix is the last word, or words, of the name: `user_pin`,
    /// and not `spin`.
    func endsInWord(_ suffix: [UInt8]) -> Bool {
        ends(in: suffix) && (compact.count == suffix.count || beginsWord[compact.count - suffix.count])
    }
}
