import Foundation

/// Text that servers and clients make for each request: random words and times.
///
/// Text is judged on its own, never against other text.
enum MadeText {
    // MARK: Words

    /// Returns the ranges of the words: letters and digits, joined by `-`, `_`, `.` and `~`.
    ///
    /// The extension of a file is a word of its own.
    static func words(in bytes: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var end = 0
        while true {
            let start = bytes.end(from: end) { !$0.isLetterOrDigit }
            guard start < bytes.count else { return result }
            end = bytes.end(from: start, while: { $0.isLetterOrDigit })
            while isJoiner(bytes.at(end)), bytes.at(end + 1).isLetterOrDigit, !isExtension(bytes, at: end) {
                end = bytes.end(from: end + 1, while: { $0.isLetterOrDigit })
            }
            result.append(start..<end)
        }
    }

    private static func isJoiner(_ byte: UInt8) -> Bool { byte.isOne(of: "-_.~") }

    /// Returns a Boolean value that indicates whether a dot and two to four letters are the end of a word: `.json`, not `.v2`.
    private static func isExtension(_ bytes: Bytes, at dot: Int) -> Bool {
        guard bytes.at(dot) == .dot else { return false }
        let end = bytes.end(from: dot + 1, while: { $0.isLetter })
        return 2...4 ~= end - dot - 1 && !bytes.at(end).isDigit && !isJoiner(bytes.at(end))
    }

    // MARK: Random words

