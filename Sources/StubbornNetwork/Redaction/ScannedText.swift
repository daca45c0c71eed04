/// A search of text for what still looks like a secret when it is about to be stored: a known shape, or a value under a
/// name that leaves no doubt.
struct ScannedText {
    private let redaction: Redaction
    private let names: SecretNames
    private let shapes: SecretShapes

    init(redaction: Redaction) {
        self.redaction = redaction
        names = SecretNames(redaction: redaction)
        shapes = SecretShapes(redaction: redaction)
    }

    /// Returns the rule and the offset of the first secret.
    func finding(in bytes: Bytes) -> (rule: Redaction.Rule, offset: Int)? {
        guard bytes.count >= 12, redaction.usesStandardRules else { return nil }
        let shape = shapes.matches(in: bytes, isQuick: true).first {
            $0.form != .encodedJSON && Self.isUnredacted(bytes.part($0.range), atLeast: 12)
        }
        if let shape { return (shape.rule, shape.range.lowerBound) }
        return find(.colon, bytes) { isUserInfo(bytes, $0) ? Redaction.Rule.userInfo : member(bytes, $0) }
            ?? find(.equals, bytes) { pair(bytes, $0) } ?? find(.greaterThan, bytes) { element(bytes, $0) }
    }

    private func find(_ byte: UInt8, _ bytes: Bytes, _ check: (Int) -> Redaction.Rule?) -> (
        rule: Redaction.Rule, offset: Int
    )? {
        var next = 0
        while let offset = bytes.position(of: byte, from: next) {
            next = offset + 1
            if let rule = check(offset) { return (rule, offset) }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether `scheme://user:password@host` is there, with a password that is
    /// not a placeholder.
    private func isUserInfo(_ bytes: Bytes, _ at: Int) -> Bool {
        guard bytes.has("://", at: at), bytes.at(at - 1).isLetter, redaction.has(.userInfo) else { return false }
        let start = at + 3
        let end = bytes.end(from: start) { $0.isUnreserved || $0 == .colon || $0 == .percent }
        guard bytes.at(end) == .at, let colon = bytes.position(of: .colon, from: start, to: end) else { return false }
        return Self.isUnredacted(bytes.part(colon + 1..<end), atLeast: 6)
    }

    /// Returns the rule of a member of JSON: `"password": "…"`.
    private func member(_ bytes: Bytes, _ at: Int) -> Redaction.Rule? {
        let nameEnd = bytes.at(at - 1) == .space ? at - 2 : at - 1
        guard bytes.at(nameEnd) == .quote else { return nil }
        let quote = bytes.end(from: at + 1, while: \.isSpace)
        guard bytes.at(quote) == .quote, quote - at < 32 else { return nil }
        return rule(bytes, nameEnd, quote + 1) { $0 != .quote && $0 != .backslash && $0 != .lineFeed }
    }

    /// Returns the rule of a pair of a form or of a query: `password=…`.
    private func pair(_ bytes: Bytes, _ at: Int) -> Redaction.Rule? {
        rule(bytes, at, at + 1) { $0.isUnreserved || $0 == .percent || $0 == .plus }
    }

    /// Returns the rule of an element of XML: `<password>…<`.
    private func element(_ bytes: Bytes, _ at: Int) -> Redaction.Rule? {
        rule(bytes, at, at + 1, isBefore: .lessThan) { $0 != .lessThan && !$0.isSpace }
    }

    /// Returns the rule of a name that leaves no doubt, where its value looks like a secret.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - end: The offset at which the name ends.
    ///   - start: The offset at which the value begins.
    ///   - byte: The byte that has to follow the value; `nil` for any.
    ///   - isMember: Returns a Boolean value that indicates whether a byte is one of the value's.
    /// - Returns: The rule; `nil` where there is no such name or value.
    private func rule(
        _ bytes: Bytes,
        _ end: Int,
        _ start: Int,
        isBefore byte: UInt8? = nil,
        _ isMember: (UInt8) -> Bool
    ) -> Redaction.Rule? {
        guard Self.lastLetters.contains(bytes.at(end - 1)) else { return nil }
        let valueEnd = bytes.end(from: start, while: isMember)
        let value = bytes.part(start..<valueEnd)
        guard byte == nil || bytes.at(valueEnd) == byte, Self.isUnredacted(value, atLeast: 10),
            !value.contains(where: \.isSpace), value.contains(where: \.isLetter)
        else { return nil }
        let name = bytes.part(bytes.start(before: end, while: \.isWordPart)..<end)
        guard SecretList.certainNames.contains(FieldName(name).text), let field = names.field(name, in: .json),
            names.field(name, in: .form) != nil, names.field(name, in: .query) != nil
        else { return nil }
        return field.rule
    }

    /// The letters that certain names end in, so that most others cost no more than a look.
    private static let lastLetters = Array(Set(SecretList.certainNames.compactMap(\.utf8.last)))

    /// Returns a Boolean value that indicates whether a value has a digit, and is not a placeholder, neither as it is
    /// nor in base64.
    static func isUnredacted(_ value: Bytes, atLeast minimum: Int) -> Bool {
        value.count >= minimum && value.contains(where: \.isDigit) && value.position(of: "REDACTED", from: 0) == nil
            && value.position(of: "UkVEQUNURU", from: 0) == nil && !value.hasIgnoringCase("5ec2e700-0000-4000", at: 0)
    }
}
