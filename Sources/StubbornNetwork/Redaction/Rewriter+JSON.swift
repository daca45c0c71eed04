extension Rewriter {
    private struct Frame {
        var isObject: Bool
        var field: SecretField?
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
        let isLogin = speaksOfLogin(bytes)
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
                    field = key(bytes.part(content), outer: frames.last?.field, isLogin: isLogin)
                    expected = .colon
                case .value:
                    if let edit = string(bytes, content, field, depth: depth) { edits.append(edit) }
                    expected = frames.isEmpty ? .value : .separator
                default: return (edits, false)
                }
                position = end + 1
            default:
                guard expected == .value else { return (edits, false) }
                let end = bytes.end(from: position) { $0.isAlphanumeric || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
                guard end > position else { return (edits, false) }
                let token = bytes.part(position..<end)
                if field != nil, token.first.map({ $0.isDigit || $0 == 0x2D }) == true {
                    if let edit = number(bytes, position..<end) { edits.append(edit) }
                }
                expected = frames.isEmpty ? .value : .separator
                position = end
            }
        }
        return (edits, frames.isEmpty)
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

    private mutating func string(_ bytes: Bytes, _ range: Range<Int>, _ field: SecretField?, depth: Int) -> Edit? {
        let raw = bytes.part(range)
        let isEscaped = raw.contains(0x5C)
        guard field != nil || isEscaped else { return nil }
        let value = isEscaped ? TextEncodings.jsonUnescaped(raw) : Array(raw)
        let changed = value.withUnsafeBufferPointer { value -> [UInt8]? in
            if let field, field.accepts(value) { return replaced(value, of: field, depth: depth + 1) }
            return isEscaped ? content(value, depth: depth + 1) : nil
        }
        guard let changed, changed != value else { return nil }
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
