extension Rewriter {
    /// The value of a header field without its secrets.
    mutating func header(_ field: HeaderFields.Field) -> [UInt8]? {
        let secret = field.name.withBytes { names.field($0, in: .header) }
        let isReference = ["location", "content-location", "referer", "refresh", "link"]
            .contains { field.name.isSameFieldName(as: $0) }
        return field.value.withBytes { value in
            guard let secret else {
                let first = isReference && !value.isEmpty ? reference(value) : nil
                return then(first, value) { $0.free($1, depth: 0) }
            }
            let result = replaced(value, of: secret)
            return result.elementsEqual(value) ? nil : result
        }
    }

    /// A URL without scheme and host, such as `Location: /callback?code=…`.
    private mutating func reference(_ value: Bytes) -> [UInt8]? {
        guard value.position(of: "://", from: 0) == nil,
            value.contains(UInt8(ascii: "?")) || value.contains(UInt8(ascii: "#"))
        else {
            return nil
        }
        guard value.contains(UInt8(ascii: "<")) else { return url(value, depth: 0) }
        // `Link: </items?page=2>; rel="next", …` (RFC 8288, section 3).
        var edits: [Edit] = []
        var next = 0
        while let open = value.position(of: UInt8(ascii: "<"), from: next) {
            let end = value.position(of: UInt8(ascii: ">"), from: open) ?? value.count
            if let changed = url(value.part(open + 1..<end), depth: 0) {
                edits.append(Edit(range: open + 1..<end, text: changed))
            }
            next = end
        }
        return Edit.apply(edits, to: value)
    }

    /// What takes the place of a secret field's value, in the form that such values have.
    mutating func replaced(_ value: Bytes, of field: SecretField, depth: Int = 0) -> [UInt8] {
        switch field.form {
        case .value: text(for: value, label: field.label, following: field.follows, depth: depth)
        case .credentials: credentials(value, label: field.label)
        case .cookies: cookies(value, field)
        case .setCookie: setCookie(value, field)
        }
    }

    /// `Bearer …`, `Basic …`: the scheme stays (RFC 9110, section 11.4).
    private mutating func credentials(_ value: Bytes, label: String) -> [UInt8] {
        let range = value.trimmed(0..<value.count)
        let schemeEnd = value.end(from: range.lowerBound) { $0.isWordPart }
        guard schemeEnd > range.lowerBound, schemeEnd < range.upperBound, value.at(schemeEnd) == 0x20,
            value.at(range.lowerBound).isLetter
        else { return text(for: value.part(range), label: label) }
        let start = value.end(from: schemeEnd) { $0 == 0x20 }
        let rest = value.part(start..<range.upperBound)
        let scheme = value.part(range.lowerBound..<start)
        if value.hasIgnoringCase("basic", at: range.lowerBound), scheme.count == 6 {
            return Array(scheme) + basic(rest)
        }
        let isSingle = !rest.contains(0x20) && !rest.contains(0x2C)
        return Array(scheme)
            + text(for: rest, label: isSingle ? "token" : label, following: isSingle ? .always : .never)
    }

    /// `a=1; b=2`: the names stay (RFC 6265, section 4.2).
    private mutating func cookies(_ value: Bytes, _ field: SecretField) -> [UInt8] {
        var edits: [Edit] = []
        for part in parts(of: value, in: 0..<value.count, separator: 0x3B) {
            if let edit = cookie(value, part, field) { edits.append(edit) }
        }
        return Edit.apply(edits, to: value) ?? Array(value)
    }

    /// `a=1; Path=/`: name and attributes stay (RFC 6265, section 4.1); so do several joined by commas.
    private mutating func setCookie(_ value: Bytes, _ field: SecretField) -> [UInt8] {
        var edits: [Edit] = []
        var start = 0
        while start < value.count {
            var end = start
            while let comma = value.position(of: 0x2C, from: end), !beginsCookie(value, at: comma + 1) {
                end = comma + 1
            }
            end = value.position(of: 0x2C, from: end) ?? value.count
            let pairEnd = value.position(of: 0x3B, from: start, to: end) ?? end
            if let edit = cookie(value, start..<pairEnd, field) { edits.append(edit) }
            start = end + 1
        }
        return Edit.apply(edits, to: value) ?? Array(value)
    }

    /// Whether a name and `=` stand here, and not the rest of a date.
    private func beginsCookie(_ value: Bytes, at position: Int) -> Bool {
        let start = value.end(from: position) { $0 == 0x20 }
        let end = value.end(from: start) { $0.isUnreserved || "!#$%&'*+^`|".utf8.contains($0) }
        return end > start && value.at(end) == 0x3D
    }

    private mutating func cookie(_ value: Bytes, _ range: Range<Int>, _ field: SecretField) -> Edit? {
        let equals = value.position(of: 0x3D, from: range.lowerBound, to: range.upperBound)
        var content = value.trimmed((equals.map { $0 + 1 } ?? range.lowerBound)..<range.upperBound)
        if content.count >= 2, value.at(content.lowerBound) == 0x22, value.at(content.upperBound - 1) == 0x22 {
            content = content.lowerBound + 1..<content.upperBound - 1
        }
        guard field.accepts(value.part(content)) else { return nil }
        return Edit(range: content, text: text(for: value.part(content), label: "cookie", following: field.follows))
    }

    func parts(of bytes: Bytes, in range: Range<Int>, separator: UInt8) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let end = bytes.position(of: separator, from: start, to: range.upperBound) ?? range.upperBound
            result.append(start..<end)
            start = end + 1
        }
        return result
    }
}
