/// The names, beginnings and words by which secrets are recognised, and the exceptions from them.
///
/// All of them are in this file, each once.
enum SecretList {
    // MARK: Names

    /// The stems of names that carry secrets, compared by letters and digits alone.
    ///
    /// The first one that matches counts, unless a later one is more certain.
    static let stems: [SecretStem] = Array(
        [
            // Credentials of HTTP.
            stems("authorization", .part, .headers, form: .credentials, label: "authorization"),
            stems("setcookie", .whole, .cookies, form: .setCookie, label: "cookie"),
            stems("cookie", .word, .cookies, in: [.header, .json], form: .cookies, spreads: true),
            stems("xauth auth", .whole, .headers, in: .header, .randomLooking),
            stems("signature hmac sig", .word, .headers, in: .header, .randomLooking, spreads: true),

            // Queries. Of `X-Amz-…` these two and the token carry a secret; date, expiry and the like do not.
            stems("key appid auth code ticket", .whole, .queryItems, in: .query, .randomLooking),
            stems("sig hmac", .whole, .queryItems, in: [.query, .form]),
            stems("signature xamzcredential xgoogcredential", .part, .queryItems, in: [.query, .form]),

            // Tokens.
            stems("token jwt tokenhint", .part, .tokenFields, .notShortWord, spreads: true),
            stems("csrf xsrf", .word, .tokenFields, .notShortWord, spreads: true),
            stems("bearer", .whole, .tokenFields, .notShortWord),
            stems("auth", .whole, .tokenFields, in: [.json, .form], .randomLooking, takesNumbers: false),
            stems("basicauth magiclink", .part, .tokenFields, .randomLooking, takesNumbers: false),

            // Secrets and passwords.
            stems("secret", .part, .secretFields, spreads: true),
            stems("credential", .part, .secretFields, .randomLooking, spreads: true, takesNumbers: false),
            stems("password passwd passphrase passcode", .part, .passwordFields, spreads: true),
            stems("passwort kennwort wachtwoord contrasena motdepasse", .part, .passwordFields),
            stems("pwd", .word, .passwordFields, spreads: true),
            stems("pass", .whole, .passwordFields, in: [.query, .form]),
            stems("pass", .word, .passwordFields, in: [.json, .form, .xml], .randomLooking, takesNumbers: false),
            stems("secretanswer securityanswer", .part, .passwordFields, takesNumbers: false),

            // Keys.
            stems("apikey privatekey secretkey accesskey signingkey", .part, .keyFields, .notShortWord, spreads: true),
            stems(
                "encryptionkey authkey sharedkey accountkey hmackey",
                .part,
                .keyFields,
                .notShortWord,
                spreads: true
            ),
            stems("masterkey licensekey subscriptionkey functionskey", .part, .keyFields, .notShortWord, spreads: true),
            stems("appkey serverkey storagekey applicationkey", .part, .keyFields, .randomLooking),
            stems("consumerkey clientkeydata", .part, .keyFields, .randomLooking),
            stems("seedphrase mnemonic", .word, .keyFields, takesNumbers: false),

            // What is typed in.
            stems("pin", .word, .pinFields, in: [.header, .json, .form, .xml], .pin),
            stems("otp totp cvv cvc", .word, .pinFields, .pin),
            stems("mfacode 2facode twofactorcode smscode securitycode resetcode", .part, .pinFields, .pin),
            stems("otpcode verificationcode onetimecode confirmationcode", .part, .pinFields, .pin),
            stems("authcode authorizationcode backupcode recoverycode", .part, .pinFields, .loginCode),
            stems("devicecode usercode accesscode logincode", .word, .pinFields, .loginCode),
            stems("codeverifier oauthverifier", .whole, .pinFields),

            // Proofs and sessions.
            stems("assertion", .word, .assertionFields, in: [.query, .form]),
            stems("assertion samlresponse", .word, .assertionFields, .loginCode),
            stems("sessionid sessid sessionkey", .part, .sessionFields, .randomLooking),
            stems("session", .whole, .sessionFields, in: [.query, .json, .form], .randomLooking, takesNumbers: false),
            stems("sid", .whole, .sessionFields, .randomLooking),
        ].joined()
    )

