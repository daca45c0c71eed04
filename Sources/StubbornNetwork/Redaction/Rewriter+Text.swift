import Foundation

extension Rewriter {
    /// Text of any kind: the URLs in it, what is known by its looks, and every value seen before.
    ///
    /// - Parameter searchesEscapes: whether what is escaped has not been decoded and searched yet.
    mutating func free(
        _ bytes: Bytes,
        depth: Int,
        searchesURLs: Bool = true,
        searchesEscapes: Bool = true
    ) -> [UInt8]? {
        guard bytes.count >= 6 else { return nil }
        var result: [UInt8]?
        if searchesURLs { result = urls(in: bytes, depth: depth) }
        result = then(result, bytes) { $0.shaped($1, depth: depth) }
        result = then(result, bytes) { $0.seen($1, depth: depth) }
        if searchesEscapes { result = then(result, bytes) { $0.escaped($1, depth: depth) } }
        if vault.mode != .numbered { result = then(result, bytes) { $0.placeholders($1) } }
        for pattern in redaction.patterns { result = then(result, bytes) { $0.matched($1, by: pattern) } }
        return result
    }

    /// What is found only where escapes are decoded, up to three of them one in the other.
    private mutating func escaped(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        var edits: [Edit] = []
        for region in EscapedText.regions(in: bytes) {
            let part = bytes.part(region)
            for plusAsSpace in part.contains(0x2B) ? [false, true] : [false] {
                guard var text = EscapedText(part, plusAsSpace: plusAsSpace) else { continue }
                for _ in 0..<3 {
                    for edit in escaped(text, depth: depth) {
                        let range =
                            region.lowerBound + edit.range.lowerBound..<region.lowerBound + edit.range.upperBound
                        edits.append(Edit(range: range, text: edit.text))
                    }
                    guard text.decodeAgain() else { break }
                }
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    private mutating func escaped(_ text: EscapedText, depth: Int) -> [Edit] {
        var edits = text.bytes.withUnsafeBufferPointer { seenEdits($0, depth: depth + 1) }
        edits += text.bytes.withUnsafeBufferPointer { shapedEdits($0, depth: depth + 1) }
        return edits.compactMap { edit in
            let (range, isEscaped) = text.original(edit.range)
            guard isEscaped else { return nil }
            // Base64 has characters that were escaped for a reason.
            let needsEscape = edit.text.contains { !$0.isUnreserved }
            return Edit(range: range, text: needsEscape ? TextEncodings.percentEncoded(edit.text) : edit.text)
        }
    }

    /// An error's or a log's text: as `free`, and `password=…` and `"password": "…"` too.
    mutating func message(_ bytes: Bytes) -> [UInt8]? {
        let first = assignments(bytes, .all)
        return then(first, bytes) { $0.free($1, depth: 0) }
    }

    private mutating func shaped(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        Edit.apply(shapedEdits(bytes, depth: depth), to: bytes)
    }

    private mutating func shapedEdits(_ bytes: Bytes, depth: Int) -> [Edit] {
        var edits: [Edit] = []
        for match in shapes.matches(in: bytes) {
            let value = bytes.part(match.range)
            if match.form == .encodedJSON {
                if let edit = encodedJSON(bytes, match.range, depth: depth) { edits.append(edit) }
                continue
            }
            let text = match.form == .basic ? basic(value) : self.text(for: value, label: match.label, depth: depth)
            guard !text.elementsEqual(value) else { continue }
            // A key without the lines around it has one canonical form; so has one with them, where forms are compared.
            edits.append(Edit(range: match.range, text: text))
        }
        return edits
    }

    /// An object in base64, with the secrets among its fields replaced.
    private mutating func encodedJSON(_ bytes: Bytes, _ range: Range<Int>, depth: Int) -> Edit? {
        guard depth < Self.maximumDepth else { return nil }
        let run = bytes.part(range)
        guard let decoded = TextEncodings.base64Decoded(run),
            let changed = decoded.withUnsafeBufferPointer({ content($0, depth: depth + 1) })
        else { return nil }
        let padding = bytes.end(from: range.upperBound) { $0 == 0x3D }
        let isPadded = vault.mode == .numbered && (padding > range.upperBound || run.count % 4 == 0)
        let text = TextEncodings.base64Encoded(
            changed,
            urlSafe: run.contains(0x2D) || run.contains(0x5F),
            padded: isPadded
        )
        return Edit(range: range.lowerBound..<padding, text: text)
    }

    private mutating func seen(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        Edit.apply(seenEdits(bytes, depth: depth), to: bytes)
    }

    private mutating func seenEdits(_ bytes: Bytes, depth: Int) -> [Edit] {
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
        return edits
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
        next = 0
        while let dash = bytes.position(of: "-0000-4000-8000-", from: next) {
            next = dash + 16
            guard let number = Placeholder.identifier(bytes, at: dash - 8) else { continue }
            vault.learn(label: SecretVault.identifiers, number: number)
            edits.append(Edit(range: dash - 8..<dash + 28, text: Placeholder.unnumbered))
        }
        return vault.mode == .learning ? nil : Edit.apply(edits, to: bytes)
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
}
