/// A recorded value with holes.
///
/// A live value equals it if only the text in the holes differs.
indirect enum ValueTemplate: Hashable, Sendable {
    /// A part of a text.
    enum TextPart: Hashable, Sendable {
        case literal([UInt8])
        /// A hole; a live value that does not begin with `prefix`, or is not `original`, is a looser match.
        case hole(prefix: [UInt8], original: [UInt8]?)
        /// Base64 or hexadecimal digits with holes inside.
        case encoded(ValueTemplate, isHex: Bool)
    }

    case text([TextPart])
    /// A number of JSON; a live number that is not `original` is a looser match.
    case number(original: [UInt8]?)
    /// A text with holes in percent-encoding.
    case percentEncoded(ValueTemplate)
    /// A text with holes that is compressed, or in UTF-16.
    case wrapped(ValueTemplate)
    /// A JSON text: its tokens without those that have holes, which are listed with their offsets.
    case json(JSONValue, [Token])
    /// The values of query items or fields of one name.
    case values([Item])

    struct Token: Hashable, Sendable {
        let offset: Int
        let value: ValueTemplate
    }

    enum Item: Hashable, Sendable {
        case literal(String?)
        case template(ValueTemplate)
    }

    /// The live values in the holes, in the order of the holes.
    struct Captures: Sendable {
        var values: [[UInt8]] = []
        /// The number of holes with a looser match: a live value of another form than the recorded one.
        var looseness = 0
    }
}

// Reading a recorded value.
extension ValueTemplate {
    /// A template, and the holes in it, in the order in which they are captured.
    typealias Compiled = (template: ValueTemplate, holes: [Hole])

    /// Returns the template of a text; `nil` for a text without holes.
    ///
    /// Texts inside each other are decoded as deep as `TextVisitor` decodes them, which has replaced the secrets in them.
    static func text(_ bytes: Bytes, _ forms: PlaceholderForms, isValue: Bool = true, depth: Int = 0) -> Compiled? {
        guard !bytes.isEmpty else { return nil }
        if let compiled = decoded(bytes, forms, isValue: isValue, depth: depth) { return compiled }
        let found = forms.holes(in: bytes, isValue: isValue)
        let encoded = encoded(in: bytes, forms, depth: depth).filter { run in
            !found.contains { $0.range.overlaps(run.range) }
        }
        guard !found.isEmpty || !encoded.isEmpty else { return nil }
        typealias Piece = (range: Range<Int>, part: TextPart, holes: [Hole])
        var pieces: [Piece] = found.map { ($0.range, .hole(prefix: $0.prefix, original: $0.original), [$0.hole]) }
        pieces += encoded.map { ($0.range, .encoded($0.compiled.template, isHex: $0.isHex), $0.compiled.holes) }
        var parts: [TextPart] = []
        var holes: [Hole] = []
        var end = 0
        for piece in pieces.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            if piece.range.lowerBound > end { parts.append(.literal(Array(bytes.part(end..<piece.range.lowerBound)))) }
            parts.append(piece.part)
            holes += piece.holes
            end = piece.range.upperBound
        }
        if end < bytes.count { parts.append(.literal(Array(bytes.part(end..<bytes.count)))) }
        return (.text(parts), holes)
    }

    /// Returns the template of a text that is wrapped, JSON or percent-encoded as a whole; `nil` for any other text.
    private static func decoded(_ bytes: Bytes, _ forms: PlaceholderForms, isValue: Bool, depth: Int) -> Compiled? {
        guard depth < FieldText.maximumDepth else { return nil }
        if let wrapped = WrappedText(bytes), wrapped.isWhole {
            return wrapped.text.withUnsafeBufferPointer { text($0, forms, isValue: isValue, depth: depth + 1) }
                .map { (.wrapped($0.template), $0.holes) }
        }
        let first = bytes.at(bytes.end(from: 0, while: \.isJSONSpace))
        if first == .openingBrace || first == .openingBracket, let value = JSONValue(bytes),
            let (blank, tokens, holes) = json(value, forms, depth: depth)
        {
            return (.json(blank, tokens), holes)
        }
        guard bytes.indices.contains(where: { PercentEncoding.byte(in: bytes, at: $0) != nil }) else { return nil }
        return PercentEncoding.decoded(bytes)
            .withUnsafeBufferPointer { text($0, forms, isValue: isValue, depth: depth + 1) }
            .map { (.percentEncoded($0.template), $0.holes) }
    }

    /// Returns a JSON value without the tokens that have holes, and their templates; `nil` for one without holes.
    static func json(
        _ value: JSONValue,
        _ forms: PlaceholderForms,
        depth: Int = 0
    ) -> (blank: JSONValue, tokens: [Token], holes: [Hole])? {
        var tokens: [Token] = []
        var holes: [Hole] = []
        for (offset, token) in value.tokens.enumerated() {
            guard let compiled = self.token(token, forms, depth: depth) else { continue }
            tokens.append(Token(offset: offset, value: compiled.template))
            holes += compiled.holes
        }
        return tokens.isEmpty ? nil : (value.blanked(at: tokens.map(\.offset)), tokens, holes)
    }

    /// Returns the template of a string or a number of JSON; `nil` for one without holes.
    static func token(_ token: JSONValue.Token, _ forms: PlaceholderForms, depth: Int = 0) -> Compiled? {
        switch token {
        case .string(let text): text.withBytes { self.text($0, forms, depth: depth + 1) }
        case .number(let digits):
            forms.hole(number: Array(digits.utf8)).map { (.number(original: $0.original), [$0.hole]) }
        default: nil
        }
    }

    /// Returns the template of the values of one name; `nil` for values without holes.
    static func values(_ values: [String?], _ forms: PlaceholderForms) -> Compiled? {
        var (items, holes): ([Item], [Hole]) = ([], [])
        for value in values {
            let compiled = value.flatMap { PercentEncoding.decoded($0).withBytes { text($0, forms) } }
            items.append(compiled.map { .template($0.template) } ?? .literal(value))
            holes += compiled?.holes ?? []
        }
        return holes.isEmpty ? nil : (.values(items), holes)
    }

    /// Returns the encoded texts in a text that have holes.
    private static func encoded(
        in bytes: Bytes,
        _ forms: PlaceholderForms,
        depth: Int
    ) -> [(range: Range<Int>, isHex: Bool, compiled: Compiled)] {
        guard depth < FieldText.maximumDepth else { return [] }
        return Placeholder.encoded(in: bytes).compactMap { encoded in
            encoded.decoded.withUnsafeBufferPointer { text($0, forms, depth: depth + 1) }
                .map { (encoded.range, encoded.isHex, $0) }
        }
    }

    /// The number of holes.
    var holeCount: Int {
        switch self {
        case .number: 1
        case .percentEncoded(let value), .wrapped(let value): value.holeCount
        case .json(_, let tokens): tokens.reduce(0) { $0 + $1.value.holeCount }
        case .values(let items):
            items.reduce(0) { if case .template(let value) = $1 { $0 + value.holeCount } else { $0 } }
        case .text(let parts):
            parts.reduce(0) { count, part in
                switch part {
                case .literal: count
                case .hole: count + 1
                case .encoded(let value, _): count + value.holeCount
                }
            }
        }
    }
}
