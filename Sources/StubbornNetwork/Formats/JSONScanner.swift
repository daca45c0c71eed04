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

    /// The whole text, or the part of it that is in memory.
    private(set) var bytes: UnsafeRawBufferPointer
    /// The offset of the first of `bytes` in the text.
    private var start = 0
    private let load: ((_ offset: Int) -> UnsafeRawBufferPointer)?
    private(set) var position: Int
    private let allowsTrailingCommas: Bool

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0, allowsTrailingCommas: Bool = true) {
        self.bytes = bytes
        self.position = position
        self.allowsTrailingCommas = allowsTrailingCommas
        load = nil
    }

    /// Creates a scanner of a text that is read part by part.
    ///
    /// - Parameter load: Returns the text from an offset on: at least 8 bytes, or all up to the end of the text. The bytes
    ///   stay valid until the next call.
    init(loading load: @escaping (_ offset: Int) -> UnsafeRawBufferPointer) {
        bytes = load(0)
        position = 0
        allowsTrailingCommas = true
        self.load = load
    }

    /// The byte at the position; `nil` at the end of the text.
    var current: UInt8? {
        mutating get {
            loadBytes(upTo: position + 1, from: position)
            return position < end ? bytes[position - start] : nil
        }
    }

    /// The bytes of a value; `nil` if they are no longer in memory.
    func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer? {
        guard start <= range.lowerBound, range.upperBound <= end else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound - start..<range.upperBound - start])
    }

    /// The offset of the byte after `bytes`.
    private var end: Int { start + bytes.count }

    /// Loads the bytes up to `limit`, unless they are in memory: those from `first` on too, where there is room for them.
    private mutating func loadBytes(upTo limit: Int, from first: Int, needed: Int? = nil) {
        guard limit > end, let load else { return }
        if first > start { (bytes, start) = (load(first), first) }
        let needed = needed ?? limit - 1
        if limit > end { (bytes, start) = (load(needed), needed) }
    }

    private func firstOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
        bytes.firstIndex(of: byte, from: range.lowerBound - start, to: range.upperBound - start).map { $0 + start }
    }

    mutating func skipWhitespace() {
        while current != nil {
            while position < end {
                switch bytes[position - start] {
                // Literals, because `UInt8(ascii:)` is a slow call in a debug build: space, line feed, return, tab.
                case 0x20, 0x0A, 0x0D, 0x09: position += 1
                default: return
                }
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
        let range = position..<position + literal.utf8.count
        loadBytes(upTo: range.upperBound, from: position)
        guard let bytes = bytes(in: range), bytes.elementsEqual(literal.utf8) else {
            throw .literal(literal, at: position)
        }
        position = range.upperBound
        return Value(kind: kind, range: range)
    }

    private mutating func skipString() throws(StubFileSyntaxError) -> Value {
        let first = position
        var search = first + 1
        var hasEscapes = false
        // The next quotation mark, as far as has been looked for one.
        var quote: Int?
        var looked = search
        while true {
            if let found = quote, found < search { quote = nil }
            if quote == nil {
                let from = max(search, looked)
                loadBytes(upTo: from + 1, from: first)
                guard from < end else { throw .closingQuote(at: end) }
                // In windows, so that a long text is in the cache when it is looked at for the second time.
                looked = min(from + Self.windowByteCount, end)
                quote = firstOffset(of: 0x22, in: from..<looked)
                if let quote { looked = quote + 1 }
            }
            if let backslash = firstOffset(of: 0x5C, in: search..<(quote ?? max(search, looked))) {
                hasEscapes = true
                search = try skipEscape(at: backslash, of: first)
            } else if let quote {
                position = quote + 1
                return Value(kind: .string(hasEscapes: hasEscapes), range: first..<position)
            } else {
                search = looked
            }
        }
    }

    private static let windowByteCount = 1 << 20

    /// Returns the offset after an escape. Whether it means anything is for whoever reads the text.
    private mutating func skipEscape(at backslash: Int, of string: Int) throws(StubFileSyntaxError) -> Int {
        let limit = backslash + 6
        loadBytes(upTo: limit, from: string, needed: backslash)
        guard backslash + 1 < end else { throw .closingQuote(at: end) }
        guard bytes[backslash + 1 - start] == UInt8(ascii: "u") else { return backslash + 2 }
        if let quote = firstOffset(of: 0x22, in: backslash + 2..<min(limit, end)) {
            throw .escape(String(decoding: bytes(in: backslash..<quote) ?? bytes, as: UTF8.self), at: backslash)
        }
        guard limit <= end else { throw .closingQuote(at: end) }
        return limit
    }
}

extension UnsafeRawBufferPointer {
    /// The first offset of a byte, found by the C library: bodies are long, and quick to skip in a debug build too.
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        guard let base = baseAddress, start < end, end <= count,
            let found = memchr(base + start, CInt(byte), end - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
