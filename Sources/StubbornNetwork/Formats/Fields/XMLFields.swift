/// The texts and attributes in XML and HTML, with the names that describe them.
enum XMLFields {
    private typealias Attribute = (name: Range<Int>, value: Range<Int>)

    /// Visits texts and attributes.
    ///
    /// Text that is not well-formed is read as far as its tags go.
    ///
    /// A value has the name of its element or attribute, and a name that is given next to it:
    ///
    ///     <input name="password" value="…">
    ///     <key>password</key><string>…</string>
    ///     <name>password</name><value>…</value>
    ///
    /// `describesNested` indicates whether a name also describes the values nested below it.
    static func read(
        _ bytes: Bytes,
        describesNested: (Range<Int>) -> Bool = { _ in false },
        visit: (TextField) -> Void
    ) {
        var next = 0
        // The open elements, from the outermost one with a name for nested values, and these names.
        var open: [(element: Range<Int>, name: Range<Int>)] = []
        // The text of the `<key>` before an element.
        var title: Range<Int>?
        while let start = bytes.position(of: .lessThan, from: next) {
            let tagStart = bytes.at(start + 1) == .slash ? start + 2 : start + 1
            let tagEnd = bytes.end(from: tagStart) { $0.isUnreserved || $0 == .colon || $0 >= 0x80 }
            next = tagEnd
            guard tagEnd > tagStart else { continue }
            guard tagStart == start + 1 else {
                let closed = bytes.part(localName(bytes, tagStart..<tagEnd))
                if let index = open.lastIndex(where: { bytes.part($0.element).elementsEqual(closed) }) {
                    open.removeSubrange(index...)
                }
                continue
            }
            let (attributes, end) = attributes(bytes, from: tagEnd)
            next = end
            read(attributes, of: bytes, visit)
            let name = localName(bytes, tagStart..<tagEnd)
            let tag = bytes.part(name)
            let content = text(bytes, from: end)
            var names = [title, name].compactMap(\.self)
            let outerName = open.last?.name
            if tag.isOne(of: ["value"]), let outerName { names.append(outerName) }
            if bytes.at(end - 2) != .slash, open.count < 64 {
                let naming = [title, name].compactMap(\.self).first(where: describesNested) ?? outerName
                if let naming { open.append((name, naming)) }
            }
            // `<value><string>…` has its value one element further on.
            if !(tag.isOne(of: ["value"]) && content.isEmpty) { title = nil }
            if tag.isOne(of: ["key", "name"]), isBeforeValue(bytes, content.upperBound) {
                title = FieldName.title(bytes, content)
            } else if !content.isEmpty, !tag.isOne(of: ["name"]) {
                visit(TextField(value: content, names: names, outerName: outerName, spelling: .xml))
            }
        }
    }

    /// The elements that have the name before them: those of property lists and of remote calls.
    private static let valueElements: [StaticString] = [
        "value", "string", "data", "dict", "array", "integer", "real", "date", "true", "false",
    ]

    private static func read(_ attributes: [Attribute], of bytes: Bytes, _ visit: (TextField) -> Void) {
        let titles = attributes.filter { bytes.part($0.name).isOne(of: ["name", "key", "id", "property", "type"]) }
            .compactMap { FieldName.title(bytes, $0.value) }
        for attribute in attributes where !attribute.value.isEmpty {
            var names = [localName(bytes, attribute.name)]
            if bytes.part(attribute.name).isOne(of: ["value", "content"]) { names += titles }
            visit(TextField(value: attribute.value, names: names, spelling: .xml))
        }
    }

    /// Returns the offsets of a name without its namespace.
    private static func localName(_ bytes: Bytes, _ name: Range<Int>) -> Range<Int> {
        let colon = bytes.position(of: .colon, from: name.lowerBound, to: name.upperBound - 1)
        return (colon.map { $0 + 1 } ?? name.lowerBound)..<name.upperBound
    }

    /// Returns a Boolean value that indicates whether an element for a value follows the end tag.
    private static func isBeforeValue(_ bytes: Bytes, _ end: Int) -> Bool {
        guard let close = bytes.position(of: .greaterThan, from: end) else { return false }
        let start = bytes.end(from: close + 1, while: \.isSpace) + 1
        let tag = start..<Swift.max(start, bytes.end(from: start) { $0.isUnreserved || $0 == .colon })
        return bytes.at(start - 1) == .lessThan && bytes.part(localName(bytes, tag)).isOne(of: valueElements)
    }

