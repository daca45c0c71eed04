import Foundation

/// XML with an element a line, indented by depth.
///
/// Only white space changes. An element that contains only text is kept on its line, and comments and CDATA sections keep their
/// line breaks. Text that is not well formed is laid out as far as it goes.
struct XMLLayout {
    private(set) var lines: [String] = []

    private var depth = 0
    /// The name of the element that the last line opens, as long as it has no content but text.
    private var opened: String?

    init(_ text: String) {
        var rest = text[...]
        // Bytes are much faster to go through than characters, and markup is ASCII.
        while let start = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
            append(text: rest[..<start])
            let tag = Self.tag(rest[start...])
            append(tag: tag)
            rest = rest[tag.endIndex...]
        }
        append(text: rest)
    }

    /// Returns the tag, comment, declaration or CDATA section at the beginning of a string.
    private static func tag(_ text: Substring) -> Substring {
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] where text.hasPrefix(start) {
            return text[..<(text.range(of: end)?.upperBound ?? text.endIndex)]
        }
        var quote: UInt8?
        for (index, byte) in zip(text.utf8.indices, text.utf8) {
            switch (byte, quote) {
            case (UInt8(ascii: ">"), nil): return text[...index]
            case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = byte
            case (let byte, let open?) where byte == open: quote = nil
            default: break
            }
        }
        return text
    }

    private static func name(of tag: Substring) -> Substring {
        tag.drop { $0 == "<" || $0 == "/" }.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
    }

    private mutating func append(text: Substring) {
        let words = text.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) }.map { Substring($0) }
            .joined(separator: " ")
        guard !words.isEmpty else { return }
        if opened != nil { lines[lines.endIndex - 1] += words } else { startLine(words) }
    }

    private mutating func append(tag: Substring) {
        let text = String(tag)
        if tag.hasPrefix("</") {
            depth = max(0, depth - 1)
            if opened == String(Self.name(of: tag)) { lines[lines.endIndex - 1] += text } else { startLine(text) }
            opened = nil
        } else if tag.hasPrefix("<![CDATA["), opened != nil {
            lines[lines.endIndex - 1] += text
        } else {
            startLine(text)
            opened = nil
            guard !tag.hasSuffix("/>"), !tag.hasPrefix("<!"), !tag.hasPrefix("<?") else { return }
            depth += 1
            opened = String(Self.name(of: tag))
        }
    }

    private mutating func startLine(_ text: String) {
        // Beyond the depth that a person can read, indentation does not grow.
        let indent = String(repeating: "  ", count: min(depth, 40))
        lines += text.lines.enumerated().map { $0.offset == 0 ? indent + $0.element : $0.element }
    }
}
