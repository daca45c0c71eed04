/// The only reader of multipart bodies (RFC 2046, section 5.1).
package enum Multipart {
    /// The offsets of a part.
    ///
    /// The line breaks next to the boundaries belong to them, and not to the part.
    package struct Part {
        /// The header fields; empty if there are none.
        package let head: Range<Int>
        package let content: Range<Int>
    }

    /// Returns the parts of a body that begins with any delimiter; `nil` for any other body.
    static func parts(of bytes: Bytes) -> [Part]? {
        let lineEnd = bytes.end(from: 0) { !$0.isLineBreak }
        guard bytes.has("--", at: 0), lineEnd < 100, lineEnd < bytes.count else { return nil }
        return parts(of: bytes, delimiter: bytes.part(0..<lineEnd))
    }

    /// Visits the contents of parts, and the names that `Content-Disposition` gives them (RFC 7578, section 4.2).
    static func read(_ parts: [Part], of bytes: Bytes, visit: (TextField) -> Void) {
        for part in parts where !part.content.isEmpty {
            visit(TextField(value: part.content, names: name(in: bytes, part.head).map { [$0] } ?? []))
        }
    }

    /// Returns the offsets of the name that `Content-Disposition` gives a part; `nil` if there is none.
    static func name(in bytes: Bytes, _ head: Range<Int>) -> Range<Int>? {
        line("content-disposition:", of: bytes, in: head).flatMap {
            parameter("name", of: bytes.part(0..<$0.upperBound), from: $0.lowerBound)
        }
    }

    /// Returns the boundaries of the multipart bodies inside a part, at any depth, the longest first.
    static func innerBoundaries(of part: Part, in bytes: Bytes) -> [[UInt8]] {
        guard let outer = boundary(ofHead: bytes.part(part.head)) else { return [] }
        let lines = bytes.parts(of: part.content, separatedBy: .lineFeed)
        let inner = lines.compactMap { boundary(ofHead: bytes.part($0)) }
        return Set([outer] + inner).sorted { $0.count > $1.count }
    }

    /// Returns the boundary in the `Content-Type` of a multipart body; `nil` for header fields without one.
    private static func boundary(ofHead head: Bytes) -> [UInt8]? {
        // The parameter may be on the next line.
        guard let start = line("content-type:", of: head, in: 0..<head.count)?.lowerBound,
            let value = parameter("boundary", of: head, from: start), !value.isEmpty
        else { return nil }
        return Array(head[value])
    }

    /// Returns the first line that begins with the name of a field, in any case.
    private static func line(_ name: StaticString, of bytes: Bytes, in head: Range<Int>) -> Range<Int>? {
        bytes.parts(of: head, separatedBy: .lineFeed).first { bytes.hasIgnoringCase(name, at: $0.lowerBound) }
    }

    /// Returns the offsets of the value of a field's parameter, without its quotation marks; `nil` if there is none.
    ///
    /// The names of parameters are compared in any case (RFC 2045, section 5.1).
    static func parameter(_ name: StaticString, of bytes: Bytes, from start: Int = 0) -> Range<Int>? {
        var next = start
        while let equals = bytes.position(of: .equals, from: next) {
            let value = parameterValue(bytes, from: equals + 1)
            let nameStart = equals - name.utf8CodeUnitCount
            if bytes.hasIgnoringCase(name, at: nameStart), bytes.at(nameStart - 1).isOne(of: "; \t") { return value }
            next = value.upperBound
        }
        return nil
    }

    private static func parameterValue(_ bytes: Bytes, from start: Int) -> Range<Int> {
        guard bytes.at(start) == .quote else { return start..<bytes.end(from: start) { !$0.isOne(of: "; \t\r\n") } }
        var end = start + 1
        while end < bytes.count, bytes[end] != .quote { end += bytes[end] == .backslash ? 2 : 1 }
        return start + 1..<Swift.min(end, bytes.count)
    }

    /// Returns the parts of a body that a boundary separates; `nil` if no line begins with two hyphens and the
    /// boundary.
    package static func parts(of bytes: Bytes, boundary: String) -> [Part]? {
        "--\(boundary)".withBytes { parts(of: bytes, delimiter: $0) }
    }

    /// Returns the parts between the delimiters, up to the closing one; `nil` if no line begins with the delimiter.
    ///
    /// The delimiter is two hyphens and the boundary.
    static func parts(of bytes: Bytes, delimiter: Bytes) -> [Part]? {
        guard delimiter.count > 2 else { return nil }
        var parts: [Part] = []
        var start: Int?
        var next = 0
        while let found = bytes.position(of: .hyphen, from: next) {
            next = found + 1
            let end = found + delimiter.count
            // The delimiters of nested parts often begin with the delimiter of the outer ones.
            guard found == 0 || bytes[found - 1] == .lineFeed, bytes.part(found..<end).elementsEqual(delimiter),
                bytes.at(end).isOne(of: " \t\r\n\0") || bytes.has("--", at: end)
            else { continue }
            if let start { parts.append(part(bytes, start..<max(start, found))) }
            if bytes.has("--", at: end) { return parts }
            start = end
            next = end
        }
        guard let start else { return nil }
        return parts + [part(bytes, start..<bytes.count)]
    }

    private static func part(_ bytes: Bytes, _ range: Range<Int>) -> Part {
        // Spaces may follow the delimiter.
        let lineEnd = bytes.end(from: range.lowerBound) { $0.isBlank }
        let start = lineEnd < range.upperBound ? lineEnd + lineBreak(bytes, at: lineEnd) : range.upperBound
        var end = range.upperBound
        if end > start, bytes[end - 1] == .lineFeed {
            end -= bytes.part(start..<end).has("\r\n", at: end - start - 2) ? 2 : 1
        }
        let part = bytes.part(start..<end)
        // A part that begins with an empty line has no header fields.
        let emptyLine = lineBreak(part, at: 0)
        if emptyLine > 0 { return Part(head: start..<start, content: start + emptyLine..<end) }
        let (crlf, lf) = (part.position(of: "\r\n\r\n", from: 0), part.position(of: "\n\n", from: 0))
        guard let headEnd = crlf ?? lf else { return Part(head: start..<start, content: start..<end) }
        let content = start + headEnd + (crlf == nil ? 2 : 4)
        return Part(head: start..<start + headEnd, content: content..<end)
    }

    /// Returns the number of bytes of the line break at an offset; 0 if there is none.
    private static func lineBreak(_ bytes: Bytes, at offset: Int) -> Int {
        bytes.has("\r\n", at: offset) ? 2 : bytes.at(offset) == .lineFeed ? 1 : 0
    }
}
