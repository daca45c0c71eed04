/// The names, beginnings and words by which secrets are recognised, and the exceptions from them.
///
/// All of them are in this file, each once.
enum SecretList {
    // MARK: Names

    /// The stems of names that carry secrets, compared only by letters and digits.
    static let stems: [SecretStem] = Array(
        [
            // Credentials of HTTP.
            stems("authorization", .part, .headers, form: .credentials, label: "authorization"),
            stems("setcookie", .whole, .cookies, form: .setCookie, label: "cookie"),
            stems("cookie", .word, .cookies, in: [.header, .json], form: .cookies, isInherited: true),
            stems("xauth xsession xfirebaseappcheck", .whole, .headers, in: .header, .randomLooking),
            stems("key appid code ticket", .whole, .queryItems, in: .query, .randomLooking),
            stems("key pass sign", .word, .headers, in: .header, .randomLooking),
            stems("auth", .word, .tokenFields, in: .named, .randomLooking, takesNumbers: false),
            stems("session", .whole, .sessionFields, in: .named, .randomLooking, takesNumbers: false),

            // Signatures. Of `X-Amz-…` these two and the token carry a secret; date, expiry and the like do not.
            stems(signatures, .word, .headers, in: .header, .randomLooking, isInherited: true),
            stems(signatures + " xamzcredential xgoogcredential", .part, .queryItems, in: [.query, .form]),
            stems("xamzsignature xgoogsignature accesssign hmacsignature", .part, .queryItems, .randomLooking),

            // Tokens.
            stems("token jwt", .part, .tokenFields, .notShortWord, isInherited: true),
            stems("csrf xsrf", .word, .tokenFields, .notShortWord, isInherited: true),
            stems("bearer", .whole, .tokenFields, .notShortWord),
            stems("basicauth", .part, .tokenFields, .randomLooking, takesNumbers: false),
            stems("magiclink", .part, .tokenFields, .loginCode),

            // Secrets and passwords.
            stems("secret", .part, .secretFields, isInherited: true),
            stems("credential", .part, .secretFields, .randomLooking, isInherited: true, takesNumbers: false),
            stems("password passwd passphrase passcode", .part, .passwordFields, isInherited: true),
            stems("passwort kennwort wachtwoord contrasena contraseña senha motdepasse", .part, .passwordFields),
            stems("пароль 密码 密碼 パスワード 비밀번호", .part, .passwordFields),
            stems("pwd", .word, .passwordFields, isInherited: true),
            stems("pswd psw", .word, .passwordFields, .notShortWord),
            stems("psk", .word, .passwordFields, .loginCode),
            stems("creds", .word, .secretFields, .randomLooking, takesNumbers: false),
            stems("authentication authn", .whole, .tokenFields, .randomLooking, takesNumbers: false),
            stems("pass", .whole, .passwordFields, in: [.query, .form]),
            stems("pass", .word, .passwordFields, in: [.json, .form, .xml], .randomLooking, takesNumbers: false),
            stems("secretanswer securityanswer", .part, .passwordFields, takesNumbers: false),

            // Keys.
            stems(
                "apikey privatekey secretkey accesskey signingkey",
                .part,
                .keyFields,
                .notShortWord,
                isInherited: true
            ),
            stems("encryptionkey authkey sharedkey accountkey", .part, .keyFields, .notShortWord, isInherited: true),
            stems("hmackey masterkey licensekey webhookkey", .part, .keyFields, .notShortWord, isInherited: true),
            stems("subscriptionkey functionskey", .part, .keyFields, .notShortWord, isInherited: true),
            stems("appkey serverkey storagekey applicationkey", .part, .keyFields, .randomLooking),
            stems("consumerkey clientkeydata totpseed", .part, .keyFields, .randomLooking),
            stems("localkey privkey xprv", .word, .keyFields, .loginCode),
            stems("seedphrase mnemonic", .word, .keyFields, takesNumbers: false),

            // What is typed in.
            stems("pin", .word, .pinFields, in: [.header, .json, .form, .xml], .pin),
            stems("otp totp cvv cvc otpattempt", .word, .pinFields, .pin),
            stems("mfacode 2facode twofactorcode smscode securitycode resetcode", .part, .pinFields, .pin),
            stems("otpcode verificationcode onetimecode confirmationcode", .part, .pinFields, .pin),
            stems("authcode authorizationcode", .part, .pinFields, .loginCode),
            stems("backupcode recoverycode", .part, .pinFields, .loginCode, isInherited: true),
            stems("devicecode usercode accesscode logincode", .word, .pinFields, .loginCode),
            stems("codeverifier oauthverifier", .whole, .pinFields),

            // Proofs and sessions.
            stems("assertion", .word, .assertionFields, in: [.query, .form]),
            stems("assertion samlresponse", .word, .assertionFields, .loginCode),
            stems("sessionid sessid sessionkey", .part, .sessionFields, .randomLooking, takesNumbers: false),
            stems("sid xsid", .whole, .sessionFields, .randomLooking),
        ].joined()
    )

