import Foundation

// Text of any kind.
extension Rewriter {
    /// Rewrites text of any kind: the URLs in it, what is known by its looks, and every value seen before.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - depth: The number of formats around the text.
    ///   - searchesURLs: A Boolean value that indicates whether the URLs in the text are rewritten.
    ///   - searchesEscapes: A Boolean value that indicates whether the text has escapes that have not been decoded and
    ///     searched yet.
    /// - Returns: The text that takes its place; `nil` where nothing changes.
    mutating func free(
        _ bytes: Bytes,
        depth: Int,
        searchesURLs: Bool = true,
        searchesEscapes: Bool = true
    ) -> [UInt8]? {
        guard bytes.count >= 6 else { return nil }
        var result = searchesURLs ? urls(in: bytes, depth: depth) : nil
        result = then(result, bytes) { Edit.apply($0.shaped($1, depth: depth), to: $1) }
        result = then(result, bytes) { Edit.apply($0.seen($1, depth: depth), to: $1) }
        if searchesEscapes { result = then(result, bytes) { $0.escaped($1, depth: depth) } }
        if vault.mode != .numbered { result = then(result, bytes) { $0.vault.placeholders(in: $1) } }
        for pattern in redaction.patterns { result = then(result, bytes) { $0.matched($1, by: pattern) } }
        return result
    }

    /// Rewrites an error's or a log's text: as `free`, and `password=…` and `"password": "…"` too.
    mutating func message(_ bytes: Bytes) -> [UInt8]? {
        then(settings(bytes, .any), bytes) { $0.free($1, depth: 0) }
    }

    /// Rewrites what is found only where escapes are decoded, up to three of them one in the other.
    private mutating func escaped(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        var edits: [Edit] = []
        for region in EscapedText.regions(in: bytes) {
            let part = bytes.part(region)
            for plusAsSpace in part.contains(.plus) ? [false, true] : [false] {
                guard var text = EscapedText(part, plusAsSpace: plusAsSpace) else { continue }
                for _ in 0..<3 {
                    edits += escaped(text, depth: depth + 1).map { $0.moved(by: region.lowerBound) }
                    guard text.decodeAgain() else { break }
                }
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    private mutating func escaped(_ text: EscapedText, depth: Int) -> [Edit] {
        let edits = text.bytes.withUnsafeBufferPointer { seen($0, depth: depth) + shaped($0, depth: depth) }
        return edits.compactMap { edit in
            let (range, isEscaped) = text.original(edit.range)
            guard isEscaped else { return nil }
            // Base64 has characters that were escaped for a reason.
            let isPlain = edit.text.allSatisfy(\.isUnreserved)
            return Edit(range: range, text: isPlain ? edit.text : PercentEncoding.encoded(edit.text))
        }
    }

    /// Notes the placeholders in a text: as they are, and in base64.
    mutating func notePlaceholders(in bytes: Bytes) {
        _ = vault.placeholders(in: bytes)
        _ = seen(bytes, depth: 0)
    }

    // MARK: Known looks

    private mutating func shaped(_ bytes: Bytes, depth: Int) -> [Edit] {
        var edits: [Edit] = []
        for match in shapes.matches(in: bytes) {
            let value = bytes.part(match.range)
            switch match.form {
            case .encoded:
                let edit = base64(bytes, match.range, depth: depth) { $0.content($1, depth: depth + 1) }
                edits += edit.map { [$0] } ?? []
            case .basic: edits.append(Edit(range: match.range, text: basic(value, match.rule)))
            case .value, .privateKey:
                edits.append(
                    Edit(
                        range: match.range,
                        text: text(for: value, SecretField(label: match.label, rule: match.rule), depth: depth)
                    )
                )
            }
        }
        return edits.filter { !$0.text.elementsEqual(bytes.part($0.range)) }
    }

    /// Rewrites base64: decodes it, and encodes again what `rewrite` returns.
    mutating func base64(
        _ bytes: Bytes,
        _ range: Range<Int>,
        depth: Int,
        _ rewrite: (inout Self, Bytes) -> [UInt8]?
    ) -> Edit? {
        let run = bytes.part(range)
        guard depth < Self.maximumDepth, let decoded = Base64.decoded(run),
            let changed = decoded.withUnsafeBufferPointer({ rewrite(&self, $0) })
        else { return nil }
        let end = bytes.end(from: range.upperBound) { $0 == .equals }
        let isPadded = vault.mode == .numbered && (end > range.upperBound || run.count % 4 == 0)
        let urlSafe = run.contains(.hyphen) || run.contains(.underscore)
        return Edit(
            range: range.lowerBound..<end,
            text: Base64.encoded(changed, urlSafe: urlSafe, padded: isPadded)
        )
    }

    // MARK: Known values

    private mutating func seen(_ bytes: Bytes, depth: Int) -> [Edit] {
        var edits: [Edit] = []
        for hit in vault.finder.hits(in: bytes) {
            if hit.pattern.coding == .plain {
                let asNumber = Self.isNumber(bytes, hit.range)
                if let text = vault.replacement(for: hit.pattern.value, asNumber: asNumber) {
                    edits.append(Edit(range: hit.range, text: text))
                }
                continue
            }
            if let last = edits.last, last.range.upperBound > hit.range.lowerBound { continue }
            var edit: Edit?
            switch hit.pattern.coding {
            case .plain: break
            case .hex: edit = hex(bytes, around: hit.range, depth: depth)
            case .base64(let offset):
                let range = ValueFinder.base64Run(bytes, around: hit.range, group: hit.range.lowerBound - offset)
                edit = base64(bytes, range, depth: depth) { $0.free($1, depth: depth + 1) }
            }
            edits += edit.map { [$0] } ?? []
        }
        return edits
    }

    /// Rewrites the hexadecimal digits around a hit.
    private mutating func hex(_ bytes: Bytes, around hit: Range<Int>, depth: Int) -> Edit? {
        let (range, decoded) = ValueFinder.hexRun(bytes, around: hit)
        guard depth < Self.maximumDepth,
            let changed = decoded.withUnsafeBufferPointer({ free($0, depth: depth + 1) })
        else { return nil }
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
