/// A name that carries a secret: all of them are in `all`, and all exceptions in `harmless`.
struct NamedSecret: Sendable {
    /// How much of a field's name must be equal, compared by letters and digits alone: `access_token` ends in `token`.
    enum Match {
        case whole, end
        /// The end, and the beginning of a word: `user_pin`, and not `spin`.
        case lastWord
    }

    struct Places: OptionSet, Sendable {
        let rawValue: UInt8

        static let header = Self(rawValue: 1)
        static let query = Self(rawValue: 2)
        static let json = Self(rawValue: 4)
        static let form = Self(rawValue: 8)
        static let xml = Self(rawValue: 16)
        static let everywhere = Self(rawValue: 31)
    }

    let name: StaticString
    let match: Match
    let rule: Redaction.Rule
    let places: Places
    let test: SecretField.Test
    let form: SecretField.Form
    let follows: SecretVault.Following
    let takesNumbers: Bool

    /// What its placeholder is called, where that is not the field's own name.
    let label: String

    private init(
        _ name: StaticString,
        _ match: Match,
        _ rule: Redaction.Rule,
        in places: Places = .everywhere,
        _ test: SecretField.Test = .any,
        form: SecretField.Form = .value,
        follows: SecretVault.Following = .always,
        takesNumbers: Bool = true,
        label: String = ""
    ) {
        self.name = name
        self.match = match
        self.rule = rule
        self.places = places
        self.test = test
        self.form = form
        self.follows = follows
        self.takesNumbers = takesNumbers
        self.label = label
    }