    private static let signatures = "signature hmac sig"

    /// Parts of names that carry no secret, although a stem is in them.
    ///
    /// They name tokens that say where a list goes on or what a language model reads, pins on maps, public keys, and the
    /// addresses and symbols of coins.
    static let harmlessNames = names(
        """
        pagetoken nexttoken previoustoken prevtoken continuationtoken continuetoken paginationtoken pagingtoken \
        cursortoken scrolltoken skiptoken starttoken markertoken resumetoken synctoken deltatoken changetoken stoptoken \
        progresstoken \
        eostoken bostoken padtoken unktoken septoken clstoken masktoken inputtoken outputtoken maxtoken publickey \
        sincetoken aftertoken beforetoken tokensymbol tokenaddress tokenaccount tokenmint signatureinput idempotencykey \
        surrogatekey cachekey websocketkey postalpin postpin zippin areapin mappin locationpin gpiopin
        """
    )

    /// The words behind a stem that only say which one is meant: `passwordConfirm`, `SECRET_KEY_BASE`, `token_v2`.
    static let qualifiers = names(
        """
        value raw text string data hash base new old current next previous prev again confirm confirmation repeat \
        repeated retype verify primary secondary v x
        """
    )

    /// The names next to `code` that say it is a code of OAuth.
    static let loginNames: [StaticString] = [
        "grant_type", "client_id", "redirect_uri", "code_verifier", "id_token", "state=",
    ]

    /// The parts of a URL that say so too.
    static let loginPaths: [StaticString] = ["oauth", "oauth2", "OAuth", "OAuth2", "callback", "Callback", "authorize"]

    /// The name by which a JSON Web Key is known (RFC 7517, section 4.1).
    static let webKeyNames: [StaticString] = ["\"kty\""]

    /// The members of a JSON Web Key that are private (RFC 7518, section 6).
    static let privateMembers: [StaticString] = ["d", "k", "p", "q", "dp", "dq", "qi"]

    /// The names of random values that are made new for each request that signs in or is signed.
    ///
    /// - The state and the challenge of OAuth: RFC 6749, section 4.1.1; RFC 7636, section 4.3.
    /// - Nonces: OpenID Connect Core, section 3.1.2.1; RFC 5849, section 3.3.
    /// - Signatures in a body.
    static let nonces: [StaticString] = ["state", "nonce", "oauth_nonce", "code_challenge", "signature"]

    /// The names of the times that a signature or a nonce is made for: RFC 5849, section 3.3, and the queries of AWS
    /// (Signature Version 4) and Google (V4 signing).
    static let signatureTimes: [StaticString] = [
        "timestamp", "oauth_timestamp", "ts", "x-amz-date", "x-goog-date", "expires",
    ]

    /// The names next to such a time that say it belongs to a signature.
    static let signatureNames: [StaticString] = [
        "signature=", "Signature=", "nonce=", "Nonce=", "sig=", "hmac=", "signature\"", "Signature\"", "nonce\"",
        "Nonce\"",
    ]

    // MARK: Values

