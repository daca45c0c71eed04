/// The names, beginnings and words by which secrets are recognised, and the exceptions from them.
///
/// All of them are in this file, each once.
enum SecretList {
    // MARK: Names

    /// The stems of names that carry secrets, compared only by letters and digits, in every place.
    ///
    /// Strong stems come first. A value under a weak one has to look random.
    static let stems: [SecretStem] = Array(
        [
            // Credentials of HTTP.
            strong("authorization", .part, .headers, .any, form: .credentials, label: "authorization"),
            strong("setcookie", .whole, .cookies, .any, form: .setCookie, label: "cookie"),

            strong("cookie", .whole, .cookies, .any, form: .cookies),

            // Passwords and secrets.
            strong("password passwd passphrase passcode secretanswer securityanswer", .part, .passwordFields, .any),
            strong("passwort kennwort wachtwoord contrasena contraseña senha", .part, .passwordFields, .any),
            strong("motdepasse parola parolachiave palabraclave palavrapasse sifre", .part, .passwordFields, .any),
            strong("şifre haslo hasło heslo losenord lösenord passord adgangskode", .part, .passwordFields, .any),
            strong("salasana jelszo jelszó matkhau mậtkhẩu katasandi lozinka", .part, .passwordFields, .any),
            strong("סיסמה пароль كلمةالمرور पासवर्ड รหัสผ่าน 密码 密碼 口令 パスワード 비밀번호 암호", .part, .passwordFields, .any),
            strong("pwd pswd psw psk mdp", .word, .passwordFields, hasNeighbours: true),
            strong("pass", .part, .passwordFields, hasNeighbours: true),
            strong("secret seedphrase mnemonic", .part, .secretFields, .any),

            // Tokens.
            strong("token jwt magiclink jeton", .part, .tokenFields, hasNeighbours: true),
            strong("zeton żeton gettone токен 令牌 トークン 토큰", .part, .tokenFields, hasNeighbours: true),
            strong("csrf xsrf crumb bearer", .word, .tokenFields),

            // Keys.
            strong("apikey privatekey secretkey accesskey authkey licensekey xprv", .part, .keyFields),

            // What is typed in.
            strong("pin otp totp", .whole, .pinFields, .pin),
            strong("cvv cvc otp totp tan otpattempt", .word, .pinFields, .pin, hasNeighbours: true),
            strong("cardnumber 验证码 驗證碼 暗証番号 認証コード 인증번호 確認コード", .part, .pinFields, .pin),
            strong("codeverifier oauthverifier", .whole, .pinFields),

            // Proofs.
            strong("samlresponse samlart clientassertion", .whole, .assertionFields),

            // Weak names.
            weak("credential cred basicauth", .part, .secretFields),
            weak("sessionid sessid xamzcredential xgoogcredential xfirebaseappcheck", .part, .sessionFields),
            weak("cookie", .part, .cookies),
            weak("key anahtar anahtari nyckel llave chave chiave", .part, .keyFields),
            weak("schlussel schlüssel sleutel klucz ключ 密钥 密鑰 鍵", .part, .keyFields),
            weak("appid", .part, .keyFields, .sentRandomLooking),
            weak("code kode codigo código codice", .part, .pinFields, .code),
            weak("pin clave kod kód kód код", .word, .pinFields, .code),
            weak("session ticket", .part, .sessionFields),
            weak("sess sid", .word, .sessionFields, .sentRandomLooking),
            weak("auth authn authentication twofactor mfa 2fa twofa", .part, .tokenFields, .code),
            weak("verification verificacion verificacao", .part, .tokenFields, .code),
            weak("nonce challenge verifier captcha tok refresh grant salt opaque", .part, .tokenFields),
            weak("hmac hmacsha state macaroon proof recovery backup seed wif", .word, .tokenFields),
            weak("assertion", .word, .assertionFields),
            weak("hash signature sign sig", .part, .tokenFields, .sentRandomLooking),
        ].joined()
    )