    /// The first one that matches counts.
    static let all: [NamedSecret] = [
        // Credentials of HTTP.
        .init("authorization", .end, .headers, in: .header, form: .credentials, label: "authorization"),
        .init("authorization", .whole, .headers, form: .credentials, label: "authorization"),
        .init("proxyauthorization", .whole, .headers, form: .credentials, label: "authorization"),
        .init("xauthorization", .whole, .headers, form: .credentials, label: "authorization"),
        .init("cookie", .whole, .cookies, in: [.header, .json], form: .cookies, follows: .ifMixed, label: "cookie"),
        .init("setcookie", .whole, .cookies, form: .setCookie, follows: .ifMixed, label: "cookie"),
        .init("token", .end, .headers, in: .header, form: .credentials),
        .init("apikey", .end, .headers, in: .header, form: .credentials),
        .init("authkey", .end, .headers, in: .header, form: .credentials),
        .init("subscriptionkey", .end, .headers, in: .header, form: .credentials),
        .init("functionskey", .end, .headers, in: .header, form: .credentials),
        .init("accesskey", .end, .headers, in: .header, form: .credentials),
        .init("secretkey", .end, .headers, in: .header, form: .credentials),
        .init("secret", .end, .headers, in: .header, form: .credentials),
        .init("password", .end, .headers, in: .header, form: .credentials),
        .init("sessionid", .end, .headers, in: .header, form: .credentials),
        .init("jwt", .end, .headers, in: .header, form: .credentials),
        .init("xauth", .whole, .headers, in: .header, form: .credentials),
        .init("applicationkey", .end, .headers, in: .header, form: .credentials),
        .init("xcredential", .whole, .headers, in: .header, form: .credentials),
        .init("xsignature", .whole, .headers, in: .header),
        .init("xamzsignature", .whole, .headers, in: .header),
        .init("hubsignature", .end, .headers, in: .header),
        .init("hubsignature256", .end, .headers, in: .header),

        // Queries. Of `X-Amz-…` these two and the token carry a secret; date, expiry and the like are none.
        .init("key", .whole, .queryItems, in: .query, .randomLooking, follows: .ifMixed),
        .init("appid", .whole, .queryItems, in: .query, .randomLooking, follows: .ifMixed),
        .init("auth", .whole, .queryItems, in: .query, .randomLooking, follows: .ifMixed),
        .init("code", .whole, .queryItems, in: .query, .randomLooking, follows: .ifMixed),
        .init("ticket", .whole, .queryItems, in: .query, .randomLooking, follows: .ifMixed),
        .init("sig", .whole, .queryItems, in: [.query, .form], follows: .ifMixed),
        .init("signature", .end, .queryItems, in: [.query, .form], follows: .ifMixed),
        .init("hmac", .whole, .queryItems, in: [.query, .form], follows: .ifMixed),
        .init("xamzcredential", .whole, .queryItems, in: [.query, .form], follows: .ifMixed),
        .init("xgoogcredential", .whole, .queryItems, in: [.query, .form], follows: .ifMixed),

        // Tokens.
        .init("token", .end, .tokenFields, .notShortWord),
        .init("tokens", .lastWord, .tokenFields, .randomLooking, takesNumbers: false),
        .init("jwt", .lastWord, .tokenFields, .notShortWord),
        .init("csrf", .lastWord, .tokenFields, .notShortWord),
        .init("xsrf", .lastWord, .tokenFields, .notShortWord),
        .init("bearer", .whole, .tokenFields, .notShortWord),
        .init("tokenhint", .end, .tokenFields, .notShortWord),
        .init("auth", .whole, .tokenFields, in: [.json, .form], .randomLooking, takesNumbers: false),
        .init("basicauth", .end, .tokenFields, .randomLooking, takesNumbers: false),
        .init("credential", .whole, .tokenFields, .randomLooking, takesNumbers: false),

        // Secrets and passwords.
        .init("secret", .end, .secretFields),
        .init("secrets", .lastWord, .secretFields, .randomLooking, takesNumbers: false),
        .init("password", .end, .passwordFields),
        .init("passwords", .lastWord, .passwordFields, takesNumbers: false),
        .init("password1", .end, .passwordFields),
        .init("password2", .end, .passwordFields),
        .init("passwordconfirmation", .end, .passwordFields),
        .init("passwordrepeat", .end, .passwordFields),
        .init("passwordhash", .end, .passwordFields),
        .init("passwd", .end, .passwordFields),
        .init("pwd", .lastWord, .passwordFields),
        .init("passphrase", .end, .passwordFields),
        .init("passcode", .end, .passwordFields),
        .init("pass", .whole, .passwordFields, in: [.query, .form]),
        .init("pass", .lastWord, .passwordFields, in: [.json, .form, .xml], .randomLooking, takesNumbers: false),
        .init("secretanswer", .end, .passwordFields, takesNumbers: false),
        .init("securityanswer", .end, .passwordFields, takesNumbers: false),

        // Keys.
        .init("apikey", .end, .keyFields, .notShortWord),
        .init("apikeys", .end, .keyFields, .randomLooking, takesNumbers: false),
        .init("appkey", .end, .keyFields, .randomLooking),
        .init("privatekey", .end, .keyFields, .notShortWord),
        .init("secretkey", .end, .keyFields, .notShortWord),
        .init("accesskey", .end, .keyFields, .notShortWord),
        .init("accesskeyid", .end, .keyFields, .randomLooking),
        .init("signingkey", .end, .keyFields, .notShortWord),
        .init("encryptionkey", .end, .keyFields, .notShortWord),
        .init("authkey", .end, .keyFields, .notShortWord),
        .init("sharedkey", .end, .keyFields, .notShortWord),
        .init("accountkey", .end, .keyFields, .notShortWord),
        .init("masterkey", .end, .keyFields, .notShortWord),
        .init("licensekey", .end, .keyFields, .notShortWord),
        .init("subscriptionkey", .end, .keyFields, .notShortWord),
        .init("serverkey", .end, .keyFields, .randomLooking),
        .init("storagekey", .end, .keyFields, .randomLooking),
        .init("applicationkey", .end, .keyFields, .randomLooking),
        .init("clientkeydata", .end, .keyFields, .randomLooking),
        .init("seedphrase", .end, .keyFields, takesNumbers: false),
        .init("mnemonic", .whole, .keyFields, .any, takesNumbers: false),

        // What is typed in.
        .init("pin", .lastWord, .pinFields, .pin),
        .init("otp", .lastWord, .pinFields, .pin),
        .init("totp", .lastWord, .pinFields, .pin),
        .init("cvv", .lastWord, .pinFields, .pin),
        .init("cvc", .lastWord, .pinFields, .pin),
        .init("mfacode", .end, .pinFields, .pin),
        .init("otpcode", .end, .pinFields, .pin),
        .init("totpcode", .end, .pinFields, .pin),
        .init("smscode", .end, .pinFields, .pin),
        .init("securitycode", .end, .pinFields, .pin),
        .init("verificationcode", .end, .pinFields, .pin),
        .init("onetimecode", .end, .pinFields, .pin),
        .init("authcode", .end, .pinFields, .loginCode),
        .init("authorizationcode", .end, .pinFields, .loginCode),
        .init("devicecode", .end, .pinFields, .randomLooking),
        .init("resetcode", .end, .pinFields, .pin),
        .init("backupcode", .end, .pinFields, .loginCode),
        .init("backupcodes", .end, .pinFields, .loginCode),
        .init("recoverycode", .end, .pinFields, .loginCode),
        .init("recoverycodes", .end, .pinFields, .loginCode),
        .init("codeverifier", .whole, .pinFields),
        .init("oauthverifier", .whole, .pinFields),

        // Proofs and sessions.
        .init("assertion", .lastWord, .assertionFields, in: [.query, .form]),
        .init("assertion", .lastWord, .assertionFields, .loginCode),
        .init("samlresponse", .whole, .assertionFields, .loginCode),
        .init("sessionid", .end, .sessionFields, .randomLooking),
        .init("sessid", .end, .sessionFields, .randomLooking),
        .init("sessionkey", .end, .sessionFields, .randomLooking),
        .init("session", .whole, .sessionFields, in: [.query, .json, .form], .randomLooking, takesNumbers: false),
        .init("sid", .whole, .sessionFields, .randomLooking),
    ]

