import Foundation

/// The rules by which secrets are replaced before anything is stored.
///
/// The standard rules know the names and the formats of credentials. A recognized value is replaced by a placeholder
/// such as `REDACTED-token-1`, wherever it occurs.
///
///     network.redaction = .standard.including(values: [ProcessInfo.processInfo.environment["API_KEY"]])
///     network.redaction = .standard.including(headers: ["X-Session"], queryItems: ["sig"], jsonKeys: ["pin"])
///     network.redaction = .standard.excluding(.passwordFields, .header("Cookie"))
///     network.redaction = .none
///
/// A secret may be recognized only after stubs that contain it were written. These stubs are then searched again, and
/// the journal and the stub file are written again, before the client sees the end of the exchange that showed the
/// secret. In runs of 64 or more recordings, these rewrites are batched.
public struct Redaction: Sendable {
    /// The rules that apply unless code sets others.
    ///
    /// **By name.** A name is split into its words, and is compared in the same way in every place. It is strong
    /// (`token`, `password`, `apiKey`), the name of a code that users type (`pin`, `user_code`), or weak (`session`,
    /// `state`). Under a weak name, a value that looks random is a secret, except in public responses. In a request, a
    /// long value that looks random is a secret, unless its name denotes an id or content. The article "Redaction
    /// rules" lists all rules in their order.
    ///
    /// **By format**, anywhere: `Bearer …`, `Basic …`, JSON Web Tokens, private keys in PEM, and the tokens of more
    /// than 110 providers.
    ///
    /// **By value**: the values in `including(values:)`, and the values of environment variables that have the names of
    /// secrets.
    ///
    /// A recognized value is also replaced in the rest of the recording, literally and encoded, unless it could occur
    /// there by coincidence. The PIN 1234 and the password `sunshine` are replaced in their own fields only.
    ///
    /// Two secrets of the same kind are equal when requests are compared. If two requests differ only in the tokens of
    /// two users, the first live token stands for the token that was recorded first, and so on.
    ///
    /// These are not recognized:
    /// - personal data;
    /// - a secret without a recognizable name or format (list it in `including`);
    /// - data inside encrypted or compressed data, and in base64 inside base64.
    public static let standard = Redaction(usesStandardRules: true)

    /// No rules: requests and responses are stored unchanged, and no recording is refused.
    public static let none = Redaction(usesStandardRules: false)

    let usesStandardRules: Bool

    /// The names that code has added, and the names and rules that it has excluded.
    private(set) var included: Set<Rule> = []
    private(set) var excluded: Set<Rule> = []
    private(set) var patterns: [SecretPattern] = []

    /// The values that are certain to be secrets: the values that code has listed, and values of the environment,
    /// sorted.
    var knownValues: [(value: String, rule: Rule)] = []

    private init(usesStandardRules: Bool) { self.usesStandardRules = usesStandardRules }

    /// Returns these rules with additional ones.
    ///
    /// - Parameters:
    ///   - headers: Header fields of requests and responses whose whole value is a secret.
    ///   - queryItems: Items of a URL's query.
    ///   - jsonKeys: Keys of JSON bodies, at any depth, and names in text: elements, attributes, settings.
    ///   - formFields: Fields of form and multipart bodies, and names in text: elements, attributes, settings.
    ///   - patterns: Regular expressions. The first group is the secret, or the whole match if there is no group.
    ///     Nothing is stored while a pattern is not a valid regular expression.
    ///   - values: Values that are known to be secrets. They are replaced everywhere, whatever their length: even `4711`
    ///     in `"Order 4711"`; escaped; and, if they have at least six characters, encoded once in base64 or hexadecimal
    ///     digits. `nil` is ignored, so that you can pass an environment variable that may not be set.
    /// - Returns: These rules and the new ones.
    public func including(
        headers: [String] = [],
        queryItems: [String] = [],
        jsonKeys: [String] = [],
        formFields: [String] = [],
        patterns: [String] = [],
        values: [String?] = []
    ) -> Redaction {
        var result = self
        result.included.formUnion(headers.map(Rule.header) + queryItems.map(Rule.queryItem))
        result.included.formUnion(jsonKeys.map(Rule.jsonKey) + formFields.map(Rule.formField))
        result.patterns += patterns.map(SecretPattern.init)
        result.knownValues += values.compactMap(\.self).filter { !$0.isEmpty }.map { ($0, .included) }
        return result
    }

    /// Returns these rules without some of the standard ones.
    ///
    /// Included names are kept.
    public func excluding(_ rules: Rule...) -> Redaction { excluding(rules) }

    func excluding(_ rules: [Rule]) -> Redaction {
        var result = self
        result.excluded.formUnion(rules)
        return result
    }

    /// A Boolean value that indicates whether there is nothing to search for.
    var isNothing: Bool { !usesStandardRules && included.isEmpty && patterns.isEmpty && knownValues.isEmpty }

    func has(_ rule: Rule) -> Bool { usesStandardRules && !excluded.contains(rule) }
}

/// A regular expression of the user; an invalid one finds nothing.
struct SecretPattern: Sendable {
    let source: String
    let expression: NSRegularExpression?

    init(_ source: String) {
        self.source = source
        expression = try? NSRegularExpression(pattern: source)
    }