    /// The words before `code` and `pin`, also joined to them, that make these names strong: `user_code`, `smscode`.
    static let codeKinds = words("user card 2fa revocation scratch device access token authorization")

    /// The words in the name of a remote call whose last argument is a password.
    static let logins = words("login logon signin authenticate unlock")

    /// The words for what a secret allows, which are before it in a path: `/reset/…`.
    static let actions = words(
        """
        hook hooks webhook webhooks webhookb2 reset verify verification confirm confirmation activate activation invite \
        invitation invitations accept unsubscribe magic login signin signup sso join bot share ical private push send \
        deploy incoming auth authentication authenticator otp sms mfa factor recovery onetime unlock pairing sca binding \
        backup
        """
    )

    /// The words for a code in a message.
    static let codeWords = words("code codes pin tan otp passcode mot codigo código kod koodi codice")

    /// The words in a name that say that its value is an id, or content.
    ///
    /// A value under any other name that looks random is a credential in a request.
    static let identifiers = words(
        """
        uuid guid trace span request correlation etag match digest md sha checksum version revision rev ref reference \
        build release agent client data cursor page sync query filter url uri referer origin host tag path hash baggage \
        range accept cache cc language organization project device commit boundary forwarded via content test experiment \
        folder file doc document fingerprint image media photo video parent parents tree commitish owner author customer \
        item object product order name
        """
    )

    /// The words before a token, and before a weak name, that say it is a place in a list: `nextPageToken`.
    static let harmlessBefore = words(
        """
        page next previous prev continuation continue pagination paging cursor scroll skip start marker resume resumption \
        sync delta change stop progress eos bos pad unk sep cls mask max min since after before boarding season com by \
        over under sur tres
        """
    )

    /// The words before a weak name that say it is public, or names content: `publicKey`, `errorCode`.
    static let contentBefore = words(
        """
        public pub publishable foreign cache idempotency surrogate partition sort object file image row translation socket \
        websocket rate issue error status country postal zip area tracking currency language qr bar color coupon promo \
        exit response source map location content post en de uni sha md block tx transaction commit tree git blur icon \
        info calling
        """
    )

    /// The words behind them that say so too: `tokenSymbol`.
    ///
    /// Behind a weak name, `id` does as well.
    static let harmlessBehind = words(
        "ids url uri name symbol address account mint input sha md digest checksum fingerprint thumbprint"
    )

    /// The words behind a stem that only say which one is meant: `passwordConfirm`, `SECRET_KEY_BASE`, `token_v2`.
    static let qualifiers = words(
        """
        value raw text string data hash base new old current next previous prev again confirm confirmation repeat \
        repeated retype verify primary secondary first second v x
        """
    )

    /// The members of a JSON Web Key that are private (RFC 7518, section 6).
    static let privateMembers: [StaticString] = ["d", "k", "p", "q", "dp", "dq", "qi"]

    /// The names of random values that are made new for each request that signs in or is signed.
    ///
    /// - The state and the challenge of OAuth: RFC 6749, section 4.1.1; RFC 7636, section 4.3.
    /// - Nonces: OpenID Connect Core, section 3.1.2.1; RFC 5849, section 3.3.
    /// - Signatures in a body.
    static let nonces: [StaticString] = ["state", "nonce", "oauth_nonce", "code_challenge", "signature"]

    /// The names of the times that a signature or a nonce is made for: RFC 5849, section 3.3; the queries of AWS (Signature
    /// Version 4) and Google (V4 signing); Web Services Security, UsernameToken Profile 1.1.1, section 3.1.
    static let signatureTimes: [StaticString] = [
        "timestamp", "oauth_timestamp", "ts", "x-amz-date", "x-goog-date", "expires", "created",
    ]

    /// The names next to such a time that say it belongs to a signature.
    static let signatureNames: [StaticString] = [
        "signature=", "Signature=", "nonce=", "Nonce=", "sig=", "hmac=", "signature\"", "Signature\"", "nonce\"",
        "Nonce\"", "Nonce>",
    ]

    // MARK: Values