    /// Returns a word with its random parts as classes; `nil` if no part looks random.
    ///
    ///     5f2b0c1e-77aa-4c7e-9d8e-0b7c2f6a1d3e   #uuid
    ///     msg_015Tco2dV5ohKq73Ab                 msg_#rand18
    ///     claude-3-7-sonnet-20250219             nil
    static func random(_ word: Bytes) -> String? {
        guard word.count >= RandomText.shortest else { return nil }
        if RandomText.isIdentifier(word) { return "#uuid" }
        let parts = word.split { !$0.isLetterOrDigit }
            .map { (range: $0.indices, class: randomClass(Bytes(rebasing: $0))) }
        guard let first = parts.firstIndex(where: { $0.class != nil }) else { return nil }
        let randomCount = parts.reduce(0) { $0 + ($1.class == nil ? 0 : $1.range.count) }
        if parts.count > 1, randomCount * 2 >= word.count, word.count >= 20 {
            // Base64 for URLs has `-` and `_` in it. Only a prefix of letters is not random.
            let isPrefix = parts[..<first].allSatisfy { word.part($0.range).allSatisfy({ $0.isLetter }) }
            let start = isPrefix ? parts[first].range.lowerBound : 0
            return word.part(0..<start).text + "#rand\(word.count - start)"
        }
        let edits = parts.compactMap { part in part.class.map { Edit(range: part.range, text: Array($0.utf8)) } }
        return Edit.apply(edits, to: word).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the class of letters and digits that look random; `nil` for those that a person may have written.
    private static func randomClass(_ part: Bytes) -> String? {
        switch RandomText.form(of: part) {
        case .hexadecimal: (part.contains(where: { $0.isUppercase }) ? "#HEX" : "#hex") + "\(part.count)"
        case .mixed: "#rand\(part.count)"
        // A number is an id only if a later request sends it.
        case .digits, nil: nil
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
            next = bytes.end(from: start, while: { $0.isDigit })
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
        if isFraction { end = bytes.end(from: end + 1, while: { $0.isDigit }) }
        guard !bytes.at(end).isAlphanumeric, bytes.at(end) != .hyphen else { return nil }
        guard digits.count == 10 else { return Time(range: digits, seconds: number / 1000, format: "#epochms") }
        return Time(range: digits.lowerBound..<end, seconds: number, format: isFraction ? "#epoch." : "#epoch")
    }

    /// Returns a Boolean value that indicates whether the characters before an offset belong to one word with it: `v1.`, not `..`.
    private static func isInWord(_ bytes: Bytes, at offset: Int) -> Bool {
        isJoiner(bytes.at(offset - 1)) && bytes.at(offset - 2).isLetterOrDigit
    }

    private static func iso(_ bytes: Bytes, _ start: Int) -> Time? {
        let separator = bytes.at(start + 10)
        guard has("0000-00-00?00:00", in: bytes, at: start), separator.isOne(of: "T ") else { return nil }
        var (end, second, format) = (start + 16, 0.0, separator == .space ? "#iso " : "#iso")
        if has(":00", in: bytes, at: end) {
            (end, second) = (end + 3, Double(number(bytes, end + 1, 2)))
            let fractionEnd = bytes.at(end) == .dot ? bytes.end(from: end + 1, while: { $0.isDigit }) : end
            if fractionEnd > end + 1 {
                second += Double("0" + bytes.part(end..<fractionEnd).text) ?? 0
                (end, format) = (fractionEnd, format + ".\(fractionEnd - end - 1)")
            }
        } else {
            format += "minutes"
        }
        let zone = zone(bytes, at: end)
        format += bytes.part(end..<zone.end).text
        let day = UTCCalendar.seconds(number(bytes, start, 4), number(bytes, start + 5, 2), number(bytes, start + 8, 2))
        let seconds = day + minutes(bytes, start + 11, start + 14) + second - zone.offset
        return Time(range: start..<zone.end, seconds: seconds, format: format)
    }

    /// Reads ISO 8601 without separators: `20261128T100000Z`.
    private static func isoBasic(_ bytes: Bytes, _ start: Int) -> Time? {
        guard has("00000000T000000Z", in: bytes, at: start), !bytes.at(start + 16).isAlphanumeric else { return nil }
        let day = UTCCalendar.seconds(number(bytes, start, 4), number(bytes, start + 4, 2), number(bytes, start + 6, 2))
        let seconds = day + minutes(bytes, start + 9, start + 11) + Double(number(bytes, start + 13, 2))
        return Time(range: start..<start + 16, seconds: seconds, format: "#isobasicZ")
    }

    private static func zone(_ bytes: Bytes, at start: Int) -> (end: Int, offset: Double) {
        if bytes.at(start) == UInt8(ascii: "Z") { return (start + 1, 0) }
        let sign = bytes.at(start)
        let forms: [StaticString] = ["?00:00", "?0000"]
        guard sign.isOne(of: "+-"), let form = forms.first(where: { has($0, in: bytes, at: start) }) else {
            return (start, 0)
        }
        let end = start + form.utf8CodeUnitCount
        return (end, minutes(bytes, start + 1, end - 2) * (sign == .plus ? 1 : -1))
    }

    private static func rfc(_ bytes: Bytes, _ start: Int) -> Time? {
        let forms: [StaticString] = [
            "00 ??? 0000 00:00:00 GMT", "00-???-0000 00:00:00 GMT",
            "00 ??? 0000 00:00:00 UTC", "00-???-0000 00:00:00 UTC",
        ]
        guard forms.contains(where: { has($0, in: bytes, at: start) }),
            let month = months.firstIndex(where: { bytes.has($0, at: start + 3) })
        else { return nil }
        // The day of the week belongs to the time.
        let isNamed = bytes.at(start - 1) == .space && bytes.at(start - 2) == .comma
        let begin = isNamed ? bytes.start(before: start - 2, while: { $0.isLetter }) : start
        let day = UTCCalendar.seconds(number(bytes, start + 7, 4), month + 1, number(bytes, start, 2))
        let seconds = day + minutes(bytes, start + 12, start + 15) + Double(number(bytes, start + 18, 2))
        return Time(range: begin..<start + 24, seconds: seconds, format: "#rfc")
    }

    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns a Boolean value that indicates whether a text of a form is at an offset: `0` stands for a digit, `?` for anything.
    private static func has(_ form: StaticString, in bytes: Bytes, at start: Int) -> Bool {
        form.withUTF8Buffer { form in
            form.indices.allSatisfy { offset in
                switch form[offset] {
                case .zero: bytes.at(start + offset).isDigit
                case .questionMark: true
                case let byte: bytes.at(start + offset) == byte
                }
            }
        }
    }

    /// Returns the seconds of the hours and the minutes at two offsets.
    private static func minutes(_ bytes: Bytes, _ hours: Int, _ minutes: Int) -> Double {
        Double(number(bytes, hours, 2) * 3600 + number(bytes, minutes, 2) * 60)
    }

    private static func number(_ bytes: Bytes, _ start: Int, _ count: Int) -> Int {
        bytes.part(start..<start + count).reduce(0) { $0 * 10 + Int($1 - .zero) }
    }
}
