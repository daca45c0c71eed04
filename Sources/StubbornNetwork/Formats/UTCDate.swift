import Foundation

/// A date and a time in UTC, as a stub file has them: `2026-11-22T15:04:05Z` (ISO 8601).
enum UTCDate {
    private static let secondsOfDay = 86_400

    /// Returns the text of a date, without fractions of a second; `nil` for a year that does not have four digits.
    static func text(of date: Date) -> String? {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let (days, second) = (seconds.floorDivided(by: secondsOfDay), seconds.floorRemainder(by: secondsOfDay))
        // Days are counted in years that begin on 1 March, so that leap days are last.
        let era = (days + 719_468).floorDivided(by: 146_097)
        let dayOfEra = (days + 719_468).floorRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        guard 0...9_999 ~= year else { return nil }
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        let day = "\(padded(year, 4))-\(padded(month))-\(padded(dayOfYear - (153 * shifted + 2) / 5 + 1))"
        return "\(day)T\(padded(second / 3_600)):\(padded(second / 60 % 60)):\(padded(second % 60))Z"
    }

    /// Returns the date of a text; `nil` for a text of another form, and for a day or a time that does not exist.
    static func date(of text: String) -> Date? {
        let bytes = Array(text.utf8)
        let separators: [Int: Character] = [4: "-", 7: "-", 10: "T", 13: ":", 16: ":", 19: "Z"]
        guard bytes.count == 20, separators.allSatisfy({ bytes[$0.key] == $0.value.asciiValue }) else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            guard bytes[range].allSatisfy(\.isDigit) else { return nil }
            return Int(String(decoding: bytes[range], as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), 1...12 ~= month, hour < 24, minute < 60,
            second < 60
        else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.floorDivided(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        let date = Date(timeIntervalSince1970: Double(days * secondsOfDay + hour * 3_600 + minute * 60 + second))
        return self.text(of: date) == text ? date : nil
    }
}

extension Int {
    fileprivate func floorDivided(by divisor: Int) -> Int { (self - floorRemainder(by: divisor)) / divisor }

    fileprivate func floorRemainder(by divisor: Int) -> Int { (self % divisor + divisor) % divisor }
}
