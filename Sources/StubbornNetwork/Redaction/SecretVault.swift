/// The secrets of one recording and their replacements.
struct SecretVault {
    /// A replacement: the part of the exchange, the meaning of the value, and what took its place.
    struct Note {
        let part: String
        let field: SecretField
        let placeholder: String
    }

    private var texts: [[UInt8]: (text: [UInt8], field: SecretField)] = [:]
    /// The values that are certain to be secrets, by the rules or the environment.
    private var certain: [[UInt8]: SecretField] = [:]
    private var followed: Set<[UInt8]> = []
    private var finder = ValueFinder()

    /// The last number of each label, and the next one of the digits of each length.
    private var lastNumber: [String: Int] = [:]
    private var nextIndex: [Int: Int] = [:]

    /// The part of a stub that is being searched, for the report: `request header Cookie`.
    var part = ""
    /// A Boolean value that indicates whether that part belongs to a request.
    var isRequest = false
    /// The placeholders in the last request that look like ordinary digits.
    var hidden: Set<[UInt8]> = []
    /// The replacements in the last stub.
    var notes: [Note] = []

    /// The number of values that are looked for in all text.
    var followedCount: Int { followed.count }

    // MARK: Replacements

    /// Returns the replacement of a value, in text; a placeholder stays.
    mutating func text(for value: Bytes, _ field: SecretField) -> [UInt8] {
        if value.isEmpty || Placeholder.isWhole(value) { return Array(value) }
        if field.isVolatile {
            return remember(Array(value), field) { vault in
                let label = Placeholder.volatile + field.label
                return Array("\(label)-\(vault.next(label))".utf8)
            }
        }
        if value.count >= 3, value.allSatisfy(\.isDigit) { return number(for: value, field) }
        let own = Array(value)
        if RandomText.isIdentifier(value), texts[own] == nil {
            // An identifier is read from a response in small letters, and sent in capitals, as Swift writes it.
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

    /// Returns the text that replaces a value: the one that it has, or the one that `make` returns.
    mutating func remember(
        _ value: [UInt8],
        _ field: SecretField,
        make: (inout SecretVault) -> [UInt8]
    ) -> [UInt8] {
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
        texts[value] = (placeholder, SecretField(label: label, rule: .included))
        follow(value)
    }

    /// Returns the replacement of a number: a whole one with as many digits as it has characters.
    mutating func number(for value: Bytes, _ field: SecretField) -> [UInt8] {
        let digits = Array(value)
        if learn(digits: value) { return digits }
        return remember(digits, field) { vault in
            let index = vault.nextIndex[digits.count, default: 0]
            vault.nextIndex[digits.count] = index + 1
            return Placeholder.digits(count: digits.count, index: index)
        }
    }

    /// Returns the replacement of a followed value where it was found.
    mutating func replacement(for value: [UInt8]) -> [UInt8] {
        let field = texts[value]?.field ?? certain[value] ?? SecretField(label: "secret", rule: .included)
        return value.withUnsafeBufferPointer { text(for: $0, field) }
    }

    /// Returns a placeholder with as many bytes as a value.
    mutating func filler(for value: [UInt8]) -> [UInt8] {
        let zeros = [UInt8](repeating: .zero, count: value.count)
        let isNumber = value.allSatisfy(\.isDigit)
        let filler = isNumber ? Placeholder.digits(count: value.count, index: 0) : (Placeholder.unnumbered + zeros)
        let result = Array(filler.prefix(value.count))
        // One that is too short to be counted is a placeholder because the request says so.
        if isRequest, !result.withUnsafeBufferPointer(Placeholder.isWhole) { hidden.insert(result) }
        return result
    }

    /// Takes note of a replacement, for the report, and for the list of those that look like ordinary digits.
    private mutating func note(_ field: SecretField, _ placeholder: [UInt8]) {
        if isRequest {
            if placeholder.allSatisfy(\.isDigit) { hidden.insert(placeholder) }
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

    /// Returns the known values in a text, from left to right.
    func hits(in bytes: Bytes) -> [ValueFinder.Hit] { finder.hits(in: bytes) }

    /// A Boolean value that indicates whether any value is known.
    var knowsValues: Bool { followedCount > 0 }

    /// Takes note of a value that is certain to be a secret, before it has been seen.
    mutating func know(_ value: Bytes, _ field: SecretField) {
        guard !value.isEmpty, !Placeholder.isWhole(value) else { return }
        certain[Array(value)] = field
        if value.count >= 6 { follow(Array(value), isCertain: true) }
    }

    /// Returns a Boolean value that indicates whether a value is a known one that is too short to be looked for in
    /// text.
    func knowsShort(_ value: Bytes) -> Bool {
        !certain.isEmpty && value.count < 6 && certain[Array(value)] != nil
    }

    private mutating func follow(_ value: [UInt8], isCertain: Bool = false) {
        guard !followed.contains(value),
            let reach = value.withUnsafeBufferPointer({ SecretValues.reach(of: $0, isCertain: isCertain) })
        else { return }
        followed.insert(value)
        // Stubs that were redacted before have it without the known values inside it.
        let inside = value.withUnsafeBufferPointer(finder.hits)
            .compactMap { hit in texts[hit.pattern.value].map { Edit(range: hit.range, text: $0.text) } }
        if let redacted = value.withUnsafeBufferPointer({ Edit.apply(inside, to: $0) }) {
            finder.insert(.init(bytes: redacted, value: value, reach: reach))
        }
        finder.insert(value, reach)
    }

    // MARK: Numbers

    /// Makes numbers continue after those of the placeholders in a stub that was stored before.
    mutating func learn(fromStored stub: Stub) {
        for text in stub.texts {
            for (_, match) in text.withText({ bytes, _ in Placeholder.all(in: bytes) }) {
                lastNumber[match.label] = max(lastNumber[match.label, default: 0], match.number)
            }
        }
        for text in stub.request.placeholders ?? Placeholder.hidden(in: stub.request) {
            _ = text.withBytes { learn(digits: $0) }
        }
    }

    /// Makes numbers continue after digits that are a placeholder; returns `false` for any other digits.
    private mutating func learn(digits: Bytes) -> Bool {
        guard digits.allSatisfy(\.isDigit), let index = Placeholder.index(ofDigits: digits) else { return false }
        nextIndex[digits.count] = max(nextIndex[digits.count, default: 0], index + 1)
        return true
    }

    /// Returns the next number of a label.
    mutating func next(_ label: String) -> Int {
        let number = lastNumber[label, default: 0] &+ 1
        lastNumber[label] = number
        return number
    }
}
