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
    ///   - isLogin: A Boolean value that indicates whether what is beside the name speaks of OAuth, which makes a
    ///     secret of `code`. A plain `?code=US` is none.
    /// - Returns: The meaning; `nil` where the value is no secret.
    func field(_ name: Bytes, in place: SecretPlaces, isLogin: Bool = false) -> SecretField? {
        guard !name.isEmpty, name.count <= 128, !redaction.included.isEmpty || Self.mayMatch(name) else { return nil }
        let compact = FieldName(name)
        guard !compact.compact.isEmpty else { return nil }
        if Self.contains(redaction.included, compact, in: place) {
            return SecretField(label: Placeholder.label(name), rule: .included)
        }
        guard var field = standardField(compact, in: place, isLogin: isLogin), redaction.has(field.rule),
            !Self.contains(redaction.excluded, compact, in: place)
        else { return nil }
        if field.label.isEmpty { field.label = Placeholder.label(name) }
        return field
    }

    private static func contains(_ rules: Set<Redaction.Rule>, _ name: FieldName, in place: SecretPlaces) -> Bool {
        guard !rules.isEmpty else { return false }
        let name = name.text
        return (place == .header && rules.contains(.header(name)))
            || (place == .query && rules.contains(.queryItem(name)))
            || (place == .json || place == .xml) && rules.contains(.jsonKey(name))
            || (place == .form || place == .xml) && rules.contains(.formField(name))
    }

    private func standardField(_ name: FieldName, in place: SecretPlaces, isLogin: Bool) -> SecretField? {
        if isLogin, name.compact == Array("code".utf8), place != .header, place != .xml {
            return SecretField(label: "code", rule: .pinFields, test: .loginCode)
        }
        let letters = Array(name.compact.suffix(3))
        guard letters.count == 3,
            let secret = Self.byEnding[Self.ending(letters[0], letters[1], letters[2])]
                .first(where: { $0.places.contains(place) && $0.matches(name) }),
            !SecretList.harmlessNames.contains(where: name.ends(in:))
        else { return nil }
        return secret.field
    }

    /// The names by their last three letters.
    private static let byEnding: [[SecretName]] = {
        var result = [[SecretName]](repeating: [], count: 4096)
        for secret in SecretList.names {
            let letters = Array(secret.name.suffix(3))
            result[ending(letters[0], letters[1], letters[2])].append(secret)
        }
        return result
    }()

    private static let isEnding: [Bool] = byEnding.map { !$0.isEmpty }

    /// Returns a number below 4096 for three letters, which is often another one for others.
    private static func ending(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
        ((Int(first) &* 31 &+ Int(second)) &* 31 &+ Int(third)) & 4095
    }

    /// Returns a Boolean value that indicates whether any of the names may end as this one does.
    ///
    /// Most do not, and cost no more than this.
    private static func mayMatch(_ name: Bytes) -> Bool {
        var letters: (UInt8, UInt8, UInt8) = (0, 0, 0)
        var found = 0
        var position = name.count
        while position > 0, found < 3 {
            position -= 1
            let byte = name[position]
            guard byte.isAlphanumeric || byte >= 0x80 else { continue }
            letters = (byte.lowercased, letters.0, letters.1)
            found += 1
        }
        return found == 3 && isEnding[ending(letters.0, letters.1, letters.2)]
    }
}
