/// The words in the names of fields by which secrets are recognized, and the exceptions.
///
/// Each of them is in this file once.
enum SecretWords {
    // MARK: Names of secrets

    /// The stems of names that carry secrets, compared only by letters and digits, in every place.
    static let stems: [SecretStem] =
        [
            // Credentials of HTTP.
            stems(.strong, .part, .headers, "authorization", form: .credentials, label: "authorization"),
            stems(.strong, .whole, .cookies, "setcookie", form: .setCookie, label: "cookie"),
            stems(.strong, .whole, .cookies, "cookie", form: .cookies, label: "cookie"),

            // Passwords and secrets.
            stems(.strong, .part, .passwordFields, "password passwd passphrase passcode secretanswer securityanswer"),
            stems(.strong, .part, .passwordFields, "passwort kennwort wachtwoord contrasena contraseña senha"),
            stems(.strong, .part, .passwordFields, "motdepasse parola parolachiave palabraclave palavrapasse sifre"),
            stems(.strong, .part, .passwordFields, "şifre haslo hasło heslo losenord lösenord passord adgangskode"),
            stems(.strong, .part, .passwordFields, "salasana jelszo jelszó matkhau mậtkhẩu katasandi lozinka"),
            stems(.strong, .part, .passwordFields, "סיסמה пароль كلمةالمرور पासवर्ड รหัสผ่าน 密码 密碼 口令 パスワード 비밀번호 암호"),
            stems(.strong, .word, .passwordFields, "pass pwd pswd psw psk mdp userpass dbpass"),
            stems(.strong, .part, .secretFields, "secret seedphrase mnemonic"),

            // Tokens.
            stems(.strong, .part, .tokenFields, "token jwt magiclink jeton zeton żeton gettone токен 令牌 トークン 토큰"),
            stems(.strong, .word, .tokenFields, "csrf xsrf crumb bearer"),

            // Keys.
            stems(.strong, .part, .keyFields, "apikey privatekey secretkey accesskey authkey licensekey xprv"),

            // Codes that users type.
            stems(.typed, .whole, .pinFields, "pin otp totp"),
            stems(.typed, .word, .pinFields, "cvv cvc otp totp tan otpattempt mfa 2fa twofa"),
            stems(.typed, .part, .pinFields, "cardnumber 验证码 驗證碼 暗証番号 認証コード 인증번호 確認コード"),
            stems(.typed, .part, .pinFields, codeKinds.map { "\($0)code \($0)codes \($0)pin" }.joined(separator: " ")),
            stems(.strong, .whole, .pinFields, "codeverifier oauthverifier"),

            // Proofs.
            stems(.strong, .whole, .assertionFields, "samlresponse samlart clientassertion"),

            // Weak names.
            stems(.related, .part, .secretFields, "credential cred basicauth"),
            stems(.strong, .part, .sessionFields, "xamzcredential xgoogcredential"),
            stems(.weak, .part, .sessionFields, "sessionid sessid xfirebaseappcheck session ticket"),
            stems(.related, .part, .cookies, "cookie"),
            stems(.related, .part, .keyFields, keyKinds.map { "\($0)key" }.joined(separator: " ")),
            stems(.weak, .tail, .keyFields, "key"),
            stems(.weak, .part, .keyFields, "anahtar anahtari nyckel llave chave chiave"),
            stems(.weak, .part, .keyFields, "schlussel schlüssel sleutel klucz ключ 密钥 密鑰 鍵"),
            stems(.weak, .part, .tokenFields, "auth authn authentication twofactor refresh grant salt opaque"),
            stems(.weak, .part, .tokenFields, "nonce challenge captcha tok"),
            stems(.weak, .word, .tokenFields, "hmac hmacsha state macaroon proof recovery backup seed wif"),
            stems(.weak, .word, .assertionFields, "assertion"),

            // Words that are the names of secrets and of content.
            stems(.code, .whole, .pinFields, "code kode codigo código codice"),
            stems(.code, .word, .pinFields, "pin clave kod kód kód код"),
            stems(.parameter, .whole, .keyFields, "key keys"),
            stems(.parameter, .tail, .pinFields, "code kode codigo código codice"),
            stems(.parameter, .part, .keyFields, "appid"),
            stems(.parameter, .word, .sessionFields, "sess sid"),
            stems(.parameter, .part, .tokenFields, "hash signature sign sig"),
        ].flatMap(\.self)

    /// The words before `code` and `pin`, even joined to them, that make these names strong: `user_code`, `smscode`.
    private static let codeKinds = """
        user card 2fa revocation scratch device access token authorization reset verify verification confirm confirmation \
        activate activation invite invitation magic login signin signup sso auth authentication authenticator otp sms mfa \
        factor recovery onetime unlock pairing backup oob binding
        """.words

    /// The words before `key` that show that it opens something, rather than identifies it.
    private static let keyKinds = """
        hmac encryption decryption signing shared master session storage account server client routing subscription stream
        """.words

    // MARK: Exceptions

    /// The words before a token, a key, a code or a session that mark it as a position in a list, a count or public:
    /// `nextPageToken`, `max_tokens`.
    static let harmlessBefore = """
        page next previous prev continuation continue pagination paging cursor offset scroll skip start marker resume resumption \
        sync delta change stop progress eos bos pad unk sep cls mask max min count since after before boarding season com by \
        over under sur tres
        """.words

