/// The names of fields that carry secrets, by the rules of a redaction.
struct SecretNames {
    private let redaction: Redaction

    init(redaction: Redaction) {
        self.redaction = redaction
    }

    /// Returns the meaning of a name for its value.
    ///
    /// - Parameters:
    ///   - name: The name of the field, as it is written.
    ///   - place: The one place where the name stands.
    ///   - beside: The meaning that other names in the text give it: `code` is a secret where they speak of OAuth.
    /// - Returns: The meaning; `nil` where the value is no secret.
    func field(_ name: Bytes, in place: NamePlaces, beside: SecretField? = nil) -> SecretField? {
        guard !name.isEmpty, name.count <= 128,
            !redaction.included.isEmpty || beside != nil || Self.mayMatch(name)
        else { return nil }
        let compact = FieldName(name)
        if Self.contains(redaction.included, compact, in: place) {
            return SecretField(label: Placeholder.label(name), rule: .included)
        }
        guard redaction.usesStandardRules, var field = beside ?? Self.standardField(compact, in: place),
            redaction.has(field.rule), !Self.contains(redaction.excluded, compact, in: place)
        else { return nil }
        if field.label.isEmpty { field.label = Placeholder.label(name) }
        return field
    }

    /// Returns the meaning that a name has for what is beneath it.
    func spread(_ name: Bytes, in place: NamePlaces) -> SecretField? {
        guard Self.mayMatch(name), let field = field(name, in: place), field.rule != .included else { return nil }
        let spreads = Self.stems(in: FieldName(name), place).contains { SecretList.stems[$0.stem].spreads }
        return spreads ? field.spread : nil
    }

    private static func contains(_ rules: Set<Redaction.Rule>, _ name: FieldName, in place: NamePlaces) -> Bool {
        guard !rules.isEmpty else { return false }
        let name = name.text
        return (place == .header && rules.contains(.header(name)))
            || (place == .query && rules.contains(.queryItem(name)))
            || (place == .json || place == .xml) && rules.contains(.jsonKey(name))
            || (place == .form || place == .xml) && rules.contains(.formField(name))
    }

    private static func standardField(_ name: FieldName, in place: NamePlaces) -> SecretField? {
        var result: SecretField?
        for (index, start) in stems(in: name, place) {
            let stem = SecretList.stems[index]
            var end = start + stem.text.count
            var field = stem.field
            if end < name.compact.count, name.compact[end] == UInt8(ascii: "s"), !name.beginsWord[end] {
                // The plural.
                end += 1
                field.takesNumbers = false
                if field.rule != .passwordFields, field.test != .loginCode { field.test = .randomLooking }
            }
            let isAll = name.words(from: end).allSatisfy { word in
                word.first?.isDigit == true || SecretList.qualifiers.contains(where: word.elementsEqual)
            }
            if !isAll {
                guard stem.spreads else { continue }
                field = field.spread
            } else if place == .header, field.form == .value {
                field = SecretField(label: field.label, rule: .headers, form: .credentials, test: field.test)
            }
            if result == nil || (result?.test == .randomLooking && field.test != .randomLooking) { result = field }
        }
        guard result != nil, !SecretList.harmlessNames.contains(where: name.contains) else { return nil }
        return result
    }

    /// Returns the stems in a name, and where they begin.
    private static func stems(in name: FieldName, _ place: NamePlaces) -> [(stem: Int, start: Int)] {
        var result: [(stem: Int, start: Int)] = []
        let compact = name.compact
        guard compact.count >= 3 else { return [] }
        for last in 2..<compact.count {
            let bucket = buckets[anchor(compact[last - 2], compact[last - 1], compact[last])]
            for index in bucket {
                let stem = SecretList.stems[index]
                let start = last + 1 - stem.text.count
                guard stem.places.contains(place), name.has(stem.text, at: start) else { continue }
                let end = last + 1
                let isPlural = !name.beginsWord[end] && compact[end] == UInt8(ascii: "s") && name.beginsWord[end + 1]
                guard name.beginsWord[end] || isPlural else { continue }
                switch stem.match {
                case .part: result.append((index, start))
                case .word where name.beginsWord[start]: result.append((index, start))
                case .whole where start == 0 && end == compact.count: result.append((index, start))
                default: break
                }
            }
        }
        return result
    }

    /// The stems by their last three letters.
    private static let buckets: [[Int]] = {
        var result = [[Int]](repeating: [], count: 1 << 15)
        for (index, stem) in SecretList.stems.enumerated() {
            let letters = Array(stem.text.suffix(3))
            result[anchor(letters[0], letters[1], letters[2])].append(index)
        }
        return result
    }()

    private static let isAnchor: [Bool] = buckets.map { !$0.isEmpty }

    /// Returns a number below 32768 for three letters.
    private static func anchor(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
        (Int(first & 31) << 5 | Int(second & 31)) << 5 | Int(third & 31)
    }

    /// Returns a Boolean value that indicates whether any of the stems may be in a name.
    ///
    /// In most names, none is, which costs no more than this.
    private static func mayMatch(_ name: Bytes) -> Bool {
        var letters = 0
        for byte in name where byte.isAlphanumeric || byte >= 0x80 {
            letters = (letters << 5 | Int(byte & 31)) & 0x7FFF
            if isAnchor[letters] { return true }
        }
        return false
    }
}

extension SecretField {
    /// Returns a Boolean value that indicates whether a value under that name is a secret, or a placeholder for one.
    ///
    /// In a response, `password` may be the label of a field: "Forgot your password?".
    func accepts(_ value: Bytes, isResponse: Bool = false) -> Bool {
        if value.isEmpty || Placeholder.isWhole(value) { return !value.isEmpty }
        if SecretValues.isTrivial(value, label: label) { return false }
        if isResponse, rule != .included, SecretValues.isLabel(value) { return false }
        switch test {
        case .any: return true
        case .notShortWord:
            return (value.count >= 6 || value.contains { !$0.isLetter }) && !SecretValues.isPublic(value)
        case .randomLooking: return RandomText.looksRandom(value)
        case .loginCode: return value.count >= 6 && !value.contains(.space)
        case .pin:
            return value.count >= 3 && value.allSatisfy { $0.isDigit || $0 == .hyphen || $0 == .space }
                || value.count >= 5 && value.contains(where: \.isDigit)
        }
    }
}
