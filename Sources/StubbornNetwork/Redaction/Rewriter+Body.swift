import Foundation

extension Rewriter {
    /// A body without its secrets, by what it is rather than by what it claims to be where the two differ.
    ///
    /// A body with a NUL byte is UTF-16 or binary; the latter is searched for known values and shapes alone.
    mutating func body(_ body: Data, type: String?) -> Data? {
        guard !body.isEmpty else { return nil }
        let type = type?.lowercased() ?? ""
        return body.withBytes { bytes -> [UInt8]? in
            if type.hasPrefix("multipart/"), let boundary = Self.boundary(of: type, bytes) {
                return multipart(bytes, boundary: boundary)
            }
            guard bytes.position(of: 0, from: 0) == nil else {
                guard let text = WideText(bytes) else { return free(bytes, depth: 0, searchesEscapes: false) }
                let changed = text.narrow.withUnsafeBufferPointer { content($0, depth: 0, type: type) }
                return changed.map(text.widened)
            }
            return content(bytes, depth: 0, type: type)
        }.map { Data($0) }
    }

    /// The body of a request that an app has compressed: decompressed if there is a secret in it, and as it was if not.
    mutating func compressedBody(_ body: Data, type: String?, coding: String) -> Data? {
        let coding = coding.lowercased()
        guard coding.contains("gzip") || coding.contains("deflate"),
            let plain = body.withBytes({ Inflation.inflate($0) })
        else { return nil }
        // Compared decompressed, because two compressions of the same differ.
        return self.body(Data(plain), type: type) ?? (vault.mode == .unnumbered ? Data(plain) : nil)
    }

    /// Text in one of the formats that rules look into, and then as text.
    mutating func content(_ bytes: Bytes, depth: Int, type: String = "") -> [UInt8]? {
        guard depth < Self.maximumDepth else { return nil }
        var start = bytes.end(from: 0, while: \.isSpace)
        if bytes.has("\u{FEFF}", at: start) { start = bytes.end(from: start + 3, while: \.isSpace) }
        var first: [UInt8]?
        var isDecoded = false
        switch bytes.at(start) {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let parsed = json(bytes, from: start, depth: depth)
            isDecoded = parsed.isComplete
            first = Edit.apply(parsed.edits, to: bytes)
            if !parsed.isComplete { first = then(first, bytes) { $0.assignments($1, .all) } }
        case UInt8(ascii: "<"):
            first = xml(bytes)
            first = then(first, bytes) { $0.assignments($1, .likely) }
        case _ where Self.isForm(bytes, claimed: type.contains("form-urlencoded"), depth: depth):
            isDecoded = true
            first = Edit.apply(pairs(bytes, 0..<bytes.count, in: .form, isLogin: false, depth: depth), to: bytes)
        case _ where type.contains("form-urlencoded"):
            let edits = pairs(bytes, 0..<bytes.count, in: .form, isLogin: false, depth: depth)
            first = Edit.apply(edits, to: bytes)
            first = then(first, bytes) { $0.assignments($1, .all) }
        case _ where Self.isPercentEncoded(bytes):
            isDecoded = true
            let decoded = TextEncodings.percentDecoded(bytes)
            let changed = decoded.withUnsafeBufferPointer { content($0, depth: depth + 1) }
            first = changed.map { TextEncodings.percentEncoded($0) }
        default:
            first = Edit.apply(embeddedJSON(bytes, from: start, depth: depth), to: bytes)
            let isExact = type.contains("json") || type.contains("xml") || Self.isQueryLanguage(bytes, from: start)
            first = then(first, bytes) { $0.assignments($1, isExact ? .all : .likely) }
        }
        return then(first, bytes) { $0.free($1, depth: depth, searchesEscapes: !isDecoded) }
    }

    /// Whether the text is a whole URL or object in percent-encoding.
    private static func isPercentEncoded(_ bytes: Bytes) -> Bool {
        bytes.contains(0x25)
            && (bytes.hasIgnoringCase("http%3a", at: 0) || bytes.hasIgnoringCase("https%3a", at: 0)
                || bytes.hasIgnoringCase("%7b", at: 0) || bytes.hasIgnoringCase("%5b", at: 0))
            && bytes.allSatisfy { $0.isUnreserved || $0 == 0x25 || $0 == 0x2B }
    }

    /// Whether the text is GraphQL.
    private static func isQueryLanguage(_ bytes: Bytes, from start: Int) -> Bool {
        let keywords: [StaticString] = ["mutation", "query", "subscription", "fragment"]
        return keywords.contains { word in
            bytes.has(word, at: start) && !bytes.at(start + word.utf8CodeUnitCount).isAlphanumeric
                && bytes.contains(UInt8(ascii: "{"))
        }
    }