    /// The tokens that are known by how they begin: alphabet, and the fewest characters behind the beginning, or the
    /// exact number with `=`.
    ///
    /// Each beginning is found by its last character, or by the one that has as many behind it as there are `'` before
    /// the beginning. `SecretShapes` has to search for that character.
    static let prefixes: [SecretPrefix] = """
        upper =16 'AKIA 'ASIA
        alphanumeric 20 ghp_ gho_ ghu_ ghs_ ghr_
        underscored 20 github_pat_
        word 16 glpat- gldt- glrt- glptt- glcbt- gloas- glft- glsoat-
        word 20 ya29. GOCSPX-
        word 31 ''AIza
        alphanumeric 36 npm_
        dotted 50 SG.
        word 20 sk-
        word 10 xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-
        word 20 xapp-
        alphanumeric 10 sk_live_ sk_test_ rk_live_ rk_test_ ek_live_ ek_test_
        padded 20 whsec_
        alphanumeric 12 LTAI
        alphanumeric 14 rzp_live_ rzp_test_
        alphanumeric =28 aio_
        alphanumeric 28 rnd_
        alphanumeric 30 hf_ 'AKID nfp_
        alphanumeric =32 ATBB
        alphanumeric 36 r8_ lin_api_ lin_oauth_ pnu_
        alphanumeric 40 gsk_ pplx- ntn_ secret_ jina_ phx_ napi_
        alphanumeric 50 EZAK EZTK CLOJARS_ hcaik_ hcbik_
        alphanumeric 60 xai- rdme_
        alphanumeric 60 AKCp
        alphanumeric 90 EAAB EAAG
        dotted 30 pscale_tkn_ pscale_pw_
        dotted 60 '''sk.eyJ '''tk.eyJ
        dotted 40 dp.pt. dp.st. sntrys_ sntryu_ tfp_
        hex 30 key- shpat_ shpca_ shppa_ shpss_
        hex 40 rubygems_ pul- sbp_ shippo_live_ bkua_ bkct_ sk_
        hex 60 dop_v1_ doo_v1_ dor_v1_
        lowerHex =32 SK 'dapi
        padded 40 ATATT3xFfG ATCTT3xFfG
        padded 100 '''ops_eyJ ''''IQoJb3JpZ2lu
        underscored 30 glsa_ glc_ re_
        underscored 36 lsv2_pt_ lsv2_sk_
        underscored 40 sgp_
        underscored 50 CCIPAT_ CCIPRJ_
        upper 20 NRAK-
        upper 50 AGE-SECRET-KEY-
        word 12 FLWSECK_TEST- FLWSECK-
        word 20 dckr_pat_ dckr_oat_ sq0atp- sq0csp- hvs. hvb. tskey-
        word 20 sb_secret_
        word 28 tvly-
        word 30 cfut_
        word 40 v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.
        word 50 EAAAE
        word 36 figd_ HRKU- access-sandbox- access-development- access-production- pat-na1- pat-eu1-
        word =36 xaat- sdk- api- mob-
        word 40 PMAK- fo1_ duffel_live_ duffel_test_ CFPAT-
        word 50 pypi-
        word 60 xkeysib-
        word 100 sl.
        """.split(separator: "\n").flatMap { SecretPrefix.rows(String($0)) }

    /// The tokens in two parts: what is before the separator, at least and at most; the separator; and what is behind it.
    static let joined: [SecretPair] = [
        SecretPair(label: "mailchimp_key", before: (.hex, 32...32), separator: "-us", behind: (.digit, 1...2)),
        SecretPair(label: "airtable_token", before: (.alphanumeric, 17...17), separator: ".", behind: (.hex, 64...64)),
        SecretPair(label: "telegram_token", before: (.digit, 8...10), separator: ":AA", behind: (.word, 31...36)),
        SecretPair(
            label: "terraform_token",
            before: (.alphanumeric, 14...14),
            separator: ".atlasv1.",
            behind: (.word, 60...70)
        ),
        SecretPair(label: "discord_token", before: (.word, 23...28), separator: ".", behind: (.dotted, 34...47)),
    ]

    /// The words of a field's label, as in `"password": "Enter your password"`.
    static let labelWords = words(
        "password passwords passwort kennwort passe contraseña senha wachtwoord token key pin code secret"
    )

    /// Words that are not secrets under any name.
    ///
    /// `secret`, `token` and `pin` are not among them: people log in to test servers with those.
    static let commonWords = words(
        """
        null nil none true false undefined deleted default disabled enabled optional required password passwort \
        contraseña kennwort username authorization \
        bearer basic application localhost anonymous production development unknown invalid expired redacted string \
        integer security changeme example placeholder undefinednull notavailable english germany
        """
    )

    /// The words that a remark on a field begins with, as in `"password": ["is too short"]`.
    static let remarks = words(
        "is has was can't cannot must should does doesn't may needs not the your please already too invalid incorrect wrong"
    )

    // MARK: Rows

    private static func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }

    private static func names(_ text: String) -> [[UInt8]] { text.split(separator: " ").map { Array($0.utf8) } }

    private static func stems(
        _ texts: String,
        _ match: SecretStem.Match,
        _ rule: Redaction.Rule,
        in places: NamePlaces = .everywhere,
        _ test: SecretField.Test = .any,
        form: SecretField.Form = .value,
        isInherited: Bool = false,
        takesNumbers: Bool = true,
        label: String = ""
    ) -> [SecretStem] {
        var field = SecretField(label: label, rule: rule, form: form, test: test, takesNumbers: takesNumbers)
        field.isInherited = isInherited
        return names(texts).map { SecretStem(text: $0, match: match, places: places, field: field) }
    }
}
