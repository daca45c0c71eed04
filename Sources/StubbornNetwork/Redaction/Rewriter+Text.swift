import Foundation

extension Rewriter {
    /// Text of any kind: the URLs in it, what is known by its looks, and every value seen before.
    mutating func free(_ bytes: Bytes, depth: Int, searchesURLs: Bool = true) -> [UInt8]? {
        guard bytes.count >= 6 else { return nil }
        var result: [UInt8]?
        if searchesURLs { result = urls(in: bytes, depth: depth) }
        result = then(result, bytes) { $0.shaped($1, depth: depth) }
        result = then(result, bytes) { $0.seen($1, depth: depth) }
        if vault.mode != .numbered { result = then(result, bytes) { $0.placeholders($1) } }
        for pattern in redaction.patterns { result = then(result, bytes) { $0.matched($1, by: pattern) } }
        return result
    }

    /// An error's or a log's text: as `free`, and `password=…` and `"password": "…"` too.
    mutating func message(_ bytes: Bytes) -> [UInt8]? {
        let first = assignments(bytes, quotedOnly: false)
        return then(first, bytes) { $0.free($1, depth: 0) }
    }

    private mutating func shaped(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        var edits: [Edit] = []
        for match in shapes.matches(in: bytes) {
            let value = bytes.part(match.range)
            let text = match.form == .basic ? basic(value) : self.text(for: value, label: match.label, depth: depth)
            guard !text.elementsEqual(value) else { continue }
            // A key without the lines around it has one canonical form; so has one with them, where forms are compared.
            edits.append(Edit(range: match.range, text: text))
        }
        return Edit.apply(edits, to: bytes)
    }

