import Foundation

/// The calendar of the C library, in UTC.
///
/// Foundation's formatters are not `Sendable`, and creating one for each of ten thousand stubs takes long.
enum UTCCalendar {
    /// Returns the seconds from 1970 to a time; a day or an hour that does not exist counts on from the one before.
    ///
    /// `parts` has year, month and day, and after them hour, minute and second, or nothing.
    static func seconds(_ parts: [Int]) -> Double {
        let numbers = parts.map { CInt(clamping: $0) } + [0, 0, 0]
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] &- 1900, numbers[1] &- 1, numbers[2])
        (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[3], numbers[4], numbers[5])
        return Double(timegm(&time))
    }

    /// Returns the year, month, day, hour, minute and second of a time; `nil` if the calendar has no such year.
    static func parts(of date: Date) -> [Int]? {
        guard let seconds = time_t(exactly: date.timeIntervalSince1970.rounded(.down)) else { return nil }
        var time = tm()
        guard withUnsafePointer(to: seconds, { gmtime_r($0, &time) }) != nil else { return nil }
        let day = [Int(time.tm_year) + 1900, Int(time.tm_mon) + 1, Int(time.tm_mday)]
        return day + [time.tm_hour, time.tm_min, time.tm_sec].map(Int.init)
    }
}
