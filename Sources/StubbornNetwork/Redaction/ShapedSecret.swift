/// A secret known by how it begins: all of them are in `all`.
///
/// Each beginning ends in `_`, `-` or `.`, by which it is found. Those without such a sign are in `SecretShapes`.
struct ShapedSecret: Sendable {
    enum Alphabet {
        case hex, upper, alphanumeric
        /// Letters, digits and `_`.
        case underscored
        /// Letters, digits, `_` and `-`.
        case word
        /// Words, and the dots between them.
        case dotted
    }

    let prefix: StaticString
    let alphabet: Alphabet

    /// How many characters stand behind the prefix at least.
    let count: Int
    let label: String
    let rule: Redaction.Rule

    private init(_ prefix: StaticString, _ alphabet: Alphabet, _ count: Int, _ label: String, _ rule: Redaction.Rule) {
        self.prefix = prefix
        self.alphabet = alphabet
        self.count = count
        self.label = label
        self.rule = rule
    }

    static let all: [ShapedSecret] = [
        .init("ghp_", .alphanumeric, 20, "github_token", .gitHubTokens),
        .init("gho_", .alphanumeric, 20, "github_token", .gitHubTokens),
        .init("ghu_", .alphanumeric, 20, "github_token", .gitHubTokens),
        .init("ghs_", .alphanumeric, 20, "github_token", .gitHubTokens),
        .init("ghr_", .alphanumeric, 20, "github_token", .gitHubTokens),
        .init("github_pat_", .underscored, 20, "github_token", .gitHubTokens),
        .init("glpat-", .word, 16, "gitlab_token", .gitLabTokens),
        .init("gldt-", .word, 16, "gitlab_token", .gitLabTokens),
        .init("glrt-", .word, 16, "gitlab_token", .gitLabTokens),
        .init("glptt-", .word, 16, "gitlab_token", .gitLabTokens),
        .init("glcbt-", .word, 16, "gitlab_token", .gitLabTokens),
        .init("xoxa-", .word, 10, "slack_token", .slackTokens),
        .init("xoxb-", .word, 10, "slack_token", .slackTokens),
        .init("xoxe-", .word, 10, "slack_token", .slackTokens),
        .init("xoxo-", .word, 10, "slack_token", .slackTokens),
        .init("xoxp-", .word, 10, "slack_token", .slackTokens),
        .init("xoxr-", .word, 10, "slack_token", .slackTokens),
        .init("xoxs-", .word, 10, "slack_token", .slackTokens),
        .init("xapp-", .word, 20, "slack_token", .slackTokens),
        .init("sk-", .word, 20, "api_key", .skKeys),
        .init("sk_live_", .alphanumeric, 10, "stripe_key", .stripeKeys),
        .init("sk_test_", .alphanumeric, 10, "stripe_key", .stripeKeys),
        .init("rk_live_", .alphanumeric, 10, "stripe_key", .stripeKeys),
        .init("rk_test_", .alphanumeric, 10, "stripe_key", .stripeKeys),
        .init("whsec_", .alphanumeric, 20, "webhook_secret", .stripeKeys),
        .init("ya29.", .word, 20, "google_token", .googleKeys),
        .init("GOCSPX-", .word, 20, "google_secret", .googleKeys),
        .init("npm_", .alphanumeric, 36, "npm_token", .npmTokens),
        .init("pypi-", .word, 50, "pypi_token", .providerKeys),
        .init("rubygems_", .hex, 40, "rubygems_key", .providerKeys),
        .init("dckr_pat_", .word, 20, "docker_token", .providerKeys),
        .init("key-", .hex, 32, "api_key", .providerKeys),
        .init("sq0atp-", .word, 20, "square_token", .providerKeys),
        .init("sq0csp-", .word, 20, "square_secret", .providerKeys),
        .init("shpat_", .hex, 30, "shopify_token", .providerKeys),
        .init("shpca_", .hex, 30, "shopify_token", .providerKeys),
        .init("shppa_", .hex, 30, "shopify_token", .providerKeys),
        .init("shpss_", .hex, 30, "shopify_secret", .providerKeys),
        .init("dop_v1_", .hex, 60, "digitalocean_token", .providerKeys),
        .init("doo_v1_", .hex, 60, "digitalocean_token", .providerKeys),
        .init("dor_v1_", .hex, 60, "digitalocean_token", .providerKeys),
        .init("hf_", .alphanumeric, 30, "huggingface_token", .providerKeys),
        .init("r8_", .alphanumeric, 36, "replicate_token", .providerKeys),
        .init("gsk_", .alphanumeric, 40, "groq_key", .providerKeys),
        .init("pplx-", .alphanumeric, 40, "perplexity_key", .providerKeys),
        .init("lin_api_", .alphanumeric, 36, "linear_key", .providerKeys),
        .init("lin_oauth_", .alphanumeric, 36, "linear_token", .providerKeys),
        .init("ntn_", .alphanumeric, 40, "notion_token", .providerKeys),
        .init("secret_", .alphanumeric, 43, "notion_token", .providerKeys),
        .init("figd_", .word, 36, "figma_token", .providerKeys),
        .init("glsa_", .underscored, 30, "grafana_token", .providerKeys),
        .init("glc_", .alphanumeric, 40, "grafana_token", .providerKeys),
        .init("hvs.", .word, 24, "vault_token", .providerKeys),
        .init("hvb.", .word, 24, "vault_token", .providerKeys),
        .init("dp.pt.", .alphanumeric, 40, "doppler_token", .providerKeys),
        .init("dp.st.", .dotted, 40, "doppler_token", .providerKeys),
        .init("NRAK-", .upper, 24, "newrelic_key", .providerKeys),
        .init("PMAK-", .word, 40, "postman_key", .providerKeys),
        .init("HRKU-", .word, 36, "heroku_key", .providerKeys),
        .init("AGE-SECRET-KEY-", .upper, 50, "age_key", .providerKeys),
        .init("pul-", .hex, 40, "pulumi_token", .providerKeys),
        .init("sbp_", .hex, 40, "supabase_token", .providerKeys),
        .init("sntrys_", .dotted, 40, "sentry_token", .providerKeys),
        .init("sntryu_", .hex, 60, "sentry_token", .providerKeys),
        .init("pscale_tkn_", .dotted, 32, "planetscale_token", .providerKeys),
        .init("tskey-", .word, 20, "tailscale_key", .providerKeys),
        .init("shippo_live_", .hex, 40, "shippo_token", .providerKeys),
    ]

