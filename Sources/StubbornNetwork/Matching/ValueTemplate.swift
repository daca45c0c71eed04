/// A recorded value with wildcards.
///
/// A live value equals it if only the text in the wildcards differs.
struct ValueTemplate: Hashable, Sendable {
    /// A part of the value's text.
    enum Part: Hashable, Sendable {
        case literal([UInt8])
        /// A wildcard; a live value that does not begin with `prefix` is a looser match.
        case wildcard(prefix: [UInt8] = [])
        /// An encoded text with wildcards.
        case encoded(ValueTemplate, Coding, wildcardCount: Int)
        /// A JSON text, as the only value of a request.
        case json(RequestTemplate)
    }

    /// The encoding of a text inside another text.
    enum Coding: Hashable, Sendable { case base64, hex, percent }

    let parts: [Part]
    /// A Boolean value that indicates whether the value is a JSON number, which never equals a Boolean value.
    var isNumber = false

    /// The live values of the wildcards, in their order.
    struct Captures: Sendable {
        var values: [[UInt8]] = []
        /// The number of wildcards with a looser match: a live value with a different form than the recorded one.
        var formMismatchCount = 0

        /// Adds empty values, and returns `true`.
        @discardableResult
        mutating func addEmpty(_ count: Int) -> Bool {
            values += Array(repeating: [], count: count)
            return true
        }
    }

    // MARK: Reading a recorded value

    /// A template, and the wildcards in it, in the order in which they are captured.
    typealias Compiled = (template: ValueTemplate, wildcards: [Wildcard])

    /// Returns the template of a text; `nil` for a text without wildcards.
    ///
    /// Nested strings are decoded as deep as secrets in them have been replaced.
    static func text(_ bytes: Bytes, _ forms: PlaceholderForms, isValue: Bool = true, depth: Int = 0) -> Compiled? {
        guard !bytes.isEmpty else { return nil }
        if let compiled = decoded(bytes, forms, isValue: isValue, depth: depth) { return compiled }
        let found = forms.wildcards(in: bytes, isValue: isValue)
        var pieces: [Piece] = found.map { ($0.range, .wildcard(prefix: $0.prefix), [$0.wildcard]) }
        for encoded in depth < BodyFormat.maximumDepth ? Placeholder.encoded(in: bytes) : [] {
            guard !found.contains(where: { $0.range.overlaps(encoded.range) }),
                let inner = encoded.decoded.withUnsafeBufferPointer({ text($0, forms, depth: depth + 1) })
            else { continue }
            pieces.append((encoded.range, part(inner, encoded.isHex ? .hex : .base64), inner.wildcards))
        }
        if pieces.isEmpty { return nil }
        pieces.sort { $0.range.lowerBound < $1.range.lowerBound }
        var parts: [Part] = []
        var end = 0
        for piece in pieces {
            if piece.range.lowerBound > end { parts.append(.literal(Array(bytes.part(end..<piece.range.lowerBound)))) }
            parts.append(piece.part)
            end = piece.range.upperBound
        }
        if end < bytes.count { parts.append(.literal(Array(bytes.part(end..<bytes.count)))) }
        return (ValueTemplate(parts: parts), pieces.flatMap(\.wildcards))
    }

    /// Returns the template of a text that is base64, JSON or percent-encoded as a whole; `nil` for any other text.
    private static func decoded(_ bytes: Bytes, _ forms: PlaceholderForms, isValue: Bool, depth: Int) -> Compiled? {
        guard depth < BodyFormat.maximumDepth else { return nil }
        // Three digits are too short to be searched for in base64, so the whole value is decoded.
        if Base64.isText(bytes), let decoded = Base64.decoded(bytes),
            let compiled = decoded.withUnsafeBufferPointer({ text($0, forms, depth: depth + 1) })
        {
            return whole(compiled, .base64)
        }
        if BodyFormat(bytes).kind == .json, let value = JSONValue(bytes) {
            var wildcards: [Wildcard] = []
            let request = RequestTemplate(ComparedRequest([.init(value)]), forms, depth: depth, wildcards: &wildcards)
            if !wildcards.isEmpty { return (ValueTemplate(parts: [.json(request)]), wildcards) }
        }
        guard bytes.indices.contains(where: { PercentEncoding.byte(in: bytes, at: $0) != nil }) else { return nil }
        return PercentEncoding.decoded(bytes)
            .withUnsafeBufferPointer { text($0, forms, isValue: isValue, depth: depth + 1) }.map { whole($0, .percent) }
    }

    /// Returns the template of a text that has a form as a whole.
    private static func whole(_ text: Compiled, _ coding: Coding) -> Compiled {
        (ValueTemplate(parts: [part(text, coding)]), text.wildcards)
    }

