extension Redaction {
    /// One of the standard rules, or one name that they look for, to be excluded.
    ///
    ///     network.redaction = .standard.excluding(.pinFields, .header("Cookie"))
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: Sendable, Hashable {
            case rule, header, queryItem, jsonKey, formField
        }

        private let kind: Kind

        /// The name in texts: `password-fields`.
        let name: String

        /// The name in code: `passwordFields`.
        private let member: String

        /// The code of the rule: `.passwordFields`, `.header("cookie")`.
        var code: String { kind == .rule ? ".\(member)" : ".\(kind)(\"\(name)\")" }

        private init(_ name: String, _ member: String) { (kind, self.name, self.member) = (.rule, name, member) }

        private init(_ kind: Kind, named name: String) {
            (self.kind, self.name, member) = (kind, FieldName.compact(name), "")
        }

        /// The name in texts: `password-fields`.
        public var description: String { name }

        /// Creates the rule that a settings file names: `password-fields`, `passwordFields` or `header:Cookie`.
        ///
        /// `nil` for any other text.
        init?(settingsName text: String) {
            if let rule = Self.all.first(where: { $0.name == text || $0.member == text }) {
                self = rule
                return
            }
            let parts = text.split(separator: ":", maxSplits: 1)
            let kinds: [Kind] = [.header, .queryItem, .jsonKey, .formField]
            guard parts.count == 2, let kind = kinds.first(where: { "\($0)" == parts[0] }) else { return nil }
            self.init(kind, named: String(parts[1]))
        }

        // MARK: One name

        /// Returns the rule for a header field, of requests and responses.
        public static func header(_ name: String) -> Rule { Rule(.header, named: name) }

        /// Returns the rule for an item of a URL's query.
        public static func queryItem(_ name: String) -> Rule { Rule(.queryItem, named: name) }

        /// Returns the rule for a key of JSON bodies, or an element or attribute of XML ones.
        public static func jsonKey(_ name: String) -> Rule { Rule(.jsonKey, named: name) }

        /// Returns the rule for a field of a form or a multipart body.
        public static func formField(_ name: String) -> Rule { Rule(.formField, named: name) }

        // MARK: By name

        /// Header fields with credentials, such as `Authorization`.
        public static let headers = Rule("headers", "headers")
        /// The values of cookies, in `Cookie` and `Set-Cookie`.
        public static let cookies = Rule("cookies", "cookies")
        /// User and password in a URL.
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
        /// Keys and tokens that begin in a known way: those of AWS, GitHub, OpenAI, Stripe and some 80 other providers.
        public static let providerKeys = Rule("provider-keys", "providerKeys")

        // MARK: Others

        /// The values of environment variables that have names of secrets.
        public static let environmentValues = Rule("environment-values", "environmentValues")
        /// Request bodies that are compressed in a way that cannot be searched.
        ///
        /// A whole body is replaced by one placeholder.
        public static let compressedBodies = Rule("compressed-bodies", "compressedBodies")

        /// The rule for the names and values of `including`, which cannot be excluded.
        static let included = Rule("included", "included")

        /// The rules that go by the names of fields.
        static let byName: [Rule] = [
            headers, cookies, queryItems, tokenFields, secretFields, passwordFields, keyFields, pinFields,
            assertionFields, sessionFields,
        ]

        /// All standard rules.
        static let all: [Rule] =
            byName + [
                userInfo, bearer, basic, jwt, privateKeys, providerKeys, environmentValues, compressedBodies,
            ]
    }
}
