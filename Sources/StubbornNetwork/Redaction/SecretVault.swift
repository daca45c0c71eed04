/// The secrets of one recording and their replacements.
struct SecretVault {
    enum Mode {
        /// For what is stored: each secret gets a placeholder of its own.
        case numbered
        /// For what was stored before: placeholders are counted, and nothing is replaced.
        case learning
        /// For comparing two recordings: placeholders lose their names and numbers, and nothing else is replaced.
        case nameless
    }

    /// A replacement: the part of the exchange with the field's name, the rule, and what took the value's place.
    struct Note {
        let part: String
        let rule: String
        let placeholder: String
    }

    private(set) var mode: Mode
    private var texts: [[UInt8]: (text: [UInt8], field: SecretField)] = [:]
    /// The values that are certain to be secrets, by the rules or the environment.
    private var certain: [[UInt8]: SecretField] = [:]
    private var followed: Set<[UInt8]> = []
    private(set) var finder = ValueFinder.empty
    private(set) var finalScan = FinalScan()

    /// The last number of each label, and the next one of the digits of each length.
    private var lastNumber: [String: Int] = [:]
    private var nextIndex: [Int: Int] = [:]

    /// The placeholders that were found, only for the mode `learning`.
    private(set) var found: [String] = []

    /// The part of a stub that is being searched, for the report: `request header Cookie`.
    var part = ""
    /// The placeholders in the request that is being rewritten that look like ordinary digits; `nil` for other texts.
    var hidden: Set<[UInt8]>?
    /// The replacements that no report has yet.
    var notes: [Note] = []

    /// The number of values that are looked for in all text.
    var followedCount: Int { followed.count }

    init(mode: Mode) {
        self.mode = mode
        if mode != .numbered { finder = Placeholder.finder }
    }

    // MARK: Replacements

    /// Returns the replacement of a value, in text.
    mutating func text(for value: Bytes, _ field: SecretField) -> [UInt8] {
        if value.isEmpty { return [] }
        if let placeholder = Placeholder.whole(value) {
            learn(placeholder)
            return mode == .nameless ? Placeholder.unnumbered : Array(value)
        }
        if field.isVolatile {
            return remember(Array(value), field) { vault in
                let label = Placeholder.volatile + field.label
                return Array("\(label)-\(vault.next(label))".utf8)
            }
        }
        if value.count >= 3, value.allSatisfy(\.isDigit) { return number(for: value, field) }
        guard RandomText.isIdentifier(value) else {
            return remember(Array(value), field) { vault in
                Placeholder.text(for: value, label: field.label) { vault.next($0) }
            }
        }
        // An identifier is read from a response in small letters, and sent in capitals, as Swift writes it.
        let own = Array(value)
        let lower = own.map(\.lowercased)
        let upper = lower.map { $0.isLowercase ? $0 - 0x20 : $0 }
        var number: Int?
        let part = part
        for (spelling, isUppercase) in [(own, own != lower), (lower, false), (upper, true)] {
            guard spelling == own || texts[spelling] == nil else { continue }
            let hidden = hidden
            if spelling != own { (self.part, self.hidden) = ("", nil) }
            defer { if spelling != own { self.hidden = hidden } }
            _ = remember(spelling, field) { vault in
                number = number ?? vault.next("uuid")
                return Placeholder.identifier(number: number ?? 0, isUppercase: isUppercase)
            }
        }
        self.part = part
        return texts[own]?.text ?? own
    }

    /// Returns the text that replaces a value: the one that it has, or the one that `make` returns.
    mutating func remember(
        _ value: [UInt8],
        _ field: SecretField,
        make: (inout SecretVault) -> [UInt8]
    ) -> [UInt8] {
        if mode != .numbered { return value }
        if field.follows { follow(value) }
        if let known = texts[value] {
            noteHidden(known.text, known.field)
            note(known.field, known.text)
            return known.text
        }
        let text = make(&self)
        texts[value] = (text, field)
        note(field, text)
        noteHidden(text, field)
        return text
    }

    /// Gives a value the placeholder that it has in the stub file.
    mutating func adopt(_ placeholder: [UInt8], for value: [UInt8]) {
        guard texts[value] == nil, !value.isEmpty, !value.withUnsafeBufferPointer(Placeholder.isIn) else { return }
        let label = placeholder.withUnsafeBufferPointer { Placeholder.whole($0)?.label } ?? Placeholder.unlabeled
        texts[value] = (placeholder, SecretField(label: label, rule: .included))
        follow(value)
    }

    /// Takes note of a placeholder that looks like ordinary digits.
    private mutating func noteHidden(_ placeholder: [UInt8], _ field: SecretField) {
        guard hidden != nil else { return }
        if placeholder.allSatisfy(\.isDigit) {
            hidden?.insert(placeholder)
        } else {
            let found = placeholder.withUnsafeBufferPointer { bytes in
                Placeholder.matches(in: bytes).map { Array(bytes.part($0.start..<$0.match.end)) }
            }
            for text in found where text.first == UInt8(ascii: "5") { hidden?.insert(text) }
        }
    }