    private static func part(_ text: Compiled, _ coding: Coding) -> Part {
        .encoded(text.template, coding, wildcardCount: text.wildcards.count)
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
            text.withBytes { PercentEncoding.decoded($0) }
                .withUnsafeBufferPointer { self.text($0, forms, depth: depth) }.map { whole($0, .percent) }
        case .string(let text): text.withBytes { self.text($0, forms, depth: depth) }
        case .number(let digits):
            forms.wildcard(number: digits).map { (ValueTemplate(parts: [.wildcard()], isNumber: true), [$0]) }
        default: nil
        }
    }

    /// A part of a text that has wildcards.
    private typealias Piece = (range: Range<Int>, part: Part, wildcards: [Wildcard])

    // MARK: Comparing a live value

    /// Returns a Boolean value that indicates whether a value of JSON matches, and adds the live values in the wildcards.
    ///
    /// A wildcard that is a whole string matches any value, but a number does not match a Boolean value.
    func match(_ token: JSONValue.Token, into captures: inout Captures) -> Bool {
        let text: String
        switch token {
        case .string(let string): text = string
        case .number(let digits) where takesOtherValues: text = digits
        case .bool(let value) where takesOtherValues && !isNumber: text = "\(value)"
        case .null where takesOtherValues: text = ""
        default: return false
        }
        return text.withBytes { match($0, into: &captures) }
    }

    /// Removes the first value that matches, and adds the live values in the wildcards; returns `false` if none matches.
    func matchFirst(of tokens: inout [JSONValue.Token], into captures: inout Captures) -> Bool {
        let before = captures
        let index = tokens.firstIndex { token in
            captures = before
            return match(token, into: &captures)
        }
        return index.map { tokens.remove(at: $0) } != nil
    }

    /// A Boolean value that indicates whether values other than texts may match: there is one part, a wildcard or encoded text.
    private var takesOtherValues: Bool {
        switch parts.first {
        case .json, .literal: false
        case .wildcard, .encoded, nil: parts.count == 1
        }
    }

    /// The length of the text that a live value must have.
    var literalByteCount: Int {
        parts.reduce(0) { count, part in
            switch part {
            case .literal(let text): count + text.count
            case .encoded(let template, _, _): count + template.literalByteCount
            case .wildcard, .json: count
            }
        }
    }

    /// Returns a Boolean value that indicates whether a text matches, and adds the live values in the wildcards.
    ///
    /// It is compared from left to right: each literal is searched for after the previous one, and the last literal must be at the
    /// end. If the text does not match, the values up to the difference may be added.
    func match(_ bytes: Bytes, into captures: inout Captures) -> Bool {
        var position = 0
        var index = 0
        while index < parts.count {
            if case .literal(let literal) = parts[index] {
                guard bytes.has(literal, at: position) else { return false }
                position += literal.count
                index += 1
                continue
            }
            let first = index
            while index < parts.count, case .wildcard = parts[index] { index += 1 }
            if index == first { index += 1 }
            guard let end = end(of: index, bytes, position) else { return false }
            guard Self.capture(parts[first], bytes.part(position..<end), into: &captures) else { return false }
            // If wildcards are next to each other, the first one matches everything.
            captures.addEmpty(Swift.max(0, index - first - 1))
            position = end
        }
        return position == bytes.count
    }

    /// Returns the end of the value for the wildcard before the part at an index; `nil` if the part is not found.
    private func end(of index: Int, _ bytes: Bytes, _ start: Int) -> Int? {
        guard index < parts.count else { return bytes.count }
        // Encoded text may follow.
        guard case .literal(let literal) = parts[index] else { return start }
        let first = index == parts.count - 1 ? bytes.count - literal.count : start
        return first >= start ? bytes.position(of: literal, from: first) : nil
    }

    private static func capture(_ part: Part, _ value: Bytes, into captures: inout Captures) -> Bool {
        switch part {
        case .literal: return false
        case .wildcard(let prefix):
            captures.values.append(Array(placeholder(endingIn: value) ?? value))
            if !value.starts(with: prefix) { captures.formMismatchCount += 1 }
            return true
        case .json(let request):
            if value.isEmpty { return captures.addEmpty(request.wildcardCount) }
            return JSONValue(value).map { request.match(ComparedRequest([.init($0)]), into: &captures) } ?? false
        case .encoded(let template, let coding, let count):
            if value.isEmpty, coding != .percent { return captures.addEmpty(count) }
            let text = decoded(value, coding)
            return text?.withUnsafeBufferPointer { template.match($0, into: &captures) } ?? false
        }
    }

    /// Returns the encoded text inside a live value; `nil` if there is none.
    private static func decoded(_ value: Bytes, _ coding: Coding) -> [UInt8]? {
        switch coding {
        case .percent: return PercentEncoding.decoded(value)
        case .base64, .hex:
            // Padding may be written `%3D` or `%253D`, and the recorded value may have none.
            var digits = Array(value)
            while digits.contains(.percent) {
                let decoded = digits.withUnsafeBufferPointer { PercentEncoding.decoded($0) }
                if decoded.count == digits.count { break }
                digits = decoded
            }
            return digits.withUnsafeBufferPointer { coding == .hex ? EncodedText.bytes(ofHex: $0) : Base64.decoded($0) }
        }
    }

    /// Returns the placeholder at the end of a live value, without a provider's prefix or the first parts of a JSON Web Token;
    /// `nil` for any other value.
    ///
    /// It came from a stub, and the client sends it back.
    private static func placeholder(endingIn value: Bytes) -> Bytes? {
        Placeholder.matches(in: value).first { $0.match.end == value.count }.map { value.part($0.start..<value.count) }
    }
}
