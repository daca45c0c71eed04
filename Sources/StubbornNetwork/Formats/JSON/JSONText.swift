import Foundation

/// JSON text in another layout: keys in their order, numbers and strings as they were spelled.
///
///     JSONText.compact: {"b":1.0,"a":[true]}
///
///     JSONText.indented(level: 0):
///     {
///       "b" : 1.0,
///       "a" : [
///         true
///       ]
///     }
enum JSONText {
    enum Layout {
        /// Without any white space: the layout in which a body stored under `json` is delivered.
        case compact
        /// An element a line, two spaces for each level, as the rest of a stub file. The first line is not indented.
        case indented(level: Int)
    }

    /// Writes the value that begins at the scanner's position in a layout, and moves behind it.
    ///
    /// - Parameter depth: The number of arrays and objects around the value.
    /// - Throws: `JSONSyntaxError` also for a text or a number that is not in the grammar.
    static func rewrite(
        _ scanner: inout JSONScanner,
        depth: Int = 0,
        as layout: Layout
    ) throws(JSONSyntaxError) -> Data {
        var writer = Writer(bytes: scanner.bytes, layout: layout)
        try scanner.read(depth: depth) { writer.write($0) }
        return writer.output
    }

    /// Returns a whole body in a layout; `nil` when it is not JSON in the strict reading (`JSONScanner.read(_:visit:)`).
    ///
    /// - Parameter depth: The number of arrays and objects that will be around the body.
    static func rewrite(body: Data, depth: Int = 0, as layout: Layout) -> Data? {
        body.withBytes { bytes in
            var writer = Writer(bytes: bytes, layout: layout)
            guard (try? JSONScanner.read(bytes, depth: depth) { writer.write($0) }) != nil else { return nil }
            return writer.output
        }
    }
}

extension JSONText {
    private struct Writer {
        let bytes: Bytes
        let layout: Layout
        var output = Data()
        private var level = 0
        private var followsKey = false
        private var isFirst = true

        init(bytes: Bytes, layout: Layout) {
            self.bytes = bytes
            self.layout = layout
        }

        mutating func write(_ content: JSONScanner.Content) {
            switch content {
            case .key(_, let range):
                startElement()
                output.append(bytes.part(range))
                if case .compact = layout {
                    output.append(.colon)
                } else {
                    output.append(contentsOf: " : ".utf8)
                }
                followsKey = true
            case .string(_, let range), .number(_, let range):
                startElement()
                output.append(bytes.part(range))
            case .bool(let value):
                startElement()
                output.append(contentsOf: (value ? "true" : "false").utf8)
            case .null:
                startElement()
                output.append(contentsOf: "null".utf8)
            case .open(let container):
                startElement()
                output.append(container.opening)
                level += 1
                isFirst = true
            case .close(let container):
                level -= 1
                if !isFirst { startLine() }
                output.append(container.closing)
                isFirst = false
            }
        }

        private mutating func startElement() {
            defer { (followsKey, isFirst) = (false, false) }
            guard !followsKey, level > 0 else { return }
            if !isFirst { output.append(.comma) }
            startLine()
        }

        private mutating func startLine() {
            guard case .indented(let base) = layout else { return }
            output.append(.lineFeed)
            output.append(Data(repeating: .space, count: 2 * (base + level)))
        }
    }
}
