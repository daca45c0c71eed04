import Foundation

/// Looks for a secret in bytes as whoever reads a stub file would: decoding whatever can be decoded, again and again.
///
/// It shares nothing with the library, so that what the library forgets to decode is decoded here.
struct SpellingSearch {
    let secret: String

    /// How the secret is spelled where it was found, from the outside in; `nil` if it is nowhere.
    func trail(in data: Data) -> [String]? {
        trail(in: String(decoding: data, as: UTF8.self), depth: 0)
    }

    func trail(in text: String) -> [String]? { trail(in: text, depth: 0) }

    private func trail(in text: String, depth: Int) -> [String]? {
        if text.contains(secret) { return [String(text.prefix(200))] }
        guard depth < 5, text.utf8.count >= 4 else { return nil }
        for (name, decoded) in decodings(of: text) where decoded != text {
            if let rest = trail(in: decoded, depth: depth + 1) { return [name] + rest }
        }
        return nil
    }

    private func decodings(of text: String) -> [(String, String)] {
        var result: [(String, String)] = []
        if text.first == "{" || text.first == "[",
            let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])
        {
            return strings(in: value).map { ("JSON", $0) }
        }
        if text.contains("%") {
            result.append(("percent", Self.percentDecoded(text)))
            result.append(("form", Self.percentDecoded(text.replacingOccurrences(of: "+", with: " "))))
        } else if text.contains("+") {
            result.append(("plus", text.replacingOccurrences(of: "+", with: " ")))
        }
        if text.contains("\\") { result.append(("escapes", Self.unescaped(text))) }
        if text.contains("&") { result.append(("entities", Self.entitiesDecoded(text))) }
        for run in text.split(whereSeparator: { !($0.isASCII && $0.isHexDigit) }) where run.utf8.count >= 16 {
            if let decoded = Self.hexDecoded(run) { result.append(("hex", decoded)) }
        }
        for run in text.split(whereSeparator: { !($0.isASCII && ($0.isLetter || $0.isNumber || "+/-_".contains($0))) })
        where run.utf8.count >= 8 {
            for offset in 0..<4 {
                if let decoded = Self.base64Decoded(run.dropFirst(offset)) { result.append(("base64", decoded)) }
            }
        }
        return result
    }

    private func strings(in value: Any) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(strings)
        case let object as [String: Any]: object.flatMap { [$0.key] + strings(in: $0.value) }
        case let number as NSNumber: [number.stringValue]
        default: []
        }
    }

    private static func percentDecoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
                rest = rest.dropFirst(2)
                bytes.append(value)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ text: String) -> String {
        var units: [UInt16] = []
        var rest = Array(text.utf16)[...]
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let next = rest.popFirst() else {
                units.append(unit)
                continue
            }
            let digits = next == 0x75 ? 4 : next == 0x78 ? 2 : 0
            let number = UInt16(String(decoding: rest.prefix(digits), as: UTF16.self), radix: 16)
            if digits > 0, let number {
                units.append(number)
                rest = rest.dropFirst(digits)
            } else {
                units.append(next == 0x6E ? 0x0A : next == 0x74 ? 0x09 : next)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func entitiesDecoded(_ text: String) -> String {
        var result = ""
        var rest = Substring(text)
        let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        while let ampersand = rest.firstIndex(of: "&") {
            result += rest[..<ampersand]
            rest = rest[rest.index(after: ampersand)...]
            guard let end = rest.prefix(12).firstIndex(of: ";") else {
                result += "&"
                continue
            }
            let name = String(rest[..<end])
            let digits = name.hasPrefix("#x") || name.hasPrefix("#X") ? name.dropFirst(2) : name.dropFirst(1)
            let radix = name.hasPrefix("#x") || name.hasPrefix("#X") ? 16 : 10
            if let known = names[name] {
                result += known
            } else if name.hasPrefix("#"), let scalar = UInt32(digits, radix: radix).flatMap(Unicode.Scalar.init) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "&"
                continue
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func hexDecoded(_ run: Substring) -> String? {
        let digits = run.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        return bytes.allSatisfy { $0 >= 32 && $0 < 127 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func base64Decoded(_ run: Substring) -> String? {
        var text = run.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        if text.utf8.count % 4 == 1 { text.removeLast() }
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text), !data.isEmpty else { return nil }
        if data.count >= 4, data.starts(with: [0xFF, 0xFE]) || data[1] == 0 {
            return String(data: data, encoding: .utf16LittleEndian)
        }
        if data.starts(with: [0xFE, 0xFF]) || data[0] == 0 {
            return String(data: data, encoding: .utf16BigEndian)
        }
        return String(decoding: data, as: UTF8.self)
    }
}
