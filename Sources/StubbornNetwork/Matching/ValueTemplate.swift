/// A recorded value with wildcards.
///
/// A live value equals it if only the text in the wildcards differs.
indirect enum ValueTemplate: Hashable, Sendable {
    /// A part of a text.
    enum TextPart: Hashable, Sendable {
        case literal([UInt8])
        /// A wildcard; a live value that does not begin with `prefix`, or is not `original`, is a looser match.
        case wildcard(prefix: [UInt8], original: [UInt8]?)
        /// Base64 or hexadecimal digits with wildcards inside.
        case encoded(ValueTemplate, isHex: Bool, wildcardCount: Int)
    }

    case text([TextPart])
    /// A number of JSON; a live number that is not `original` is a looser match.
    case number(original: [UInt8]?)
    /// A text with wildcards in percent-encoding.
    case percentEncoded(ValueTemplate)
    /// A text with wildcards that is compressed, or in UTF-16.
    case wrapped(ValueTemplate)
    /// A JSON text, as the only value of a request.
    case json(RequestTemplate)

    /// The live values in the wildcards, in the order of the wildcards.
    struct Captures: Sendable {
        var values: [[UInt8]] = []
        /// The number of wildcards with a looser match: a live value of another form than the recorded one.
        var formMismatchCount = 0

        /// Adds empty values, and returns `true`.
        @discardableResult
        mutating func addEmpty(_ count: Int) -> Bool {
            values += Array(repeating: [], count: count)
            return true
        }
    }
}

// Reading a recorded value.
extension ValueTemplate {
    /// A template, and the wildcards in it, in the order in which they are captured.
    typealias Compiled = (template: ValueTemplate, wildcards: [Wildcard])

    /// Returns the template of a text; `nil` for a text without wildcards.
    ///
    /// Texts inside each other are decoded as deep as secrets in them have been replaced.
    static func text(_ bytes: Bytes, _ forms: PlaceholderForms, isValue: Bool = true, depth: Int = 0) -> Compiled? {
        guard !bytes.isEmpty else { return nil }
        if let compiled = decoded(bytes, forms, isValue: isValue, depth: depth) { return compiled }
        var pieces: [Piece] = forms.wildcards(in: bytes, isValue: isValue).map {
            ($0.range, .wildcard(prefix: $0.prefix, original: $0.original), [$0.wildcard])
        }
        pieces += encoded(in: bytes, forms, depth: depth).filter { encoded in
            !pieces.contains { $0.range.overlaps(encoded.range) }
        }
        if pieces.isEmpty { return nil }
        var parts: [TextPart] = []
        var wildcards: [Wildcard] = []
        var end = 0
        for piece in pieces.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            if piece.range.lowerBound > end { parts.append(.literal(Array(bytes.part(end..<piece.range.lowerBound)))) }
            parts.append(piece.part)
            wildcards += piece.wildcards
            end = piece.range.upperBound
        }
        if end < bytes.count { parts.append(.literal(Array(bytes.part(end..<bytes.count)))) }
        return (.text(parts), wildcards)
    }

    /// Returns the template of a text that is wrapped, base64, JSON or percent-encoded as a whole; `nil` for any other text.
    private static func decoded(_ bytes: Bytes, _ forms: PlaceholderForms, isValue: Bool, depth: Int) -> Compiled? {
        guard depth < FieldText.maximumDepth else { return nil }
        if let wrapped = WrappedText(bytes), wrapped.isWhole {
            return wrapped.text.withUnsafeBufferPointer { text($0, forms, isValue: isValue, depth: depth + 1) }
                .map { (.wrapped($0.template), $0.wildcards) }
        }
        // Three digits leave too short a text in base64 to be searched for, so the whole value is decoded.
        if Base64.isText(bytes), let decoded = Base64.decoded(bytes),
            let (template, wildcards) = decoded.withUnsafeBufferPointer({ text($0, forms, depth: depth + 1) })
        {
            return (.text([.encoded(template, isHex: false, wildcardCount: wildcards.count)]), wildcards)
        }
        let first = bytes.at(bytes.end(from: 0, while: \.isJSONSpace))
        if first == .openingBrace || first == .openingBracket, let value = JSONValue(bytes) {
            var wildcards: [Wildcard] = []
            let request = RequestTemplate(ComparedRequest([.init(value)]), forms, depth: depth, wildcards: &wildcards)
            if !wildcards.isEmpty { return (.json(request), wildcards) }
        }
        guard bytes.indices.contains(where: { PercentEncoding.byte(in: bytes, at: $0) != nil }) else { return nil }
        return PercentEncoding.decoded(bytes)
            .withUnsafeBufferPointer { text($0, forms, isValue: isValue, depth: depth + 1) }
            .map { (.percentEncoded($0.template), $0.wildcards) }
    }

    /// Returns the template of a string or a number of JSON; `nil` for one without wildcards.
    static func token(
        _ token: JSONValue.Token,
        _ forms: PlaceholderForms,
        isPercentEncoded: Bool = false,
        depth: Int
    ) -> Compiled? {
        switch token {
        case .string(let text) where isPercentEncoded:
            PercentEncoding.decoded(text).withBytes { self.text($0, forms, depth: depth) }
                .map { (.percentEncoded($0.template), $0.wildcards) }
        case .string(let text): text.withBytes { self.text($0, forms, depth: depth) }
        case .number(let digits):
            forms.wildcard(number: digits).map { (.number(original: $0.original), [$0.wildcard]) }
        default: nil
        }
    }

    /// A part of a text that has wildcards.
    private typealias Piece = (range: Range<Int>, part: TextPart, wildcards: [Wildcard])

    /// Returns the encoded texts in a text that have wildcards.
    private static func encoded(in bytes: Bytes, _ forms: PlaceholderForms, depth: Int) -> [Piece] {
        guard depth < FieldText.maximumDepth else { return [] }
        return Placeholder.encoded(in: bytes).compactMap { encoded in
            encoded.decoded.withUnsafeBufferPointer { text($0, forms, depth: depth + 1) }.map { template, wildcards in
                let part = TextPart.encoded(template, isHex: encoded.isHex, wildcardCount: wildcards.count)
                return (encoded.range, part, wildcards)
            }
        }
    }
}
