import Foundation

/// A date and a time in UTC, as a stub file has them: `2026-11-22T15:04:05Z` (ISO 8601).
///
/// It uses the C library's calendar: Foundation's formatters are not `Sendable`, and creating one for each of ten thousand
/// stubs takes long.
enum UTCDate {
    /// Returns the text of a date, without fractions of a second; `nil` for a year that does not have four digits.
    static func text(of date: Date) -> String? {
        guard let seconds = time_t(exactly: date.timeIntervalSince1970.rounded(.down)) else { return nil }
        var parts = tm()
        guard withUnsafePointer(to: seconds, { gmtime_r($0, &parts) }) != nil, -1900...8099 ~= parts.tm_year else {
            return nil
        }
        func padded(_ number: CInt, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        let day = "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        return "\(day)T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
    }

    /// Returns the text of a date with three digits of its second: `2026-11-22T15:04:05.250Z`.
    static func textWithMilliseconds(of date: Date) -> String? {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let seconds = (milliseconds / 1000).rounded(.down)
        guard let text = text(of: Date(timeIntervalSince1970: seconds)) else { return nil }
        let digits = String(Int(milliseconds - seconds * 1000))
        return "\(text.dropLast()).\(String(repeating: "0", count: 3 - digits.count))\(digits)Z"
    }

    /// Returns the date of a text with three digits of its second, or with none; `nil` for a text of another form.
    static func dateWithMilliseconds(of text: String) -> Date? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return date(of: text) }
        guard parts[1].utf8.count == 4, parts[1].utf8.last == UInt8(ascii: "Z"), let digits = Int(parts[1].dropLast()),
            digits >= 0, let date = date(of: "\(parts[0])Z")
        else { return nil }
        return Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000 + Double(digits)) / 1000)
    }

    /// Returns the date of a text; `nil` for a text of another form, and for a day or a time that does not exist.
    static func date(of text: String) -> Date? {
        let numbers = text.utf8.split { !$0.isDigit }.compactMap { CInt(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 6 else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] &- 1900, numbers[1] &- 1, numbers[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        let date = Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
        // A text in another spelling, or a date such as 31 April, does not come back the same.
        return self.text(of: date) == text ? date : nil
    }
}