    /// The tokens that are known by how they begin: alphabet, and the fewest characters behind the beginning, or the
    /// exact number with `=`.
    ///
    /// Each beginning is found by its last character, or by the one that has as many behind it as there are `'` before
    /// the beginning. `SecretShapes` has to search for that character.
    static let prefixes: [SecretPrefix] = """
        alphanumeric =16 'AKIA 'ASIA
        alphanumeric 10 sk_live_ sk_test_ rk_live_ rk_test_ ek_live_ ek_test_ rzp_live_ rzp_test_
        alphanumeric 12 LTAI
        alphanumeric 20 NRAK- AGE-SECRET-KEY- ghp_ gho_ ghu_ ghs_ ghr_
        alphanumeric 28 aio_ rnd_ hf_ 'AKID nfp_ ATBB r8_ lin_api_ lin_oauth_ pnu_ npm_ gsk_ pplx- ntn_ secret_ jina_ phx_ napi_
        alphanumeric 50 EZAK EZTK CLOJARS_ hcaik_ hcbik_ xai- rdme_ AKCp EAAB EAAG
        token 30 SG. pscale_tkn_ pscale_pw_ dp.pt. dp.st. sntrys_ sntryu_ tfp_ '''sk.eyJ '''tk.eyJ
        alphanumeric 30 key- shpat_ shpca_ shppa_ shpss_ rubygems_ pul- sbp_ shippo_live_ bkua_ bkct_ sk_ dop_v1_ doo_v1_ dor_v1_
        hexadecimal =32 SK 'dapi
        token 20 whsec_
        token 40 ATATT3xFfG ATCTT3xFfG '''ops_eyJ ''''IQoJb3JpZ2lu
        word 20 github_pat_ glsa_ glc_ re_ lsv2_pt_ lsv2_sk_ sgp_ CCIPAT_ CCIPRJ_
        word 10 xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- FLWSECK_TEST- FLWSECK-
        word 16 glpat- gldt- glrt- glptt- glcbt- gloas- glft- glsoat-
        word 20 ya29. GOCSPX- sk- xapp- dckr_pat_ dckr_oat_ sq0atp- sq0csp- hvs. hvb. tskey- sb_secret_ tvly- cfut_ pypi- xkeysib-
        word 31 ''AIza figd_ HRKU- access-sandbox- access-development- access-production- pat-na1- pat-eu1- EAAAE PMAK- fo1_
        word =36 xaat- sdk- api- mob-
        word 40 duffel_live_ duffel_test_ CFPAT- sl. v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.
        """.split(separator: "\n").flatMap { SecretPrefix.rows(String($0)) }

    /// Words that are not secrets under any name.
    ///
    /// `secret`, `token` and `pin` are not among them: people log in to test servers with those.
    static let commonWords = words(
        """
        null nil none true false undefined deleted default disabled enabled optional required password passwort contraseña \
        kennwort username authorization bearer basic application localhost anonymous production development unknown \
        invalid expired redacted string integer security changeme example placeholder notavailable read write
        """
    )

    // MARK: Rows

    private static func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }

    private static func names(_ text: String) -> [[UInt8]] { text.split(separator: " ").map { Array($0.utf8) } }

    private static func strong(
        _ texts: String,
        _ match: SecretStem.Match,
        _ rule: Redaction.Rule,
        _ test: SecretField.Test = .notShortWord,
        form: SecretField.Form = .value,
        hasNeighbours: Bool = false,
        label: String = ""
    ) -> [SecretStem] {
        let field = SecretField(label: label, rule: rule, form: form, test: test)
        return names(texts).map { SecretStem(text: $0, match: match, hasNeighbours: hasNeighbours, field: field) }
    }

    private static func weak(
        _ texts: String,
        _ match: SecretStem.Match,
        _ rule: Redaction.Rule,
        _ test: SecretField.Test = .randomLooking
    ) -> [SecretStem] {
        let field = SecretField(label: "", rule: rule, test: test, takesNumbers: rule == .pinFields)
        return names(texts).map { SecretStem(text: $0, match: match, hasNeighbours: true, field: field) }
    }
}