    /// Returns the ranges of the secrets in a text: of the expression's first group, or of all that it matches.
    func ranges(in text: String) -> [Range<String.Index>] {
        let matches = expression?.matches(in: text, range: NSRange(text.startIndex..., in: text)) ?? []
        return matches.compactMap { Range($0.numberOfRanges > 1 ? $0.range(at: 1) : $0.range, in: text) }
    }
}

extension Redaction {
    /// A standard rule, or a single name in the standard rules, to exclude.
    ///
    ///     network.redaction = .standard.excluding(.pinFields, .header("Cookie"))
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case rule, header, queryItem, jsonKey, formField }

        private let kind: Kind

        /// The name in messages: `password-fields`.
        let name: String

        /// The name in code: `passwordFields`.
        private let member: String

        /// The code of the rule: `.passwordFields`, `.header("cookie")`.
        var code: String { kind == .rule ? ".\(member)" : ".\(kind)(\"\(name)\")" }

        private init(_ name: String, _ member: String) { (kind, self.name, self.member) = (.rule, name, member) }

        private init(_ kind: Kind, named name: String) {
            (self.kind, self.name, member) = (kind, name.withBytes { FieldName($0).text }, "")
        }

        /// The name in messages: `password-fields`.
        public var description: String { name }

        /// Creates the rule for an entry of a settings file: `password-fields`, `passwordFields` or `header:Cookie`.
        ///
        /// `nil` for any other text.
        init?(settingsName text: String) {
            if let rule = Self.all.first(where: { $0.name == text || $0.member == text }) {
                self = rule
                return
            }
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), kind != .rule else { return nil }
            self.init(kind, named: String(parts[1]))
        }

        // MARK: One name

        /// Returns the rule for a header field, of requests and responses.
        public static func header(_ name: String) -> Rule { Rule(.header, named: name) }

        /// Returns the rule for an item of a URL's query.
        public static func queryItem(_ name: String) -> Rule { Rule(.queryItem, named: name) }

        /// Returns the rule for a key of JSON bodies, or a name in text.
        public static func jsonKey(_ name: String) -> Rule { Rule(.jsonKey, named: name) }

        /// Returns the rule for a field of a form or a multipart body.
        public static func formField(_ name: String) -> Rule { Rule(.formField, named: name) }

        // MARK: By name

        /// Header fields with credentials, such as `Authorization`.
        public static let headers = Rule("headers", "headers")
        /// The values of cookies, in `Cookie` and `Set-Cookie`.
        public static let cookies = Rule("cookies", "cookies")
        /// Users and passwords in URLs.
        public static let userInfo = Rule("user-info", "userInfo")
        /// Query items with keys and signatures, such as `sig` and `X-Amz-Credential`.
        public static let queryItems = Rule("query-items", "queryItems")
        /// Fields with tokens, such as `accessToken`, `jwt` and `csrf`.
        public static let tokenFields = Rule("token-fields", "tokenFields")
        /// Fields with secrets and credentials, such as `clientSecret`.
        public static let secretFields = Rule("secret-fields", "secretFields")
        /// Fields with passwords and passphrases.
        public static let passwordFields = Rule("password-fields", "passwordFields")
        /// Fields with keys, such as `apiKey` and `privateKey`.
        public static let keyFields = Rule("key-fields", "keyFields")
        /// Fields with PINs, one-time passwords and verification codes.
        public static let pinFields = Rule("pin-fields", "pinFields")
        /// Fields with assertions, such as `SAMLResponse`.
        public static let assertionFields = Rule("assertion-fields", "assertionFields")
        /// Fields with session identifiers.
        public static let sessionFields = Rule("session-fields", "sessionFields")

        // MARK: By form

        /// Values that begin with `Bearer`.
        public static let bearer = Rule("bearer", "bearer")
        /// Values that begin with `Basic`.
        public static let basic = Rule("basic", "basic")
        /// JSON Web Tokens.
        public static let jwt = Rule("jwt", "jwt")
        /// Private keys in PEM.
        public static let privateKeys = Rule("private-keys", "privateKeys")
        /// Keys and tokens with a known prefix: those of AWS, GitHub, OpenAI, Stripe and some 110 other providers.
        public static let providerKeys = Rule("provider-keys", "providerKeys")

        // MARK: Others

        /// The values of environment variables that have names of secrets.
        public static let environmentValues = Rule("environment-values", "environmentValues")
        /// Compressed request bodies, which cannot be searched.
        ///
        /// A whole body is replaced by one placeholder.
        public static let compressedBodies = Rule("compressed-bodies", "compressedBodies")

        /// The rule for the names and values of `including`, which cannot be excluded.
        static let included = Rule("included", "included")

        /// All standard rules.
        static let all: [Rule] = [
            headers, cookies, queryItems, tokenFields, secretFields, passwordFields, keyFields, pinFields,
            assertionFields, sessionFields,
            userInfo, bearer, basic, jwt, privateKeys, providerKeys, environmentValues, compressedBodies,
        ]
    }
}

extension NamePlace {
    /// The functions that return the rules for a name in this kind of text.
    var rules: [(String) -> Redaction.Rule] {
        switch self {
        case .header: [Redaction.Rule.header]
        case .query: [Redaction.Rule.queryItem]
        case .json: [Redaction.Rule.jsonKey]
        case .form, .part: [Redaction.Rule.formField]
        case .text: [Redaction.Rule.jsonKey, Redaction.Rule.formField]
        }
    }
}
