import Foundation

/// A time in a text, as servers write them.
///
/// It has one of these forms: `2026-11-23T19:39:29.25Z`, also with a space or other punctuation for `T`, and with an offset or
/// without one (RFC 3339); `2026-11-23`; `20261123T193929Z` and `20261123` (ISO 8601), also `20261123T19:39:29` (XML-RPC) and
/// `20261123193929Z` (RFC 4517, section 3.3.13); `23 Nov 2026 19:39:29`, also with hyphens or slashes, one digit for the day, or
/// two for the year (RFC 9110, section 5.6.7; RFC 6265, section 5.1.1); `Nov 23 19:39:29 2026`, as `asctime` of C writes it, and
/// `Nov 23, 2026 7:39 PM`; seconds since 1970, or a thousandth, a millionth or a billionth of them.
struct TimeText {
    let range: Range<Int>
    /// The seconds since 1970.
    let seconds: Double
    /// A Boolean value that indicates whether this is a day without a time.
    let isDay: Bool
    /// A Boolean value that indicates whether the time is written without seconds.
    let isMinute: Bool

    /// Returns the times in a text.
    static func all(in bytes: Bytes) -> [TimeText] {
        var result: [TimeText] = []
        var next = 0
        while true {
            let start = bytes.end(from: next) { !$0.isDigit }
            guard start < bytes.count else { return result }
            next = bytes.end(from: start, while: \.isDigit)
            guard !bytes.at(start - 1).isAlphanumeric, bytes.at(start - 1) != .dot else { continue }
            let month = name(in: bytes, before: start, of: months)
            var reader = TimeReader(bytes: bytes, position: start, monthBefore: month?.index)
            guard let time = reader.read(), !bytes.at(reader.position).isAlphanumeric else { continue }
            // The day of the week belongs to it.
            let begin = month?.start ?? start
            let range = (name(in: bytes, before: begin, of: days)?.start ?? begin)..<reader.position
            let isMinute = bytes.part(range).count { $0 == .colon } == 1
            result.append(TimeText(range: range, seconds: time.seconds, isDay: time.isDay, isMinute: isMinute))
            next = reader.position
        }
    }

    fileprivate static let months: [StaticString] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let days: [StaticString] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let fullNames: [StaticString] = [
        "january", "february", "march", "april", "june", "july", "august", "september", "october", "november",
        "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// Returns the index and the start of the name before a number; `nil` if it is none of the names.
    private static func name(
        in bytes: Bytes,
        before position: Int,
        of names: [StaticString]
    ) -> (index: Int, start: Int)? {
        let end = bytes.start(before: position) { $0 == .space || $0 == .comma }
        let start = bytes.start(before: end, while: \.isLetter)
        guard end < position, end - start == 3 || bytes.part(start..<end).isOne(of: fullNames) else { return nil }
        return names.firstIndex { bytes.hasIgnoringCase($0, at: start) }.map { ($0, start) }
    }

    /// Returns a Boolean value that indicates whether a time has moved with the clock.
    ///
    /// It is as far from the time of the new recording as the older one is from that of the older recording.
    func hasMoved(from old: TimeText, recorded oldDate: Date, _ newDate: Date) -> Bool {
        guard isDay == old.isDay else { return false }
        let (oldDate, newDate) = (oldDate.timeIntervalSince1970, newDate.timeIntervalSince1970)
        if isDay {
            return seconds - old.seconds == ((newDate / day).rounded(.down) - (oldDate / day).rounded(.down)) * day
        }
        let (oldDistance, newDistance) = (old.seconds - oldDate, seconds - newDate)
        // A number that is not near to the recording is no time.
        let tolerance = Self.tolerance + (isMinute && old.isMinute ? 60 : 0)
        return abs(newDistance) < 4000 * day && abs(newDistance - oldDistance) <= tolerance
    }

    private var day: Double { 86_400 }

    /// The seconds by which one recording may be slower than another between two of its times.
    private static let tolerance = 15.0
}

/// A reader of one time.
private struct TimeReader {
    let bytes: Bytes
    var position: Int
    /// The index of the month before the position; `nil` where there is none.
    let monthBefore: Int?

    mutating func read() -> (seconds: Double, isDay: Bool)? {
        let start = position
        if let time = calendarTime() { return time }
        position = start
        if let time = internetTime() { return time }
        position = start
        return secondsSince1970()
    }

    private mutating func calendarTime() -> (seconds: Double, isDay: Bool)? {
        guard let year = number(4) else { return nil }
        let isPunctuated = skip("-")
        guard isPunctuated || 1900...2999 ~= year, let month = number(2), !isPunctuated || skip("-"),
            let dayOfMonth = number(2), let midnight = Self.midnight(year, month, dayOfMonth)
        else { return nil }
        let end = position
        let hasTime = skip("T") || skip("t") || (isPunctuated ? skipPunctuation() : bytes.at(position).isDigit)
        guard hasTime, let time = time(needsColons: isPunctuated) else {
            position = end
            return bytes.at(end).isDigit ? nil : (midnight, true)
        }
        return (midnight + time - offset(), false)
    }

