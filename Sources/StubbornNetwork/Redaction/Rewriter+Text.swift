import Foundation

// Text of any kind.
extension Rewriter {
    /// Rewrites text of any kind: the URLs in it, what is known by its looks, and every value seen before.
    mutating func freeText(
        _ bytes: Bytes,
        depth: Int,
        searchesURLs: Bool = true,
        searchesEscapes: Bool = true
    ) -> [UInt8]? {
        guard bytes.count >= 6, depth <= FieldText.maximumDepth else { return nil }
        var result = searchesURLs ? urls(in: bytes, depth: depth) : nil
        result = then(result, bytes) { Edit.apply($0.fitting($0.knownShapeEdits($1, depth: depth), $1), to: $1) }
        result = then(result, bytes) { Edit.apply($0.fitting($0.knownValueEdits($1, depth: depth), $1), to: $1) }
        if searchesEscapes { result = then(result, bytes) { $0.escaped($1, depth: depth) } }
        if vault.mode != .numbered { result = then(result, bytes) { $0.vault.placeholders(in: $1) } }
        for pattern in redaction.patterns { result = then(result, bytes) { $0.matched($1, by: pattern) } }
        return result
    }

    /// Rewrites the URLs in a text: scheme, `://`, and what can belong to it up to a space, a quotation mark or a
    /// bracket.
    private mutating func urls(in bytes: Bytes, depth: Int) -> [UInt8]? {
        var edits: [Edit] = []
        var next = 0
        while let colon = bytes.position(of: "://", from: next) {
            let start = bytes.start(before: colon) { $0.isAlphanumeric || $0 == .plus }
            let end = bytes.end(from: colon) { $0 > .space && $0 != .delete && !"\"<>\\`()".utf8.contains($0) }
            if start < colon, let changed = url(bytes.part(start..<end), depth: depth + 1) {
                edits.append(Edit(range: start..<end, text: changed))
            }
            next = Swift.max(end, colon + 3)
        }
        return Edit.apply(edits, to: bytes)
    }

    /// Rewrites an error's or a log's text: as `freeText`, and `password=…` and `"password": "…"` too.
    mutating func message(_ bytes: Bytes) -> [UInt8]? {
        then(settings(bytes), bytes) { $0.freeText($1, depth: 0) }
    }

