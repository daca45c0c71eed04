extension Rewriter {
    /// How much it takes for `name: value` in a text to be a secret.
    enum Assignments {
        /// In text of any kind: the name or the value stands in quotation marks, or the value looks like no word.
        case likely
        /// In what claims a format that it does not have, in a query language, and in messages: any.
        case all
    }

    /// `"password": "…"`, `password: "…"`, `PASSWORD=…` in text that is no JSON, such as a script or a list of settings.
    mutating func assignments(_ bytes: Bytes, _ kind: Assignments) -> [UInt8]? {
        var edits: [Edit] = []
        for separator: UInt8 in [0x3A, 0x3D] {
            var next = 0
            while let position = bytes.position(of: separator, from: next) {
                next = position + 1
                guard let edit = assignment(bytes, at: position, kind) else { continue }
                edits.append(edit)
                next = Swift.max(next, edit.range.upperBound)
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    private mutating func assignment(_ bytes: Bytes, at separator: Int, _ kind: Assignments) -> Edit? {
        var nameEnd = separator
        while nameEnd > 0, bytes[nameEnd - 1] == 0x20, separator - nameEnd < 8 { nameEnd -= 1 }
        let quote = bytes.at(nameEnd - 1)
        let isQuoted = quote == 0x22 || quote == 0x27
        if isQuoted { nameEnd -= 1 }
        if isQuoted, bytes.at(nameEnd - 1) == 0x5C { nameEnd -= 1 }
        guard bytes.at(nameEnd - 1).isAlphanumeric || bytes.at(nameEnd - 1) == 0x5F else { return nil }
        var nameStart = nameEnd
        while nameStart > 0, nameEnd - nameStart < 64, bytes[nameStart - 1].isWordPart { nameStart -= 1 }
        guard nameStart < nameEnd, let field = names.field(bytes.part(nameStart..<nameEnd), in: .json) else {
            return nil
        }

        var start = bytes.end(from: separator + 1) { $0.isSpace }
        guard start - separator < 64 else { return nil }
        if bytes.at(start) == 0x5C { start += 1 }
        let opening = bytes.at(start)
        if opening == 0x22, bytes.at(start + 1) == 0x22, bytes.at(start + 2) == 0x22 {
            // A block string of a query language.
            let end = bytes.position(of: "\"\"\"", from: start + 3) ?? bytes.count
            return edit(bytes, bytes.trimmed(start + 3..<end), field, escaped: false)
        }
        if opening == 0x22 || opening == 0x27 {
            start += 1
            var end = start
            while end < bytes.count, bytes[end] != opening, bytes[end] != 0x0A {
                end += bytes[end] == 0x5C && bytes.at(end + 1) != opening ? 2 : 1
            }
            end = Swift.min(end, bytes.count)
            if end > start, bytes[end - 1] == 0x5C, bytes.at(start - 2) == 0x5C { end -= 1 }
            guard isQuoted || kind == .all || !bytes.part(start..<end).contains(0x20) else { return nil }
            return edit(bytes, start..<end, field, escaped: true)
        }
        return bareValue(bytes, from: start, separator: separator, field, isQuoted: isQuoted, kind)
    }

    /// A value without quotation marks.
    private mutating func bareValue(
        _ bytes: Bytes,
        from start: Int,
        separator: Int,
        _ field: SecretField,
        isQuoted: Bool,
        _ kind: Assignments
    ) -> Edit? {
        let isLine = field.form == .credentials || field.form == .cookies
        let end = bytes.end(from: start) {
            isLine
                ? $0 != 0x0A && $0 != 0x0D && $0 != 0x22 && $0 != 0x27
                : !$0.isSpace && !"&,;\"'<>()[]{}".utf8.contains($0)
        }
        let range = bytes.trimmed(start..<Swift.max(start, end))
        let value = bytes.part(range)
        if isQuoted || kind == .all, !value.isEmpty, value.allSatisfy(\.isDigit) {
            return field.takesNumbers && value.count >= 3 ? Edit(range: range, text: vault.number(for: value)) : nil
        }
        switch kind {
        case .all:
            guard isQuoted || value.count >= 4 else { return nil }
        case .likely:
            guard !Self.isCode(bytes, range) else { return nil }
            let isSetting = bytes[separator] == 0x3D && bytes.at(range.upperBound) == 0x3B && value.count >= 4
            // `https://token:…` has no space there.
            guard bytes[separator] == 0x3D || start > separator + 1 else { return nil }
            guard isSetting || (value.count >= 6 && SecretValues.isMixed(value)) else { return nil }
            guard !isLine || value.reduce(0, { $0 + ($1 == 0x20 ? 1 : 0) }) <= 1 || value.contains(0x3D) else {
                return nil
            }
        }
        return edit(bytes, range, field, escaped: false)
    }

    /// Whether the value is what a script computes: `form.password1` or `decode64(…)`.
    private static func isCode(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
        let following = bytes.at(range.upperBound)
        if following == UInt8(ascii: "(") || following == UInt8(ascii: "[") { return true }
        let parts = bytes.part(range).split(separator: 0x2E, omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { $0.first?.isLetter == true && $0.allSatisfy(\.isAlphanumeric) }
    }

    private mutating func edit(_ bytes: Bytes, _ range: Range<Int>, _ field: SecretField, escaped: Bool) -> Edit? {
        let raw = bytes.part(range)
        var value = escaped ? TextEncodings.jsonUnescaped(raw) : Array(raw)
        if !escaped, raw.contains(0x25) { value = TextEncodings.percentDecoded(raw) }
        let text = value.withUnsafeBufferPointer { field.accepts($0) ? replaced($0, of: field) : nil }
        guard let text, text != value else { return nil }
        return Edit(range: range, text: escaped ? TextEncodings.jsonEscaped(text) : text)
    }
}
