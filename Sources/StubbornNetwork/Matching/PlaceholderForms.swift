/// The strings that are wildcards in a recorded request.
package struct PlaceholderForms: Hashable, Sendable {
    /// The placeholders of digits and hexadecimal digits, as the stub lists them; `nil` for a stub without a list.
    ///
    /// Digits are never assumed to be a placeholder: `/users/999` in a stub without a list is the user 999.
    private let listed: Set<String>?
    /// The listed placeholders of digits; those of hexadecimal digits are found by their beginning.
    private let digits: [String]

    /// The placeholders of other tools, as the settings declare them: `<API_KEY>`.
    private let declared: [String]

    package init(listed: [String]? = nil, declared: [String] = []) {
        (self.listed, self.declared) = (listed.map { Set($0) }, declared)
        digits = (listed ?? []).filter { !$0.isEmpty && !$0.lowercased().hasPrefix("5ec2e7") }
    }

    /// Returns a Boolean value that indicates whether a value of a stub stands for any value.
    ///
    /// - Parameters:
    ///   - value: A string, or a JSON number as it is written.
    ///   - isNumber: A Boolean value that indicates whether it is a JSON number.
    ///   - inResponse: A Boolean value that indicates whether a response has the value. In a response, digits are
    ///     placeholders even without a list.
    /// - Returns: `true` for a value with a wildcard in it.
    package func isWildcard(_ value: String, isNumber: Bool, inResponse: Bool) -> Bool {
        if inResponse, value.utf8.count >= 3, value.withBytes(Placeholder.index) != nil { return true }
        return isNumber ? wildcard(number: value) != nil : value.withBytes { !wildcards(in: $0).isEmpty }
    }

    /// A wildcard, and its range in a string.
    struct Found {
        var range: Range<Int>
        var wildcard: Wildcard
        /// The beginning of the range that belongs to the secret: `ghp_`.
        var prefix: [UInt8] = []
    }

    /// Returns the wildcards in a string, from left to right.
    ///
    /// `isValue` indicates whether the text is the whole value of a field, and not a body of text.
    func wildcards(in bytes: Bytes, isValue: Bool = true) -> [Found] {
        if isValue, let whole = whole(bytes) { return [whole] }
        var found: [Found] = []
        for (start, match) in Placeholder.matches(in: bytes) {
            let text = bytes.part(start..<match.end).text
            // Hexadecimal digits.
            if text.utf8.first == UInt8(ascii: "5"), listed?.contains(text) == false { continue }
            let wildcard = Wildcard(text, match.isVolatile ? .volatile : .named)
            let prefix = match.isVolatile ? [] : Self.prefix(in: bytes, before: start)
            // All tokens of JSON begin alike.
            let shown = prefix.contains(.dot) ? Array(prefix.prefix(3)) : prefix
            found.append(Found(range: start - prefix.count..<match.end, wildcard: wildcard, prefix: shown))
        }
        for digits in digits {
            let wildcard = Wildcard(digits, .named)
            found += Placeholder.words(Array(digits.utf8), in: bytes).map { Found(range: $0, wildcard: wildcard) }
        }
        found += unnumbered(in: bytes)
        found.sort { $0.range.lowerBound < $1.range.lowerBound }
        var end = 0
        return found.filter { next in
            guard next.range.lowerBound >= end else { return false }
            end = next.range.upperBound
            return true
        }
    }

    /// Returns the wildcard that a JSON number stands for; `nil` for an ordinary number.
    func wildcard(number: String) -> Wildcard? {
        listed?.contains(number) == true ? Wildcard(number, .named) : nil
    }

    /// Returns the wildcard that a whole value stands for, because the settings declare it.
    private func whole(_ bytes: Bytes) -> Found? {
        let start = bytes.hasIgnoringCase("bearer ", at: 0) ? 7 : 0
        let value = bytes.part(start..<bytes.count)
        guard !value.isEmpty, declared.contains(where: { $0.utf8.elementsEqual(value) }) else { return nil }
        let isNamed = value.at(0) == .lessThan && value.at(value.count - 1) == .greaterThan
        return Found(range: start..<bytes.count, wildcard: Wildcard(value.text, isNamed ? .named : .unnamed))
    }

    /// Returns the bare `REDACTED` of older files, if it is a whole value.
    private func unnumbered(in bytes: Bytes) -> [Found] {
        Placeholder.words(Placeholder.unnumbered, in: bytes).filter { range in
            let (before, after) = (bytes.at(range.lowerBound - 1), bytes.at(range.upperBound))
            let isScheme = range.lowerBound == 7 && bytes.hasIgnoringCase("bearer ", at: 0)
            let isApart = { (byte: UInt8) in byte != .space && !byte.isWordPart }
            return (isScheme || isApart(before)) && isApart(after)
        }
        .map { Found(range: $0, wildcard: Wildcard("REDACTED", .unnamed)) }
    }

    /// Returns the part of a secret before its placeholder: a provider's prefix, the first parts of a JSON Web Token.
    private static func prefix(in bytes: Bytes, before end: Int) -> [UInt8] {
        let start = bytes.start(before: end) { $0.isWordPart || $0 == .dot }
        let text = bytes.part(start..<end)
        if text.has("eyJ", at: 0), text.filter({ $0 == .dot }).count == 2, text.at(text.count - 1) == .dot {
            return Array(text)
        }
        let isNumbered = bytes.at(end + 8).isDigit
        guard text.count <= 24, isNumbered || "_-.".utf8.contains(text.at(text.count - 1)) else { return [] }
        return Array(text)
    }
}

/// A place in a recorded request that stands for any value.
struct Wildcard: Hashable, Sendable {
    enum Kind: Sendable {
        /// The value belongs to the placeholder's name in all stubs.
        case named
        /// The placeholder has no number, so that nothing is known about the value.
        case unnamed
        /// The value differs each time.
        case volatile
    }

    /// The text in the recording: `REDACTED-token-1`.
    let placeholder: String
    let kind: Kind

    init(_ placeholder: String, _ kind: Kind) { (self.placeholder, self.kind) = (placeholder, kind) }

    /// The placeholder, if it stands for the same value in all stubs.
    var name: String? { kind == .named ? placeholder : nil }
}