    /// Names that end like a secret's and are none: tokens that say where a list goes on or what a language model reads,
    /// and pins on maps.
    private static let harmless: [StaticString] = [
        "pagetoken", "nexttoken", "previoustoken", "prevtoken", "continuationtoken", "continuetoken", "paginationtoken",
        "pagingtoken", "cursortoken", "scrolltoken", "skiptoken", "starttoken", "markertoken", "resumetoken",
        "synctoken",
        "deltatoken", "changetoken", "stoptoken", "eostoken", "bostoken", "padtoken", "unktoken", "septoken",
        "clstoken",
        "masktoken", "pagetokens", "inputtokens", "outputtokens", "maxtokens", "stoptokens",
        "postalpin", "postpin", "zippin", "areapin", "mappin", "locationpin", "gpiopin",
    ]

    static func isHarmless(_ name: FieldName) -> Bool { harmless.contains { name.ends($0) } }

    func matches(_ field: FieldName) -> Bool {
        switch match {
        case .whole: field.equals(name)
        case .end: field.ends(name)
        case .lastWord: field.endsInWord(name)
        }
    }

    /// The names by their last three letters.
    private static let byEnding: [[NamedSecret]] = {
        var result = [[NamedSecret]](repeating: [], count: 4096)
        for secret in all + [code] {
            secret.name.withUTF8Buffer { name in
                result[ending(name[name.count - 3], name[name.count - 2], name[name.count - 1])].append(secret)
            }
        }
        return result
    }()

    private static let isEnding: [Bool] = byEnding.map { !$0.isEmpty }

    /// A number below 4096 for three letters, often another one for others.
    private static func ending(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
        ((Int(first) &* 31 &+ Int(second)) &* 31 &+ Int(third)) & 4095
    }

    /// Whether any of the names may end as this one does: most names are done with here.
    static func mayMatch(_ name: Bytes) -> Bool {
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

    /// The names that end in the letters that this one ends in.
    static func candidates(for name: FieldName) -> [NamedSecret] {
        let letters = Array(name.compact.suffix(3))
        guard letters.count == 3 else { return [] }
        return byEnding[ending(letters[0], letters[1], letters[2])]
    }

    /// A secret only where something beside it speaks of a login.
    private static let code = NamedSecret("code", .whole, .pinFields, in: [])
}
