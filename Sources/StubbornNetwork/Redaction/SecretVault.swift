/// The secrets of one recording, and what each is replaced by.
struct SecretVault {
    enum Mode {
        /// For what is stored: each secret gets a placeholder of its own.
        case numbered
        /// For comparing: every secret and every placeholder becomes `REDACTED`.
        case unnumbered
        /// For what was stored before: placeholders are counted, nothing is replaced.
        case learning
        /// For telling whether two recordings say the same: placeholders lose their names and numbers, nothing else is
        /// replaced.
        case nameless
    }

    /// Whether a value is looked for outside its own field.
    enum Following {
        case always
        /// Only a mixture of letters and digits: cookies hold common words too.
        case ifMixed
        case never
    }

    var mode: Mode
    private var texts: [[UInt8]: [UInt8]] = [:]
    private var numbers: [[UInt8]: [UInt8]] = [:]
    private var lastNumber: [String: Int] = [:]
    private var nextIndex: [Int: Int] = [:]
    private(set) var finder = ValueFinder.empty

    private var following: Set<[UInt8]> = []

    /// How many values are followed: grows when something new is to be looked for in what was already searched.
    var followed: Int { following.count }

    /// What UUIDs are counted by.
    static let identifiers = "uuid"

    init(mode: Mode) {
        self.mode = mode
        if mode != .numbered { finder = .placeholders }
    }

    /// What takes the place of a value, in text. Placeholders stay what they are.
    mutating func text(for value: Bytes, label: String, following: Following) -> [UInt8] {
        if value.isEmpty { return [] }
        if Placeholder.isWhole(value) {
            if let (label, number, _) = Placeholder.parse(value, at: 0) { learn(label: label, number: number) }
            if let number = Placeholder.identifier(value, at: 0) { learn(label: Self.identifiers, number: number) }
            return mode == .unnumbered || mode == .nameless ? Placeholder.unnumbered : Array(value)
        }
        let isIdentifier = Placeholder.isIdentifier(value)
        let isUppercase = value.contains(where: \.isUppercase)
        if isIdentifier, mode == .numbered || mode == .unnumbered { followOtherCase(of: Array(value), following) }
        return remember(Array(value), following: following) { vault in
            isIdentifier
                ? Placeholder.identifier(number: vault.next(Self.identifiers), isUppercase: isUppercase)
                : Placeholder.text(label: label, number: vault.next(label))
        }
    }

    /// An identifier is read from a response in small letters, and sent in capitals.
    private mutating func followOtherCase(of value: [UInt8], _ following: Following) {
        let lower = value.map(\.lowercased)
        let upper = lower.map { 0x61...0x7A ~= $0 ? $0 - 0x20 : $0 }
        guard lower != upper else { return }
        let number = texts[lower] == nil && mode == .numbered ? next(Self.identifiers) : 0
        for (spelling, isUppercase) in [(lower, false), (upper, true)] {
            _ = remember(spelling, following: following) { _ in
                Placeholder.identifier(number: number, isUppercase: isUppercase)
            }
        }
    }

    /// The text that takes a value's place: the one it has, or the one that `make` returns.
    mutating func remember(
        _ value: [UInt8],
        following: Following,
        make: (inout SecretVault) -> [UInt8]
    ) -> [UInt8] {
        switch mode {
        case .learning, .nameless: return value
        case .unnumbered:
            follow(value, following)
            return Placeholder.unnumbered
        case .numbered:
            follow(value, following)
            if let text = texts[value] { return text }
            let text = make(&self)
            texts[value] = text
            return text
        }
    }

    /// What takes the place of a JSON number: as many digits, each of them 9 where the number is no whole one.
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
            if digits.count >= 8, following.insert(digits).inserted { finder.insert(digits) }
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

    /// What takes the place of a followed value where it was found.
    mutating func replacement(for value: [UInt8], asNumber: Bool) -> [UInt8]? {
        if asNumber, value.allSatisfy(\.isDigit) { return value.withUnsafeBufferPointer { number(for: $0) } }
        return mode == .unnumbered ? Placeholder.unnumbered : numbers[value] ?? texts[value]
    }

    /// Searches for something else for a while; returns what was searched for.
    mutating func exchangeFinder(_ other: ValueFinder) -> ValueFinder {
        defer { finder = other }
        return finder
    }

    /// Numbers go on behind a placeholder that is already there.
    mutating func learn(label: String, number: Int) {
        lastNumber[label] = max(lastNumber[label, default: 0], number)
    }

    mutating func next(_ label: String) -> Int {
        let number = lastNumber[label, default: 0] &+ 1
        lastNumber[label] = number
        return number
    }

    private mutating func follow(_ value: [UInt8], _ following: Following) {
        let isFollowed = value.withUnsafeBufferPointer { bytes in
            guard following != .never else { return false }
            return SecretValues.isFollowable(bytes) && (following == .always || SecretValues.isMixed(bytes))
        }
        guard isFollowed, self.following.insert(value).inserted else { return }
        finder.insert(value, searchesNestedBase64: mode == .numbered)
    }
}