    private mutating func internetTime() -> (seconds: Double, isDay: Bool)? {
        guard let dayOfMonth = number(2) ?? number(1) else { return nil }
        if let monthBefore {
            _ = skip(",")
            guard skip(" ") else { return nil }
            let yearBefore = number(4)
            guard yearBefore == nil || skip(" "), let time = time(),
                let year = yearBefore ?? (skip(" ") ? number(4) : nil),
                let midnight = Self.midnight(year, monthBefore + 1, dayOfMonth)
            else { return nil }
            return (midnight + time, false)
        }
        guard skip(" ") || skip("-") || skip("/"), let month = month(), skip(" ") || skip("-") || skip("/"),
            let year = number(4) ?? number(2).map({ $0 < 70 ? 2000 + $0 : 1900 + $0 }), skip(" ") || skip(":"),
            let midnight = Self.midnight(year, month, dayOfMonth), let time = time()
        else { return nil }
        return (midnight + time, false)
    }

    private mutating func secondsSince1970() -> (seconds: Double, isDay: Bool)? {
        let start = position
        position = bytes.end(from: start, while: \.isDigit)
        let count = position - start
        guard let unit = [10: 1.0, 13: 1e3, 16: 1e6, 19: 1e9][count] else { return nil }
        if bytes.at(position) == .dot, bytes.at(position + 1).isDigit {
            position = bytes.end(from: position + 1, while: \.isDigit)
        }
        guard let value = Double(bytes.part(start..<position).text) else { return nil }
        return (value / unit, false)
    }

    /// Reads a time of the day, with `AM` or `PM` behind it where that is written.
    private mutating func time(needsColons: Bool = true) -> Double? {
        guard let time = clock(needsColons: needsColons) else { return nil }
        let end = position
        _ = skip(" ")
        let isMorning = skip("AM") || skip("am")
        guard isMorning || skip("PM") || skip("pm"), !bytes.at(position).isAlphanumeric else {
            position = end
            return time
        }
        return time.truncatingRemainder(dividingBy: 43_200) + (isMorning ? 0 : 43_200)
    }

    /// Reads hours, minutes, and perhaps seconds and their fraction.
    private mutating func clock(needsColons: Bool) -> Double? {
        guard let hours = number(2) ?? (needsColons ? number(1) : nil), skip(":") || !needsColons,
            let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        var result = Double(hours * 3600 + minutes * 60)
        guard skip(":") || !needsColons && bytes.at(position).isDigit else { return result }
        guard let seconds = number(2), seconds <= 60 else { return nil }
        result += Double(seconds)
        if bytes.at(position) == .dot, bytes.at(position + 1).isDigit {
            let end = bytes.end(from: position + 1, while: \.isDigit)
            result += Double("0\(bytes.part(position..<end).text)") ?? 0
            position = end
        }
        return result
    }

    /// Reads `Z`, `+01:00`, `+0100` or nothing, and returns the seconds.
    private mutating func offset() -> Double {
        if skip("Z") || skip("z") { return 0 }
        let start = position
        let sign: Double = skip("+") ? 1 : -1
        guard sign > 0 || skip("-"), let hours = number(2) else {
            position = start
            return 0
        }
        _ = skip(":")
        return sign * Double(hours * 3600 + (number(2) ?? 0) * 60)
    }

    private mutating func number(_ count: Int) -> Int? {
        let digits = bytes.part(position..<position + count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        position += count
        return Int(digits.text)
    }

    private mutating func month() -> Int? {
        let index = TimeText.months.firstIndex { bytes.hasIgnoringCase($0, at: position) }
        guard let index else { return nil }
        position += 3
        return index + 1
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard bytes.has(text, at: position) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    private mutating func skipPunctuation() -> Bool {
        let byte = bytes.at(position)
        // `2026-11-26+01:00` is a day, with its zone.
        guard position < bytes.count, !byte.isAlphanumeric, byte != .plus, byte != .hyphen else { return false }
        position += 1
        return true
    }

    private static func midnight(_ year: Int, _ month: Int, _ day: Int) -> Double? {
        guard 1...12 ~= month, 1...31 ~= day else { return nil }
        return UTCCalendar.seconds(year, month, day)
    }
}

/// A date and a time in UTC, as a stub file has them: `2026-11-22T15:04:05Z` (ISO 8601).
enum UTCDate {
    /// Returns the text of a date, without fractions of a second; `nil` for a year that does not have four digits.
    static func text(of date: Date) -> String? {
        guard let numbers = UTCCalendar.parts(of: date), 0...9999 ~= numbers[0] else { return nil }
        let parts = numbers.enumerated().map { index, number in
            let digits = String(number)
            return String(repeating: "0", count: (index == 0 ? 4 : 2) - digits.count) + digits
        }
        return parts[..<3].joined(separator: "-") + "T" + parts[3...].joined(separator: ":") + "Z"
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
        date(of: text) ?? date(of: text, writtenBy: textWithMilliseconds)
    }

    /// Returns the date of a text; `nil` for a text of another form, and for a day or a time that does not exist.
    static func date(of text: String) -> Date? { date(of: text, writtenBy: self.text) }

    private static func date(of text: String, writtenBy write: (Date) -> String?) -> Date? {
        let time = text.withBytes(TimeText.all).first
        let date = time.map { Date(timeIntervalSince1970: ($0.seconds * 1000).rounded() / 1000) }
        // A text in another spelling, or a date such as 31 April, does not come back the same.
        return date.flatMap(write) == text ? date : nil
    }
}