    /// Returns the text up to the next tag, without the spaces around it, or the inside of a CDATA section.
    private static func text(_ bytes: Bytes, from start: Int) -> Range<Int> {
        guard bytes.at(start - 1) == .greaterThan, bytes.at(start - 2) != .slash else { return start..<start }
        let first = bytes.end(from: start, while: \.isSpace)
        if bytes.has("<![CDATA[", at: first) {
            return first + 9..<(bytes.position(of: "]]>", from: first + 9) ?? bytes.count)
        }
        return bytes.trimmed(start..<Swift.max(start, bytes.position(of: .lessThan, from: start) ?? bytes.count))
    }

    /// Returns the attributes of a tag, and the offset behind it.
    private static func attributes(_ bytes: Bytes, from start: Int) -> (list: [Attribute], end: Int) {
        var list: [Attribute] = []
        var position = start
        while position < bytes.count {
            position = bytes.end(from: position) { $0.isSpace || $0 == .slash }
            let byte = bytes.at(position)
            if byte == .greaterThan { return (list, position + 1) }
            if byte == .lessThan || position >= bytes.count { return (list, position) }
            let nameEnd = bytes.end(from: position) { !$0.isSpace && !$0.isOne(of: "=><\"'/") }
            let equals = bytes.end(from: nameEnd, while: \.isSpace)
            guard bytes.at(equals) == .equals else {
                position = Swift.max(nameEnd, position + 1)
                continue
            }
            let opening = bytes.end(from: equals + 1, while: \.isSpace)
            let quote = bytes.at(opening)
            let isQuoted = quote == .quote || quote == .apostrophe
            let valueStart = isQuoted ? opening + 1 : opening
            let valueEnd =
                isQuoted
                ? bytes.position(of: quote, from: valueStart) ?? bytes.count
                : bytes.end(from: valueStart) { !$0.isSpace && $0 != .greaterThan }
            if position < nameEnd { list.append((position..<nameEnd, valueStart..<Swift.max(valueStart, valueEnd))) }
            position = Swift.max(isQuoted ? valueEnd + 1 : valueEnd, position + 1)
        }
        return (list, Swift.min(position, bytes.count))
    }
}

/// The escapes of XML and HTML.
enum XMLText {
    private static let entities: [(UInt8, StaticString)] = [
        (.ampersand, "&amp;"), (.lessThan, "&lt;"), (.greaterThan, "&gt;"), (.quote, "&quot;"),
        (.apostrophe, "&apos;"), (.apostrophe, "&#39;"),
    ]

    /// Returns the text with its special characters escaped.
    static func escaped(_ bytes: [UInt8], _ characters: some Sequence<UInt8> = "&<>\"'".utf8) -> [UInt8] {
        bytes.flatMap { byte in
            guard characters.contains(byte) else { return [byte] }
            return entities.first { $0.0 == byte }.map { $0.1.withUTF8Buffer(Array.init) } ?? [byte]
        }
    }

    /// Returns the text with the five entities of XML, and characters by their numbers, decoded (XML 1.0, section 4.1).
    static func unescaped(_ bytes: Bytes) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            guard bytes[position] == .ampersand else {
                result.append(bytes[position])
                position += 1
                continue
            }
            if let (scalar, end) = numericEntity(bytes, at: position) {
                result += Array(String(scalar).utf8)
                position = end
            } else {
                let entity = entities.first { bytes.has($0.1, at: position) }
                result.append(entity?.0 ?? bytes[position])
                position += entity?.1.utf8CodeUnitCount ?? 1
            }
        }
        return result
    }

    /// Returns the character of `&#65;` or `&#x41;`, and the offset behind it; `nil` where there is none.
    private static func numericEntity(_ bytes: Bytes, at position: Int) -> (scalar: Unicode.Scalar, end: Int)? {
        guard bytes.at(position + 1) == .numberSign,
            let end = bytes.position(of: .semicolon, from: position + 2, to: position + 12)
        else { return nil }
        let isHex = bytes.at(position + 2).lowercased == .x
        let digits = bytes.part(position + (isHex ? 3 : 2)..<end).text
        guard let scalar = UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init) else { return nil }
        return (scalar, end + 1)
    }
}
