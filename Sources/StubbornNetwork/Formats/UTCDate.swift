import Foundation

/// A date and a time in UTC, as in a stub file: `2026-11-22T15:04:05Z` (ISO 8601).
enum UTCDate {
    /// Returns the text of a date, without fractions of a second; `nil` for a year that does not have four digits.
    static func text(of date: Date) -> String? {
        guard let numbers = UTCCalendar.parts(of: date), 0...9999 ~= numbers[0] else { return nil }
        let parts = numbers.enumerated().map { $1.digits($0 == 0 ? 4 : 2) }
        return parts[..<3].joined(separator: "-") + "T" + parts[3...].joined(separator: ":") + "Z"
    }

    /// Returns the text of a date with three digits of its second: `2026-11-22T15:04:05.250Z`.
    static func textWithMilliseconds(of date: Date) -> String? {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let seconds = (milliseconds / 1000).rounded(.down)
        guard let text = text(of: Date(timeIntervalSince1970: seconds)) else { return nil }
        return "\(text.dropLast()).\(Int(milliseconds - seconds * 1000).digits(3))Z"
    }

    /// Returns the date of a text with three digits of its second, or with none; `nil` for a text of a different form.
    static func dateWithMilliseconds(of text: String) -> Date? {
        date(of: text) ?? date(of: text, writtenBy: textWithMilliseconds)
    }

    /// Returns the date of a text; `nil` for a text of a different form, and for a day or a time that does not exist.
    static func date(of text: String) -> Date? { date(of: text, writtenBy: self.text) }

    private static func date(of text: String, writtenBy write: (Date) -> String?) -> Date? {
        let time = text.withBytes(MadeText.times).first
        let date = time.map { Date(timeIntervalSince1970: ($0.seconds * 1000).rounded() / 1000) }
        // Text in a different spelling, and a date such as 31 April, are not written in the same way again.
        return date.flatMap(write) == text ? date : nil
    }
}