    /// Parts of names that carry no secret though a stem is in them: tokens that say where a list goes on or what a
    /// language model reads, pins on maps, public keys, and the addresses and symbols of coins.
    static let harmlessNames = names(
        """
        pagetoken nexttoken previoustoken prevtoken continuationtoken continuetoken paginationtoken pagingtoken \
        cursortoken scrolltoken skiptoken starttoken markertoken resumetoken synctoken deltatoken changetoken stoptoken \
        eostoken bostoken padtoken unktoken septoken clstoken masktoken inputtoken outputtoken maxtoken publickey \
        tokensymbol tokenaddress signatureinput postalpin postpin zippin areapin mappin locationpin gpiopin
        """
    )

    /// The words behind a stem that only say which one is meant: `passwordConfirm`, `SECRET_KEY_BASE`, `token_v2`.
    static let qualifiers = names(
        """
        value raw text string data hash base new old current next previous prev again confirm confirmation repeat \
        repeated retype verify primary secondary v x
        """
    )

    /// The names beside `code` that say it is a code of OAuth.
    static let loginNames: [StaticString] = ["grant_type", "client_id", "redirect_uri", "code_verifier", "state="]

    /// The members of a JSON Web Key that are private (RFC 7518, section 6).
    static let privateMembers: [StaticString] = ["d", "k", "p", "q", "dp", "dq", "qi"]

    /// The words in the names of environment variables whose values are secrets, and the endings of names that tell
    /// only where a secret is.
    static let variables = names("token secret password passwd passphrase apikey accesskey privatekey credential")
    static let variablesOfLocations = names("file path dir url uri name type id")

    // MARK: Values

