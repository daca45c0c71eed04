/// The names, beginnings and words by which secrets are recognised, and the exceptions from them.
///
/// All of them are in this file, each once.
enum SecretList {
    // MARK: Names

    /// The names that carry secrets, compared by letters and digits alone.
    ///
    /// The first one that matches counts.
    static let names: [SecretName] = Array(
        [
            // Credentials of HTTP.
            named("authorization", .end, .headers, in: .header, form: .credentials, label: "authorization"),
            named("authorization proxyauthorization", .whole, .headers, form: .credentials, label: "authorization"),
            named("xauthorization", .whole, .headers, form: .credentials, label: "authorization"),
            named("cookie", .whole, .cookies, in: [.header, .json], form: .cookies, follows: .ifMixed),
            named("setcookie", .whole, .cookies, form: .setCookie, follows: .ifMixed, label: "cookie"),
            named("token jwt secret password sessionid apikey", .end, .headers, in: .header, form: .credentials),
            named("authkey accesskey secretkey functionskey", .end, .headers, in: .header, form: .credentials),
            named("subscriptionkey applicationkey", .end, .headers, in: .header, form: .credentials),
            named("xauth xcredential", .whole, .headers, in: .header, form: .credentials),
            named("xsignature xamzsignature", .whole, .headers, in: .header),
            named("hubsignature hubsignature256", .end, .headers, in: .header),

            // Queries. Of `X-Amz-…` these two and the token carry a secret; date, expiry and the like do not.
            named("key appid auth code ticket", .whole, .queryItems, in: .query, .randomLooking, follows: .ifMixed),
            named("sig hmac", .whole, .queryItems, in: [.query, .form], follows: .ifMixed),
            named("signature", .end, .queryItems, in: [.query, .form], follows: .ifMixed),
            named("xamzcredential xgoogcredential", .whole, .queryItems, in: [.query, .form], follows: .ifMixed),

            // Tokens.
            named("token tokenhint", .end, .tokenFields, .notShortWord),
            named("tokens", .lastWord, .tokenFields, .randomLooking, takesNumbers: false),
            named("jwt csrf xsrf", .lastWord, .tokenFields, .notShortWord),
            named("bearer", .whole, .tokenFields, .notShortWord),
            named("auth", .whole, .tokenFields, in: [.json, .form], .randomLooking, takesNumbers: false),
            named("basicauth", .end, .tokenFields, .randomLooking, takesNumbers: false),
            named("credential", .whole, .tokenFields, .randomLooking, takesNumbers: false),

            // Secrets and passwords.
            named("secret", .end, .secretFields),
            named("secrets", .lastWord, .secretFields, .randomLooking, takesNumbers: false),
            named("password passwd passphrase passcode password1 password2", .end, .passwordFields),
            named("passwordconfirmation passwordrepeat passwordhash", .end, .passwordFields),
            named("passwords", .lastWord, .passwordFields, takesNumbers: false),
            named("pwd", .lastWord, .passwordFields),
            named("pass", .whole, .passwordFields, in: [.query, .form]),
            named("pass", .lastWord, .passwordFields, in: [.json, .form, .xml], .randomLooking, takesNumbers: false),
            named("secretanswer securityanswer", .end, .passwordFields, takesNumbers: false),

            // Keys.
            named("apikey privatekey secretkey accesskey signingkey encryptionkey", .end, .keyFields, .notShortWord),
            named("authkey sharedkey accountkey masterkey licensekey subscriptionkey", .end, .keyFields, .notShortWord),
            named("apikeys", .end, .keyFields, .randomLooking, takesNumbers: false),
            named("appkey accesskeyid serverkey storagekey applicationkey", .end, .keyFields, .randomLooking),
            named("clientkeydata", .end, .keyFields, .randomLooking),
            named("seedphrase", .end, .keyFields, takesNumbers: false),
            named("mnemonic", .whole, .keyFields, takesNumbers: false),

            // What is typed in.
            named("pin otp totp cvv cvc", .lastWord, .pinFields, .pin),
            named("mfacode otpcode totpcode smscode securitycode resetcode", .end, .pinFields, .pin),
            named("verificationcode onetimecode", .end, .pinFields, .pin),
            named("authcode authorizationcode backupcode recoverycode", .end, .pinFields, .loginCode),
            named("backupcodes recoverycodes", .end, .pinFields, .loginCode),
            named("devicecode", .end, .pinFields, .randomLooking),
            named("codeverifier oauthverifier", .whole, .pinFields),

            // Proofs and sessions.
            named("assertion", .lastWord, .assertionFields, in: [.query, .form]),
            named("assertion", .lastWord, .assertionFields, .loginCode),
            named("samlresponse", .whole, .assertionFields, .loginCode),
            named("sessionid sessid sessionkey", .end, .sessionFields, .randomLooking),
            named("session", .whole, .sessionFields, in: [.query, .json, .form], .randomLooking, takesNumbers: false),
            named("sid", .whole, .sessionFields, .randomLooking),
        ].joined()
    )

