/// The grammar of JSON (RFC 8259): the only reader of JSON text in this library.
///
/// - `enter`, `moveToElement`, `skipKey` and `skipValue` find values step by step, and decode nothing.
/// - `walk` visits every key and value. It accepts wrong escapes and malformed numbers.
/// - `read` visits them checked and decoded. In this library, text is JSON if `JSONScanner.read(_:visit:)` accepts it,
///   whether the body is recorded, matched or redacted.
///
/// No function is recursive, so deep nesting needs memory but no stack. All functions take linear time. The bytes must
/// outlive the scanner.
package struct JSONScanner {
    /// The largest number of arrays and objects inside each other: Foundation's.
    static let maximumDepth = 512

    package enum Container: UInt8, Sendable {
        case array, object

        var opening: UInt8 { self == .array ? .openingBracket : .openingBrace }
        var closing: UInt8 { self == .array ? .closingBracket : .closingBrace }
    }

    /// The kind of a value, and its position.
    package struct Value {
        package enum Kind { case string(hasEscapes: Bool), number, `true`, `false`, null, container }

        let kind: Kind
        /// The offsets of the value's bytes; a string includes its quotation marks.
        let range: Range<Int>
    }

    /// A part of the text that `walk` visits.
    package enum Token {
        case key(Value)
        /// A string, a number, a Boolean value or null.
        case scalar(Value)
        case open(Container)
        case close(Container)
    }

    let bytes: Bytes
    /// The offset of the next byte to be read.
    private(set) var position: Int
    private let allowsTrailingCommas: Bool

    /// Creates a scanner of a text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - position: The offset of the first byte to read.
    ///   - allowsTrailingCommas: A Boolean value that indicates whether a comma may follow the last element.
    package init(_ bytes: Bytes, at position: Int = 0, allowsTrailingCommas: Bool = false) {
        (self.bytes, self.position, self.allowsTrailingCommas) = (bytes, position, allowsTrailingCommas)
    }

    /// Creates a scanner at the value of a whole text, after a byte-order mark and white space.
    init(text bytes: Bytes) {
        self.init(bytes, at: bytes.has("\u{FEFF}", at: 0) ? 3 : 0)
        skipWhitespace()
    }

    /// The next byte; `nil` at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipWhitespace() {
        position = bytes.end(from: position) { $0.isJSONSpace }
    }

    /// Skips a value that begins at the position, inside `depth` arrays and objects.
    mutating func skipValue(depth: Int) throws(JSONSyntaxError) -> Value {
        let start = position
        if let scalar = try skipScalar() { return scalar }
        try walk(depth: depth) { _ in }
        return Value(kind: .container, range: start..<position)
    }

    /// Visits the parts of a value that begins at the position, in the order of the text, and moves past it.
    mutating func walk(depth: Int = 0, visit: (Token) throws(JSONSyntaxError) -> Void) throws(JSONSyntaxError) {
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

    /// Moves past the opening bracket of an array or an object.
    mutating func enter(depth: Int) throws(JSONSyntaxError) -> Container {
        let container: Container = current == .openingBracket ? .array : .object
        guard current == container.opening else { throw .value(at: position) }
        guard depth < Self.maximumDepth else {
            let expected = "at most \(Self.maximumDepth) arrays and objects inside each other"
            throw .init(at: position, expected: expected, found: "one more")
        }
        position += 1
        return container
    }

    /// Moves to the next element of an array, or to the next key of an object; returns `false` after the last one.
    mutating func moveToElement(of container: Container, isFirst: Bool) throws(JSONSyntaxError) -> Bool {
        skipWhitespace()
        var followsComma = false
        if !isFirst, current == .comma {
            position += 1
            skipWhitespace()
            followsComma = true
        } else if !isFirst, current != container.closing {
            throw .init(at: position, expected: container == .array ? "\",\" or \"]\"" : "\",\" or \"}\"")
        }
        guard current == container.closing else { return true }
        guard !followsComma || allowsTrailingCommas else {
            throw .init(at: position, expected: "another value after the comma")
        }
        position += 1
        return false
    }

    /// Skips a key and its colon, up to the value.
    mutating func skipKey() throws(JSONSyntaxError) -> Value {
        guard current == .quote else { throw .init(at: position, expected: "a key in quotation marks") }
        let key = try skipString()
        skipWhitespace()
        guard current == .colon else { throw .init(at: position, expected: "\":\" after the key") }
        position += 1
        skipWhitespace()
        return key
    }

    /// Skips a value that is neither an array nor an object; `nil` for those two.
    private mutating func skipScalar() throws(JSONSyntaxError) -> Value? {
        switch current {
        case .quote?: return try skipString()
        case .openingBracket?, .openingBrace?: return nil
        case .t?: return try skipLiteral("true", .true)
        case .f?: return try skipLiteral("false", .false)
        case .n?: return try skipLiteral("null", .null)
        case let byte? where byte == .hyphen || byte.isDigit:
            let start = position
            while let byte = current, JSONNumber.mayContain(byte) { position += 1 }
            return Value(kind: .number, range: start..<position)
        default: throw .value(at: position)
        }
    }

    private mutating func skipLiteral(_ literal: StaticString, _ kind: Value.Kind) throws(JSONSyntaxError) -> Value {
        let range = position..<position + literal.utf8CodeUnitCount
        guard bytes.has(literal, at: position) else { throw .init(at: position, expected: "\(literal)") }
        position = range.upperBound
        return Value(kind: kind, range: range)
    }

    private mutating func skipString() throws(JSONSyntaxError) -> Value {
        let first = position
        var search = first + 1
        var hasEscapes = false
        while let quote = bytes.position(of: .quote, from: search) {
            // The closing quotation mark is searched for only once, so that text with many escapes takes linear time.
            while search <= quote {
                guard let backslash = bytes.position(of: .backslash, from: search, to: quote) else {
                    position = quote + 1
                    return Value(kind: .string(hasEscapes: hasEscapes), range: first..<position)
                }
                hasEscapes = true
                search = try endOfEscape(at: backslash)
            }
        }
        throw .closingQuote(at: bytes.count)
    }

    /// Returns the offset after an escape, which may be an unknown one.
    private func endOfEscape(at backslash: Int) throws(JSONSyntaxError) -> Int {
        guard bytes.at(backslash + 1) == .u else { return backslash + 2 }
        let end = backslash + 6
        if let quote = bytes.position(of: .quote, from: backslash + 2, to: min(end, bytes.count)) {
            throw .escape(bytes.part(backslash..<quote).text, at: backslash)
        }
        guard end <= bytes.count else { throw .closingQuote(at: bytes.count) }
        return end
    }

    // MARK: Reading with all checks

    /// A part of the text that `read` visits, decoded, and the offsets of its bytes, with the quotation marks.
    package enum Content {
        case key(String, Range<Int>)
        case string(String, Range<Int>)
        case number(JSONNumber, Range<Int>)
        case bool(Bool)
        case null
        case open(Container)
        case close(Container)
    }

    /// Returns the text of a string, checked and decoded; `nil` for any other value.
    func text(of value: Value) throws(JSONSyntaxError) -> String? {
        guard case .string(let hasEscapes) = value.kind else { return nil }
        return try JSONString.text(of: value.range, hasEscapes: hasEscapes, in: bytes)
    }

    /// Visits the parts of a value that begins at the position, checked and decoded, and moves past it.
    package mutating func read(
        depth: Int = 0,
        visit: (Content) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        let scanner = self
        try walk(depth: depth) { token throws(JSONSyntaxError) in
            switch token {
            case .key(let key): try visit(.key(scanner.text(of: key) ?? "", key.range))
            case .open(let container): try visit(.open(container))
            case .close(let container): try visit(.close(container))
            case .scalar(let value):
                switch value.kind {
                case .number:
                    guard let number = JSONNumber(scanner.bytes.part(value.range)) else {
                        throw .init(at: value.range.lowerBound, expected: "a number")
                    }
                    try visit(.number(number, value.range))
                case .true: try visit(.bool(true))
                case .false: try visit(.bool(false))
                case .null: try visit(.null)
                case .string, .container: try visit(.string(scanner.text(of: value) ?? "", value.range))
                }
            }
        }
    }

    /// Visits the parts of a whole text, checked and decoded.
    ///
    /// This is the strict reading: one value and white space around it, no comma after the last element, no number or
    /// string outside the grammar, and nothing but UTF-8. A byte-order mark and repeated keys are JSON.
    package static func read(
        _ bytes: Bytes,
        depth: Int = 0,
        visit: (Content) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        var scanner = JSONScanner(text: bytes)
        try scanner.read(depth: depth, visit: visit)
        scanner.skipWhitespace()
        guard scanner.current == nil else { throw .init(at: scanner.position, expected: "nothing after the value") }
    }
}