    /// The tokens that are known by how they begin: rule, label, alphabet, and the fewest characters behind the
    /// beginning, or the exact number with `=`.
    ///
    /// Each beginning is found by its last character, or by the one that has as many behind it as there are `'` before
    /// the beginning. `SecretShapes` has to search for that character.
    static let prefixes: [SecretPrefix] = """
        gitHubTokens github_token alphanumeric 20 ghp_ gho_ ghu_ ghs_ ghr_
        gitHubTokens github_token underscored 20 github_pat_
        gitLabTokens gitlab_token word 16 glpat- gldt- glrt- glptt- glcbt- gloas- glft- glsoat-
        slackTokens slack_token word 10 xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-
        slackTokens slack_token word 20 xapp-
        skKeys api_key word 20 sk-
        stripeKeys stripe_key alphanumeric 10 sk_live_ sk_test_ rk_live_ rk_test_
        stripeKeys webhook_secret padded 20 whsec_
        awsKeys aws_key upper =16 'AKIA 'ASIA
        googleKeys google_key word 31 ''AIza
        googleKeys google_token word 20 ya29.
        googleKeys google_secret word 20 GOCSPX-
        npmTokens npm_token alphanumeric 36 npm_
        providerKeys pypi_token word 50 pypi-
        providerKeys rubygems_key hex 40 rubygems_
        providerKeys docker_token word 20 dckr_pat_ dckr_oat_
        providerKeys api_key hex 32 key-
        providerKeys square_token word 20 sq0atp- sq0csp-
        providerKeys shopify_token hex 30 shpat_ shpca_ shppa_ shpss_
        providerKeys digitalocean_token hex 60 dop_v1_ doo_v1_ dor_v1_
        providerKeys huggingface_token alphanumeric 30 hf_
        providerKeys replicate_token alphanumeric 36 r8_
        providerKeys groq_key alphanumeric 40 gsk_
        providerKeys perplexity_key alphanumeric 40 pplx-
        providerKeys linear_key alphanumeric 36 lin_api_ lin_oauth_
        providerKeys notion_token alphanumeric 40 ntn_ secret_
        providerKeys figma_token word 36 figd_
        providerKeys grafana_token underscored 30 glsa_ glc_
        providerKeys vault_token word 24 hvs. hvb.
        providerKeys doppler_token dotted 40 dp.pt. dp.st.
        providerKeys newrelic_key upper 24 NRAK-
        providerKeys postman_key word 40 PMAK-
        providerKeys heroku_key word 36 HRKU-
        providerKeys age_key upper 50 AGE-SECRET-KEY-
        providerKeys pulumi_token hex 40 pul-
        providerKeys supabase_token hex 40 sbp_
        providerKeys sentry_token dotted 40 sntrys_ sntryu_
        providerKeys planetscale_token dotted 32 pscale_tkn_ pscale_pw_
        providerKeys tailscale_key word 20 tskey-
        providerKeys shippo_token hex 40 shippo_live_
        providerKeys twilio_key lowerHex =32 SK
        providerKeys databricks_token lowerHex =32 'dapi
        providerKeys atlassian_token padded 49 ATATT3xFfG ATCTT3xFfG
        providerKeys bitbucket_token alphanumeric =32 ATBB
        providerKeys buildkite_token hex 40 bkua_ bkct_
        providerKeys alibaba_key alphanumeric 12 LTAI
        providerKeys tencent_key alphanumeric 32 'AKID
        providerKeys fly_token word 40 fo1_
        providerKeys netlify_token alphanumeric 30 nfp_
        providerKeys xai_key alphanumeric 60 xai-
        providerKeys tavily_key word 28 tvly-
        providerKeys jina_key alphanumeric 40 jina_
        providerKeys langsmith_key underscored 36 lsv2_pt_ lsv2_sk_
        providerKeys razorpay_key alphanumeric 14 rzp_live_ rzp_test_
        providerKeys plaid_token word 36 access-sandbox- access-development- access-production-
        providerKeys easypost_key alphanumeric 50 EZAK EZTK
        providerKeys duffel_token word 40 duffel_live_ duffel_test_
        providerKeys flutterwave_key word 12 FLWSECK_TEST- FLWSECK-
        providerKeys brevo_key word 70 xkeysib-
        providerKeys resend_key underscored 30 re_
        providerKeys hubspot_token word 36 pat-na1- pat-eu1-
        providerKeys contentful_token word 40 CFPAT-
        providerKeys posthog_key alphanumeric 40 phx_
        providerKeys sourcegraph_token underscored 40 sgp_
        providerKeys circleci_token underscored 50 CCIPAT_ CCIPRJ_
        providerKeys typeform_token dotted 40 tfp_
        providerKeys readme_key alphanumeric 60 rdme_
        providerKeys neon_key alphanumeric 40 napi_
        providerKeys clojars_token alphanumeric 50 CLOJARS_
        providerKeys dropbox_token word 100 sl.
        providerKeys facebook_token alphanumeric 90 EAAB
        providerKeys adafruit_key alphanumeric =28 aio_
        providerKeys axiom_token word =36 xaat-
        providerKeys prefect_token alphanumeric 36 pnu_
        providerKeys launchdarkly_key word =36 sdk- api- mob-
        providerKeys render_key alphanumeric 28 rnd_
        providerKeys elevenlabs_key hex 48 sk_
        providerKeys honeycomb_key alphanumeric 50 hcaik_ hcbik_
        """.split(separator: "\n").flatMap { SecretPrefix.rows(String($0)) }

    /// Words that are no secrets, under whatever name.
    static let commonWords = Set(
        words(
            """
            null nil none true false undefined deleted default disabled enabled optional required password passwort \
            contraseña kennwort username authorization bearer basic application localhost anonymous production \
            development unknown invalid expired redacted string integer security changeme example placeholder \
            undefinednull notavailable english germany
            """
        )
    )