    /// The words before a weak name that mark it as public, or as the name of content: `publicKey`, `errorCode`.
    static let contentBefore = """
        public pub publishable foreign cache idempotency surrogate partition sort object file image row translation socket \
        websocket rate issue error status country postal zip area tracking currency language qr bar color coupon promo exit \
        response source map location content post en de uni sha md block tx transaction commit tree git blur icon info calling \
        stock
        """.words

    /// The words after a name that show the same: `tokenSymbol`.
    ///
    /// After the name of a key, a code or a cookie, `id` does, too.
    static let harmlessBehind =
        "ids url uri name symbol address account mint input sha md digest checksum fingerprint thumbprint".words

    /// The words after a stem that only specify the secret: `passwordConfirm`, `SECRET_KEY_BASE`, `token_v2`.
    static let qualifiers = """
        value raw text string data hash base new old current next previous prev again confirm confirmation repeat repeated \
        retype verify primary secondary first second v x
        """.words

    /// The words in a name that show that its value is an id, or content.
    ///
    /// A value under any other name that looks random is a credential in a request.
    static let identifiers = """
        pub public pubkey publickey identifier uuid guid trace traceparent tracestate span request correlation \
        idempotency etag match digest md sha shasum checksum git version revision rev ref reference build release agent \
        client data cursor page sync query filter url uri referer origin host tag path hash baggage range accept cache \
        cc language organization project device commit boundary forwarded via content test experiment folder file doc \
        document fingerprint image media photo video parent parents tree commitish owner author customer item object \
        product order name text message note title comment body bytes
        """.words

    /// The last words of names whose random values need not be listed: ids, checksums, positions in a list.
    static let unlisted = """
        sha hash digest etag integrity cursor checksum uuid guid tree commit ref url page next version fingerprint signature key \
        object image name file path expires
        """.words

    /// The words for actions that precede a secret in a path: `/reset/…`.
    static let actions = """
        hook hooks webhook webhooks reset verify verification confirm confirmation activate activation invite invitation \
        invitations accept unsubscribe magic login signin signup sso join share ical private deploy incoming auth \
        authentication unlock
        """.words

    // MARK: Values

    /// Words that are not secrets under any name.
    ///
    /// `secret`, `token` and `pin` are not among them: people log in to test servers with those.
    static let none = """
        null nil none true false undefined deleted default disabled enabled optional required password passwort contraseña \
        kennwort username authorization bearer basic application localhost anonymous production development unknown invalid \
        expired redacted string integer security changeme example placeholder notavailable read write
        """.words

    /// The members of a JSON Web Key that are private (RFC 7518, section 6).
    static let privateMembers: [StaticString] = ["d", "k", "p", "q", "dp", "dq", "qi"]

    // MARK: Values that differ each time

    /// The names of random values that are generated for each request that signs in or is signed.
    ///
    /// - The state and the challenge of OAuth: RFC 6749, section 4.1.1; RFC 7636, section 4.3.
    /// - Nonces: OpenID Connect Core, section 3.1.2.1; RFC 5849, section 3.3.
    /// - Signatures in a body.
    static let nonces: [StaticString] = ["state", "nonce", "oauth_nonce", "code_challenge", "signature"]

    /// The names of the times for which a signature or a nonce is made: RFC 5849, section 3.3; the queries of AWS (Signature
    /// Version 4) and Google (V4 signing); Web Services Security, UsernameToken Profile 1.1.1, section 3.1.
    static let signatureTimes: [StaticString] = [
        "timestamp", "oauth_timestamp", "ts", "x-amz-date", "x-goog-date", "expires", "created",
    ]

    /// The names that show, next to such a time, that it belongs to a signature.
    static let signatureNames: [StaticString] = [
        "signature=", "Signature=", "nonce=", "Nonce=", "sig=", "hmac=", "signature\"", "Signature\"", "nonce\"",
        "Nonce\"", "Nonce>", "SIGNATURE=", "NONCE=", "SIGNATURE\"", "NONCE\"",
    ]

    // MARK: Rows

    private static func stems(
        _ kind: SecretField.Kind,
        _ match: SecretStem.Match,
        _ rule: Redaction.Rule,
        _ texts: String,
        form: SecretField.Form = .value,
        label: String = ""
    ) -> [SecretStem] {
        let field = SecretField(label: label, rule: rule, kind: kind, form: form)
        return texts.split(separator: " ").map { SecretStem(text: Array($0.utf8), match: match, field: field) }
    }
}

extension String {
    /// The words between spaces.
    fileprivate var words: Set<String> { Set(split(separator: " ").map(String.init)) }
}

/// A part of names that carry secrets: `token`, in `accessTokenValue` and `TOKEN_2`.
struct SecretStem: Sendable {
    enum Match: Sendable {
        /// The stem ends a word: `accesstoken`, and not `tokenizer`.
        case part
        /// The stem is a word, or words: `user_pin`, and not `spin`.
        case word
        /// The stem is the whole name.
        case whole
        /// The stem ends a word, and is not the whole name: `session_key`.
        case tail
    }

    /// The stem in lower case, without the separators of its words.
    let text: [UInt8]
    let match: Match

    /// The meaning of the name; without a label if the field's own name is the label.
    let field: SecretField
}
