import Foundation

/// JSON text written anew in another layout: keys in their order, numbers and strings as they were spelled.
///
///     JSONText.compact: {"b":1.0,"a":[true]}
///
///     JSONText.indented(by: 2):
///     {
///       "b" : 1.0,
///       "a" : [
///         true
///       ]
///     }
enum JSONText {
    enum Layout {
        /// Without any white space: what a body stored under `json` is delivered as.
        case compact
        /// An element a line, two spaces for each level, as the rest of the stub file. The first line is not indented.
        case indented(level: Int)
    }

    /// Writes the value that begins at the scanner's position in a layout, and moves behind it.
    ///
    /// Strict, unlike the scanner: every text and number is checked.
    ///
    /// - Parameter depth: how many arrays and objects the value lies in.
    static func rewrite(
        _ scanner: inout JSONScanner,
        depth: Int,
        as layout: Layout
    ) throws(StubFileSyntaxError) -> Data {
        let bytes = scanner.bytes
        var writer = Writer(layout: layout)
        try scanner.walk(depth: depth) { token throws(StubFileSyntaxError) in
            switch token {
            case .key(let key):
                try check(key, in: bytes)
                writer.key(bytes[key.range])
            case .scalar(let scalar):
                try check(scalar, in: bytes)
                writer.scalar(bytes[scalar.range])
            case .open(let container): writer.open(container.opening)
            case .close(let container): writer.close(container.closing)
            }
        }
        return writer.output
    }

    /// A whole body in a layout; `nil` when it is not JSON, in the strictest reading.
    static func rewrite(body: Data, as layout: Layout) -> Data? {
        body.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, allowsTrailingCommas: false)
            scanner.skipWhitespace()
            // The body will lie in the array of stubs and in its stub.
            guard let text = try? rewrite(&scanner, depth: 2, as: layout) else { return nil }
            scanner.skipWhitespace()
            return scanner.current == nil ? text : nil
        }
    }

    private static func check(
        _ value: JSONScanner.Value,
        in bytes: UnsafeRawBufferPointer
    ) throws(StubFileSyntaxError) {
        switch value.kind {
        case .string(let hasEscapes): _ = try JSONString.text(of: value.range, hasEscapes: hasEscapes, in: bytes)
        case .number where !JSONNumber.isValid(bytes[value.range]): throw .number(at: value.range.lowerBound)
        default: break
        }
    }
}

extension JSONText {
    private struct Writer {
        let layout: Layout
        var output = Data()
        private var level = 0
        private var followsKey = false
        private var isFirst = true

        init(layout: Layout) {
            self.layout = layout
        }

        mutating func key(_ text: Slice<UnsafeRawBufferPointer>) {
            startElement()
            output.append(contentsOf: text)
            if case .compact = layout {
                output.append(UInt8(ascii: ":"))
            } else {
                output.append(contentsOf: " : ".utf8)
            }
            followsKey = true
        }

        mutating func scalar(_ text: Slice<UnsafeRawBufferPointer>) {
            startElement()
            output.append(contentsOf: text)
        }

        mutating func open(_ bracket: UInt8) {
            startElement()
            output.append(bracket)
            level += 1
            isFirst = true
        }

        mutating func close(_ bracket: UInt8) {
            level -= 1
            if !isFirst { startLine() }
            output.append(bracket)
            isFirst = false
        }

        private mutating func startElement() {
            defer { (followsKey, isFirst) = (false, false) }
            guard !followsKey, level > 0 else { return }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            startLine()
        }

        private mutating func startLine() {
            guard case .indented(let base) = layout else { return }
            output.append(UInt8(ascii: "\n"))
            output.append(Data(repeating: UInt8(ascii: " "), count: 2 * (base + level)))
        }
    }
}
