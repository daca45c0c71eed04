import Foundation

/// Exchanges without a secret, full of what resembles one.
extension SecretCorpus {
    static func ordinary(seed: UInt64) -> [Exchange] {
        let plant = Plant(seed: seed)
        let (hex, id) = (plant.openHex(40), plant.openHex(24))
        let mixed = plant.open("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", 22)
        let uuid =
            "\(plant.openHex(8))-\(plant.openHex(4))-4\(plant.openHex(3))-a\(plant.openHex(3))-\(plant.openHex(12))"
        return bodies(hex: hex, id: id, mixed: mixed, uuid: uuid).map { .get("/a", answer: $0) }
            + OrdinaryRecordingTests.bodies.filter { $0.0 == "application/json" }.map { .get("/a", answer: $0.1) }
            + paths(hex: hex, id: id, uuid: uuid).map { .get($0) }
            + fields(hex: hex, uuid: uuid).map { .get("/a", [$0]) }
            + fields(hex: hex, uuid: uuid).map { .get("/a", answerFields: [$0]) }
            + texts(hex: hex).map { .get("/a", answer: $0.1, type: $0.0) }
    }

    private static func bodies(hex: String, id: String, mixed: String, uuid: String) -> [String] {
        [
            #"{"forgot_password":"Forgot your password?","password":"Password","passwordHint":"At least 8 characters","signInWithToken":"Sign in with a token"}"#,
            #"{"password":"Passwort","reset_password_title":"Passwort vergessen?","pin":"Enter your PIN","otp":"Einmalcode"}"#,
            #"{"labels":{"password":"Mot de passe","confirmPassword":"Confirmez le mot de passe","apiKey":"API key"}}"#,
            #"{"commit":"\#(hex)","tree":{"sha":"\#(hex)"},"etag":"\"\#(hex)\""}"#,
            #"{"id":"\#(uuid)","parent_id":"\#(uuid)","trace":"\#(id)"}"#,
            #"{"next_page_token":"\#(mixed)","nextPageToken":"\#(mixed)","pagination":{"nextToken":"\#(mixed)","cursor":"\#(mixed)"}}"#,
            #"{"continuationToken":"\#(mixed)","sync_token":"\#(mixed)","syncTokens":["\#(mixed)"],"page_token_next":"\#(mixed)"}"#,
            #"{"token":"12.50","currency":"EUR","token_symbol":"USDC","tokenAddress":"0x\#(hex)","token_id":1234}"#,
            #"{"usage":{"prompt_tokens":812,"completion_tokens":96,"total_tokens":908},"max_tokens":4096}"#,
            #"{"passwordPolicy":{"minLength":8,"requiresDigit":true,"regex":"^[a-z]{8,}$"},"passwordLastChanged":"2024-01-31T08:15:30Z"}"#,
            #"{"token_type":"bearer","expires_in":3600,"token_expires_at":"2026-11-21T18:00:00.123Z","scope":"read:user"}"#,
            #"{"secretary":{"id":"\#(id)","name":"Ann"},"tokenizer":{"model":"cl100k_base_v2","hash":"\#(hex)"},"passenger":{"id":"\#(uuid)"}}"#,
            #"{"publicKey":"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE","public_key_token":"b77a5c561934e089","fingerprint":"\#(hex)"}"#,
            #"{"author":{"id":"\#(id)"},"authority":"https://login.example/v2.0","authorized_by":"\#(uuid)"}"#,
            #"{"session":{"title":"What's new in Swift","room":"B12","starts":"2026-06-10T10:00:00Z"},"session_count":3}"#,
            #"{"pin":{"lat":52.52,"lng":13.4},"pinned":true,"pins":[{"id":"\#(id)","board":"recipes"}]}"#,
            #"{"key":"issues/\#(id)","primaryKey":"\#(id)","cacheKey":"\#(hex)","s3_key":"a/b/\#(uuid).png","issueKey":"ABC-1234"}"#,
            #"{"code":"SUMMER2024","couponCode":"SAVE20NOW","countryCode":"DE","postalCode":"10115","statusCode":200,"qr_code":"\#(id)"}"#,
            #"{"slug":"how-to-choose-a-password-manager-in-2024","url":"https://blog.example/2024/how-to-rotate-your-api-keys"}"#,
            #"{"tokenEndpoint":"https://auth.example/oauth2/v2.0/token","token_endpoint_auth_methods_supported":["client_secret_post"]}"#,
            #"{"description":"Rotate the secret every 90 days. Tokens begin with tok and pins have 4 digits.","secretCount":2}"#,
            #"{"theme":"dark-2024","version":"1.2.3-beta4","build":"20A5312j","sku":"XG-4711-99","isbn":"9783161484100"}"#,
            #"{"signature_algorithm":"SHA256withRSA","signatureRequired":false,"email_signature":"Best regards, Ann Miller"}"#,
            #"{"credentials":"include","credentialType":"public-key","access_key_count":2,"apiKeys":[]}"#,
            #"{"hasPassword":true,"password_required":false,"passwordStrength":"strong","tokenBalance":"1000000000000000000"}"#,
            #"{"image":"sha256:\#(hex)\#(id)","digest":"\#(hex)","checksum":"\#(id)"}"#,
            #"{"name":"Token Ring","artist":"Secret Machines","album":"Now Here Is Nowhere","track":"Sad and Lonely"}"#,
            #"{"otp":{"enabled":true,"issuer":"Example","period":30},"mfa":{"methods":["totp","sms"]}}"#,
            #"{"date":20260101,"due":"20260101","count":12345678,"phone":"+49 30 901820"}"#,
            #"{"items":[{"id":"\#(id)","title":"Key ring","price":12.5},{"id":"\#(uuid)","title":"Lock","price":99999999}]}"#,
        ]
    }

