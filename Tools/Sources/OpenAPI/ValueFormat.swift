import Foundation
@_spi(Tools) import StubbornNetworkTooling

/// The formats of strings and numbers that a schema may specify.
enum ValueFormat {
    /// Returns a Boolean value that indicates whether a value has a format; `nil` for a format that is not known, or that does
    /// not apply to the value.
    static func isValid(_ value: JSON, _ format: String) -> Bool? {
        switch value {
        case .string(let text): isValid(text, format)
        case .number(let digits): isValid(DecimalNumber(digits), format)
        default: nil
        }
    }

    private static func isValid(_ number: DecimalNumber, _ format: String) -> Bool? {
        switch format {
        case "int32": DecimalNumber(Int(Int32.min)) <= number && number <= DecimalNumber(Int(Int32.max))
        case "int64": DecimalNumber(Int.min) <= number && number <= DecimalNumber(Int.max)
        default: nil
        }
    }

    private static func isValid(_ text: String, _ format: String) -> Bool? {
        switch format {
        case "date-time":
            text.utf8.count > 11 && isDate(String(text.prefix(10)))
                && (text.dropFirst(10).first == "T" || text.dropFirst(10).first == "t")
                && isTime(String(text.dropFirst(11)))
        case "date": isDate(text)
        case "time": isTime(text)
        case "duration":
            matches(text, "P(?!$)([0-9]+W|" + days + "(T(?=[0-9])" + hours + ")?)")
        case "uuid": matches(text, "[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
        case "email":
            matches(
                text,
                "(\"[^\"\\\\]+\"|[^@\\s.\"]+(\\.[^@\\s.\"]+)*)@([A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*|\\[[A-Za-z0-9:.]+\\])"
            )
        case "hostname":
            text.utf8.count <= 253
                && matches(
                    text,
                    "([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
                )
        case "ipv4": isAddress(text, AF_INET)
        case "ipv6": isAddress(text, AF_INET6)
        case "uri": matches(text, "[A-Za-z][A-Za-z0-9+.-]*:" + uriRest)
        case "uri-reference": matches(text, uriRest) && !matches(text, "[^/?#:]*[^A-Za-z0-9+.:/?#-][^/?#:]*:.*")
        case "json-pointer": matches(text, "(/([^~/]|~[01])*)*")
        case "regex": ECMAPattern(text) != nil
        case "byte": matches(text, "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
        default: nil
        }
    }

    // A smaller unit may only follow the next larger one.
    private static let days = "([0-9]+Y([0-9]+M([0-9]+D)?)?|[0-9]+M([0-9]+D)?|[0-9]+D)?"
    private static let hours = "([0-9]+H([0-9]+M([0-9]+S)?)?|[0-9]+M([0-9]+S)?|[0-9]+S)"

    private static let uriRest =
        "(//([A-Za-z0-9._~!$&'()*+,;=:%-]*@)?(\\[[0-9A-Fa-fv:.]+\\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?(?=[/?#]|$))?"
        + "(?!.*%(?![0-9A-Fa-f]{2}))[A-Za-z0-9._~:/?@!$&'()*+,;=%-]*(#[A-Za-z0-9._~:/?@!$&'()*+,;=%-]*)?"

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        text.range(of: "\\A(?:\(pattern))\\z", options: .regularExpression) != nil
    }

    /// Returns a Boolean value that indicates whether a string is a full date of RFC 3339, section 5.6.
    private static func isDate(_ text: String) -> Bool {
        guard matches(text, "[0-9]{4}-[0-9]{2}-[0-9]{2}") else { return false }
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]), parts[2] >= 1 else { return false }
        let isLeap = parts[0].isMultiple(of: 4) && (!parts[0].isMultiple(of: 100) || parts[0].isMultiple(of: 400))
        return parts[2] <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][parts[1] - 1]
    }

    /// Returns a Boolean value that indicates whether a string is a full time of RFC 3339, section 5.6.
    private static func isTime(_ text: String) -> Bool {
        guard matches(text, "[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})") else { return false }
        let parts = text.split(whereSeparator: { ":.Zz+-".contains($0) }).compactMap { Int($0) }
        guard parts.count >= 3, parts[0] < 24, parts[1] < 60, parts[2] <= 60 else { return false }
        var offset = 0
        if let sign = text.last(where: { $0 == "+" || $0 == "-" }) {
            let (hours, minutes) = (parts[parts.count - 2], parts[parts.count - 1])
            guard hours < 24, minutes < 60 else { return false }
            offset = (hours * 60 + minutes) * (sign == "+" ? 1 : -1)
        }
        // A leap second is the last second of a day in UTC.
        return parts[2] < 60 || ((parts[0] * 60 + parts[1] - offset) % 1_440 + 1_440) % 1_440 == 1_439
    }

    /// Returns a Boolean value that indicates whether a string is an address of the Internet.
    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = in6_addr()
        return !text.contains("\0") && inet_pton(family, text, &address) == 1
    }
}
