import Foundation

/// The words of shell commands, without their quotation marks.
struct ShellWords {
    enum Element: Equatable {
        case word(String)
        case pipe
        /// The end of a command: a line break, `;`, `&&` or `||`.
        case end
    }

    /// Returns the words of a text, as a POSIX shell and bash's `$'…'` have them.
    ///
    /// Variables and commands in a command are left as they are written.
    ///
    /// - Throws: `ToolError` for a quotation mark that is not closed.
    static func elements(of text: String) throws -> [Element] {
        var reader = ShellWords(rest: Array(text.unicodeScalars)[...])
        return try reader.read()
    }

    private var rest: ArraySlice<Unicode.Scalar>
    private var word: String.UnicodeScalarView?
    private var elements: [Element] = []

    private init(rest: ArraySlice<Unicode.Scalar>) {
        self.rest = rest
    }

    private mutating func read() throws -> [Element] {
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\":
                // A backslash at the end of a line joins it with the next one.
                if rest.first == "\r", rest.dropFirst().first == "\n" { rest.removeFirst() }
                if let next = rest.popFirst(), next != "\n" { append(next) }
            case "'":
                let end = try closing("'")
                append(contentsOf: rest[rest.startIndex..<end])
                rest = rest[(end + 1)...]
            case "\"": try readDoubleQuoted()
            case "$" where rest.first == "'":
                rest.removeFirst()
                try readEscaped()
            case "#" where word == nil:
                rest = rest.drop { $0 != "\n" }
            case "|":
                endWord()
                if rest.first == "|" {
                    rest.removeFirst()
                    elements.append(.end)
                } else {
                    elements.append(.pipe)
                }
            case "\n", ";", "&":
                endWord()
                elements.append(.end)
            case " ", "\t", "\r": endWord()
            default: append(scalar)
            }
        }
        endWord()
        elements.append(.end)
        return elements
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        var view = word ?? String.UnicodeScalarView()
        word = nil
        view.append(scalar)
        word = view
    }

    private mutating func append(contentsOf scalars: some Sequence<Unicode.Scalar>) {
        var view = word ?? String.UnicodeScalarView()
        word = nil
        view.append(contentsOf: scalars)
        word = view
    }

    private mutating func endWord() {
        if let word { elements.append(.word(String(word))) }
        word = nil
    }

    private func closing(_ mark: Unicode.Scalar) throws -> Int {
        guard let end = rest.firstIndex(of: mark) else { throw Self.open(mark) }
        return end
    }

    private static func open(_ mark: Unicode.Scalar) -> ToolError {
        ToolError("A quotation mark \(mark) is not closed. Copy the whole command.")
    }

    private mutating func readDoubleQuoted() throws {
        append(contentsOf: [])
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return }
            guard scalar == "\\", let next = rest.first else {
                append(scalar)
                continue
            }
            if "\\\"$`\n".unicodeScalars.contains(next) {
                rest.removeFirst()
                if next != "\n" { append(next) }
            } else {
                append(scalar)
            }
        }
        throw Self.open("\"")
    }

    /// Reads the rest of `$'…'`, in which `\n`, `\u00e9` and `\x41` stand for characters.
    private mutating func readEscaped() throws {
        var bytes: [UInt8] = []
        while let scalar = rest.popFirst() {
            if scalar == "'" {
                return append(contentsOf: String(decoding: bytes, as: UTF8.self).unicodeScalars)
            }
            guard scalar == "\\", let kind = rest.popFirst() else {
                bytes += Array(String(scalar).utf8)
                continue
            }
            switch kind {
            case "n": bytes.append(0x0A)
            case "r": bytes.append(0x0D)
            case "t": bytes.append(0x09)
            case "0": bytes.append(0)
            case "x": bytes.append(UInt8(truncatingIfNeeded: number(digits: 2)))
            case "u", "U":
                var value = number(digits: kind == "u" ? 4 : 8)
                // Chrome writes characters beyond the first plane as two surrogates.
                if (0xD800..<0xDC00).contains(value), rest.starts(with: ["\\", "u"]) {
                    rest.removeFirst(2)
                    value = 0x10000 + (value - 0xD800) << 10 + (number(digits: 4) &- 0xDC00) & 0x3FF
                }
                bytes += Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
            default: bytes += Array(String(kind).utf8)
            }
        }
        throw Self.open("'")
    }

    private mutating func number(digits count: Int) -> UInt32 {
        let digits = rest.prefix(count).prefix { $0.properties.isASCIIHexDigit }
        rest.removeFirst(digits.count)
        return UInt32(String(String.UnicodeScalarView(digits)), radix: 16) ?? 0
    }
}
