extension Rewriter {
    /// XML and HTML: elements and attributes with the names of secrets, `<input name="password" value="…">`, and a property
    /// list's `<key>password</key><string>…</string>`. What is not well-formed is read as far as its tags go.
    mutating func xml(_ bytes: Bytes) -> [UInt8]? {
        var edits: [Edit] = []
        var next = 0
        var listed: SecretField?
        while let open = bytes.position(of: UInt8(ascii: "<"), from: next) {
            let nameStart = open + 1
            let nameEnd = bytes.end(from: nameStart) { $0.isUnreserved || $0 == 0x3A || $0 >= 0x80 }
            next = Swift.max(nameEnd, open + 1)
            guard nameEnd > nameStart else { continue }
            let attributes = attributes(bytes, from: nameEnd)
            next = attributes.end
            edits += self.edits(for: attributes.list, in: bytes)
            let name = localName(bytes.part(nameStart..<nameEnd))
            let isKey = isOne(of: ["key", "name"], name)
            let isValue = isOne(of: ["value"], name)
            let content = text(bytes, from: attributes.end)
            let field = listed ?? names.field(name, in: .xml) ?? parameter(name, attributes.list, in: bytes)
            // `<value><string>…` says its value one element further on.
            if !(isValue && content.isEmpty) { listed = nil }
            if isKey {
                listed = names.field(bytes.part(content), in: .xml)
                // A name is one of a pair only beside a value.
                if isOne(of: ["name"], name), !isFollowedByValue(bytes, content.upperBound) { listed = nil }
            } else if let field, let edit = edit(bytes, content, field) {
                edits.append(edit)
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    /// What `<param name="password">` says about its text.
    private func parameter(
        _ name: Bytes,
        _ attributes: [(name: Range<Int>, value: Range<Int>)],
        in bytes: Bytes
    ) -> SecretField? {
        guard
            isOne(of: ["param", "parameter", "property", "field", "entry", "item", "setting", "string", "value"], name)
        else { return nil }
        for attribute in attributes where isOne(of: ["name", "key"], bytes.part(attribute.name)) {
            return names.field(bytes.part(attribute.value), in: .xml)
        }
        return nil
    }

    /// Whether `</name><value>` stands here.
    private func isFollowedByValue(_ bytes: Bytes, _ end: Int) -> Bool {
        guard let close = bytes.position(of: UInt8(ascii: ">"), from: end) else { return false }
        let next = bytes.end(from: close + 1, while: \.isSpace)
        return bytes.hasIgnoringCase("<value", at: next)
    }

    private func localName(_ name: Bytes) -> Bytes {
        guard let colon = name.position(of: 0x3A, from: 0), colon + 1 < name.count else { return name }
        return name.part(colon + 1..<name.count)
    }

    /// The text up to the next tag, without the spaces around it, or the inside of a CDATA section.
    private func text(_ bytes: Bytes, from start: Int) -> Range<Int> {
        guard bytes.at(start - 1) == UInt8(ascii: ">"), bytes.at(start - 2) != UInt8(ascii: "/") else {
            return start..<start
        }
        let first = bytes.end(from: start, while: \.isSpace)
        if bytes.has("<![CDATA[", at: first) {
            return first + 9..<(bytes.position(of: "]]>", from: first + 9) ?? bytes.count)
        }
        let end = bytes.position(of: UInt8(ascii: "<"), from: start) ?? bytes.count
        return bytes.trimmed(start..<Swift.max(start, end))
    }

    private func attributes(
        _ bytes: Bytes,
        from start: Int
    ) -> (list: [(name: Range<Int>, value: Range<Int>)], end: Int) {
        var list: [(name: Range<Int>, value: Range<Int>)] = []
        var position = start
        while position < bytes.count {
            position = bytes.end(from: position) { $0.isSpace || $0 == UInt8(ascii: "/") }
            let byte = bytes.at(position)
            if byte == UInt8(ascii: ">") { return (list, position + 1) }
            if byte == UInt8(ascii: "<") || position >= bytes.count { return (list, position) }
            let nameEnd = bytes.end(from: position) { !$0.isSpace && !"=><\"'/".utf8.contains($0) }
            let equals = bytes.end(from: nameEnd, while: \.isSpace)
            guard bytes.at(equals) == 0x3D else {
                position = Swift.max(nameEnd, position + 1)
                continue
            }
            let quoteAt = bytes.end(from: equals + 1, while: \.isSpace)
            let quote = bytes.at(quoteAt)
            let isQuoted = quote == 0x22 || quote == 0x27
            let valueStart = isQuoted ? quoteAt + 1 : quoteAt
            let valueEnd =
                isQuoted
                ? bytes.position(of: quote, from: valueStart) ?? bytes.count
                : bytes.end(from: valueStart) { !$0.isSpace && $0 != UInt8(ascii: ">") }
            if position < nameEnd { list.append((position..<nameEnd, valueStart..<Swift.max(valueStart, valueEnd))) }
            position = Swift.max(isQuoted ? valueEnd + 1 : valueEnd, position + 1)
        }
        return (list, Swift.min(position, bytes.count))
    }

    private mutating func edits(for attributes: [(name: Range<Int>, value: Range<Int>)], in bytes: Bytes) -> [Edit] {
        var result: [Edit] = []
        var named: SecretField?
        for attribute in attributes {
            let name = bytes.part(attribute.name)
            if let field = names.field(localName(name), in: .xml), let edit = edit(bytes, attribute.value, field) {
                result.append(edit)
            } else if named == nil, isOne(of: ["name", "key", "id"], name) {
                named = names.field(bytes.part(attribute.value), in: .xml)
            }
        }
        guard let named else { return result }
        for attribute in attributes where isOne(of: ["value", "content"], bytes.part(attribute.name)) {
            if let edit = edit(bytes, attribute.value, named) { result.append(edit) }
        }
        return result
    }

    private func isOne(of names: [StaticString], _ name: Bytes) -> Bool {
        names.contains { name.count == $0.utf8CodeUnitCount && name.hasIgnoringCase($0, at: 0) }
    }

    private mutating func edit(_ bytes: Bytes, _ range: Range<Int>, _ field: SecretField) -> Edit? {
        guard !range.isEmpty else { return nil }
        let value = TextEncodings.xmlUnescaped(bytes.part(range))
        let text = value.withUnsafeBufferPointer { field.accepts($0) ? replaced($0, of: field) : nil }
        guard let text, text != value else { return nil }
        return Edit(range: range, text: TextEncodings.xmlEscaped(text))
    }
}
