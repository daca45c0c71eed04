import Foundation

/// A writer of JSON text, part by part.
///
///     compact: {"b":1.0,"a":[true]}
///
///     indented(level: 0):
///     {
///       "b" : 1.0,
///       "a" : [
///         true
///       ]
///     }
package struct JSONWriter {
    package enum Layout {
        /// Without any white space.
        case compact
        /// An element a line, two spaces for each level, as in a stub file. The first line is not indented.
        case indented(level: Int)
    }

    /// An array, because a `Data` takes several times as long for each part that is added.
    private var bytes: [UInt8] = []
    private let layout: Layout
    private var level = 0
    private var isInline = false
    private var followsKey = false
    private var isFirst = true

    package init(_ layout: Layout) { self.layout = layout }

    /// The text that was written.
    package var output: Data { Data(bytes) }

    mutating func key(_ text: String) {
        string(text)
        endKey()
    }

    mutating func string(_ text: String) { append { JSONString.append(text, to: &$0) } }

    /// Writes a number, or anything else that is already JSON.
    mutating func literal(_ text: some CustomStringConvertible) {
        append { $0.append(contentsOf: text.description.utf8) }
    }

    mutating func base64(_ data: Data) { literal("\"\(data.base64EncodedString())\"") }

    /// Writes a body that is JSON, inside `depth` arrays and objects.
    ///
    /// - Returns: `false` for any other body; a part of it may have been written.
    @discardableResult
    package mutating func json(_ body: Data, depth: Int = 0) -> Bool {
        body.withBytes { bytes in
            (try? JSONScanner.read(bytes, depth: depth) { append($0, of: bytes) }) != nil
        }
    }

    /// Writes a value, keys sorted.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - byteCount: The number of bytes soon after which the text ends.
    ///   - quoted: A function that returns a string with its quotation marks; `nil` for the escapes of JSON.
    mutating func value(_ value: JSONValue, upTo byteCount: Int = .max, quoted: ((String) -> String)? = nil) {
        for token in value.tokens where bytes.count <= byteCount { write(token, quoted) }
    }

    private mutating func write(_ token: JSONValue.Token, _ quoted: ((String) -> String)? = nil) {
        switch token {
        case .key(let text), .string(let text):
            if let quoted { literal(quoted(text)) } else { string(text) }
            if case .key = token { endKey() }
        case .number(let digits): literal(digits)
        case .bool(let value): literal(value)
        case .null: literal("null")
        case .open(let container, _): open(container)
        case .close(let container): close(container)
        }
    }

    /// Writes an object, sorted by key.
    mutating func object(_ members: [(key: String, write: (inout JSONWriter) -> Void)]) {
        open(.object)
        for member in members.sorted(by: { $0.key < $1.key }) {
            key(member.key)
            member.write(&self)
        }
        close(.object)
    }

    /// Writes an array; `isInline` puts its elements on one line, as in `[ 1, 2 ]`.
    mutating func array<Element>(
        _ elements: [Element],
        isInline: Bool = false,
        _ write: (Element, inout JSONWriter) -> Void
    ) {
        open(.array)
        self.isInline = isInline
        for element in elements { write(element, &self) }
        close(.array)
        self.isInline = false
    }

    /// Writes a part of other JSON text.
    mutating func append(_ content: JSONScanner.Content, of bytes: Bytes) {
        switch content {
        case .key(_, let range):
            append { $0.append(contentsOf: bytes.part(range)) }
            endKey()
        case .string(_, let range), .number(_, let range): append { $0.append(contentsOf: bytes.part(range)) }
        case .bool, .null, .open, .close: write(JSONValue.Token(content))
        }
    }

    private mutating func open(_ container: JSONScanner.Container) {
        append { $0.append(container.opening) }
        level += 1
        isFirst = true
    }

    private mutating func close(_ container: JSONScanner.Container) {
        level -= 1
        if !isFirst { startLine() }
        bytes.append(container.closing)
        isFirst = false
    }

    /// Writes an element, or the value of a key.
    private mutating func append(_ write: (inout [UInt8]) -> Void) {
        if !followsKey, level > 0 {
            if !isFirst { bytes.append(.comma) }
            startLine()
        }
        (followsKey, isFirst) = (false, false)
        write(&bytes)
    }

    private mutating func endKey() {
        followsKey = true
        if case .compact = layout { bytes.append(.colon) } else { bytes.append(contentsOf: " : ".utf8) }
    }

    private mutating func startLine() {
        guard case .indented(let base) = layout else { return }
        if isInline { return bytes.append(.space) }
        bytes.append(.lineFeed)
        bytes.append(contentsOf: repeatElement(.space, count: 2 * (base + level)))
    }
}

/// JSON text without white space: keys keep their order, numbers and strings their spelling.
enum JSONText {
    /// Returns the value that begins at the scanner's position, inside `depth` arrays and objects, without white space,
    /// and moves past it.
    ///
    /// A body that is stored under `json` is delivered like this.
    static func compact(_ scanner: inout JSONScanner, depth: Int) throws(JSONSyntaxError) -> Data {
        var writer = JSONWriter(.compact)
        let bytes = scanner.bytes
        try scanner.read(depth: depth) { writer.append($0, of: bytes) }
        return writer.output
    }

    /// Returns a whole body without white space, inside `depth` arrays and objects; `nil` if it is not
    /// strict JSON.
    static func compact(body: Data, depth: Int = 0) -> Data? {
        var writer = JSONWriter(.compact)
        return writer.json(body, depth: depth) ? writer.output : nil
    }
}
