extension Redaction {
    /// One of the standard rules, or one name out of them, to be excluded.
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        enum Kind: Sendable, Hashable {
            case rule, header, queryItem, jsonKey, formField
        }

        let kind: Kind
        let name: String

        /// A rule by its name.
        ///
        /// Of names: `headers`, `cookies`, `user-info`, `query-items`, `token-fields`, `secret-fields`, `password-fields`,
        /// `key-fields`, `pin-fields`, `assertion-fields`, `session-fields`. Of shapes: `bearer`, `basic`, `jwt`,
        /// `private-keys`, `aws-keys`, `github-tokens`, `gitlab-tokens`, `slack-tokens`, `sk-keys`, `stripe-keys`,
        /// `google-keys`, `npm-tokens`, `sendgrid-keys`, `provider-keys`. And `environment-values`,
        /// `compressed-bodies`. All of them are in `all`; another name excludes nothing.
        public static func rule(_ name: String) -> Rule { Rule(kind: .rule, name: name) }

        /// A header field, of requests and responses.
        public static func header(_ name: String) -> Rule { Rule(kind: .header, name: FieldName.compact(name)) }

        /// An item of a URL's query.
        public static func queryItem(_ name: String) -> Rule { Rule(kind: .queryItem, name: FieldName.compact(name)) }

        /// A key of JSON bodies, or an element or attribute of XML ones.
        public static func jsonKey(_ name: String) -> Rule { Rule(kind: .jsonKey, name: FieldName.compact(name)) }

        /// A field of a form or a multipart body.
        public static func formField(_ name: String) -> Rule { Rule(kind: .formField, name: FieldName.compact(name)) }

        public var description: String { name }

        static let headers = rule("headers")
        static let cookies = rule("cookies")
        static let userInfo = rule("user-info")
        static let queryItems = rule("query-items")
        static let tokenFields = rule("token-fields")
        static let secretFields = rule("secret-fields")
        static let passwordFields = rule("password-fields")
        static let keyFields = rule("key-fields")
        static let pinFields = rule("pin-fields")
        static let assertionFields = rule("assertion-fields")
        static let sessionFields = rule("session-fields")
        static let bearer = rule("bearer")
        static let basic = rule("basic")
        static let jwt = rule("jwt")
        static let privateKeys = rule("private-keys")
        static let awsKeys = rule("aws-keys")
        static let gitHubTokens = rule("github-tokens")
        static let gitLabTokens = rule("gitlab-tokens")
        static let slackTokens = rule("slack-tokens")
        static let skKeys = rule("sk-keys")
        static let stripeKeys = rule("stripe-keys")
        static let googleKeys = rule("google-keys")
        static let npmTokens = rule("npm-tokens")
        static let sendGridKeys = rule("sendgrid-keys")
        static let providerKeys = rule("provider-keys")
        static let environmentValues = rule("environment-values")
        static let compressedBodies = rule("compressed-bodies")

        /// All standard rules: those of names, those of shapes, the values of the environment, and bodies that cannot be
        /// searched.
        public static let all: [Rule] = [
            headers, cookies, userInfo, queryItems, tokenFields, secretFields, passwordFields, keyFields, pinFields,
            assertionFields, sessionFields, bearer, basic, jwt, privateKeys, awsKeys, gitHubTokens, gitLabTokens,
            slackTokens, skKeys, stripeKeys, googleKeys, npmTokens, sendGridKeys, providerKeys, environmentValues,
            compressedBodies,
        ]
    }
}
