// Comparing a live value.
extension ValueTemplate {
    /// Returns a Boolean value that indicates whether a text matches, and adds the live values in the wildcards.
    ///
    /// If it does not match, the values up to the difference may be added.
    func match(_ bytes: Bytes, into captures: inout Captures) -> Bool {
        switch self {
        case .text(let parts): return Self.match(parts, bytes, into: &captures)
        case .json(let request):
            if bytes.isEmpty { return captures.addEmpty(request.wildcardCount) }
            return JSONValue(bytes).map { request.match(ComparedRequest([.init($0)]), into: &captures) } ?? false
        case .percentEncoded(let value):
            return PercentEncoding.decoded(bytes).withUnsafeBufferPointer { value.match($0, into: &captures) }
        case .wrapped(let value):
            guard let text = WrappedText(bytes)?.text else { return value.match(bytes, into: &captures) }
            return text.withUnsafeBufferPointer { value.match($0, into: &captures) }
        case .number: return match(.number(bytes.text), into: &captures)
        }
    }

    /// Returns a Boolean value that indicates whether a value of JSON matches, and adds the live values in the wildcards.
    func match(_ token: JSONValue.Token, into captures: inout Captures) -> Bool {
        let text: String
        var isText = false
        switch token {
        case .string(let value): (text, isText) = (value, true)
        case .number(let digits): text = digits
        case .bool(let value): text = "\(value)"
        case .null: text = ""
        default: return false
        }
        switch self {
        case .number(let original):
            if case .bool = token { return false }
            captures.values.append(Array(text.utf8))
            if let original, !text.utf8.elementsEqual(original) { captures.formMismatchCount += 1 }
            return true
        case .text(let parts):
            // A wildcard that is a whole text takes any value.
            guard isText || parts.count == 1 else { return false }
            return text.withBytes { Self.match(parts, $0, into: &captures) }
        case .percentEncoded: return (isText || token == .null) && text.withBytes { match($0, into: &captures) }
        case .json, .wrapped: return isText && text.withBytes { match($0, into: &captures) }
        }
    }

    /// Compares from left to right: each literal is looked for from the end of the one before, and the last one is at
    /// the end.
    private static func match(_ parts: [TextPart], _ bytes: Bytes, into captures: inout Captures) -> Bool {
        var position = 0
        var index = 0
        while index < parts.count {
            if case .literal(let literal) = parts[index] {
                guard bytes.part(position..<position + literal.count).elementsEqual(literal) else { return false }
                position += literal.count
                index += 1
                continue
            }
            let first = index
            while index < parts.count, case .wildcard = parts[index] { index += 1 }
            if index == first { index += 1 }
            guard let end = end(of: parts, from: index, bytes, position) else { return false }
            guard capture(parts[first], bytes.part(position..<end), into: &captures) else { return false }
            // Of wildcards next to each other, the first one takes everything.
            captures.addEmpty(Swift.max(0, index - first - 1))
            position = end
        }
        return position == bytes.count
    }

    /// Returns the end of the value whose wildcard comes before the part at an index; `nil` if that part is not found.
    private static func end(of parts: [TextPart], from index: Int, _ bytes: Bytes, _ start: Int) -> Int? {
        guard index < parts.count else { return bytes.count }
        // Encoded text may follow.
        guard case .literal(let literal) = parts[index] else { return start }
        let isLast = index == parts.count - 1
        var next = isLast ? bytes.count - literal.count : start
        guard next >= start else { return nil }
        while let found = bytes.position(of: literal[0], from: next) {
            if bytes.part(found..<found + literal.count).elementsEqual(literal) { return found }
            next = found + 1
        }
        return nil
    }

    private static func capture(_ part: TextPart, _ value: Bytes, into captures: inout Captures) -> Bool {
        switch part {
        case .literal: return false
        case .wildcard(let prefix, let original):
            captures.values.append(Array(placeholder(endingIn: value) ?? value))
            if !value.starts(with: prefix) { captures.formMismatchCount += 1 }
            if let original, !value.elementsEqual(original) { captures.formMismatchCount += 1 }
            return true
        case .encoded(let template, let isHex, let count):
            if value.isEmpty { return captures.addEmpty(count) }
            // Padding may be written `%3D` or `%253D`, and the recorded value may have none.
            var digits = Array(value)
            while digits.contains(.percent) {
                let decoded = digits.withUnsafeBufferPointer { PercentEncoding.decoded($0) }
                if decoded.count == digits.count { break }
                digits = decoded
            }
            let decoded = digits.withUnsafeBufferPointer { isHex ? hexadecimal($0) : Base64.decoded($0) }
            return decoded?.withUnsafeBufferPointer { template.match($0, into: &captures) } ?? false
        }
    }

    /// Returns the placeholder at the end of a live value, without a provider's prefix or the first parts of a JSON Web Token;
    /// `nil` for any other value.
    ///
    /// A stub gave it out, and the client sends it back.
    private static func placeholder(endingIn value: Bytes) -> Bytes? {
        Placeholder.matches(in: value).first { $0.match.end == value.count }.map { value.part($0.start..<value.count) }
    }

    private static func hexadecimal(_ value: Bytes) -> [UInt8]? {
        guard value.count % 2 == 0, value.allSatisfy({ $0.hexValue != nil }) else { return nil }
        return EncodedText.bytes(ofHex: value)
    }
}

extension JSONValue {
    /// Returns the value with `null` in place of the texts, numbers and other single values at some offsets.
    func blanked(at offsets: [Int]) -> JSONValue {
        var blank = Array(tokens)
        for offset in offsets where offset < blank.count {
            switch blank[offset] {
            case .key, .open, .close: continue
            case .string, .number, .bool, .null: blank[offset] = .null
            }
        }
        return JSONValue(blank[...])
    }
}
