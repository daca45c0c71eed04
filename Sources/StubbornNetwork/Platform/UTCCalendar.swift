import Foundation

/// The calendar of the C library, in UTC.
///
/// Foundation's formatters are not `Sendable`, and creating one for each of ten thousand stubs is slow.
enum UTCCalendar {
    /// Returns the seconds from 1970 to the beginning of a day; a day that does not exist continues from the previous
    /// day.
    static func seconds(_ year: Int, _ month: Int, _ day: Int) -> Double {
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (CInt(year - 1900), CInt(month - 1), CInt(day))
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
