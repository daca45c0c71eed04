/// The form of a provider's tokens, which begin with a known prefix, or contain a known text: `ghp_…`, `…:AA…`.
struct TokenForm: Sendable {
    let prefix: [UInt8]

    /// Returns a Boolean value that indicates whether a character may follow the prefix.
    let isMember: @Sendable (UInt8) -> Bool

    /// The number of characters after the prefix, at least and at most.
    let counts: ClosedRange<Int>

    /// The fewest characters before the prefix, which belong to the token.
    var before = 0

    /// The index of the prefix's anchor: the last of its characters that is in `anchors`.
    let anchor: Int

    /// The characters by which tokens are found.
    ///
    /// Each prefix has one of them.
    static let anchors: [StaticString] = ["_", "-", ".", "I", "K", "p", "E", "B", "J", "2", "V", "G", ":", "~", "|"]

    /// The characters that follow a prefix, by the names in the table.
    private static let alphabets: [String: @Sendable (UInt8) -> Bool] = [
        "alphanumeric": { $0.isAlphanumeric },
        "hexadecimal": { $0.hexValue != nil },
        // Letters, digits, `_` and `-`.
        "word": { $0.isWordPart },
        // Words, the dots between them, and the other characters of base64.
        "token": { $0.isTokenPart },
    ]

    /// Returns the forms of a row of the table.
    ///
    /// A row lists the provider, the alphabet, the fewest characters after the prefix (with `=`, the exact number), the
    /// prefixes, and the fewest characters before them.
    private static func forms(_ row: String) -> [TokenForm] {
        let cells = row.split(separator: ";").map { $0.split(separator: " ").map(String.init) }
        guard cells.count >= 4, let isMember = alphabets[cells[1][0]], let count = Int(cells[2][0].filter(\.isNumber))
        else { return [] }
        let counts = count...(cells[2][0].hasPrefix("=") ? count : .max)
        let before = cells.count > 4 ? Int(cells[4][0]) ?? 0 : 0
        return cells[3].compactMap { prefix in
            let bytes = Array(prefix.utf8)
            let anchor = bytes.lastIndex { byte in anchors.contains { $0.utf8Start[0] == byte } }
            return anchor.map {
                TokenForm(prefix: bytes, isMember: isMember, counts: counts, before: before, anchor: $0)
            }
        }
    }

    /// The forms of tokens, as the documentation of their providers shows them.
    static let all: [TokenForm] = rows.flatMap(forms)