    private static func key(_ first: UInt8, _ last: UInt8) -> Int { Int(first & 127) << 7 | Int(last & 127) }

    /// The secrets by the last two characters of their prefix.
    private static let byEnding: [[ShapedSecret]] = {
        var result = [[ShapedSecret]](repeating: [], count: 1 << 14)
        for secret in all {
            let key: Int = secret.prefix.withUTF8Buffer { Self.key($0[$0.count - 2], $0[$0.count - 1]) }
            result[key].append(secret)
        }
        return result
    }()

    private static let mayEnd: [Bool] = byEnding.map { !$0.isEmpty }

    /// The secret whose prefix ends at a position, with that byte; and where it stands.
    static func found(in bytes: Bytes, endingAt position: Int) -> (secret: ShapedSecret, range: Range<Int>)? {
        let key = Self.key(bytes.at(position - 1), bytes[position])
        guard mayEnd[key] else { return nil }
        for secret in byEnding[key] {
            let start = position + 1 - secret.prefix.utf8CodeUnitCount
            guard bytes.has(secret.prefix, at: start), !bytes.at(start - 1).isWordPart,
                let end = secret.end(in: bytes, from: position + 1)
            else { continue }
            return (secret, start..<end)
        }
        return nil
    }

    private func end(in bytes: Bytes, from body: Int) -> Int? {
        let end =
            switch alphabet {
            case .hex: bytes.end(from: body) { $0.hexValue != nil }
            case .upper: bytes.end(from: body) { $0.isDigit || $0.isUppercase }
            case .alphanumeric: bytes.end(from: body) { $0.isAlphanumeric }
            case .underscored: bytes.end(from: body) { $0.isAlphanumeric || $0 == 0x5F }
            case .word: bytes.end(from: body) { $0.isWordPart }
            case .dotted: bytes.end(from: body) { $0.isWordPart || $0 == 0x2E }
            }
        guard end - body >= count else { return nil }
        return bytes.part(body..<end).contains { $0.isDigit || $0.isUppercase } ? end : nil
    }
}
