/// The secrets of one recording and their replacements.
struct SecretVault {
    enum Mode {
        /// For what is stored: each secret gets a placeholder of its own.
        case numbered
        /// For what is compared: every secret and every placeholder becomes `REDACTED`.
        case unnumbered
        /// For what was stored before: placeholders are counted, and nothing is replaced.
        case learning
        /// For comparing two recordings: placeholders lose their names and numbers, and nothing else is replaced.
        case nameless
    }

    private(set) var mode: Mode
    private var texts: [[UInt8]: [UInt8]] = [:]
    private var numbers: [[UInt8]: [UInt8]] = [:]
    private var lastNumber: [String: Int] = [:]
    private var nextIndex: [Int: Int] = [:]
    private(set) var finder = ValueFinder.empty
    /// The placeholders that were found, for the mode `learning` alone.
    private(set) var found: [String] = []

    private var followed: Set<[UInt8]> = []

    /// The number of values that are looked for in all text.
    ///
    /// It grows with each one that may stand in what was already searched.
    var followedCount: Int { followed.count }

    /// The label that UUIDs are counted under.
    private static let identifiers = "uuid"

    init(mode: Mode) {
        self.mode = mode
        if mode != .numbered { finder = .placeholders }
    }

    /// Returns the replacement of a value, in text.
    ///
    /// Placeholders stay what they are.
    mutating func text(for value: Bytes, label: String, follows: SecretField.Following) -> [UInt8] {
        if value.isEmpty { return [] }
        if Placeholder.isWhole(value) {
            if let (label, number, _) = Placeholder.parse(value, at: 0) { learn(label: label, number: number) }
            if let number = Placeholder.identifier(value, at: 0) { learn(label: Self.identifiers, number: number) }
            return mode == .unnumbered || mode == .nameless ? Placeholder.unnumbered : Array(value)
        }
        guard Placeholder.isIdentifier(value) else {
            return remember(Array(value), follows: follows) { Placeholder.text(label: label, number: $0.next(label)) }
        }
        // An identifier is read from a response in small letters, and sent in capitals.
        let lower = value.map(\.lowercased)
        let upper = lower.map { $0.isLowercase ? $0 - 0x20 : $0 }
        var number: Int?
        for (spelling, isUppercase) in [(lower, false), (upper, true)] {
            _ = remember(spelling, follows: follows) { vault in
                number = number ?? vault.next(Self.identifiers)
                return Placeholder.identifier(number: number ?? 0, isUppercase: isUppercase)
            }
        }
        let isUppercase = value.contains(where: \.isUppercase)
        return remember(Array(value), follows: follows) { vault in
            Placeholder.identifier(number: number ?? vault.next(Self.identifiers), isUppercase: isUppercase)
        }
    }

    /// Returns the text that takes a value's place: the one it has, or the one that `make` returns.
    mutating func remember(
        _ value: [UInt8],
        follows: SecretField.Following,
        make: (inout SecretVault) -> [UInt8]
    ) -> [UInt8] {
        switch mode {
        case .learning, .nameless: return value
        case .unnumbered:
            follow(value, follows)
            return Placeholder.unnumbered
        case .numbered:
            follow(value, follows)
            if let text = texts[value] { return text }
            let text = make(&self)
            texts[value] = text
            return text
        }
    }

    /// Returns the replacement of a JSON number: as many digits, each of them 9 where the number is not a whole one.
    mutating func number(for value: Bytes) -> [UInt8] {
        let digits = Array(value)
        guard digits.allSatisfy(\.isDigit) else {
            if mode == .learning || mode == .nameless { return digits }
            var isExponent = false
            return digits.map { byte in
                isExponent = isExponent || byte | 0x20 == UInt8(ascii: "e")
                return byte.isDigit && !isExponent ? 0x39 : byte
            }
        }
        if let index = Placeholder.index(ofDigits: digits) {
            nextIndex[digits.count] = max(nextIndex[digits.count, default: 0], index + 1)
            if mode == .nameless { return [UInt8](repeating: 0x39, count: digits.count) }
            if mode != .unnumbered { return digits }
            if digits.count >= 8, followed.insert(digits).inserted { finder.insert(digits) }
        }
        if mode == .learning || mode == .nameless { return digits }
        if let number = numbers[digits] { return number }
        let index = nextIndex[digits.count, default: 0]
        nextIndex[digits.count] = index + 1
        let number = mode == .unnumbered ? Placeholder.number : Placeholder.digits(count: digits.count, index: index)
        numbers[digits] = number
        follow(digits, .always)
        return number
    }

    /// Returns the replacement of a followed value where it was found.
    mutating func replacement(for value: [UInt8], asNumber: Bool) -> [UInt8]? {
        if asNumber, value.allSatisfy(\.isDigit) { return value.withUnsafeBufferPointer { number(for: $0) } }
        return mode == .unnumbered ? Placeholder.unnumbered : numbers[value] ?? texts[value]
    }

    /// A copy that takes note of placeholders which were stored before.
    ///
    /// It looks for no value, and replaces nothing.
    var learning: SecretVault {
        var copy = self
        (copy.mode, copy.finder) = (.learning, .placeholders)
        return copy
    }

    /// Lets the numbers of placeholders continue behind those of another vault.
    mutating func continueNumbers(of other: SecretVault) {
        (lastNumber, nextIndex) = (other.lastNumber, other.nextIndex)
    }

    /// Removes the names and numbers of the placeholders in a text, and takes note of them.
    ///
    /// - Returns: `nil` where there is none, or where placeholders stay.
    mutating func placeholders(in bytes: Bytes) -> [UInt8]? {
        var edits: [Edit] = []
        var next = 0
        while let start = bytes.position(of: "REDACTED-", from: next) {
            next = start + 9
            guard let placeholder = Placeholder.parse(bytes, at: start) else { continue }
            next = placeholder.end
            learn(label: placeholder.label, number: placeholder.number)
            edits.append(Edit(range: start..<placeholder.end, text: Placeholder.unnumbered))
        }
        next = 0
        while let dash = bytes.position(of: "-0000-4000-8000-", from: next) {
            next = dash + 16
            guard let number = Placeholder.identifier(bytes, at: dash - 8) else { continue }
            learn(label: Self.identifiers, number: number)
            edits.append(Edit(range: dash - 8..<dash + 28, text: Placeholder.unnumbered))
        }
        return mode == .learning ? nil : Edit.apply(edits, to: bytes)
    }

    /// Lets numbers continue behind a placeholder that is already there.
    private mutating func learn(label: String, number: Int) {
        if mode == .learning {
            let isIdentifier = label == Self.identifiers
            let text =
                isIdentifier
                ? Placeholder.identifier(number: number, isUppercase: false)
                : Placeholder.text(label: label, number: number)
            found.append(String(decoding: text, as: UTF8.self))
        }
        lastNumber[label] = max(lastNumber[label, default: 0], number)
    }

    /// Returns the next number of a label.
    mutating func next(_ label: String) -> Int {
        let number = lastNumber[label, default: 0] &+ 1
        lastNumber[label] = number
        return number
    }

    private mutating func follow(_ value: [UInt8], _ follows: SecretField.Following) {
        guard follows != .never, !followed.contains(value) else { return }
        let isFollowable = value.withUnsafeBufferPointer {
            SecretValues.isFollowable($0) && (follows == .always || $0.isMixed)
        }
        guard isFollowable, followed.insert(value).inserted else { return }
        finder.insert(value, searchesNestedBase64: mode == .numbered)
    }
}
