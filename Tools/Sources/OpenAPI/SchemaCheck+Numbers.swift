import Foundation
@_spi(Tools) import StubbornNetworkTooling

// The keywords for numbers and texts.
extension SchemaCheck {
    func limits(
        _ keyword: String,
        _ argument: JSON,
        _ schema: [String: JSON],
        _ number: DecimalNumber,
        _ shown: String,
        _ path: ValuePath,
        _ scope: Scope
    ) -> [Finding] {
        // Until OpenAPI 3.0 the keyword says whether the limit itself is allowed.
        func isExclusive(_ keyword: String) -> Bool { dialect == .openAPI30 && schema[keyword]?.isTrue == true }
        guard case .number(let text) = argument else { return [] }
        let limit = DecimalNumber(text)
        let text40 = shown.cut(to: 40)
        switch keyword {
        case "minimum" where isExclusive("exclusiveMinimum"), "exclusiveMinimum":
            return number > limit ? [] : [violation("must be more than \(text), is \(text40)", path, scope)]
        case "maximum" where isExclusive("exclusiveMaximum"), "exclusiveMaximum":
            return number < limit ? [] : [violation("must be less than \(text), is \(text40)", path, scope)]
        case "minimum": return number >= limit ? [] : [violation("must be at least \(text), is \(text40)", path, scope)]
        case "maximum": return number <= limit ? [] : [violation("must be at most \(text), is \(text40)", path, scope)]
        case "multipleOf":
            guard let isMultiple = number.isMultiple(of: limit) else {
                note("multipleOf \(text) was not checked: it has more than 18 digits, or is 0.")
                return []
            }
            return isMultiple ? [] : [violation("must be a multiple of \(text), is \(text40)", path, scope)]
        default: return []
        }
    }

    func textFindings(
        _ keyword: String,
        _ argument: JSON,
        _ text: String,
        _ path: ValuePath,
        _ scope: Scope
    ) -> [Finding] {
        switch keyword {
        case "minLength", "maxLength":
            // Lengths count code points.
            return size(keyword, argument, text.unicodeScalars.count, "character", path, scope)
        case "pattern":
            guard let source = argument.text, matches(text, source) == false else { return [] }
            return [violation("must match \(source.cut(to: 80)), is \(JSON.string(text).shown)", path, scope)]
        default: return []
        }
    }

    /// Returns a finding if a number of parts is too large or too small.
    func size(
        _ keyword: String,
        _ argument: JSON,
        _ count: Int,
        _ word: String,
        _ path: ValuePath,
        _ scope: Scope
    ) -> [Finding] {
        guard case .number(let text) = argument else { return [] }
        let limit = DecimalNumber(text)
        let isMinimum = keyword.hasPrefix("min")
        if isMinimum ? DecimalNumber(count) >= limit : DecimalNumber(count) <= limit { return [] }
        let noun = limit == DecimalNumber(1) ? word : word == "property" ? "properties" : "\(word)s"
        return [violation("must have at \(isMinimum ? "least" : "most") \(text) \(noun), has \(count)", path, scope)]
    }

    /// Returns a Boolean value that indicates whether a pattern is in a text; `nil`, with a note, if that is not known.
    func matches(_ text: String, _ source: String) -> Bool? {
        let pattern: ECMAPattern?
        if let known = patterns[source] {
            pattern = known
        } else {
            pattern = ECMAPattern(source)
            patterns[source] = .some(pattern)
        }
        guard let pattern else {
            note(
                "The pattern \(source.cut(to: 80)) is not a regular expression that can be read here, and was not checked."
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
