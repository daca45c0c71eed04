import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

extension JSONText.Member {
    /// The key without its escapes.
    var name: String { JSONText.scalar(key).string ?? key }
}

extension JSONText {
    /// Returns a string as JSON, with its quotation marks.
    static func text(of string: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(string)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }

    /// The text of a string without its escapes; `nil` for any other value.
    var string: String? {
        guard case .scalar(let text) = self, text.hasPrefix("\"") else { return nil }
        if !text.contains("\\") { return String(text.dropFirst().dropLast()) }
        guard case .string(let string)? = try? JSONContent(Data(text.utf8)) else { return nil }
        return string
    }

    /// Returns the value with a change of a kind; `nil` if there is none.
    ///
    /// The placeholder of a secret is kept: it stands for any value.
    func changed(_ kind: ResponseChange.Kind) -> JSONText? {
        switch (self, kind) {
        case (.scalar(let text), .value):
            if let string { return Self.other(than: string).map { .scalar(Self.text(of: $0)) } }
            switch text {
            case "true": return .scalar("false")
            case "false": return .scalar("true")
            case "null": return nil
            default:
                let mantissa = text.prefix { $0 != "e" && $0 != "E" }
                return Self.digitsChanged(in: String(mantissa), isNumber: true).map {
                    .scalar($0 + text.dropFirst(mantissa.count))
                }
            }
        case (.scalar(let text), .far):
            if let string {
                let isSentence = string.contains(" ") && string.contains(where: \.isNumber)
                return isSentence && !string.contains("REDACTED")
                    ? .scalar(Self.text(of: Self.lettersChanged(in: string))) : nil
            }
            let mantissa = text.prefix { $0 != "e" && $0 != "E" }
            guard let number = Decimal(string: String(mantissa), locale: Locale(identifier: "en_US_POSIX")),
                number.isFinite, !number.isZero
            else { return nil }
            let twice = JSONText.scalar("\(number * 2)\(text.dropFirst(mantissa.count))")
            return twice == changed(.value) ? nil : twice
        case (.array(let elements), .order):
            let reversed = Array(elements.reversed())
            return reversed == elements ? nil : .array(reversed)
        case (.array(let elements), .empty): return elements.isEmpty ? nil : .array([])
        case (.array(let elements), .first): return elements.count < 2 ? nil : .array([elements[0]])
        default: return nil
        }
    }

    /// Returns a different string that looks like the given one, so that it is still a date, a URL or an identifier.
    static func other(than text: String) -> String? {
        if text.isEmpty || text.contains("REDACTED") { return nil }
        if let changed = digitsChanged(in: text) { return changed }
        let changed = lettersChanged(in: text)
        return changed == text ? text + "x" : changed
    }

    /// Returns a body that is not JSON with a different text, or with a different byte; `nil` if there is none.
    ///
    /// In a string with tags, only a number is changed.
    static func body(otherThan body: Data) -> Data? {
        guard let text = String(data: body, encoding: .utf8), !text.contains("\0") else {
            var bytes = [UInt8](body)
            if bytes.isEmpty { return nil }
            bytes[bytes.count / 2] ^= 1
            return Data(bytes)
        }
        if text.contains("REDACTED") { return nil }
        let isTagged = text.drop(while: \.isWhitespace).hasPrefix("<")
        return (isTagged ? digitsChanged(in: text) : other(than: text)).map { Data($0.utf8) }
    }

    /// Changes the last two digits that are next to each other by one: down, but up from 0 and 1.
    ///
    /// So the last day of a month remains a valid day, and no hour becomes 24. A number does not begin with a zero: 10 becomes 11.
    private static func digitsChanged(in text: String, isNumber: Bool = false) -> String? {
        var bytes = Array(text.utf8)
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let last = bytes.lastIndex(where: isDigit) else { return nil }
        let value = { (index: Int) in Int(bytes[index] - UInt8(ascii: "0")) }
        let hasTens = last > 0 && isDigit(bytes[last - 1])
        let old = (hasTens ? value(last - 1) * 10 : 0) + value(last)
        let isTen = isNumber && text.drop { $0 == "-" } == "10"
        let new = old > 1 && !isTen ? old - 1 : old + 1
        bytes[last] = UInt8(ascii: "0") + UInt8(new % 10)
        if hasTens { bytes[last - 1] = UInt8(ascii: "0") + UInt8(new / 10) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces each letter of a string by the next letter of the alphabet; in a URL, only the letters after the last
    /// slash.
    private static func lettersChanged(in text: String) -> String {
        let start =
            text.contains("://")
            ? text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex : text.startIndex
        let rest = text[start...].unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar {
            case "z": "a"
            case "Z": "A"
            case "a"..."y", "A"..."Y": Unicode.Scalar(scalar.value + 1) ?? scalar
            default: scalar
            }
        }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: rest)
        return text[..<start] + String(scalars)
    }
}