    /// The rows of the table.
    static let rows: [String] = """
        Amazon Web Services; alphanumeric; =16; AKIA ASIA ABIA
        Amazon Bedrock; token; 100; ABSK
        1Password; token; 40; ops_eyJ
        1Password; word; 26; A3-
        Adafruit; alphanumeric; 24; aio_
        Adobe; alphanumeric; 32; p8e-
        age; alphanumeric; 20; AGE-SECRET-KEY-
        Airtable; token; =79; pat
        Alibaba Cloud; alphanumeric; 12; LTAI
        Anthropic; word; 20; sk-ant-
        Artifactory; alphanumeric; 50; AKCp
        Atlassian; token; 40; ATATT3xFfG ATCTT3xFfG
        Atlassian; alphanumeric; 28; ATBB
        Authress; token; 20; authress_ scauth_
        Brevo; word; 20; xkeysib- xsmtpsib-
        Buildkite; alphanumeric; 30; bkua_ bkct_ bkaj_
        Cerebras; alphanumeric; 30; csk-
        CircleCI; word; 20; CCIPAT_ CCIPRJ_
        Clojars; alphanumeric; 50; CLOJARS_
        Cloudflare; word; 20; cfut_
        Cloudflare; token; 100; v1.0-
        Contentful; word; 40; CFPAT-
        Databricks; hexadecimal; =32; dapi
        DBT; word; 20; dbtc_ dbtu_
        DigitalOcean; alphanumeric; 30; dop_v1_ doo_v1_ dor_v1_
        Docker; word; 20; dckr_pat_ dckr_oat_
        Doppler; token; 30; dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
        Dropbox; word; 60; sl.
        Duffel; word; 40; duffel_live_ duffel_test_
        Dynatrace; token; 60; dt0c01. dt0s16.
        EasyPost; alphanumeric; 50; EZAK EZTK
        Facebook; alphanumeric; 50; EAAB EAAG EAAC EAAM
        Figma; word; 31; figd_ figu_
        Firecrawl; hexadecimal; 32; fc-
        Flutterwave; word; 10; FLWSECK_TEST- FLWSECK-
        Fly.io; token; 40; fo1_ fm1a_ fm1r_ fm2_
        Frame.io; word; 60; fio-u-
        ElevenLabs; alphanumeric; 30; sk_
        GitHub; alphanumeric; 20; ghp_ gho_ ghu_ ghs_ ghr_
        GitHub; word; 20; github_pat_
        GitLab; word; 16; glpat- gldt- glrt- glptt- glcbt- gloas- glft- glsoat- glffct- glimt- glagent-
        Google; word; 31; AIza
        Google; word; 20; ya29. GOCSPX-
        Grafana; token; 20; glsa_ glc_
        Groq; alphanumeric; 28; gsk_
        Harness; token; 50; pat. sat.
        Heroku; word; 31; HRKU-
        Honeycomb; alphanumeric; 50; hcaik_ hcbik_
        HubSpot; word; 31; pat-na1- pat-na2- pat-eu1-
        Hugging Face; alphanumeric; 28; hf_ api_org_
        Infracost; alphanumeric; 30; ico-
        Intra 42; hexadecimal; 60; s-s4t2ud- s-s4t2af-
        Jina AI; alphanumeric; 28; jina_
        Klaviyo; hexadecimal; 30; pk_
        Langfuse; word; 30; sk-lf- pk-lf-
        LangSmith; word; 20; lsv2_pt_ lsv2_sk_
        LaunchDarkly; word; =36; sdk- api- mob-
        Linear; alphanumeric; 28; lin_api_ lin_oauth_
        Lob; hexadecimal; 30; live_ test_
        MailerSend; hexadecimal; 60; mlsn.
        Mailgun; alphanumeric; 30; key-
        Mapbox; token; 30; sk.eyJ tk.eyJ
        MaxMind; word; 30; _mmk
        Mercado Pago; word; 40; APP_USR-
        MongoDB Atlas; token; 20; mdb_sa_sk_
        Neon; alphanumeric; 28; napi_
        Netlify; alphanumeric; 28; nfp_
        New Relic; alphanumeric; 19; NRAK- NRII- NRJS- NRRA-
        Notion; alphanumeric; 28; ntn_ secret_
        npm; alphanumeric; 28; npm_
        NuGet; alphanumeric; =43; oy2
        NVIDIA; word; 40; nvapi-
        Octopus Deploy; alphanumeric; 25; API-
        OpenAI; word; 20; sk-
        OpenRouter; hexadecimal; 40; sk-or-v1-
        Perplexity; alphanumeric; 28; pplx-
        Pinecone; token; 40; pcsk_
        Pinterest; alphanumeric; 30; pina_
        Plaid; word; 31; access-sandbox- access-development- access-production-
        PlanetScale; token; 30; pscale_tkn_ pscale_pw_ pscale_oauth_
        Postman; word; 31; PMAK-
        PostHog; alphanumeric; 28; phx_
        Prefect; alphanumeric; 28; pnu_
        Pulumi; alphanumeric; 30; pul-
        PyPI; word; 20; pypi-
        Razorpay; alphanumeric; 10; rzp_live_ rzp_test_
        ReadMe; alphanumeric; 50; rdme_
        Render; alphanumeric; 28; rnd_
        Replicate; alphanumeric; 28; r8_
        Resend; word; 20; re_
        RubyGems; alphanumeric; 30; rubygems_
        Scalingo; word; 40; tk-us-
        SendGrid; token; 30; SG.
        Sentry; token; 30; sntrys_ sntryu_
        SettleMint; alphanumeric; 16; sm_aat_ sm_pat_ sm_sat_
        Shippo; alphanumeric; 30; shippo_live_ shippo_test_
        Shopify; alphanumeric; 30; shpat_ shpca_ shppa_ shpss_
        Slack; word; 10; xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd-
        Slack; word; 20; xapp-
        Slack; token; 40; xoxe.xoxp- xoxe.xoxb-
        SonarQube; hexadecimal; 36; squ_ sqp_ sqa_
        Sourcegraph; word; 20; sgp_ slk_
        Square; word; 20; sq0atp- sq0csp- EAAAE
        Statsig; alphanumeric; 30; secret-
        Stripe; alphanumeric; 10; sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ ek_live_ ek_test_
        Stripe; token; 20; whsec_
        Stytch; token; 30; secret-live- secret-test-
        Supabase; alphanumeric; 30; sbp_
        Supabase; word; 20; sb_secret_
        Tailscale; word; 20; tskey-
        Tavily; word; 20; tvly-
        Tencent Cloud; alphanumeric; 28; AKID
        Together AI; word; 30; tgp_v1_
        Twilio; hexadecimal; =32; SK
        Typeform; token; 30; tfp_
        Vault; word; 20; hvs. hvb. hvr.
        Vercel; alphanumeric; 24; vcp_ vck_ vci_ vca_ vcr_
        Voyage AI; word; 40; pa-
        WooCommerce; hexadecimal; =40; ck_ cs_
        xAI; alphanumeric; 50; xai-
        xAI; word; =36; xaat-
        Yandex Cloud; word; 35; AQVN
        Amazon, temporary; token; 40; IQoJb3JpZ2lu
        Telegram; word; 33; :AA; 8
        Mailchimp; hexadecimal; 1; -us; 32
        Microsoft Entra; token; 31; Q~; 4
        Terraform Cloud; word; 60; .atlasv1.; 14
        Facebook; word; 27; |; 15
        PASETO; word; 40; v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.
        """.split(separator: "\n").map(String.init)

