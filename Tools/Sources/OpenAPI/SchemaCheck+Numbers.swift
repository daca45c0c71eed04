import Foundation
@_spi(Tools) import StubbornNetworkTooling

// The keywords for numbers and strings.
extension SchemaCheck {
    func limits(_ keyword: Keyword, _ digits: String) -> [Finding] {
        // Up to OpenAPI 3.0, the keyword says whether the limit itself is allowed.
        func isExclusive(_ name: String) -> Bool { dialect == .openAPI30 && keyword.schema[name]?.isTrue == true }
        guard case .number(let text) = keyword.argument else { return [] }
        let (number, limit) = (DecimalNumber(digits), DecimalNumber(text))
        func finding(_ message: String) -> [Finding] {
            [keyword.finding("must be \(message), is \(digits.cut(to: 40))")]
        }
        switch keyword.name {
        case "minimum" where isExclusive("exclusiveMinimum"), "exclusiveMinimum":
            return number > limit ? [] : finding("more than \(text)")
        case "maximum" where isExclusive("exclusiveMaximum"), "exclusiveMaximum":
            return number < limit ? [] : finding("less than \(text)")
        case "minimum": return number >= limit ? [] : finding("at least \(text)")
        case "maximum": return number <= limit ? [] : finding("at most \(text)")
        case "multipleOf":
            guard let isMultiple = number.isMultiple(of: limit) else {
                note("multipleOf \(text) was not checked: it has more than 18 digits, or is 0.")
                return []
            }
            return isMultiple ? [] : finding("a multiple of \(text)")
        default: return []
        }
    }

    func textFindings(_ keyword: Keyword, _ text: String) -> [Finding] {
        switch keyword.name {
        case "minLength", "maxLength":
            // Lengths count code points.
            return size(keyword, text.unicodeScalars.count, "character")
        case "pattern":
            guard let source = keyword.argument.text, matches(text, source) == false else { return [] }
            return [keyword.finding("must match \(source.cut(to: 80)), is \(JSON.string(text).shown)")]
        default: return []
        }
    }

    /// Returns a finding if a number of parts is too large or too small.
    func size(_ keyword: Keyword, _ count: Int, _ word: String) -> [Finding] {
        guard case .number(let text) = keyword.argument else { return [] }
        let limit = DecimalNumber(text)
        let isMinimum = keyword.name.hasPrefix("min")
        if isMinimum ? DecimalNumber(count) >= limit : DecimalNumber(count) <= limit { return [] }
        let noun = limit == DecimalNumber(1) ? word : word == "property" ? "properties" : "\(word)s"
        return [keyword.finding("must have at \(isMinimum ? "least" : "most") \(text) \(noun), has \(count)")]
    }

    /// Returns a Boolean value that indicates whether a pattern is in a string; `nil`, with a note, if that is not
    /// known.
    func matches(_ text: String, _ source: String) -> Bool? {
        let pattern = patterns[source] ?? ECMAPattern(source)
        patterns[source] = .some(pattern)
        guard let pattern else {
            note(
                "The pattern \(source.cut(to: 80)) cannot be read as a regular expression, and was not checked."
            )
            return nil
        }
        switch pattern.search(in: text) {
        case .found: return true
        case .missing: return false
        case .tooComplex:
            note("The pattern \(source.cut(to: 80)) takes too long for a recorded text, and was not checked there.")
            return nil
        }
    }
}
