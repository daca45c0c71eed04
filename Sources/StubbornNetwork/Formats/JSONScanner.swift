import Foundation

/// A single pass over JSON text (RFC 8259) that finds where values begin and end, and decodes nothing.
///
/// It accepts what Foundation's JSON decoder accepts: a comma behind the last element is allowed, and what nobody reads
/// is only skimmed, so that a badly escaped text under an unknown key is no error. Whoever reads a text or a number checks
/// it then (`JSONString`, `JSONNumber`). It runs in linear time, and without recursion.
///
/// The bytes must outlive the scanner, which is why it stays inside `withUnsafeBytes`.
struct JSONScanner {
    /// How many arrays and objects may lie inside each other: as many as Foundation allows.
    static let maximumDepth = 512

    enum Container: UInt8 {
        case array, object

        var closing: UInt8 { self == .array ? UInt8(ascii: "]") : UInt8(ascii: "}") }
        var opening: UInt8 { self == .array ? UInt8(ascii: "[") : UInt8(ascii: "{") }
    }

    /// A value's kind and place.
    struct Value {
        enum Kind { case string(hasEscapes: Bool), number, `true`, `false`, null, container(Container) }

        let kind: Kind
        /// The value's bytes; those of a string with its quotation marks.
        let range: Range<Int>
    }

    /// What `walk` meets, in the order of the text.
    enum Token {
        case key(Value)
        /// A string, a number, a truth value or null.
        case scalar(Value)
        case open(Container)
        case close(Container)
    }

    let bytes: UnsafeRawBufferPointer
    private(set) var position: Int
    private let allowsTrailingCommas: Bool

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0, allowsTrailingCommas: Bool = true) {
        self.bytes = bytes
        self.position = position
        self.allowsTrailingCommas = allowsTrailingCommas
    }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            // Literals, because `UInt8(ascii:)` is a slow call in a debug build: space, line feed, return, tab.
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Skips a value that begins at the position, and says what it was.
    ///
    /// - Parameter depth: how many arrays and objects the value lies in.
    mutating func skipValue(depth: Int) throws(StubFileSyntaxError) -> Value {
        let start = position
        if let scalar = try skipScalar() { return scalar }
        let container: Container = current == Container.array.opening ? .array : .object
        try walk(depth: depth) { _ in }
        return Value(kind: .container(container), range: start..<position)
    }

    /// Walks through a value that begins at the position, whatever its depth, without recursion.
    mutating func walk(
        depth: Int,
        visit: (Token) throws(StubFileSyntaxError) -> Void
    ) throws(StubFileSyntaxError) {
        var containers: [Container] = []
        repeat {
            var isFirst = false
            if let scalar = try skipScalar() {
                try visit(.scalar(scalar))
            } else {
                let container = try enter(depth: depth + containers.count)
                containers.append(container)
                try visit(.open(container))
                isFirst = true
            }
            while let container = containers.last {
                if try moveToElement(of: container, isFirst: isFirst) {
                    if container == .object { try visit(.key(skipKey())) }
                    break
                }
                containers.removeLast()
                try visit(.close(container))
                isFirst = false
            }
        } while !containers.isEmpty
    }

    /// Moves behind the opening bracket of an array or an object.
    mutating func enter(depth: Int) throws(StubFileSyntaxError) -> Container {
        let container: Container
        switch current {
        case Container.array.opening: container = .array
        case Container.object.opening: container = .object
        default: throw .value(at: position)
        }
        guard depth < Self.maximumDepth else { throw .depth(at: position, limit: Self.maximumDepth) }
        position += 1
        return container
    }

    /// Moves to the next element of an array, or key of an object; `false` when it moved behind the closing bracket.
    mutating func moveToElement(of container: Container, isFirst: Bool) throws(StubFileSyntaxError) -> Bool {
        skipWhitespace()
        var followsComma = false
        if !isFirst, current == UInt8(ascii: ",") {
            position += 1
            skipWhitespace()
            followsComma = true
        } else if !isFirst, current != container.closing {
            throw .comma(orClosing: container == .array ? "]" : "}", at: position)
        }
        guard current == container.closing else { return true }
        guard !followsComma || allowsTrailingCommas else { throw .elementAfterComma(at: position) }
        position += 1
        return false
    }

    /// Skips a key and its colon, up to the value.
    mutating func skipKey() throws(StubFileSyntaxError) -> Value {
        guard current == UInt8(ascii: "\"") else { throw .key(at: position) }
        let key = try skipString()
        skipWhitespace()
        guard current == UInt8(ascii: ":") else { throw .colon(at: position) }
        position += 1
        skipWhitespace()
        return key
    }

    private mutating func skipScalar() throws(StubFileSyntaxError) -> Value? {
        switch current {
        case UInt8(ascii: "\""): return try skipString()
        case Container.array.opening, Container.object.opening: return nil
        case UInt8(ascii: "t"): return try skipLiteral("true", .true)
        case UInt8(ascii: "f"): return try skipLiteral("false", .false)
        case UInt8(ascii: "n"): return try skipLiteral("null", .null)
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            let start = position
            while let byte = current, JSONNumber.mayContain(byte) { position += 1 }
            return Value(kind: .number, range: start..<position)
        default: throw .value(at: position)
        }
    }

    private mutating func skipLiteral(_ literal: String, _ kind: Value.Kind) throws(StubFileSyntaxError) -> Value {
        let end = position + literal.utf8.count
        guard end <= bytes.count, bytes[position..<end].elementsEqual(literal.utf8) else {
            throw .literal(literal, at: position)
        }
        defer { position = end }
        return Value(kind: kind, range: position..<end)
    }

    private mutating func skipString() throws(StubFileSyntaxError) -> Value {
        let start = position
        var search = start + 1
        var hasEscapes = false
        // The next quotation mark, as far as has been looked for one.
        var quote: Int?
        var looked = search
        while true {
            if let found = quote, found < search { quote = nil }
            if quote == nil {
                // In windows, so that a long text is in the cache when it is looked at for the second time.
                let window = max(search, looked)..<min(max(search, looked) + Self.windowByteCount, bytes.count)
                guard !window.isEmpty else { throw .closingQuote(at: bytes.count) }
                quote = bytes.firstIndex(of: 0x22, from: window.lowerBound, to: window.upperBound)
                looked = quote.map { $0 + 1 } ?? window.upperBound
            }
            if let backslash = bytes.firstIndex(of: 0x5C, from: search, to: quote ?? looked) {
                hasEscapes = true
                search = try skipEscape(at: backslash)
            } else if let quote {
                position = quote + 1
                return Value(kind: .string(hasEscapes: hasEscapes), range: start..<position)
            } else {
                search = looked
            }
        }
    }

    private static let windowByteCount = 1 << 20

    /// The place behind an escape. Whether it means anything is for whoever reads the text.
    private func skipEscape(at backslash: Int) throws(StubFileSyntaxError) -> Int {
        guard backslash + 1 < bytes.count else { throw .closingQuote(at: bytes.count) }
        guard bytes[backslash + 1] == UInt8(ascii: "u") else { return backslash + 2 }
        let end = backslash + 6
        let quote = bytes.firstIndex(of: 0x22, from: backslash + 2, to: min(end, bytes.count))
        if let quote { throw .escape(escape(at: backslash, upTo: quote), at: backslash) }
        guard end <= bytes.count else { throw .closingQuote(at: bytes.count) }
        return end
    }

    private func escape(at start: Int, upTo end: Int) -> String {
        String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
