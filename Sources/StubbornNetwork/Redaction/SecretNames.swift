/// What the name of a field says about its value.
struct SecretField {
    /// How the value is replaced.
    enum Form {
        case value, credentials, cookies, setCookie
    }

    /// Which values are secrets: a name alone often does not say.
    enum Test {
        /// Any but plain words for "none".
        case any
        /// Not short words: `token=USDC`.
        case notShortWord
        /// What looks drawn at random: `key=AIzaSy…`, and not `key=user_name`.
        case randomLooking
        /// What looks drawn at random, at any length from 6 on.
        case loginCode
    }

    var label: String
    var rule: Redaction.Rule
    var form = Form.value
    var test = Test.any

    /// Whether the value is looked for elsewhere too.
    var follows = SecretVault.Following.always

    func accepts(_ value: Bytes) -> Bool {
        if value.isEmpty || Placeholder.isWhole(value) { return !value.isEmpty }
        if SecretValues.isTrivial(value, label: label) { return false }
        switch test {
        case .any: return true
        case .notShortWord: return value.count >= 6 || value.contains { !$0.isLetter }
        case .randomLooking: return SecretValues.looksRandom(value)
        case .loginCode: return value.count >= 6 && !value.contains(0x20)
        }
    }
}

/// The names that carry secrets, by place.
struct SecretNames {
    let redaction: Redaction

    /// Where a name stands.
    enum Place {
        case header, query, json, form, xml
    }

    /// The field of that name in that place, or `nil` where its value is no secret.
    ///
    /// - Parameter isLogin: whether what stands beside it speaks of OAuth, which makes a secret of `code`. A plain
    ///   `?code=US` is none.
    func field(_ name: Bytes, in place: Place, isLogin: Bool = false) -> SecretField? {
        guard !name.isEmpty, name.count <= 128 else { return nil }
        guard hasAdditions || Self.mayBeStandard(name) else { return nil }
        let compact = FieldName(name)
        guard !compact.compact.isEmpty else { return nil }
        if hasAdditions, isIncluded(compact.text, in: place) {
            return SecretField(label: Placeholder.label(name), rule: .rule("included"))
        }
        guard redaction.usesStandardRules, var field = standard(compact, in: place, isLogin: isLogin) else {
            return nil
        }
        if !redaction.excluded.isEmpty {
            if redaction.excluded.contains(field.rule) { return nil }
            let exclusions = Self.exclusions(compact.text, in: place)
            if exclusions.contains(where: redaction.excluded.contains) { return nil }
        }
        field.label = field.label.isEmpty ? Placeholder.label(name) : field.label
        return field
    }

    private var hasAdditions: Bool {
        !(redaction.headers.isEmpty && redaction.queryItems.isEmpty && redaction.jsonKeys.isEmpty
            && redaction.formFields.isEmpty)
    }

    private func isIncluded(_ name: String, in place: Place) -> Bool {
        switch place {
        case .header: redaction.headers.contains(name)
        case .query: redaction.queryItems.contains(name)
        case .json: redaction.jsonKeys.contains(name)
        case .form: redaction.formFields.contains(name)
        case .xml: redaction.jsonKeys.contains(name) || redaction.formFields.contains(name)
        }
    }

    private static func exclusions(_ name: String, in place: Place) -> [Redaction.Rule] {
        switch place {
        case .header: [.header(name)]
        case .query: [.queryItem(name)]
        case .json: [.jsonKey(name)]
        case .form: [.formField(name)]
        case .xml: [.jsonKey(name), .formField(name)]
        }
    }

    /// The last two letters of all standard names: most names are done with here.
    private static let endings: Set<UInt16> = Set(
        [
            "en", "et", "rd", "wd", "se", "de", "on", "at", "ey", "in", "tp", "vv", "vc", "er", "id", "wt", "rf", "ie",
            "ig",
            "re", "ac", "al", "th", "ss",
        ].map { $0.utf8.reduce(0) { $0 << 8 | UInt16($1) } }
    )

    private static func mayBeStandard(_ name: Bytes) -> Bool {
        var ending: UInt16 = 0
        var found = 0
        var position = name.count
        while position > 0, found < 2 {
            position -= 1
            let byte = name[position]
            guard byte.isAlphanumeric || byte >= 0x80 else { continue }
            ending |= UInt16(byte.lowercased) << UInt16(8 * found)
            found += 1
        }
        return endings.contains(ending)
    }

    private func standard(_ name: FieldName, in place: Place, isLogin: Bool) -> SecretField? {
        if let field = header(name, in: place) { return field }
        if place == .query, let field = query(name) { return field }
        if place == .query || place == .form || place == .json, isLogin, name.equals("code") {
            return SecretField(label: "code", rule: .pinFields, test: .loginCode)
        }
        if place == .form || place == .query, name.equals("pass") {
            return SecretField(label: "password", rule: .passwordFields)
        }
        return common(name)
    }

