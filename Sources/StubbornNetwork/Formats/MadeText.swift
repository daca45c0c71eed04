import Foundation

/// Text that servers and clients make for each request: random words and times.
///
/// Text is judged on its own, never against other text.
enum MadeText {
    // MARK: Words

    /// Returns the ranges of the words: letters and digits, joined by `-`, `_`, `.` and `~`.
    static func words(in bytes: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var end = 0
        while true {
            let start = bytes.end(from: end) { !isLetterOrDigit($0) }
            guard start < bytes.count else { return result }
            end = bytes.end(from: start, while: isLetterOrDigit)
            while isJoiner(bytes.at(end)), isLetterOrDigit(bytes.at(end + 1)) {
                end = bytes.end(from: end + 1, while: isLetterOrDigit)
            }
            result.append(start..<end)
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.isAlphanumeric || byte > 127 }

    private static func isJoiner(_ byte: UInt8) -> Bool {
        switch byte {
        case .hyphen, .underscore, .dot, .tilde: true
        default: false
        }
    }

    // MARK: Random words

    /// Returns a word with its random parts as classes; `nil` if no part looks random.
    ///
    ///     5f2b0c1e-77aa-4c7e-9d8e-0b7c2f6a1d3e   #uuid
    ///     msg_015Tco2dV5ohKq73Ab                 msg_#rand18
    ///     claude-3-7-sonnet-20250219             nil
    static func random(_ word: Bytes) -> String? {
        if RandomText.isIdentifier(word) { return "#uuid" }
        let parts = parts(of: word).map { (range: $0, class: randomClass(word.part($0))) }
        guard let first = parts.firstIndex(where: { $0.class != nil }) else { return nil }
        let randomCount = parts.reduce(0) { $0 + ($1.class == nil ? 0 : $1.range.count) }
        if parts.count > 1, randomCount * 2 >= word.count, word.count >= 20 {
            // Base64 for URLs has `-` and `_` in it. Only a prefix of letters is not random.
            let isPrefix = parts[..<first].allSatisfy { word.part($0.range).allSatisfy(\.isLetter) }
            let start = isPrefix ? parts[first].range.lowerBound : 0
            return word.part(0..<start).text + "#rand\(word.count - start)"
        }
        let edits = parts.compactMap { part in part.class.map { Edit(range: part.range, text: Array($0.utf8)) } }
        return Edit.apply(edits, to: word).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func parts(of word: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = 0
        while start < word.count {
            let end = word.end(from: start, while: isLetterOrDigit)
            if end > start { result.append(start..<end) }
            start = end + 1
        }
        return result
    }

    /// Returns the class of letters and digits that look random; `nil` for those that a person may have written.
    private static func randomClass(_ part: Bytes) -> String? {
        switch RandomText.form(of: part) {
        case .hexadecimal: (part.contains(where: \.isUppercase) ? "#HEX" : "#hex") + "\(part.count)"
        case .mixed, .letters: "#rand\(part.count)"
        case .digits: "#digits\(part.count)"
        case nil: nil
        }
    }

    // MARK: Times

    /// A point in time in a text.
    struct Time {
        let range: Range<Int>
        /// The seconds since 1970.
        let seconds: Double
        /// The format: `#iso.3Z`, `#isobasicZ`, `#rfc`, `#epoch`, `#epochms`.
        let format: String
    }

    /// Returns the times in a text: ISO 8601, RFC 9110 (section 5.6.7), and seconds or milliseconds since 1970.
    static func times(in bytes: Bytes) -> [Time] {
        var result: [Time] = []
        var next = 0
        while true {
            let start = bytes.end(from: next) { !$0.isDigit }
            guard start < bytes.count else { return result }
            next = bytes.end(from: start, while: \.isDigit)
            guard !bytes.at(start - 1).isAlphanumeric, let time = time(in: bytes, at: start, digitsEnd: next) else {
                continue
            }
            result.append(time)
            next = time.range.upperBound
        }
    }

    private static func time(in bytes: Bytes, at start: Int, digitsEnd: Int) -> Time? {
        switch digitsEnd - start {
        case 4: iso(bytes, start)
        case 8: isoBasic(bytes, start)
        case 2: rfc(bytes, start)
        case 10, 13: epoch(bytes, start..<digitsEnd)
        default: nil
        }
    }

    private static func epoch(_ bytes: Bytes, _ digits: Range<Int>) -> Time? {
        guard bytes[digits.lowerBound] == UInt8(ascii: "1"), !isInWord(bytes, at: digits.lowerBound),
            let number = Double(bytes.part(digits).text)
        else { return nil }
        var end = digits.upperBound
        let isFraction = digits.count == 10 && bytes.at(end) == .dot && bytes.at(end + 1).isDigit
        if isFraction { end = bytes.end(from: end + 1, while: \.isDigit) }
        guard !bytes.at(end).isAlphanumeric, bytes.at(end) != .hyphen else { return nil }
        guard digits.count == 10 else { return Time(range: digits, seconds: number / 1000, format: "#epochms") }
        return Time(range: digits.lowerBound..<end, seconds: number, format: isFraction ? "#epoch." : "#epoch")
    }

    /// Returns a Boolean value that indicates whether the characters before an offset belong to one word with it: `v1.`, not `..`.
    private static func isInWord(_ bytes: Bytes, at offset: Int) -> Bool {
        isJoiner(bytes.at(offset - 1)) && isLetterOrDigit(bytes.at(offset - 2))
    }

    private static func iso(_ bytes: Bytes, _ start: Int) -> Time? {
        let separator = bytes.at(start + 10)
        guard bytes.at(start + 4) == .hyphen, bytes.at(start + 7) == .hyphen, bytes.at(start + 13) == .colon,
            separator.isOne(of: "T "),
            let year = number(bytes, start, 4), let month = number(bytes, start + 5, 2),
            let day = number(bytes, start + 8, 2),
            let hour = number(bytes, start + 11, 2), let minute = number(bytes, start + 14, 2)
        else { return nil }
        var (end, second, format) = (start + 16, 0.0, separator == .space ? "#iso " : "#iso")
        if bytes.at(end) == .colon, let number = number(bytes, end + 1, 2) {
            (end, second) = (end + 3, Double(number))
            let fractionEnd = bytes.at(end) == .dot ? bytes.end(from: end + 1, while: \.isDigit) : end
            if fractionEnd > end + 1 {
                second += Double("0" + bytes.part(end..<fractionEnd).text) ?? 0
                (end, format) = (fractionEnd, format + ".\(fractionEnd - end - 1)")
            }
        } else {
            format += "minutes"
        }
        let zone = zone(bytes, at: end)
        format += bytes.part(end..<zone.end).text
        let seconds = UTCCalendar.seconds(year, month, day) + Double(hour * 3600 + minute * 60) + second - zone.offset
        return Time(range: start..<zone.end, seconds: seconds, format: format)
    }

    /// Reads ISO 8601 without separators: `20261128T100000Z`.
    private static func isoBasic(_ bytes: Bytes, _ start: Int) -> Time? {
        guard bytes.at(start + 8) == UInt8(ascii: "T"), bytes.at(start + 15) == UInt8(ascii: "Z"),
            !bytes.at(start + 16).isAlphanumeric, let date = number(bytes, start, 8),
            let time = number(bytes, start + 9, 6)
        else { return nil }
        let day = UTCCalendar.seconds(date / 10_000, date / 100 % 100, date % 100)
        let seconds = day + Double(time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100)
        return Time(range: start..<start + 16, seconds: seconds, format: "#isobasicZ")
    }

    private static func zone(_ bytes: Bytes, at start: Int) -> (end: Int, offset: Double) {
        if bytes.at(start) == UInt8(ascii: "Z") { return (start + 1, 0) }
        guard bytes.at(start).isOne(of: "+-"), let hours = number(bytes, start + 1, 2) else {
            return (start, 0)
        }
        let minutesStart = bytes.at(start + 3) == .colon ? start + 4 : start + 3
        guard let minutes = number(bytes, minutesStart, 2) else { return (start, 0) }
        return (minutesStart + 2, Double(hours * 3600 + minutes * 60) * (bytes[start] == .plus ? 1 : -1))
    }

    private static func rfc(_ bytes: Bytes, _ start: Int) -> Time? {
        guard bytes.at(start + 2).isOne(of: " -"), bytes.at(start + 6) == bytes.at(start + 2),
            let month = months.firstIndex(where: { bytes.has($0, at: start + 3) }), let day = number(bytes, start, 2),
            let year = number(bytes, start + 7, 4), bytes.at(start + 11) == .space,
            let hour = number(bytes, start + 12, 2), bytes.at(start + 14) == .colon,
            let minute = number(bytes, start + 15, 2), bytes.at(start + 17) == .colon,
            let second = number(bytes, start + 18, 2),
            bytes.has(" GMT", at: start + 20) || bytes.has(" UTC", at: start + 20)
        else { return nil }
        // The day of the week belongs to the time.
        let isNamed = bytes.at(start - 1) == .space && bytes.at(start - 2) == .comma
        let begin = isNamed ? bytes.start(before: start - 2, while: \.isLetter) : start
        let seconds = UTCCalendar.seconds(year, month + 1, day) + Double(hour * 3600 + minute * 60 + second)
        return Time(range: begin..<start + 24, seconds: seconds, format: "#rfc")
    }

    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ bytes: Bytes, _ start: Int, _ count: Int) -> Int? {
        let digits = bytes.part(start..<start + count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - .zero) }
    }
}
