/// The secrets of one recording and their replacements.
struct SecretVault {
    /// A replacement: the part of the exchange, the meaning of the value, and its placeholder.
    struct Note {
        let part: String
        let field: SecretField
        let placeholder: String
    }

    private var texts: [[UInt8]: (text: [UInt8], field: SecretField)] = [:]
    /// The digits that replace secrets of digits in responses, and whether a number is one of these replacements.
    private var digits: [[UInt8]: [UInt8]] = [:]
    private var madeDigits: Set<[UInt8]> = []
    /// The values that are certain to be secrets, by the rules or the environment.
    private var certain: [[UInt8]: SecretField] = [:]
    /// The values that are searched for in all text.
    private(set) var followed: Set<[UInt8]> = []
    private var finder = ValueFinder()
    /// The spellings of the values that a user has listed and that are too short for the finder.
    private var shortPatterns: [ValueFinder.Pattern] = []

    /// The last number of each label, and the last index of the digits of each length.
    private var lastNumber: [String: Int] = [:]
    private var lastIndex: [Int: Int] = [:]

    /// The part of a stub that is being searched, for the report: `request header Cookie`.
    var part = ""
    /// A Boolean value that indicates whether that part belongs to a request.
    var isRequest = false
    /// The placeholders in the last request that look like ordinary digits, which the stub lists.
    var hidden: Set<[UInt8]> = []
    /// The placeholders that the stub listed before, which are kept.
    var listed: Set<[UInt8]> = []
    /// The replacements in the last stub.
    var notes: [Note] = []

    // MARK: Replacements

    /// Returns the replacement of a value, in text; a placeholder is unchanged.
    mutating func text(for value: Bytes, _ field: SecretField) -> [UInt8] {
        if value.isEmpty || Placeholder.isWhole(value) { return Array(value) }
        if field.isVolatile {
            return remember(Array(value), field) { vault in
                let label = Placeholder.volatile + field.label
                return Array("\(label)-\(vault.next(label))".utf8)
            }
        }
        if value.count >= 3, value.areDigits, !isRequest || listed.contains(Array(value)) {
            return number(for: value, field)
        }
        let own = Array(value)
        if RandomText.isIdentifier(value), texts[own] == nil {
            // An identifier is read from a response in lower case, and sent in upper case, as Swift writes it.
            let number = next("uuid")
            let lower = own.map(\.lowercased)
            for spelling in [own, lower, lower.map { $0.isLowercase ? $0 - 0x20 : $0 }] where texts[spelling] == nil {
                texts[spelling] = (Placeholder.identifier(number: number, isUppercase: spelling != lower), field)
                if field.follows { follow(spelling) }
            }
        }
        return remember(own, field) { vault in
            own.withUnsafeBufferPointer { Placeholder.text(for: $0, label: field.label) { vault.next($0) } }
        }
    }

    /// Returns the text that replaces a value: its existing replacement, or the result of `make`.
    mutating func remember(_ value: [UInt8], _ field: SecretField, make: (inout SecretVault) -> [UInt8]) -> [UInt8] {
        if field.follows { follow(value) }
        let known = texts[value] ?? (make(&self), field)
        texts[value] = known
        note(known.field, known.text)
        return known.text
    }

    /// Gives a value the placeholder that it has in the stub file.
    mutating func adopt(_ placeholder: [UInt8], for value: [UInt8]) {
        guard texts[value] == nil, !value.isEmpty, !value.withUnsafeBufferPointer(Placeholder.isIn) else { return }
        let label = placeholder.withUnsafeBufferPointer { Placeholder.whole($0)?.label } ?? Placeholder.unlabeled
        texts[value] = (placeholder, SecretField(label: label, rule: .included, kind: .named))
        follow(value)
    }

    /// Returns the replacement of a number in a response: a whole number with as many digits as the original has
    /// characters.
    mutating func number(for value: Bytes, _ field: SecretField) -> [UInt8] {
        let number = Array(value)
        if listed.contains(number) || madeDigits.contains(number) && digits[number] == nil { return number }
        if field.follows { follow(number) }
        let placeholder = digits[number] ?? nextDigits(insteadOf: number)
        digits[number] = placeholder
        madeDigits.insert(placeholder)
        note(texts[number]?.field ?? field, placeholder)
        return placeholder
    }

    /// Returns the next placeholder of digits, which is not the number that it replaces: `9999`, and for 9999 `9998`.
    private mutating func nextDigits(insteadOf number: [UInt8]) -> [UInt8] {
        while true {
            let index = lastIndex[number.count, default: -1].increment()
            let placeholder = Placeholder.digits(count: number.count, index: index)
            // The last index is used again, because digits run out.
            if placeholder != number { return placeholder }
            if index > 99 { return [UInt8](repeating: 0x39, count: max(1, number.count - 1)) + [.zero] }
        }
    }

    /// Returns the replacement of an occurrence of a known value.
    mutating func replacement(for value: [UInt8]) -> [UInt8] {
        let field = texts[value]?.field ?? certain[value] ?? SecretField(label: "secret", rule: .included, kind: .named)
        return value.withUnsafeBufferPointer { text(for: $0, field) }
    }

