import Foundation

/// Reads the challenges of one header field in a single pass.
///
/// Commas separate challenges, and also the parameters of one (RFC 9110, section 11.6.1). What follows a name
/// distinguishes them: an equals sign follows a parameter, a space or nothing follows a scheme. The parser accepts what
/// servers are known to send: any visible character in unquoted values, and spaces around the equals sign.
struct HTTPChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) {
        bytes = Array(field.utf8)
    }

    mutating func challenges() -> [HTTPChallenge] {
        var result: [HTTPChallenge] = []
        while position < bytes.count {
            readElement(into: &result)
            skipThroughComma()
        }
        return result
    }

    private mutating func readElement(into challenges: inout [HTTPChallenge]) {
        skipSpaces()
        guard let name = token() else { return }
        let hasSpace = skipSpaces()
        if next == UInt8(ascii: "=") {
            if let value = value() { Self.add(value, as: name, to: &challenges) }
            return
        }
        guard hasSpace || next == nil || next == UInt8(ascii: ",") else { return }
        challenges.append(HTTPChallenge(scheme: name.lowercased()))
        // The base64 of a Negotiate challenge ends here: it is not a name, or nothing follows its equals sign.
        guard let name = token() else { return }
        skipSpaces()
        guard next == UInt8(ascii: "="), let value = value() else { return }
        Self.add(value, as: name, to: &challenges)
    }

    private static func add(_ value: String, as name: String, to challenges: inout [HTTPChallenge]) {
        guard let last = challenges.indices.last else { return }
        let name = name.lowercased()
        if challenges[last].parameters[name] == nil { challenges[last].parameters[name] = value }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let next, isWanted(next) { position += 1 }
        return bytes[start..<position]
    }

    @discardableResult
    private mutating func skipSpaces() -> Bool {
        !take { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.isEmpty
    }

    /// Reads a token (RFC 9110, section 5.6.2); `nil` if none begins here.
    private mutating func token() -> String? {
        let token = take { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: Self.tokenMarks.contains(byte)
            }
        }
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    private static let tokenMarks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Reads the value after the equals sign that comes next; `nil` if there is none.
    private mutating func value() -> String? {
        position += 1
        skipSpaces()
        if next == UInt8(ascii: "\"") { return quotedString() }
        guard next != UInt8(ascii: "=") else { return nil }
        let value = take { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
        return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
    }

    /// Reads the text of the quoted-string that begins here (RFC 9110, section 5.6.4); `nil` if it does not end, or has
    /// control characters, which could not be sent back.
    private mutating func quotedString() -> String? {
        position += 1
        var text: [UInt8] = []
        var isSound = true
        while var byte = next, byte != UInt8(ascii: "\"") {
            position += 1
            if byte == UInt8(ascii: "\\") {
                guard let escaped = next else { return nil }
                position += 1
                byte = escaped
            }
            if (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F { isSound = false }
            text.append(byte)
        }
        guard next != nil else { return nil }
        position += 1
        return isSound ? String(decoding: text, as: UTF8.self) : nil
    }

    /// Skips the rest of an element and its comma.
    ///
    /// A comma in quotation marks does not end it.
    private mutating func skipThroughComma() {
        while let byte = next {
            if byte == UInt8(ascii: "\"") {
                _ = quotedString()
            } else {
                position += 1
                if byte == UInt8(ascii: ",") { return }
            }
        }
    }
}
