/// The kinds of personal data, and the pseudonyms that replace it.
///
/// A pseudonym has the form of the value, so that code which checks it accepts it. An IBAN and the number of a card have
/// correct check digits. A telephone number keeps its country and its spaces.
enum PersonalData: String {
    case mail, phone, firstName, lastName, name, street, city, postcode, iban, card

    /// Returns the kind of a value, by its form or by the name of its field; `nil` if it is not personal data.
    static func kind(of value: Bytes, named name: Bytes, isPerson: Bool) -> PersonalData? {
        guard !value.isEmpty, value.count <= 256 else { return nil }
        if isMail(value) { return .mail }
        let digits = value.filter(\.isDigit)
        if isIBAN(value) { return .iban }
        let compact = FieldName(name).text
        let kind = names[compact] ?? (isPerson && compact == "name" ? .name : nil)
        switch kind {
        case .card: return 13...19 ~= digits.count && digits.last == checkDigit(ofCard: digits.dropLast()) ? .card : nil
        case .phone: return digits.count >= 6 ? .phone : nil
        case .postcode: return !digits.isEmpty && value.count <= 10 ? .postcode : nil
        case .name, .firstName, .lastName, .street, .city:
            return value.contains { $0.isLetter || $0 >= 0x80 } && !value.contains(.underscore) ? kind : nil
        default: return nil
        }
    }

    private static let names: [String: PersonalData] = {
        let rows: [(PersonalData, String)] = [
            (
                .phone,
                "phone phonenumber telephone telephonenumber tel mobile mobilephone mobilenumber cellphone fax msisdn"
            ),
            (.firstName, "firstname givenname forename"), (.lastName, "lastname surname familyname"),
            (.name, "fullname displayname customername recipientname cardholdername realname holdername"),
            (.street, "street streetaddress addressline1 address1 line1 street1 streetname"),
            (.city, "city town"), (.postcode, "zip zipcode postalcode postcode"),
            (.card, "card cardnumber pan creditcard creditcardnumber ccnumber"),
        ]
        return rows.reduce(into: [:]) { result, row in
            for name in row.1.split(separator: " ") { result[String(name)] = row.0 }
        }
    }()

    private static func isMail(_ value: Bytes) -> Bool {
        guard value.count >= 6, let at = value.position(of: .at, from: 1), value.part(at..<value.count).contains(.dot)
        else { return false }
        return value.enumerated().allSatisfy { index, byte in
            index == at || byte.isUnreserved || byte == .plus && index < at
        }
    }

    /// Returns a Boolean value that indicates whether a value is an IBAN with correct check digits (ISO 13616).
    private static func isIBAN(_ value: Bytes) -> Bool {
        let text = value.filter { $0 != .space }
        return 15...34 ~= text.count && text.prefix(2).allSatisfy(\.isUppercase) && text[2].isDigit && text[3].isDigit
            && text.allSatisfy { $0.isDigit || $0.isUppercase } && remainder(ofIBAN: text) == 1
    }

    private static func remainder(ofIBAN text: [UInt8]) -> Int {
        (text.dropFirst(4) + text.prefix(4)).reduce(0) { remainder, byte in
            byte.isDigit ? (remainder * 10 + Int(byte - 0x30)) % 97 : (remainder * 100 + Int(byte) - 55) % 97
        }
    }

    /// Returns the last digit of a card's number (ISO/IEC 7812).
    private static func checkDigit(ofCard digits: ArraySlice<UInt8>) -> UInt8 {
        let sum = digits.reversed().enumerated().reduce(0) { sum, next in
            let digit = Int(next.element - 0x30) * (next.offset % 2 == 0 ? 2 : 1)
            return sum + (digit > 9 ? digit - 9 : digit)
        }
        return 0x30 + UInt8((10 - sum % 10) % 10)
    }

    // MARK: Pseudonyms

    private static let firstNames = "Alex Robin Kim Sam Jo Chris Toni Sascha Nicky Charlie Jamie Lou Max Pat Ray Terry"
        .split(separator: " ").map(String.init)
    private static let lastNames = "Example Sample Specimen Pattern Model Template Placeholder Standard"
        .split(separator: " ").map(String.init)