    private func header(_ name: FieldName, in place: Place) -> SecretField? {
        if name.equals("authorization") || name.equals("proxyauthorization") || name.equals("xauthorization") {
            return SecretField(label: "authorization", rule: .headers, form: .credentials)
        }
        if name.equals("cookie") && place == .header || name.equals("cookie") && place == .json {
            return SecretField(label: "cookie", rule: .cookies, form: .cookies, follows: .ifMixed)
        }
        if name.equals("setcookie") {
            return SecretField(label: "cookie", rule: .cookies, form: .setCookie, follows: .ifMixed)
        }
        guard place == .header else { return nil }
        if name.ends("apikey") || name.ends("authkey") || name.ends("subscriptionkey") || name.ends("functionskey")
            || name.ends("secret") || name.ends("secretkey") || name.ends("password") || name.ends("accesskey")
            || name.equals("xauth") || name.equals("xrapidapikey") || name.ends("sessionid") || name.ends("jwt")
            || (name.ends("token") && !Self.isHarmlessToken(name))
        {
            return SecretField(label: "", rule: .headers, form: .credentials)
        }
        return nil
    }

    private func query(_ name: FieldName) -> SecretField? {
        if name.equals("key") {
            return SecretField(label: "key", rule: .queryItems, test: .randomLooking, follows: .ifMixed)
        }
        if name.equals("sig") || name.ends("signature") || name.equals("hmac") || name.equals("xamzcredential")
            || name.equals("xgoogcredential")
        {
            return SecretField(label: "", rule: .queryItems, follows: .ifMixed)
        }
        if name.equals("auth") || name.equals("code") {
            return SecretField(label: "", rule: .queryItems, test: .randomLooking, follows: .ifMixed)
        }
        return nil
    }

    private func common(_ name: FieldName) -> SecretField? {
        if name.ends("token") {
            guard !Self.isHarmlessToken(name) else { return nil }
            return SecretField(label: "", rule: .tokenFields, test: .notShortWord)
        }
        if name.ends("secret") { return SecretField(label: "", rule: .secretFields) }
        if name.ends("password") || name.ends("passwd") || name.endsInWord("pwd") || name.ends("passphrase")
            || name.ends("passcode") || name.ends("passwordconfirmation") || name.ends("passwordrepeat")
        {
            return SecretField(label: "", rule: .passwordFields)
        }
        if name.ends("apikey") || name.ends("privatekey") || name.ends("secretkey") || name.ends("accesskey")
            || name.ends("signingkey") || name.ends("encryptionkey") || name.ends("authkey") || name.ends("sharedkey")
            || name.ends("accountkey") || name.ends("subscriptionkey")
        {
            return SecretField(label: "", rule: .keyFields, test: .notShortWord)
        }
        if name.endsInWord("pin") || name.endsInWord("otp") || name.equals("totp") || name.ends("verificationcode")
            || name.equals("mfacode") || name.equals("otpcode") || name.endsInWord("cvv") || name.endsInWord("cvc")
            || name.equals("codeverifier")
        {
            return SecretField(label: "", rule: .pinFields)
        }
        if name.endsInWord("assertion") || name.equals("samlresponse") {
            return SecretField(label: "", rule: .assertionFields)
        }
        if name.ends("sessionid") || name.ends("sessid") || name.ends("sessionkey") || name.equals("sid") {
            return SecretField(label: "", rule: .sessionFields, test: .randomLooking)
        }
        if name.endsInWord("jwt") || name.endsInWord("csrf") || name.endsInWord("xsrf") || name.equals("bearer") {
            return SecretField(label: "", rule: .tokenFields, test: .notShortWord)
        }
        return nil
    }

    /// Tokens that say where a list goes on, and are no credentials.
    private static func isHarmlessToken(_ name: FieldName) -> Bool {
        name.ends("pagetoken") || name.ends("nexttoken") || name.ends("continuationtoken") || name.ends("synctoken")
            || name.ends("cursortoken") || name.ends("paginationtoken") || name.ends("pagingtoken")
            || name.ends("previoustoken") || name.ends("prevtoken") || name.ends("resumetoken")
            || name.ends("stoptoken") || name.ends("eostoken")
            || name.ends("bostoken") || name.ends("padtoken")
    }

    /// Whether a variable of the environment is a secret.
    static func isSecret(variable: String, value: String) -> Bool {
        let name = FieldName.compact(variable)
        let stems = [
            "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "credential",
        ]
        let locations = ["file", "path", "dir", "url", "uri", "name", "type", "id"]
        guard stems.contains(where: name.contains), !locations.contains(where: name.hasSuffix) else { return false }
        guard !value.hasPrefix("/"), !value.hasPrefix("~/"), !value.hasPrefix("./") else { return false }
        return value.utf8.count >= 8 && value.withBytes { SecretValues.isFollowable($0) }
    }
}