    /// Returns a placeholder with as many bytes as a value.
    mutating func filler(for value: [UInt8]) -> [UInt8] {
        let text = Placeholder.unnumbered + [UInt8](repeating: .zero, count: value.count)
        let filler = value.areDigits ? Placeholder.digits(count: value.count, index: 0) : text
        let result = Array(filler.prefix(value.count))
        // A placeholder that is too short to be counted is recognized because the request lists it.
        if isRequest, !result.withUnsafeBufferPointer(Placeholder.isWhole) { hidden.insert(result) }
        return result
    }

    /// Takes note of a replacement, for the report, and for the list of placeholders that look like ordinary digits.
    private mutating func note(_ field: SecretField, _ placeholder: [UInt8]) {
        if isRequest {
            if placeholder.areDigits { hidden.insert(placeholder) }
            placeholder.withUnsafeBufferPointer { bytes in
                for (start, match) in Placeholder.matches(in: bytes) where bytes[start] == UInt8(ascii: "5") {
                    hidden.insert(Array(bytes.part(start..<match.end)))
                }
            }
        }
        guard !part.isEmpty else { return }
        notes.append(Note(part: part, field: field, placeholder: String(decoding: placeholder, as: UTF8.self)))
    }

    // MARK: Known values

    /// Returns the known values in a text, except in placeholders, from left to right; several may overlap.
    func hits(in bytes: Bytes) -> [ValueFinder.Hit] {
        // In binary data, three bytes may occur by coincidence.
        let short = shortPatterns.filter { $0.bytes.count >= 4 || !bytes.isBinary }.flatMap { pattern in
            bytes.ranges(of: pattern.bytes).map { ValueFinder.Hit(range: $0, pattern: pattern) }
        }
        return (finder.hits(in: bytes) + short).filter { !isInPlaceholder($0.range, bytes) }
            .sorted { ($0.range.lowerBound, -$0.range.count) < ($1.range.lowerBound, -$1.range.count) }
    }

    /// Returns a Boolean value that indicates whether a range has a part of a placeholder, but not the whole: the value `1` in
    /// `REDACTED-pin-1`.
    private func isInPlaceholder(_ range: Range<Int>, _ bytes: Bytes) -> Bool {
        let first = bytes.start(before: range.lowerBound, while: { $0.isDigit })
        let digits = first..<bytes.end(from: range.upperBound, while: { $0.isDigit })
        if madeDigits.contains(Array(bytes.part(digits))) { return true }
        let start = Swift.max(0, first - 64)
        return Placeholder.matches(in: bytes.part(start..<Swift.min(bytes.count, range.upperBound + 64)))
            .map { $0.start + start..<$0.match.end + start }
            .contains { $0.overlaps(range) && $0.clamped(to: range) != $0 }
    }

    /// A Boolean value that indicates whether any value is known.
    var knowsValues: Bool { !followed.isEmpty || !shortPatterns.isEmpty }

    /// Returns a Boolean value that indicates whether a user has listed a value, or a part of it.
    func namesPart(of value: Bytes) -> Bool {
        certain.contains { $0.value.rule == .included && value.position(of: $0.key, from: 0) != nil }
    }

    /// Takes note of a value that is certain to be a secret, before it has been seen.
    mutating func know(_ value: Bytes, _ field: SecretField) {
        guard !value.isEmpty, !Placeholder.isWhole(value) else { return }
        let value = Array(value)
        certain[value] = field
        if value.count >= ValueFinder.minimumByteCount {
            follow(value, isCertain: true)
        } else if field.rule == .included {
            shortPatterns += ValueFinder.forms(of: value).map { ValueFinder.Pattern(bytes: $0, value: value) }
        }
    }

    /// Returns a Boolean value that indicates whether a value is known, but too short to be searched for in text.
    func knowsShort(_ value: Bytes) -> Bool {
        value.count < ValueFinder.minimumByteCount && certain[Array(value)] != nil
    }

    private mutating func follow(_ value: [UInt8], isCertain: Bool = false) {
        // A value that a user lists is replaced in any surroundings.
        let isNamed = isCertain && certain[value]?.rule == .included
        guard !followed.contains(value),
            let reach = isNamed
                ? .everywhere : value.withUnsafeBufferPointer({ SecretValues.reach(of: $0, isCertain: isCertain) })
        else { return }
        followed.insert(value)
        // In stubs that were redacted before, the value lacks the known values inside it.
        let inside = value.withUnsafeBufferPointer(finder.hits)
            .compactMap { hit in texts[hit.pattern.value].map { Edit(range: hit.range, text: $0.text) } }
        if let redacted = value.withUnsafeBufferPointer({ Edit.apply(inside, to: $0) }) {
            finder.insert(.init(bytes: redacted, value: value, reach: reach))
        }
        finder.insert(value, reach, isShortEncoded: isNamed)
    }

    // MARK: Numbers

    /// Continues the numbers after the numbers of the placeholders in a stub that was stored before.
    mutating func learn(fromStored stub: Stub) {
        for (_, match) in stub.texts.flatMap(\.placeholders) {
            lastNumber[match.label] = max(lastNumber[match.label, default: 0], match.number)
        }
        for text in stub.request.placeholders ?? [] {
            guard let index = text.withBytes(Placeholder.index) else { continue }
            lastIndex[text.utf8.count] = max(lastIndex[text.utf8.count, default: -1], index)
        }
    }

    /// Returns the next number of a label.
    mutating func next(_ label: String) -> Int {
        let number = lastNumber[label, default: 0] &+ 1
        lastNumber[label] = number
        return number
    }
}