    private mutating func seen(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        var edits: [Edit] = []
        for hit in vault.finder.hits(in: bytes) {
            switch hit.pattern.kind {
            case .plain:
                let asNumber = isBareNumber(bytes, hit.range)
                guard let text = vault.replacement(for: hit.pattern.value, asNumber: asNumber) else { continue }
                edits.append(Edit(range: hit.range, text: text))
            case .base64(let offset):
                if let last = edits.last, last.range.upperBound > hit.range.lowerBound { continue }
                if let edit = base64(bytes, hit.range, group: hit.range.lowerBound - offset, depth: depth) {
                    edits.append(edit)
                }
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    /// The base64 around a hit, decoded, rewritten and encoded again. `group` is where a group of four begins.
    private mutating func base64(_ bytes: Bytes, _ hit: Range<Int>, group: Int, depth: Int) -> Edit? {
        guard depth < Self.maximumDepth else { return nil }
        let runStart = bytes.start(before: hit.lowerBound, while: \.isBase64)
        var end = bytes.end(from: hit.upperBound, while: \.isBase64)
        let start = runStart + ((group - runStart) % 4 + 4) % 4
        if (end - start) % 4 == 1 { end -= 1 }
        guard start < end else { return nil }
        let run = bytes.part(start..<end)
        let isPadded = bytes.at(end) == 0x3D || (end - start) % 4 == 0
        let padding = bytes.end(from: end) { $0 == 0x3D }
        guard let decoded = TextEncodings.base64Decoded(run),
            let changed = decoded.withUnsafeBufferPointer({ free($0, depth: depth + 1) })
        else { return nil }
        let isURLSafe = run.contains(0x2D) || run.contains(0x5F)
        let pads = vault.mode == .numbered && isPadded
        return Edit(
            range: start..<padding,
            text: TextEncodings.base64Encoded(changed, urlSafe: isURLSafe, padded: pads)
        )
    }

    /// Whether digits stand where JSON has a number, which must stay one.
    private func isBareNumber(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
        guard bytes.at(range.lowerBound).isDigit else { return false }
        let before = bytes.start(before: range.lowerBound, while: \.isSpace)
        let after = bytes.end(from: range.upperBound, while: \.isSpace)
        return ":[,-".utf8.contains(bytes.at(before - 1)) && ",]}".utf8.contains(bytes.at(after))
    }

    /// Placeholders that stand in a text already.
    private mutating func placeholders(_ bytes: Bytes) -> [UInt8]? {
        var edits: [Edit] = []
        var next = 0
        while let start = bytes.position(of: "REDACTED-", from: next) {
            next = start + 9
            guard let placeholder = Placeholder.parse(bytes, at: start) else { continue }
            next = placeholder.end
            vault.learn(label: placeholder.label, number: placeholder.number)
            edits.append(Edit(range: start..<placeholder.end, text: Placeholder.unnumbered))
        }
        return vault.mode == .unnumbered ? Edit.apply(edits, to: bytes) : nil
    }

    private mutating func matched(_ bytes: Bytes, by pattern: SecretPattern) -> [UInt8]? {
        guard bytes.position(of: 0, from: 0) == nil else { return nil }
        let text = bytes.text
        var ranges: [Range<String.Index>] = []
        if let expression = pattern.expression {
            for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                let secret = match.numberOfRanges > 1 ? match.range(at: 1) : match.range
                if let range = Range(secret, in: text) { ranges.append(range) }
            }
        } else {
            var rest = text.startIndex..<text.endIndex
            while !pattern.source.isEmpty, let range = text.range(of: pattern.source, range: rest) {
                ranges.append(range)
                rest = range.upperBound..<text.endIndex
            }
        }
        var edits: [Edit] = []
        for range in ranges where !range.isEmpty && !text[range].contains("REDACTED") {
            let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
            let secret = Array(text[range].utf8)
            let replacement = secret.withUnsafeBufferPointer { self.text(for: $0, label: "pattern") }
            edits.append(Edit(range: start..<start + secret.count, text: replacement))
        }
        return Array(text.utf8).withUnsafeBufferPointer { Edit.apply(edits, to: $0) }
    }

    /// `"password": "…"` in text that is no JSON, such as a script; with `password=…` and `password: …` too unless
    /// `quotedOnly`.
    mutating func assignments(_ bytes: Bytes, quotedOnly: Bool) -> [UInt8]? {
        var edits: [Edit] = []
        for separator: UInt8 in quotedOnly ? [0x3A] : [0x3A, 0x3D] {
            var next = 0
            while let position = bytes.position(of: separator, from: next) {
                next = position + 1
                guard let edit = assignment(bytes, at: position, quotedOnly: quotedOnly) else { continue }
                edits.append(edit)
                next = Swift.max(next, edit.range.upperBound)
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    private mutating func assignment(_ bytes: Bytes, at separator: Int, quotedOnly: Bool) -> Edit? {
        var nameEnd = separator
        while nameEnd > 0, bytes[nameEnd - 1] == 0x20, separator - nameEnd < 8 { nameEnd -= 1 }
        let quote = bytes.at(nameEnd - 1)
        let isQuoted = quote == 0x22 || quote == 0x27
        if isQuoted { nameEnd -= 1 }
        guard isQuoted || !quotedOnly else { return nil }
        if isQuoted, bytes.at(nameEnd - 1) == 0x5C { nameEnd -= 1 }
        var nameStart = nameEnd
        while nameStart > 0, nameEnd - nameStart < 64, bytes[nameStart - 1].isWordPart { nameStart -= 1 }
        guard nameStart < nameEnd, let field = names.field(bytes.part(nameStart..<nameEnd), in: .json) else {
            return nil
        }

        var start = bytes.end(from: separator + 1) { $0.isSpace }
        guard start - separator < 64 else { return nil }
        if bytes.at(start) == 0x5C { start += 1 }
        let opening = bytes.at(start)
        if opening == 0x22 || opening == 0x27 {
            start += 1
            var end = start
            while end < bytes.count, bytes[end] != opening, bytes[end] != 0x0A {
                end += bytes[end] == 0x5C && bytes.at(end + 1) != opening ? 2 : 1
            }
            end = Swift.min(end, bytes.count)
            if end > start, bytes[end - 1] == 0x5C, bytes.at(nameEnd) == 0x5C { end -= 1 }
            return edit(bytes, start..<end, field, escaped: true)
        }
        let isLine = field.form == .credentials || field.form == .cookies
        let end = bytes.end(from: start) {
            isLine ? $0 != 0x0A && $0 != 0x0D && $0 != 0x22 : !$0.isSpace && !"&,;\"'<>()[]{}".utf8.contains($0)
        }
        let range = bytes.trimmed(start..<Swift.max(start, end))
        let value = bytes.part(range)
        if value.allSatisfy(\.isDigit), isQuoted {
            return value.count >= 3 ? Edit(range: range, text: vault.number(for: value)) : nil
        }
        guard !quotedOnly, isQuoted || value.count >= 4 else { return nil }
        return edit(bytes, range, field, escaped: false)
    }

    private mutating func edit(_ bytes: Bytes, _ range: Range<Int>, _ field: SecretField, escaped: Bool) -> Edit? {
        let value = escaped ? TextEncodings.jsonUnescaped(bytes.part(range)) : Array(bytes.part(range))
        let text = value.withUnsafeBufferPointer { field.accepts($0) ? replaced($0, of: field) : nil }
        guard let text, text != value else { return nil }
        return Edit(range: range, text: escaped ? TextEncodings.jsonEscaped(text) : text)
    }
}
