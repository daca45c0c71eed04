import Foundation
import Testing

@testable import StubbornNetwork

/// Dates as a stub file has them.
struct UTCDateTests {
    @Test(arguments: [
        "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2000-02-29T12:00:00Z", "2024-02-29T00:00:00Z",
        "2026-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "0000-03-01T00:00:00Z", "1600-02-29T00:00:01Z",
    ])
    func `dates are read and written as Foundation does`(text: String) throws {
        let date = try #require(UTCDate.date(of: text))
        #expect(UTCDate.text(of: date) == text)
        guard text > "1600" else { return }
        #expect(date == ISO8601DateFormatter().date(from: text))
    }

    @Test(arguments: [
        "", "2026-11-22", "2026-11-22T15:04:05", "2026-11-22 15:04:05Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-22T24:00:00Z", "2026-11-22T15:60:00Z", "2026-11-22T15:04:60Z", "+026-11-22T15:04:05Z",
        "2026-11-22T15:04:05+", "2026-11-00T15:04:05Z", "2026-11-31T15:04:05Z",
    ])
    func `another text is not a date, and a stub file with it is refused`(text: String) throws {
        #expect(UTCDate.date(of: text) == nil)
        let file = #"[{"recordedAt":"\#(text)","request":{"method":"GET","url":"http://a"}}]"#
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument(file) }
        #expect(error?.message.contains("expected a date in UTC, such as \"2026-11-22T15:04:05Z\"") == true)
    }

    @Test(arguments: [
        ("2026-11-22T15:04:05.250Z", 0.25), ("2026-11-22T15:04:05.007Z", 0.007), ("2026-11-22T15:04:05Z", 0),
        ("2026-11-22T15:04:05.25Z", nil), ("2026-11-22T15:04:05.2500Z", nil), ("2026-11-22T15:04:05.250", nil),
        ("2026-11-22T15:04:05.2501", nil), ("2026-11-22T15:04:05.-25Z", nil), ("2026-11-22T15:04:05.2x0Z", nil),
        ("2026-11-22T15:04:05.250.1Z", nil), ("2026-02-29T15:04:05.250Z", nil),
    ])
    func `a date may have three digits of its second`(text: String, fraction: Double?) throws {
        guard let fraction else {
            #expect(UTCDate.dateWithMilliseconds(of: text) == nil)
            return
        }
        let date = try #require(UTCDate.dateWithMilliseconds(of: text))
        let whole = try #require(ISO8601DateFormatter().date(from: "2026-11-22T15:04:05Z"))
        #expect(abs(date.timeIntervalSince(whole) - fraction) < 0.000_1)
        #expect(fraction == 0 || UTCDate.textWithMilliseconds(of: date) == text)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, 253_402_300_800, -62_167_219_201])
    func `a date without a year of four digits has no text`(seconds: Double) {
        #expect(UTCDate.text(of: Date(timeIntervalSince1970: seconds)) == nil)
    }
}