    /// JSON inside something else: server-sent events (`data: {…}`), a call (`callback({…})`), or behind what keeps it
    /// from being one (`)]}',`).
    private mutating func embeddedJSON(_ bytes: Bytes, from start: Int, depth: Int) -> [Edit] {
        if bytes.has("data:", at: start) || bytes.has("event:", at: start) || bytes.has("id:", at: start)
            || bytes.at(start) == 0x3A
        {
            return events(bytes, from: start, depth: depth)
        }
        let head = bytes.part(0..<start + 128)
        let guards: [StaticString] = [")]}'", "for(;;);", "while(1);", "for (;;);", "while (1);"]
        var body = bytes.end(from: start) { $0.isUnreserved || $0 == 0x24 }
        if guards.contains(where: { bytes.has($0, at: start) }) {
            body = Swift.max(body, start + 4)
        } else if bytes.at(body) != UInt8(ascii: "(") {
            return []
        }
        let opening = head.end(from: body) { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") }
        return opening < head.count ? json(bytes, from: opening, depth: depth).edits : []
    }

    private mutating func events(_ bytes: Bytes, from start: Int, depth: Int) -> [Edit] {
        var edits: [Edit] = []
        for line in parts(of: bytes, in: start..<bytes.count, separator: 0x0A)
        where bytes.has("data:", at: line.lowerBound) {
            let value = bytes.end(from: line.lowerBound + 5) { $0 == 0x20 }
            guard bytes.at(value) == UInt8(ascii: "{") || bytes.at(value) == UInt8(ascii: "[") else { continue }
            edits += json(bytes.part(0..<line.upperBound), from: value, depth: depth).edits
        }
        return edits
    }

    /// Whether text is `name=value&…`: what claims to be one may hold anything but line ends and spaces; what claims
    /// nothing must begin with a name.
    private static func isForm(_ bytes: Bytes, claimed: Bool, depth: Int) -> Bool {
        let nameEnd = bytes.end(from: 0) { $0.isUnreserved || "%[]+".utf8.contains($0) }
        guard nameEnd > 0, nameEnd < 128, bytes.at(nameEnd) == 0x3D else { return false }
        let end = bytes.end(from: nameEnd) { $0 > 0x20 && !"<>\"{}".utf8.contains($0) }
        guard end == bytes.count, !claimed else { return end == bytes.count }
        return end < 65_536 && (bytes.contains(0x26) || !bytes.contains(0x3B))
    }

    /// The boundary of a multipart body (RFC 2046, section 5.1.1), as its first line has it where the type has none.
    private static func boundary(of type: String, _ bytes: Bytes) -> [UInt8]? {
        guard type.hasPrefix("multipart/"), bytes.has("--", at: 0) else { return nil }
        let end = bytes.end(from: 2) { $0 != 0x0D && $0 != 0x0A }
        return end > 2 && end < 100 && end < bytes.count ? Array(bytes.part(0..<end)) : nil
    }

    private mutating func multipart(_ bytes: Bytes, boundary: [UInt8]) -> [UInt8]? {
        var starts: [Int] = []
        var next = 0
        while let position = bytes.position(of: 0x2D, from: next) {
            let isLineStart = position == 0 || bytes[position - 1] == 0x0A
            if isLineStart, bytes.part(position..<position + boundary.count).elementsEqual(boundary) {
                starts.append(position)
                next = position + boundary.count
            } else {
                next = position + 1
            }
        }
        var edits: [Edit] = []
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
            if let edit = part(bytes, start + boundary.count..<end) { edits.append(edit) }
        }
        let first = Edit.apply(edits, to: bytes)
        return then(first, bytes) { $0.free($1, depth: 0) }
    }

    private mutating func part(_ bytes: Bytes, _ range: Range<Int>) -> Edit? {
        let part = bytes.part(range)
        let crlf = part.position(of: "\r\n\r\n", from: 0)
        guard let headEnd = crlf ?? part.position(of: "\n\n", from: 0) else { return nil }
        let start = range.lowerBound + headEnd + (crlf == nil ? 2 : 4)
        var end = range.upperBound
        if end > start, bytes[end - 1] == 0x0A { end -= 1 }
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        guard start < end else { return nil }
        let value = bytes.part(start..<end)
        let field = partName(part.part(0..<headEnd)).flatMap { names.field($0, in: .form) }
        if let field, field.accepts(value) {
            return Edit(range: start..<end, text: replaced(value, of: field))
        }
        guard value.position(of: 0, from: 0) == nil, let changed = content(value, depth: 1) else { return nil }
        return Edit(range: start..<end, text: changed)
    }

    /// The name that the part's `Content-Disposition` gives (RFC 7578, section 4.2).
    private func partName(_ head: Bytes) -> Bytes? {
        var next = 0
        while let position = head.position(of: "name=", from: next) {
            next = position + 5
            guard !head.at(position - 1).isLetter else { continue }
            let start = head.at(next) == 0x22 ? next + 1 : next
            return head.part(start..<head.end(from: start) { $0 != 0x22 && $0 != 0x3B && $0 != 0x0D && $0 != 0x0A })
        }
        return nil
    }
}
