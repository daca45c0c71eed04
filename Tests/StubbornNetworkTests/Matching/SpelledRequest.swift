import Foundation

@testable import StubbornNetwork

/// The judge of the matchers: what a request says, apart from the way in which it is written.
///
/// Two plain values are equal or not by Swift's own `==`. The matchers see only their spellings.
enum Spelled {
    /// A character of a URL or of a form.
    enum Character: Hashable {
        /// A letter, a digit or one of `-._~`: as it is, or escaped.
        case unreserved(UInt8)
        /// A delimiter that is unchanged in a URL.
        case delimiter(UInt8)
        /// A byte that is always escaped.
        case escaped(UInt8)
    }

    struct Item: Hashable {
        var name: [Character]
        /// `nil` for an item without an equals sign.
        var value: [Character]?
    }

    struct Address: Hashable {
        var scheme = "https"
        var host = "api.example.com"
        /// `nil` for the default of the scheme.
        var port: Int?
        var path: [[Character]] = []
        /// The items of the query and their counts.
        var query: [Item: Int] = [:]
    }

    /// JSON without the spelling of its numbers and strings.
    indirect enum JSON: Hashable {
        case null, truth(Bool), text(String), list([JSON]), object([String: JSON])
        /// A number in quarters.
        case quarters(Int)
    }
}

// Drawing.
extension Spelled {
    static func address(_ random: inout Generator) -> Address {
        var address = Address()
        address.scheme = pick(["http", "https"], &random)
        address.host = pick(["api.example.com", "127.0.0.1", "[fe80::1]", "a-b.example"], &random)
        address.port = pick([nil, nil, 8080, 1], &random)
        address.path = (0..<pick([0, 1, 2, 3], &random)).map { _ in characters("/", &random) }
        for _ in 0..<pick([0, 0, 1, 2, 4], &random) {
            let value: [Character]? = pick([true, true, false], &random) ? characters("&=", &random) : nil
            let name = characters("&=", &random, least: 1)
            address.query[Item(name: name, value: value), default: 0] += 1
        }
        return address
    }

    /// Returns an address that differs from another one in one part.
    static func neighbour(of address: Address, _ random: inout Generator) -> Address {
        var changed = address
        switch Int.random(in: 0..<5, using: &random) {
        case 0: changed.scheme = address.scheme == "http" ? "https" : "http"
        case 1: changed.host = pick(["api.example.org", "127.0.0.2", "[fe80::2]"], &random)
        case 2: changed.port = (address.port ?? 0) + 7
        case 3: changed.path.append(characters("/", &random, least: 1))
        default: changed.query[Item(name: characters("&=", &random, least: 1), value: nil), default: 0] += 1
        }
        return changed
    }

    /// Returns characters for a part of a URL, without the delimiters that would end it.
    static func characters(_ ends: String, _ random: inout Generator, least: Int = 0) -> [Character] {
        (0..<Int.random(in: least...3, using: &random)).map { _ in
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1: .unreserved(pick(Array("aZ09-._~".utf8), &random))
            case 2: .delimiter(pick("!$'()*+,;=:@&".utf8.filter { !ends.utf8.contains($0) }, &random))
            default: .escaped(pick(Array(" +/?%#[]&=\"".utf8) + [0xC3, 0xA9, 0x00, 0xFF], &random))
            }
        }
    }

    static func json(depth: Int, _ random: inout Generator) -> JSON {
        let count = Int.random(in: 0...3, using: &random)
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
        case 0: return pick([.null, .truth(true), .truth(false)], &random)
        case 1, 2: return .quarters(pick([0, 1, -1, 4, -4, 40, 400_000, 6, 2_000_000_001], &random))
        case 3: return .text(pick(["", "a", "A", "é", "\"", "\\", "/", "\n", "😀", "1", "null"], &random))
        case 4: return .list((0..<count).map { _ in json(depth: depth - 1, &random) })
        default:
            let members = (0..<count).map { _ in
                (pick(["", "a", "A", "é", "b.c", "\t"], &random), json(depth: depth - 1, &random))
            }
            return .object(Dictionary(members) { $1 })
        }
    }

    static func pick<Value>(_ values: [Value], _ random: inout Generator) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }
}

