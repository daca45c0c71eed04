import Foundation

/// XML or HTML with an element a line, indented by depth.
///
/// Only white space changes. An element with nothing but text in it stays on its line, and scripts, styles, comments and
/// preformatted text keep their line breaks. Text that is not well formed is laid out as far as it goes.
struct MarkupText {
    private(set) var lines: [String] = []

    private let isHTML: Bool
    private var depth = 0
    /// The name of the element that the last line opens, as long as it has no content but text.
    private var opened: String?

    private static let voidElements: Set = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]
    private static let verbatimElements: Set = ["script", "style", "pre", "textarea"]

    init(_ text: String, isHTML: Bool) {
        self.isHTML = isHTML
        var rest = text[...]
        // Bytes are much faster to go through than characters, and markup is ASCII.
        while let start = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
            append(text: rest[..<start])
            let tag = Self.tag(rest[start...])
            append(tag: tag)
            rest = rest[tag.endIndex...]
            let name = Self.name(of: tag)
            if isHTML, Self.verbatimElements.contains(name), !tag.hasPrefix("</"), !tag.hasSuffix("/>") {
                let end = rest.range(of: "</\(name)", options: .caseInsensitive)?.lowerBound ?? rest.endIndex
                append(verbatim: rest[..<end])
                rest = rest[end...]
            }
        }
        append(text: rest)
    }

    /// Returns the tag, comment, declaration or CDATA section that a text begins with.
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

    private static func name(of tag: Substring) -> String {
        let slash = UInt8(ascii: "/")
        let start = tag.utf8.drop { $0 == UInt8(ascii: "<") || $0 == slash }
        return Substring(start.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != slash }).lowercased()
    }

    private mutating func append(text: Substring) {
        let words = text.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) }.map { Substring($0) }
            .joined(separator: " ")
        guard !words.isEmpty else { return }
        if opened != nil { lines[lines.endIndex - 1] += words } else { startLine(words) }
    }

    private mutating func append(verbatim text: Substring) {
        guard text.contains(where: { !$0.isWhitespace }) else { return }
        let parts = String(text).lines
        if parts.count == 1 { return append(text: text) }
        opened = nil
        lines += parts.drop { $0.allSatisfy(\.isWhitespace) }
    }

    private mutating func append(tag: Substring) {
        var text = String(tag)
        if text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            text = text.lines.joined(separator: tag.hasPrefix("<!--") || tag.hasPrefix("<![") ? "\n" : " ")
        }
        let name = Self.name(of: tag)
        if tag.hasPrefix("</") {
            depth = max(0, depth - 1)
            if opened == name { lines[lines.endIndex - 1] += text } else { startLine(text) }
            opened = nil
            return
        }
        if tag.hasPrefix("<![CDATA["), opened != nil {
            lines[lines.endIndex - 1] += text
            return
        }
        startLine(text)
        opened = nil
        let isVoid =
            tag.hasSuffix("/>") || tag.hasPrefix("<!") || tag.hasPrefix("<?")
            || isHTML && Self.voidElements.contains(name)
        if !isVoid {
            depth += 1
            opened = name
        }
    }

    private mutating func startLine(_ text: String) {
        // A depth that no person reads is not indented any further.
        let indent = String(repeating: "  ", count: min(depth, 40))
        lines += text.lines.enumerated().map { $0.offset == 0 ? indent + $0.element : $0.element }
    }
}
