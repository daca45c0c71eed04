extension Rewriter {
    private struct Frame {
        var isObject: Bool
        var field: SecretField?
        /// What the object calls its value, in a list of `{"name": "password", "value": "…"}`.
        var named: SecretField?
        var role = Role.other
        /// The value, where it stands before its name.
        var value: Range<Int>?
    }

    /// What a member of an object says of another one.
    private enum Role {
        case name, value, other

        init(_ key: Bytes) {
            self =
                switch key.count {
                case 3 where key.has("key", at: 0): .name
                case 4 where key.has("name", at: 0) || key.has("Name", at: 0): .name
                case 5 where key.has("value", at: 0) || key.has("Value", at: 0): .value
                case 5 where key.has("field", at: 0): .name
                default: .other
                }
        }
    }

    private enum Expectation {
        case value, firstKey, key, colon, separator
    }

    /// The edits that a JSON text needs, and whether it is JSON to its end. All other bytes stay as they are.
    ///
    /// Several texts one after the other are taken too (JSON lines). Nesting costs memory, not stack.
    mutating func json(_ bytes: Bytes, from start: Int, depth: Int) -> (edits: [Edit], isComplete: Bool) {
        var edits: [Edit] = []
        var frames: [Frame] = []
        var expected = Expectation.value
        var field: SecretField?
        var position = start
        var isLogin: Bool?
        while true {
            position = bytes.end(from: position, while: \.isSpace)
            guard position < bytes.count else { break }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard expected == .value else { return (edits, false) }
                let isObject = byte == UInt8(ascii: "{")
                frames.append(Frame(isObject: isObject, field: field))
                expected = isObject ? .firstKey : .value
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard let frame = frames.popLast(), frame.isObject == (byte == UInt8(ascii: "}")) else {
                    return (edits, false)
                }
                guard expected == .separator || expected == .firstKey || !frame.isObject else { return (edits, false) }
                expected = frames.isEmpty ? .value : .separator
                position += 1
            case UInt8(ascii: ","):
                guard expected == .separator, let frame = frames.last else { return (edits, false) }
                expected = frame.isObject ? .key : .value
                field = frame.isObject ? nil : frame.field
                position += 1
            case UInt8(ascii: ":"):
                guard expected == .colon else { return (edits, false) }
                expected = .value
                position += 1
            case UInt8(ascii: "\""):
                guard let end = stringEnd(bytes, from: position + 1) else { return (edits, false) }
                let content = position + 1..<end
                switch expected {
                case .key, .firstKey:
                    if isLogin == nil, content.count == 4, bytes.hasIgnoringCase("code", at: content.lowerBound) {
                        isLogin = speaksOfLogin(bytes)
                    }
                    field = key(bytes.part(content), outer: frames.last?.field, isLogin: isLogin ?? false)
                    let role = Role(bytes.part(content))
                    frames[frames.count - 1].role = role
                    if role == .value, field == nil { field = frames[frames.count - 1].named }
                    expected = .colon
                case .value:
                    if let last = frames.indices.last, frames[last].role != .other {
                        if let edit = pair(bytes, content, &frames[last], depth: depth) { edits.append(edit) }
                    }
                    // What stands in a list under `password` says what is wrong with it: `["is too short"]`.
                    let isSentence = field != nil && frames.last?.isObject == false && isSentence(bytes.part(content))
                    if let edit = string(bytes, content, isSentence ? nil : field, depth: depth) { edits.append(edit) }
                    expected = frames.isEmpty ? .value : .separator
                default: return (edits, false)
                }
                position = end + 1
            default:
                guard expected == .value else { return (edits, false) }
                let end = bytes.end(from: position) { $0.isAlphanumeric || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
                guard end > position else { return (edits, false) }
                let token = bytes.part(position..<end)
                if let field, field.takesNumbers, token.first.map({ $0.isDigit || $0 == 0x2D }) == true {
                    if let edit = number(bytes, position..<end) { edits.append(edit) }
                }
                expected = frames.isEmpty ? .value : .separator
                position = end
            }
        }
        return (edits, frames.isEmpty)
    }

    private static let sentenceBeginnings: Set<String> = [
        "is", "has", "was", "can't", "cannot", "must", "should", "does", "doesn't", "may", "needs", "not", "the",
        "this",
        "your", "please", "already", "too", "invalid", "incorrect", "wrong",
    ]

    /// Whether this is a remark on a field: it begins like one, and none of its words is a mixture of letters and digits.
    private func isSentence(_ value: Bytes) -> Bool {
        guard value.count < 256, value.contains(0x20) else { return false }
        let words = value.split(separator: 0x20)
        guard words.count > 1, let first = words.first, first.count < 12 else { return false }
        return Self.sentenceBeginnings.contains(Bytes(rebasing: first).text.lowercased())
            && words.allSatisfy { $0.count < 24 && !SecretValues.isMixed(Bytes(rebasing: $0)) }
    }

    /// The position of the quotation mark that ends a string.
    private func stringEnd(_ bytes: Bytes, from start: Int) -> Int? {
        var next = start
        while let quote = bytes.position(of: 0x22, from: next) {
            var backslashes = 0
            while quote - 1 - backslashes >= next, bytes[quote - 1 - backslashes] == 0x5C { backslashes += 1 }
            if backslashes % 2 == 0 { return quote }
            next = quote + 1
        }
        return nil
    }

    /// What a key says about its value. Inside a secret object only what is named as its content counts.
    private func key(_ name: Bytes, outer: SecretField?, isLogin: Bool) -> SecretField? {
        let field: SecretField? =
            if name.contains(0x5C) {
                TextEncodings.jsonUnescaped(name).withUnsafeBufferPointer {
                    names.field($0, in: .json, isLogin: isLogin)
                }
            } else {
                names.field(name, in: .json, isLogin: isLogin)
            }
        if let field { return field }
        guard let outer else { return nil }
        let isContent = ["value", "raw", "plain", "text", "access", "refresh"].contains { $0 == name.text }
        return isContent ? outer : nil
    }

    /// The part that a string has in a pair of name and value; the edit of the value, where that came first.
    private mutating func pair(_ bytes: Bytes, _ range: Range<Int>, _ frame: inout Frame, depth: Int) -> Edit? {
        if frame.role == .value {
            frame.value = range
            return nil
        }
        frame.named = names.field(bytes.part(range), in: .json)
        guard let named = frame.named, let value = frame.value else { return nil }
        return string(bytes, value, named, depth: depth)
    }

    /// What characters a string has that tell of another format in it, or of an escape.
    private static let signs: [UInt8] = {
        var result = [UInt8](repeating: 0, count: 256)
        for (index, signs) in ["=<&%", "(", ":", "\\"].enumerated() {
            for byte in signs.utf8 { result[Int(byte)] = 1 << UInt8(index) }
        }
        return result
    }()

    /// Whether a string is worth reading by itself. Plain escapes alone are none: a value seen is looked for with them.
    private static func isTelling(_ raw: Bytes) -> Bool {
        var found: UInt8 = 0
        for byte in raw { found |= signs[Int(byte)] }
        if found & 1 != 0 || found & 6 == 6 || found & 12 == 12 { return true }
        guard found & 8 != 0 else { return false }
        return raw.position(of: "\\u", from: 0) != nil
    }

    /// Whether this is `X-Api-Key: …`, a header field in a list of lines.
    private func isHeaderLine(_ value: Bytes) -> Bool {
        guard let colon = value.position(of: 0x3A, from: 0, to: Swift.min(64, value.count)), colon > 2,
            value.at(colon + 1) == 0x20
        else { return false }
        let name = value.part(0..<colon)
        return name.allSatisfy(\.isWordPart) && names.field(name, in: .json) != nil
    }

    private mutating func string(_ bytes: Bytes, _ range: Range<Int>, _ field: SecretField?, depth: Int) -> Edit? {
        let raw = bytes.part(range)
        if let field {
            let value = raw.contains(0x5C) ? TextEncodings.jsonUnescaped(raw) : Array(raw)
            let changed = value.withUnsafeBufferPointer { value -> [UInt8]? in
                field.accepts(value) ? replaced(value, of: field, depth: depth + 1) : content(value, depth: depth + 1)
            }
            guard let changed, changed != value else { return nil }
            return Edit(range: range, text: TextEncodings.jsonEscaped(changed))
        }
        guard Self.isTelling(raw) || isHeaderLine(raw) else { return nil }
        guard raw.contains(0x5C) else {
            return content(raw, depth: depth + 1).map { Edit(range: range, text: TextEncodings.jsonEscaped($0)) }
        }
        let value = TextEncodings.jsonUnescaped(raw)
        guard let changed = value.withUnsafeBufferPointer({ content($0, depth: depth + 1) }) else { return nil }
        return Edit(range: range, text: TextEncodings.jsonEscaped(changed))
    }

    /// Numbers of one or two digits are counts and flags, not secrets.
    private mutating func number(_ bytes: Bytes, _ range: Range<Int>) -> Edit? {
        let value = bytes.part(range)
        guard value.count >= 3 else { return nil }
        let text = vault.number(for: value)
        return text.elementsEqual(value) ? nil : Edit(range: range, text: text)
    }
}