    /// Names that end like a secret's and carry none: tokens that say where a list continues or what a language model
    /// reads, and pins on maps.
    static let harmlessNames = names(
        """
        pagetoken nexttoken previoustoken prevtoken continuationtoken continuetoken paginationtoken pagingtoken \
        cursortoken scrolltoken skiptoken starttoken markertoken resumetoken synctoken deltatoken changetoken stoptoken \
        eostoken bostoken padtoken unktoken septoken clstoken masktoken \
        pagetokens inputtokens outputtokens maxtokens stoptokens \
        postalpin postpin zippin areapin mappin locationpin gpiopin
        """
    )

    /// The names that leave no doubt: what stands under them when a recording is about to be stored stops it.
    static let certainNames = Set(
        words(
            """
            accesstoken refreshtoken idtoken authtoken clientsecret password passwd apikey privatekey secretkey
            """
        )
    )

    /// The header fields that leave no doubt, beside those of cookies.
    static let certainHeaders: [StaticString] = [
        "authorization", "proxy-authorization", "x-api-key", "x-auth-token", "x-amz-security-token", "x-goog-api-key",
    ]

    /// The names beside `code` that say it is a code of OAuth.
    static let loginNames: [StaticString] = ["grant_type", "client_id", "redirect_uri", "code_verifier", "state="]

    /// The words in the names of environment variables whose values are secrets, and the endings of names that tell
    /// only where a secret is.
    static let variables = names("token secret password passwd passphrase apikey accesskey privatekey credential")
    static let variablesOfLocations = names("file path dir url uri name type id")

    // MARK: Values

