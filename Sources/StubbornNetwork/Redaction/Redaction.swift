import Foundation

/// Which secrets are replaced before anything is stored.
///
/// The standard rules know the header fields, query items, JSON keys, form fields, XML names and shapes of values that
/// carry credentials. What they recognise is replaced by a placeholder, `REDACTED-token-1`, wherever it stands from then on:
///
///     network.redaction = .standard.including(headers: ["X-Session"], queryItems: ["sig"], jsonKeys: ["pin"])
///     network.redaction = .standard.excluding(.rule("password-fields"), .header("Cookie"))
///     network.redaction = .none
///
/// Names are compared by their words: `access_token`, `accessToken` and `ACCESS-TOKEN` are one name. A value is followed
/// from the stub in which it is first recognised; stubs recorded before that one are not searched again.
public struct Redaction: Sendable {
    /// The rules that hold unless code says otherwise.
    public static let standard = Redaction(usesStandardRules: true)

    /// No rule at all: what is sent and received is stored as it is, and no recording is refused. The only way to nothing.
    public static let none = Redaction(usesStandardRules: false)

    let usesStandardRules: Bool
    private(set) var headers: Set<String> = []
    private(set) var queryItems: Set<String> = []
    private(set) var jsonKeys: Set<String> = []
    private(set) var formFields: Set<String> = []
    private(set) var patterns: [SecretPattern] = []
    private(set) var excluded: Set<Rule> = []
    private(set) var environmentValues: [String] = []

    private init(usesStandardRules: Bool) {
        self.usesStandardRules = usesStandardRules
    }

    /// These rules, and more of them; nothing is taken away.
    ///
    /// - Parameters:
    ///   - headers: header fields of requests and responses whose whole value is a secret.
    ///   - queryItems: items of a URL's query.
    ///   - jsonKeys: keys of JSON bodies, at any depth, and XML elements and attributes.
    ///   - formFields: fields of form and multipart bodies, and XML elements and attributes.
    ///   - patterns: regular expressions; the first group is the secret, or the whole match where there is no group. One
    ///     that is not a regular expression is looked for as it is written, and no recording is stored.
    public func including(
        headers: [String] = [],
        queryItems: [String] = [],
        jsonKeys: [String] = [],
        formFields: [String] = [],
        patterns: [String] = []
    ) -> Redaction {
        var result = self
        result.headers.formUnion(headers.map(FieldName.compact))
        result.queryItems.formUnion(queryItems.map(FieldName.compact))
        result.jsonKeys.formUnion(jsonKeys.map(FieldName.compact))
        result.formFields.formUnion(formFields.map(FieldName.compact))
        result.patterns += patterns.map(SecretPattern.init)
        return result
    }

    /// These rules without some of the standard ones. What was included by name stays included.
    public func excluding(_ rules: Rule...) -> Redaction {
        var result = self
        result.excluded.formUnion(rules)
        return result
    }

    /// These rules, and the values of the variables whose names promise a secret: `GITHUB_TOKEN`, `DB_PASSWORD`.
    ///
    /// Values under 8 characters, paths and common words are left alone.
    func knowing(environment: [String: String]) -> Redaction {
        guard usesStandardRules, !excluded.contains(.environmentValues) else { return self }
        var result = self
        let values = environment.filter { SecretNames.isSecret(variable: $0.key, value: $0.value) }.map(\.value)
        result.environmentValues = Set(environmentValues + values).sorted()
        return result
    }

    /// Whether there is nothing to look for.
    var isNothing: Bool {
        !usesStandardRules && headers.isEmpty && queryItems.isEmpty && jsonKeys.isEmpty && formFields.isEmpty
            && patterns.isEmpty
    }

    func has(_ rule: Rule) -> Bool {
        usesStandardRules && (excluded.isEmpty || !excluded.contains(rule))
    }
}

/// A regular expression of the user's, or the literal text where it is none.
struct SecretPattern: Sendable {
    let source: String
    let expression: NSRegularExpression?

    init(_ source: String) {
        self.source = source
        expression = try? NSRegularExpression(pattern: source)
    }
}