    /// Returns the replacement of a JSON number: as many digits, each of them 9 where the number is not a whole one.
    mutating func number(for value: Bytes, _ field: SecretField) -> [UInt8] {
        let digits = Array(value)
        guard digits.allSatisfy(\.isDigit) else {
            if mode != .numbered { return digits }
            let exponent = digits.firstIndex { $0.lowercased == .e } ?? digits.count
            let number = digits[..<exponent].map { $0.isDigit ? 0x39 : $0 } + digits[exponent...]
            // As it is compared in JSON, and as it is in a text.
            hidden?.insert(number)
            if let normalized = number.withUnsafeBufferPointer({ JSONNumber($0)?.normalized }) {
                hidden?.insert(Array(normalized.utf8))
            }
            return number
        }
        if let index = Placeholder.index(ofDigits: digits) {
            nextIndex[digits.count] = max(nextIndex[digits.count, default: 0], index + 1)
            return mode == .nameless ? [UInt8](repeating: 0x39, count: digits.count) : digits
        }
        if mode != .numbered { return digits }
        let number: [UInt8]
        if let known = texts[digits]?.text {
            number = known
        } else {
            let index = nextIndex[digits.count, default: 0]
            nextIndex[digits.count] = index + 1
            number = Placeholder.digits(count: digits.count, index: index)
            texts[digits] = (number, field)
            follow(digits)
        }
        note(field, number)
        noteHidden(number, field)
        return number
    }

    /// Returns the replacement of a followed value where it was found.
    mutating func replacement(for value: [UInt8], asNumber: Bool) -> [UInt8] {
        let field = field(of: value)
        return value.withUnsafeBufferPointer {
            asNumber && $0.allSatisfy(\.isDigit) ? number(for: $0, field) : text(for: $0, field)
        }
    }

    /// Returns the meaning of a value that is looked for.
    func field(of value: [UInt8]) -> SecretField {
        texts[value]?.field ?? certain[value] ?? SecretField(label: "secret", rule: .included)
    }

    /// Takes note of what the final scan replaced.
    mutating func note(_ finding: FinalScan.Finding) {
        note(field(of: finding.value), finding.filler)
        noteHidden(filler: finding.filler)
    }

    /// Returns a placeholder with as many bytes as a value.
    mutating func filler(for value: [UInt8]) -> [UInt8] {
        let filler = FinalScan.filler(for: value)
        noteHidden(filler: filler)
        return filler
    }

    private mutating func noteHidden(filler: [UInt8]) {
        // One that is too short to be counted is a placeholder because the request says so.
        guard hidden != nil, filler.withUnsafeBufferPointer({ Placeholder.whole($0) == nil }) else { return }
        hidden?.insert(filler)
    }

    /// Takes note of a replacement, for the report.
    private mutating func note(_ field: SecretField, _ placeholder: [UInt8]) {
        guard mode == .numbered, !part.isEmpty else { return }
        let name = part + (field.label.isEmpty ? "" : ", \(field.label)")
        notes.append(Note(part: name, rule: field.rule.name, placeholder: String(decoding: placeholder, as: UTF8.self)))
    }

    // MARK: Known values

    /// Takes note of a value that is certain to be a secret, before it has been seen.
    mutating func know(_ value: Bytes, _ field: SecretField) {
        guard !value.isEmpty, !Placeholder.isWhole(value) else { return }
        certain[Array(value)] = field
        guard value.count >= 6, followed.insert(Array(value)).inserted else { return }
        let reach = SecretValues.reach(of: value, isCertain: true) ?? .whole
        finder.insert(Array(value), reach, searchesNestedBase64: mode == .numbered)
        finalScan.insert(Array(value), reach)
    }

    /// Returns a Boolean value that indicates whether a value is a known one that is too short to be looked for in
    /// text.
    func knowsShort(_ value: Bytes) -> Bool {
        !certain.isEmpty && value.count < 6 && certain[Array(value)] != nil
    }

    private mutating func follow(_ value: [UInt8]) {
        guard !followed.contains(value), let reach = value.withUnsafeBufferPointer({ SecretValues.reach(of: $0) })
        else { return }
        followed.insert(value)
        finder.insert(value, reach, searchesNestedBase64: mode == .numbered)
        finalScan.insert(value, reach)
    }

    // MARK: Placeholders

    /// A copy that takes note of placeholders which were stored before.
    var learning: SecretVault {
        var copy = self
        (copy.mode, copy.finder) = (.learning, Placeholder.finder)
        return copy
    }

    /// Makes the numbers of placeholders continue after those of another vault.
    mutating func continueNumbers(of other: SecretVault) {
        (lastNumber, nextIndex) = (other.lastNumber, other.nextIndex)
    }

    /// Removes the names and numbers of the placeholders in a text, and takes note of them.
    ///
    /// Returns `nil` where there is none, or where placeholders stay.
    mutating func placeholders(in bytes: Bytes) -> [UInt8]? {
        let edits = Placeholder.matches(in: bytes).map { start, placeholder in
            learn(placeholder)
            if mode == .learning { found.append(bytes.part(start..<placeholder.end).text) }
            return Edit(range: start..<placeholder.end, text: Placeholder.unnumbered)
        }
        return mode == .learning ? nil : Edit.apply(edits, to: bytes)
    }

    /// Makes numbers continue after a placeholder that is already there.
    private mutating func learn(_ placeholder: Placeholder.Match) {
        lastNumber[placeholder.label] = max(lastNumber[placeholder.label, default: 0], placeholder.number)
    }

    /// Returns the next number of a label.
    mutating func next(_ label: String) -> Int {
        let number = lastNumber[label, default: 0] &+ 1
        lastNumber[label] = number
        return number
    }
}