    /// The tokens that are known by how they begin.
    ///
    /// Each beginning is found by one of its characters, which is one of those that `SecretShapes` searches for: the
    /// last one, or the one that has `after` characters behind it.
    static let prefixes: [SecretPrefix] = Array(
        [
            beginning("ghp_ gho_ ghu_ ghs_ ghr_", .alphanumeric, 20, "github_token", .gitHubTokens),
            beginning("github_pat_", .underscored, 20, "github_token", .gitHubTokens),
            beginning("glpat- gldt- glrt- glptt- glcbt-", .word, 16, "gitlab_token", .gitLabTokens),
            beginning("xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", .word, 10, "slack_token", .slackTokens),
            beginning("xapp-", .word, 20, "slack_token", .slackTokens),
            beginning("sk-", .word, 20, "api_key", .skKeys),
            beginning("sk_live_ sk_test_ rk_live_ rk_test_", .alphanumeric, 10, "stripe_key", .stripeKeys),
            beginning("whsec_", .alphanumeric, 20, "webhook_secret", .stripeKeys),
            beginning("AKIA ASIA", .upper, 16, "aws_key", .awsKeys, most: 16, after: 1),
            beginning("AIza", .word, 31, "google_key", .googleKeys, most: 41, after: 2),
            beginning("ya29.", .word, 20, "google_token", .googleKeys),
            beginning("GOCSPX-", .word, 20, "google_secret", .googleKeys),
            beginning("npm_", .alphanumeric, 36, "npm_token", .npmTokens),
            beginning("pypi-", .word, 50, "pypi_token"),
            beginning("rubygems_", .hex, 40, "rubygems_key"),
            beginning("dckr_pat_", .word, 20, "docker_token"),
            beginning("key-", .hex, 32, "api_key"),
            beginning("sq0atp-", .word, 20, "square_token"),
            beginning("sq0csp-", .word, 20, "square_secret"),
            beginning("shpat_ shpca_ shppa_", .hex, 30, "shopify_token"),
            beginning("shpss_", .hex, 30, "shopify_secret"),
            beginning("dop_v1_ doo_v1_ dor_v1_", .hex, 60, "digitalocean_token"),
            beginning("hf_", .alphanumeric, 30, "huggingface_token"),
            beginning("r8_", .alphanumeric, 36, "replicate_token"),
            beginning("gsk_", .alphanumeric, 40, "groq_key"),
            beginning("pplx-", .alphanumeric, 40, "perplexity_key"),
            beginning("lin_api_", .alphanumeric, 36, "linear_key"),
            beginning("lin_oauth_", .alphanumeric, 36, "linear_token"),
            beginning("ntn_", .alphanumeric, 40, "notion_token"),
            beginning("secret_", .alphanumeric, 43, "notion_token"),
            beginning("figd_", .word, 36, "figma_token"),
            beginning("glsa_", .underscored, 30, "grafana_token"),
            beginning("glc_", .alphanumeric, 40, "grafana_token"),
            beginning("hvs. hvb.", .word, 24, "vault_token"),
            beginning("dp.pt.", .alphanumeric, 40, "doppler_token"),
            beginning("dp.st.", .dotted, 40, "doppler_token"),
            beginning("NRAK-", .upper, 24, "newrelic_key"),
            beginning("PMAK-", .word, 40, "postman_key"),
            beginning("HRKU-", .word, 36, "heroku_key"),
            beginning("AGE-SECRET-KEY-", .upper, 50, "age_key"),
            beginning("pul-", .hex, 40, "pulumi_token"),
            beginning("sbp_", .hex, 40, "supabase_token"),
            beginning("sntrys_", .dotted, 40, "sentry_token"),
            beginning("sntryu_", .hex, 60, "sentry_token"),
            beginning("pscale_tkn_", .dotted, 32, "planetscale_token"),
            beginning("tskey-", .word, 20, "tailscale_key"),
            beginning("shippo_live_", .hex, 40, "shippo_token"),
            beginning("SK", .lowerHex, 32, "twilio_key", most: 32),
            beginning("dapi", .lowerHex, 32, "databricks_token", most: 32, after: 1),
            beginning("ATATT3xFfG", .padded, 49, "atlassian_token"),
        ].joined()
    )

    /// Words that are no secrets, under whatever name.
    static let commonWords = Set(
        words(
            """
            null nil none true false undefined deleted default disabled enabled optional required password passwort \
            username authorization bearer basic application localhost anonymous production development unknown invalid \
            expired redacted string integer security changeme example placeholder undefinednull notavailable english \
            germany
            """
        )
    )

    /// The words that a remark on a field begins with, as in `"password": ["is too short"]`.
    static let remarks = Set(
        words(
            """
            is has was can't cannot must should does doesn't may needs not the this your please already too invalid \
            incorrect wrong
            """
        )
    )

    // MARK: Rows

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private static func names(_ text: String) -> [[UInt8]] { words(text).map { Array($0.utf8) } }

    private static func named(
        _ names: String,
        _ match: SecretName.Match,
        _ rule: Redaction.Rule,
        in places: SecretPlaces = .everywhere,
        _ test: SecretField.Test = .any,
        form: SecretField.Form = .value,
        follows: SecretField.Following = .always,
        takesNumbers: Bool = true,
        label: String = ""
    ) -> [SecretName] {
        let field = SecretField(
            label: label,
            rule: rule,
            form: form,
            test: test,
            follows: follows,
            takesNumbers: takesNumbers
        )
        return self.names(names).map { SecretName(name: $0, match: match, places: places, field: field) }
    }

    private static func beginning(
        _ prefixes: String,
        _ alphabet: SecretPrefix.Alphabet,
        _ count: Int,
        _ label: String,
        _ rule: Redaction.Rule = .providerKeys,
        most: Int = .max,
        after: Int = 0
    ) -> [SecretPrefix] {
        words(prefixes).map { prefix in
            SecretPrefix(
                prefix: Array(prefix.utf8),
                anchor: prefix.utf8.count - 1 - after,
                alphabet: alphabet,
                counts: count...most,
                label: label,
                rule: rule
            )
        }
    }
}