    private static func paths(hex: String, id: String, uuid: String) -> [String] {
        [
            "/commits/\(hex)", "/users/\(uuid)/items?page=2&sort=key", "/files/\(id)/download", "/code?code=SUMMER2024",
            "/pins?pin=560001&near=10115", "/flags?key=feature_flag_dark_mode_2", "/issues?ticket=JIRA-4711",
            "/tokens?token=0x\(hex)", "/search?q=forgot+password&lang=en", "/items?page_token=\(id)&max_tokens=12",
            "/docs/api-keys/rotate", "/password/policy-2024", "/oauth/authorize?response_type=code&scope=openid",
            "/keys/public/\(id)",
            "/v1/tokens/\(uuid)", "/v1/api-keys/\(id)/usage", "/sessions/\(id)", "/secrets-of-the-sea/chapter-12",
        ]
    }

    private static func fields(hex: String, uuid: String) -> [(String, String)] {
        [
            ("ETag", "\"\(hex)\""), ("X-Request-Id", uuid), ("X-Trace-Id", hex), ("Cookie", "theme=dark; lang=en-US"),
            ("X-Token-Count", "812"), ("X-Commit", hex), ("If-None-Match", "W/\"\(hex)\""),
            ("Signature-Input", "sig1=(\"@method\" \"@path\");created=1700000000"),
        ]
    }

    private static func texts(hex: String) -> [(String, String)] {
        [
            ("text/plain", "commit \(hex)\nAuthor: Ann <ann@example.com>\nDate: 2026-01-31\n\n    Rotate tokens\n"),
            (
                "text/plain",
                "The token ring was invented in 1984. Choose a password with 8 characters, the key to safety."
            ),
            (
                "text/html",
                "<label for=\"password\">Password</label><a href=\"/reset-password\">Forgot your password?</a>"
            ),
            ("text/html", "<script src=\"/a.js\" integrity=\"sha384-oqVuAfXRKap7fdgcCY5uykM6R9GqQ8K7\"></script>"),
            (
                "application/yaml",
                "secretName: app-config\ntokenExpiry: 3600s\npasswordMinLength: 8\nimage: x@sha256:\(hex)\n"
            ),
            ("text/css", ".token-keyword{color:#a1b2c3}.password-1a2b{margin:0}"),
            ("text/xml", "<r><passwordLabel>Your password</passwordLabel><commit>\(hex)</commit></r>"),
            ("text/csv", "id,token_name,price\n1,USDC,1.00\n2,WETH,3120.55\n"),
        ]
    }
}