    /// Rewrites what is found only where escapes are decoded, up to three of them one in the other.
    private mutating func escaped(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        var edits: [Edit] = []
        for region in EscapedText.regions(in: bytes) {
            for plusAsSpace in bytes.part(region).contains(.plus) ? [false, true] : [false] {
                guard var text = EscapedText(bytes, in: region, plusAsSpace: plusAsSpace) else { continue }
                for _ in 0..<3 {
                    edits += escaped(text, depth: depth + 1)
                    guard text.decodeAgain() else { break }
                }
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    private mutating func escaped(_ text: EscapedText, depth: Int) -> [Edit] {
        let edits = text.bytes.withUnsafeBufferPointer {
            knownValueEdits($0, depth: depth) + knownShapeEdits($0, depth: depth)
        }
        return edits.compactMap { edit in
            guard let range = text.original(edit.range) else { return nil }
            // Base64 has characters that were escaped for a reason.
            let isPlain = edit.text.allSatisfy(\.isUnreserved)
            return Edit(range: range, text: isPlain ? edit.text : PercentEncoding.encoded(edit.text))
        }
    }

    /// Notes the placeholders in a text: as they are, and in base64.
    mutating func notePlaceholders(in bytes: Bytes) {
        _ = vault.placeholders(in: bytes)
        _ = knownValueEdits(bytes, depth: 0)
    }

    /// Returns edits that keep the lengths in bytes that are not a text, because many formats write the length of a value
    /// before it.
    mutating func fitting(_ edits: [Edit], _ bytes: Bytes) -> [Edit] {
        guard vault.mode == .numbered, edits.contains(where: { $0.text.count != $0.range.count }), bytes.isBinary else {
            return edits
        }
        return edits.map { edit in
            guard edit.text.count != edit.range.count else { return edit }
            return Edit(range: edit.range, text: vault.filler(for: Array(bytes.part(edit.range))))
        }
    }

    // MARK: Known looks

    private mutating func knownShapeEdits(_ bytes: Bytes, depth: Int) -> [Edit] {
        let keepsForm = keepsForm
        return shapes.matches(in: bytes).compactMap { match in
            let value = bytes.part(match.range)
            let edit: Edit?
            switch match.form {
            case .encoded:
                edit = Base64.edit(bytes, match.range, keepsPadding: keepsForm) { content($0, depth: depth + 1) }
            case .basic: edit = Edit(range: match.range, text: basic(value, match.rule))
            case .value, .privateKey:
                let field = SecretField(label: match.label, rule: match.rule)
                edit = Edit(range: match.range, text: text(for: value, field, depth: depth))
            }
            return edit.flatMap { $0.text.elementsEqual(bytes.part($0.range)) ? nil : $0 }
        }
    }

    // MARK: Known values

    private mutating func knownValueEdits(_ bytes: Bytes, depth: Int) -> [Edit] {
        var edits: [Edit] = []
        let keepsForm = keepsForm
        for hit in vault.finder.hits(in: bytes) {
            var edit: Edit?
            let isDone = edits.last.map { $0.range.upperBound > hit.range.lowerBound } ?? false
            switch hit.pattern.coding {
            case .plain:
                let text = vault.replacement(for: hit.pattern.value, asNumber: Self.isNumber(bytes, hit.range))
                edit = Edit(range: hit.range, text: text)
            case .hex where !isDone: edit = hex(bytes, around: hit.range, depth: depth)
            case .base64(let offset) where !isDone:
                let range = ValueFinder.base64Range(bytes, around: hit.range, group: hit.range.lowerBound - offset)
                edit = Base64.edit(bytes, range, keepsPadding: keepsForm) { freeText($0, depth: depth + 1) }
            default: break
            }
            if let edit { edits.append(edit) }
        }
        return edits
    }

    /// Rewrites the hexadecimal digits around a hit.
    private mutating func hex(_ bytes: Bytes, around hit: Range<Int>, depth: Int) -> Edit? {
        let (range, decoded) = ValueFinder.hexDigits(bytes, around: hit)
        guard let changed = decoded.withUnsafeBufferPointer({ freeText($0, depth: depth + 1) }) else { return nil }
        let isUppercase = bytes.part(range).contains(where: \.isUppercase)
        return Edit(range: range, text: ValueFinder.hex(changed, lowercase: !isUppercase))
    }

    /// Returns a Boolean value that indicates whether digits stand where JSON has a number, which has to stay one.
    private static func isNumber(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
        guard bytes.at(range.lowerBound).isDigit else { return false }
        let before = bytes.start(before: range.lowerBound, while: \.isSpace)
        let after = bytes.end(from: range.upperBound, while: \.isSpace)
        return ":[,-".utf8.contains(bytes.at(before - 1)) && ",]}".utf8.contains(bytes.at(after))
    }

    // MARK: Patterns

    private mutating func matched(_ bytes: Bytes, by pattern: SecretPattern) -> [UInt8]? {
        guard !bytes.contains(0) else { return nil }
        let text = bytes.text
        var edits: [Edit] = []
        for range in pattern.ranges(in: text) where !range.isEmpty && !text[range].contains("REDACTED") {
            let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
            let secret = Array(text[range].utf8)
            let replacement = secret.withUnsafeBufferPointer {
                self.text(for: $0, SecretField(label: "pattern", rule: .included))
            }
            edits.append(Edit(range: start..<start + secret.count, text: replacement))
        }
        return text.withBytes { Edit.apply(edits, to: $0) }
    }
}