    /// Returns the pseudonym with a number, counted from 1.
    func pseudonym(for value: Bytes, number: Int) -> [UInt8] {
        func text(_ text: String) -> [UInt8] {
            let isUppercase = value.contains(where: \.isUppercase) && !value.contains(where: \.isLowercase)
            return Array((isUppercase ? text.uppercased() : text).utf8)
        }
        let round = (number - 1) / Self.firstNames.count
        let first = Self.firstNames[(number - 1) % Self.firstNames.count]
        let last = Self.lastNames[(number - 1) % Self.lastNames.count]
        switch self {
        case .mail: return Array("person-\(number)@example.com".utf8)
        case .firstName: return text(first + (round == 0 ? "" : "-\(round)"))
        case .lastName: return text("\(last)-\(number)")
        case .name: return text("\(first) \(last)" + (round == 0 ? "" : "-\(round)"))
        case .street: return text("Example Street \(number)")
        case .city: return text("Exampleton-\(number)")
        case .phone:
            // The country stays: `+49 30 …`.
            return Self.replacing(value, by: number, keeping: value.at(0) == .plus ? 3 : 1)
        case .postcode: return Self.replacing(value, by: number, keeping: 0)
        case .iban:
            var result = Self.replacing(value, by: number, keeping: 2)
            let places = result.indices.filter { result[$0] != .space }
            (result[places[2]], result[places[3]]) = (.zero, .zero)
            let check = 98 - Self.remainder(ofIBAN: result.filter { $0 != .space })
            (result[places[2]], result[places[3]]) = (0x30 + UInt8(check / 10), 0x30 + UInt8(check % 10))
            return result
        case .card:
            var result = Self.replacing(value, by: number * 10, keeping: 1)
            if let last = result.lastIndex(where: \.isDigit) {
                result[last] = Self.checkDigit(ofCard: result.filter(\.isDigit).dropLast())
            }
            return result
        }
    }

    /// Returns a value with a number in place of its digits, with zeros before it; as many of the first digits stay.
    private static func replacing(_ value: Bytes, by number: Int, keeping count: Int) -> [UInt8] {
        var result = Array(value)
        let places = result.indices.filter { result[$0].isDigit }.dropFirst(value.at(0) == .plus ? count - 1 : count)
        var rest = number
        for place in places.reversed() {
            result[place] = 0x30 + UInt8(rest % 10)
            rest /= 10
        }
        return result
    }

    /// Returns a Boolean value that indicates whether a value is a pseudonym of this kind, of this run or of one before.
    func isPseudonym(_ value: Bytes) -> Bool {
        let digits = value.filter(\.isDigit)
        func isNumber(after kept: Int, ofDigits count: Int) -> Bool {
            let zeros = digits.dropFirst(kept).dropLast(count)
            return !zeros.isEmpty && zeros.allSatisfy { $0 == .zero }
        }
        let text = value.text.lowercased()
        func isOne(of names: [String], _ word: Substring) -> Bool {
            let name = word.prefix { $0 != "-" }
            return names.contains { $0.lowercased() == name }
        }
        switch self {
        case .mail: return text.hasPrefix("person-") && text.hasSuffix("@example.com")
        case .firstName: return isOne(of: Self.firstNames, text[...])
        case .lastName: return isOne(of: Self.lastNames, text[...]) && text.contains("-")
        case .name:
            let words = text.split(separator: " ")
            return words.count == 2 && isOne(of: Self.firstNames, words[0]) && isOne(of: Self.lastNames, words[1])
        case .street: return text.hasPrefix("example street ")
        case .city: return text.hasPrefix("exampleton-")
        case .phone: return isNumber(after: value.at(0) == .plus ? 2 : 1, ofDigits: 3)
        case .postcode: return isNumber(after: 0, ofDigits: 2)
        case .iban: return isNumber(after: 2, ofDigits: 3)
        case .card: return isNumber(after: 1, ofDigits: 4)
        }
    }
}