    /// The words that a remark on a field begins with, as in `"password": ["is too short"]`.
    static let remarks = Set(
        words(
            """
            is has was can't cannot must should does doesn't may needs not the your please already too invalid \
            incorrect wrong
            """
        )
    )

    /// The words of a field's label, as in `"password": "Enter your password"`.
    static let labelWords = Set(
        words("password passwords passwort kennwort passe contraseña senha wachtwoord token key pin code secret")
    )

    // MARK: Rows

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private static func names(_ text: String) -> [[UInt8]] { words(text).map { Array($0.utf8) } }

    private static func stems(
        _ texts: String,
        _ match: SecretStem.Match,
        _ rule: Redaction.Rule,
        in places: SecretPlaces = .everywhere,
        _ test: SecretField.Test = .any,
        form: SecretField.Form = .value,
        spreads: Bool = false,
        takesNumbers: Bool = true,
        label: String = ""
    ) -> [SecretStem] {
        let field = SecretField(label: label, rule: rule, form: form, test: test, takesNumbers: takesNumbers)
        return names(texts).map {
            SecretStem(text: $0, match: match, places: places, spreads: spreads, field: field)
        }
    }
}

/// A token that is known by how it begins: `ghp_…`.
struct SecretPrefix: Sendable {
    enum Alphabet: String {
        case hex, lowerHex, upper, alphanumeric
        /// Letters, digits and `_`.
        case underscored
        /// Letters, digits, `_` and `-`.
        case word
        /// Words, and the dots between them.
        case dotted
        /// Words, and what else base64 has.
        case padded

        func contains(_ byte: UInt8) -> Bool {
            switch self {
            case .hex: byte.hexValue != nil
            case .lowerHex: byte.hexValue != nil && !byte.isUppercase
            case .upper: byte.isDigit || byte.isUppercase
            case .alphanumeric: byte.isAlphanumeric
            case .underscored: byte.isAlphanumeric || byte == .underscore
            case .word: byte.isWordPart
            case .dotted: byte.isWordPart || byte == .dot
            case .padded: byte.isBase64 || byte == .equals
            }
        }
    }

    let prefix: [UInt8]

    /// The index of the character of the prefix by which it is found.
    let anchor: Int
    let alphabet: Alphabet

    /// The number of characters behind the prefix, at least and at most.
    let counts: ClosedRange<Int>

    /// The label of its placeholder.
    let label: String
    let rule: Redaction.Rule

    /// Returns the tokens of a row of the table.
    static func rows(_ row: String) -> [SecretPrefix] {
        let words = row.split(separator: " ").map(String.init)
        guard words.count > 4, let rule = Redaction.Rule(settingsName: words[0]),
            let alphabet = Alphabet(rawValue: words[2]), let count = Int(words[3].filter(\.isNumber))
        else { return [] }
        return words[4...].map { word in
            let prefix = Array(word.utf8.drop { $0 == .apostrophe })
            return SecretPrefix(
                prefix: prefix,
                anchor: prefix.count - 1 - (word.utf8.count - prefix.count),
                alphabet: alphabet,
                counts: count...(words[3].hasPrefix("=") ? count : .max),
                label: words[1],
                rule: rule
            )
        }
    }

    /// Returns the range of the token whose anchor is at an offset; `nil` where none is.
    func range(in bytes: Bytes, anchor offset: Int) -> Range<Int>? {
        let start = offset - anchor
        let body = start + prefix.count
        guard start >= 0, !bytes.at(start - 1).isWordPart, bytes.part(start..<body).elementsEqual(prefix) else {
            return nil
        }
        let end = bytes.end(from: body, while: alphabet.contains)
        guard counts.contains(end - body), counts.upperBound == .max || !bytes.at(end).isAlphanumeric,
            bytes.part(body..<end).contains(where: { $0.isDigit || $0.isUppercase })
        else { return nil }
        return start..<end
    }
}