// Spelling.
extension Spelled {
    static func text(of address: Address, _ random: inout Generator) -> String {
        var text = anyCase(address.scheme, &random) + "://"
        text += pick(["", "", "user@", "user:pass@"], &random) + anyCase(address.host, &random)
        let standard = address.scheme == "http" ? "80" : "443"
        text += address.port.map { pick([":\($0)", ":0\($0)"], &random) } ?? pick(["", ":\(standard)"], &random)
        text += address.path.map { "/" + Self.text(of: $0, &random) }.joined()
        if address.path.isEmpty { text += pick(["", "/"], &random) }
        let items = address.query.flatMap { Array(repeating: $0.key, count: $0.value) }.shuffled(using: &random)
        if !items.isEmpty { text += "?" + query(items, &random) }
        return text + pick(["", "", "#top", "#a=1"], &random)
    }

    private static func query(_ items: [Item], _ random: inout Generator) -> String {
        items.map { item in
            let name = text(of: item.name, &random)
            return item.value.map { "\(name)=\(text(of: $0, &random))" } ?? name
        }.joined(separator: pick(["&", "&", "&&"], &random))
    }

    private static func text(of characters: [Character], _ random: inout Generator) -> String {
        var text = ""
        for character in characters {
            switch character {
            case .unreserved(let byte):
                let isEscaped = Int.random(in: 0..<4, using: &random) == 0
                text += isEscaped ? escape(byte, &random) : String(decoding: [byte], as: UTF8.self)
            case .delimiter(let byte): text += String(decoding: [byte], as: UTF8.self)
            case .escaped(let byte): text += escape(byte, &random)
            }
        }
        return text
    }

    /// Returns the fields of a form, in any order, in which `+` and `%20` are a space and any character may be escaped.
    static func form(_ fields: [[String]], _ random: inout Generator) -> String {
        let field = { (text: String, random: inout Generator) in
            text.utf8.map { byte in
                if byte == UInt8(ascii: " ") { return pick(["+", "%20"], &random) }
                let stays = "abcdefghijklmnopqrstuvwxyzABC0123456789-._~!*'()".utf8.contains(byte)
                return stays && Bool.random(using: &random)
                    ? String(decoding: [byte], as: UTF8.self) : escape(byte, &random)
            }.joined()
        }
        return fields.shuffled(using: &random).map { pair in
            let value = field(pair[1], &random)
            return field(pair[0], &random) + (value.isEmpty ? pick(["", "="], &random) : "=\(value)")
        }.joined(separator: "&")
    }

    static func text(of json: JSON, _ random: inout Generator) -> String {
        let space = { (random: inout Generator) in pick(["", "", " ", "\n", "\r\n\t"], &random) }
        let (before, after) = (space(&random), space(&random))
        let content: String
        switch json {
        case .null: content = "null"
        case .truth(let value): content = "\(value)"
        case .quarters(let quarters): content = number(quarters, &random)
        case .text(let value): content = string(value, &random)
        case .list(let elements):
            content = "[" + elements.map { text(of: $0, &random) }.joined(separator: ",") + "]"
        case .object(let members):
            let pairs = members.shuffled(using: &random).map { key, value in
                before + string(key, &random) + after + ":" + text(of: value, &random)
            }
            content = "{" + pairs.joined(separator: ",") + "}"
        }
        return before + content + after
    }

    private static func number(_ quarters: Int, _ random: inout Generator) -> String {
        let hundredths = quarters * 25
        let sign = hundredths < 0 ? "-" : ""
        let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
        let decimal = "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
        var spellings = [decimal, decimal + "0", "\(hundredths)e-2", "\(decimal)E+00", "\(hundredths).000E-02"]
        if rest == 0 { spellings += ["\(sign)\(whole)", "\(sign)\(whole).0"] }
        return pick(spellings, &random)
    }

    private static func string(_ text: String, _ random: inout Generator) -> String {
        var result = "\""
        for unit in text.utf16 {
            let isBare = unit >= 0x20 && unit < 0x7F && unit != 0x22 && unit != 0x5C
            if isBare, Int.random(in: 0..<3, using: &random) > 0 {
                result += String(decoding: [unit], as: UTF16.self)
            } else {
                let digits = String(unit, radix: 16)
                result += "\\u" + anyCase(String(repeating: "0", count: 4 - digits.count) + digits, &random)
            }
        }
        return result + "\""
    }

    static func anyCase(_ text: String, _ random: inout Generator) -> String {
        text.map { Bool.random(using: &random) ? $0.uppercased() : $0.lowercased() }.joined()
    }

    private static func escape(_ byte: UInt8, _ random: inout Generator) -> String {
        "%" + anyCase(byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16), &random)
    }
}
