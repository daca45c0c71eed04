import Foundation

/// Reads JSON (RFC 8259) for comparing.
///
/// Stricter than most: a repeated key and a lone surrogate are refused, because they do not say one thing. A body that
/// is refused is compared as bytes. Never deeper than `maximumDepth`, so that no body overflows a stack.
struct JSONParser {
    /// Less than Foundation's 512, because comparing descends too, and secondary threads have stacks of 512 KB: a debug
    /// build overflows one at 512 levels.
    static let maximumDepth = 128

    private let bytes: [UInt8]
    private var index = 0

    /// The value that the data is, `nil` when it is not JSON, not UTF-8 or too deep.
    static func value(of data: Data) -> JSONValue? {
        guard String(data: data, encoding: .utf8) != nil else { return nil }
        var parser = JSONParser(bytes: [UInt8](data))
        return parser.document()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func document() -> JSONValue? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        guard let value = value(depth: 0) else { return nil }
        skipSpace()
        return index == bytes.count ? value : nil
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func take(_ word: StaticString, as value: JSONValue) -> JSONValue? {
        let count = word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { bytes[index...].prefix(count).elementsEqual($0) }
        guard matches else { return nil }
        index += count
        return value
    }

    private mutating func value(depth: Int) -> JSONValue? {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return depth < Self.maximumDepth ? object(depth: depth + 1) : nil
        case UInt8(ascii: "["): return depth < Self.maximumDepth ? array(depth: depth + 1) : nil
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return take("true", as: .bool(true))
        case UInt8(ascii: "f"): return take("false", as: .bool(false))
        case UInt8(ascii: "n"): return take("null", as: .null)
        default: return number().map(JSONValue.number)
        }
    }

    private mutating func object(depth: Int) -> JSONValue? {
        index += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard let key = string(), members[key] == nil else { return nil }
            skipSpace()
            guard take(UInt8(ascii: ":")), let value = value(depth: depth) else { return nil }
            members[key] = value
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        index += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            guard let element = value(depth: depth) else { return nil }
            elements.append(element)
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func number() -> String? {
        let start = index
        while let byte = next, JSONNumber.mayContain(byte) { index += 1 }
        return JSONNumber.normalised(bytes[start..<index])
    }

    private mutating func string() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var unescaped: [UInt8] = []
        var start = index
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let last = bytes[start..<index]
                index += 1
                if unescaped.isEmpty { return String(decoding: last, as: UTF8.self) }
                return String(decoding: unescaped + last, as: UTF8.self)
            case UInt8(ascii: "\\"):
                unescaped += bytes[start..<index]
                index += 1
                guard appendEscape(to: &unescaped) else { return nil }
                start = index
            case 0..<0x20: return nil
            default: index += 1
            }
        }
        return nil
    }

    private mutating func appendEscape(to result: inout [UInt8]) -> Bool {
        guard let byte = next else { return false }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = escapedScalar() else { return false }
            result += Array(String(Character(scalar)).utf8)
        default: return false
        }
        return true
    }

    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let first = fourDigits() else { return nil }
        guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let second = fourDigits(),
            0xDC00..<0xE000 ~= second
        else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func fourDigits() -> UInt32? {
        guard bytes.count - index >= 4 else { return nil }
        var result: UInt32 = 0
        for byte in bytes[index..<(index + 4)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            result = result << 4 | UInt32(digit)
        }
        index += 4
        return result
    }
}
