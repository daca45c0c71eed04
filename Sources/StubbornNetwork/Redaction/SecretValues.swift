/// Whether a value can be a secret, by its looks.
enum SecretValues {
    private static let commonWords: Set<String> = [
        "null", "nil", "none", "true", "false", "undefined", "deleted", "default", "disabled", "enabled", "optional",
        "required", "password", "passwort", "username", "authorization", "bearer", "basic", "application", "localhost",
        "anonymous", "production", "development", "unknown", "invalid", "expired", "redacted", "string", "integer",
        "security", "changeme", "example", "placeholder", "undefinednull", "notavailable", "english", "germany",
    ]

    /// A word for no secret, a mask, or the name of the field itself.
    static func isTrivial(_ value: Bytes, label: String) -> Bool {
        guard value.count <= 32 else { return false }
        if value.allSatisfy({ $0 == 0x2A || $0 == 0x2E || $0 == 0x2D || $0 >= 0x80 }) { return true }
        let text = FieldName(value).text
        return commonWords.contains(text) || text == label.filter { $0 != "_" }
    }

    /// Whether the value is worth looking for elsewhere, where a common one would stand by chance.
    ///
    /// A mixture of letters and digits is from 6 characters on, digits alone from 8, and letters alone from 12, or from 8
    /// where capitals stand among them. A PIN of four digits and the password `sunshine` are replaced in their fields alone.
    static func isFollowable(_ value: Bytes) -> Bool {
        guard value.count >= 6, value.count <= 65_536, !Placeholder.isWhole(value) else { return false }
        guard value.contains(where: { $0 != value[0] }), !isTrivial(value, label: "") else { return false }
        if isMixed(value) { return true }
        guard value.count >= 8 else { return false }
        guard value.allSatisfy(\.isLetter), value.count < 12 else { return true }
        return value.dropFirst().contains(where: \.isUppercase) && value.contains(where: \.isLowercase)
    }

    static func isMixed(_ value: Bytes) -> Bool {
        value.contains(where: \.isDigit) && value.contains(where: \.isLetter)
    }

    /// Whether the value must stand alone to be meant: words and numbers are parts of others by chance.
    static func needsBoundary(_ value: Bytes) -> Bool {
        value.allSatisfy(\.isDigit) || value.allSatisfy(\.isLetter)
    }

    /// Whether the value looks drawn at random rather than written by someone: no spaces, at least 8 characters, letters
    /// and digits mixed within a word. `price_2024` and `en-US` are not, `9f8a7b6c5d` is.
    static func looksRandom(_ value: Bytes) -> Bool {
        guard value.count >= 8, value.allSatisfy({ $0.isTokenPart || $0 == 0x3A || $0 == 0x25 }) else { return false }
        if isMixed(value) {
            return value.split { !$0.isAlphanumeric }.contains { word in
                let digits = word.reduce(0) { $0 + ($1.isDigit ? 1 : 0) }
                return digits == word.count ? digits > 5 : digits > 1 && word.count > 4
            }
        }
        return value.count >= 20 && value.contains(where: \.isUppercase) && value.contains(where: \.isLowercase)
            && value.allSatisfy(\.isLetter)
    }

    /// Header, payload and signature of a JSON Web Token (RFC 7519): three parts of base64url, the first a JSON object.
    static func isJWT(_ value: Bytes) -> Bool {
        value.has("eyJ", at: 0) && SecretShapes.jwtEnd(value, from: 0) == value.count
    }
}