    /// Returns the range of the token whose anchor is at an offset; `nil` if none is.
    func range(in bytes: Bytes, anchor offset: Int) -> Range<Int>? {
        let body = offset - anchor + prefix.count
        guard bytes.part(body - prefix.count..<body).elementsEqual(prefix),
            let start = start(before: body - prefix.count, in: bytes)
        else { return nil }
        let end = bytes.end(from: body, while: isMember)
        // After a token of an exact length, no further character of a token follows.
        if counts.upperBound != .max, bytes.at(end).isAlphanumeric { return nil }
        guard counts.contains(end - body),
            bytes.part(body..<end).contains(where: { $0.isDigit || $0.isUppercase }),
            !Self.isInsideBase64(start..<end, bytes), !isWords(bytes.part(body..<end))
        else { return nil }
        return start..<end
    }

    /// Returns the offset at which a token with a prefix at an offset begins; `nil` if it is a part of another word.
    private func start(before prefix: Int, in bytes: Bytes) -> Int? {
        if before == 0 { return bytes.beginsWord(at: prefix) ? prefix : nil }
        let first = bytes.start(before: prefix, while: isMember)
        // The `n` of `\n` is not part of the token, and neither is the `u0022` of `\u0022`.
        let start = (first...first + 5).last { bytes.endsEscape(at: $0) } ?? first
        return prefix - start >= before && bytes.beginsWord(at: start) ? start : nil
    }

    /// Returns a Boolean value that indicates whether the text after a short prefix consists of words, as in the names
    /// of CSS classes: `sk-Button-2`.
    private func isWords(_ body: Bytes) -> Bool {
        guard before == 0, prefix.count <= 3 else { return false }
        return !RandomText.looksRandom(body)
    }

    /// The length above which a run of base64 around a token is binary data, such as an image, and not a path.
    private static let leastEncodedLength = 160

    /// Returns a Boolean value that indicates whether a token is a part of longer base64, where it occurs by coincidence:
    /// `…V+SK0123…`, and neither `https://x.example/SK0123…` nor, as this base64 has no `_`, `text=key+ghp_…`.
    private static func isInsideBase64(_ range: Range<Int>, _ bytes: Bytes) -> Bool {
        let isDigit = { (byte: UInt8) in byte.isAlphanumeric || byte.isOne(of: "+/%=") }
        // Also `%2B`, and with the padding that the alphabet of some tokens has.
        let before = bytes.hexByte(at: range.lowerBound - 2) ?? bytes.at(range.lowerBound - 1)
        guard before.isOne(of: "+/"), bytes.part(range).allSatisfy(isDigit) else { return false }
        if before == .plus { return true }
        let start = bytes.start(before: range.lowerBound, while: isDigit)
        return bytes.end(from: range.upperBound, while: isDigit) - start >= leastEncodedLength
    }
}
