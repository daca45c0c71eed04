import Foundation

/// An object that recognises the secrets of one recording, remembers them, and replaces them everywhere.
///
/// A value is replaced in the stub in which it is recognised and in every one after it. Stubs handed over before are
/// not searched again. Its methods may be called from any thread.
final class Redactor: Sendable {
    let redaction: Redaction
    private let rewriter: Lock<Rewriter>
    private let listed = Lock(RedactionReport())

    /// Creates the redactor of one recording.
    ///
    /// - Parameters:
    ///   - redaction: The rules by which secrets are recognised.
    ///   - environment: The process's variables. The values of those named like secrets are known from the start.
    init(_ redaction: Redaction, environment: [String: String] = [:]) {
        self.redaction = redaction.knowing(environment: environment)
        rewriter = Lock(Rewriter(self.redaction, mode: .numbered))
    }

    /// Returns the stub as it may be stored: URL, header fields, bodies and the text of an error.
    func redact(_ stub: Stub) -> Stub {
        guard !redaction.isNothing else { return stub }
        return rewriter.withLock { rewriter in
            let result = rewriter.rewrite(stub)
            report(&rewriter, result.request)
            return result
        }
    }

    /// Returns the request as it may be stored.
    ///
    /// Redacted when it starts, requests that overlap get the same placeholders in each recording.
    func redact(_ request: StubRequest) -> StubRequest {
        guard !redaction.isNothing else { return request }
        return rewriter.withLock { rewriter in
            let result = rewriter.rewrite(request)
            report(&rewriter, result)
            return result
        }
    }

    /// The replacements so far, and what looks random in the stubs that were searched before they were written.
    var report: RedactionReport { listed.withLock { $0 } }

    private func report(_ rewriter: inout Rewriter, _ request: StubRequest) {
        guard !rewriter.vault.notes.isEmpty else { return }
        let notes = rewriter.vault.notes
        rewriter.vault.notes = []
        listed.withLock { $0.add(notes, of: request.nameInReports) }
    }

    /// Returns a text as it may be shown: an error, a log line, a report.
    func redact(text: String) -> String {
        guard !redaction.isNothing else { return text }
        return rewriter.withLock { rewriter in
            rewriter.vault.part = ("", "")
            let bytes = text.withBytes { rewriter.message($0) }
            return bytes.map { String(decoding: $0, as: UTF8.self) } ?? text
        }
    }

    /// Returns the request as it is compared, where values seen earlier in this recording stand in places that no rule
    /// knows.
    func matchingForm(of request: StubRequest) -> StubRequest {
        guard !redaction.isNothing else { return request }
        return redaction.matchingForm(
            of: rewriter.withLock { rewriter in
                defer { rewriter.vault.notes = [] }
                return rewriter.rewrite(request)
            }
        )
    }

    /// The number of values that are looked for.
    ///
    /// Where it has grown since a stub was redacted, redacting that stub once more takes out what was recognised only
    /// after it.
    var knownSecretCount: Int { rewriter.withLock { $0.vault.followedCount } }

    /// Lets the numbers of placeholders continue behind those of a stub that is in the file already.
    func learn(fromStored stub: Stub) {
        guard !redaction.isNothing else { return }
        rewriter.withLock { rewriter in
            var learning = rewriter
            learning.vault = rewriter.vault.learning
            _ = learning.rewrite(stub)
            rewriter.vault.continueNumbers(of: learning.vault)
        }
    }

    /// Learns the secrets of a request that is not recorded, because a stub answered it.
    func learn(fromLive request: StubRequest) {
        guard !redaction.isNothing, !redaction.plainlyHasNothing(in: request) else { return }
        rewriter.withLock { rewriter in
            _ = rewriter.rewrite(request)
            rewriter.vault.notes = []
        }
    }

    /// Gives the secrets of a live request the placeholders that they have in the stub that answers it.
    func adopt(_ stored: StubRequest, for request: StubRequest) {
        let pairs = redaction.reading(stored).secrets.pairs(with: redaction.reading(request).secrets)
        rewriter.withLock { rewriter in
            for (placeholder, live) in pairs where live.value != placeholder.value {
                rewriter.vault.adopt(placeholder.value, for: live.value, live.field)
            }
        }
    }

    /// Searches a redacted stub that is about to be written for secrets that were not replaced.
    ///
    /// - Throws: `.secretInRecording`, naming the rule and the part, where something still looks like a secret.
    func scan(_ stub: Stub) throws(StubbornNetworkError) {
        guard !redaction.isNothing else { return }
        var look = LastLook(redaction)
        try look.search(stub)
        guard !look.unredacted.isEmpty else { return }
        listed.withLock { $0.add(unredacted: look.unredacted, of: stub.request.nameInReports) }
    }
}

extension StubRequest {
    /// The method and the URL without query.
    var nameInReports: String {
        "\(method) \(url.absoluteString.prefix { $0 != "?" && $0 != "#" })".cut(to: 500)
    }
}

extension Redaction {
    /// Returns these rules, with the values of the variables whose names promise a secret: `GITHUB_TOKEN`,
    /// `DB_PASSWORD`.
    ///
    /// Values under 8 characters, paths and common words are left alone.
    func knowing(environment: [String: String]) -> Redaction {
        guard !environment.isEmpty, has(.environmentValues) else { return self }
        var result = self
        let values = environment.filter { Self.isSecret(variable: $0.key, value: $0.value) }.map(\.value)
        let known = Set(knownValues.map(\.value))
        result.knownValues += Set(values).subtracting(known).sorted().map {
            KnownValue(value: $0, isOfEnvironment: true)
        }
        return result
    }

    private static func isSecret(variable: String, value: String) -> Bool {
        let name = variable.withBytes { FieldName($0) }
        return SecretList.variables.contains(where: name.contains)
            && !SecretList.variablesOfLocations.contains(where: name.ends(in:))
            && !["/", "~/", "./"].contains(where: value.hasPrefix) && value.utf8.count >= 8
            && value.withBytes { SecretValues.reach(of: $0) != nil }
    }

    /// Returns the request as it is compared: every secret, and every placeholder for one, is `REDACTED`, a JSON number
    /// `9`.
    ///
    /// A live request has the same form as its recording, whatever the placeholder in there is called and numbered.
    func matchingForm(of request: StubRequest) -> StubRequest { reading(request).form }

    /// Returns the request as it is compared, and the secrets that were in it.
    func reading(_ request: StubRequest) -> (form: StubRequest, secrets: RequestSecrets) {
        // Before a rewriter is made.
        if isNothing || plainlyHasNothing(in: request) { return (request, RequestSecrets()) }
        return MatchingForm(self).of(request)
    }

    /// Returns the stub without the names and numbers of its placeholders.
    ///
    /// `REDACTED-token-7` becomes `REDACTED`, and a number becomes as many nines. Everything else stays.
    ///
    /// Numbers count secrets in the order in which they were seen, which differs from recording to recording where
    /// requests overlap. Two recordings that have the same form say the same.
    func namelessForm(of stub: Stub) -> Stub {
        guard !isNothing else { return stub }
        var rewriter = Rewriter(self, mode: .nameless)
        return rewriter.rewrite(stub)
    }
}

/// The form in which requests are compared.
///
/// For many requests, it is made once.
struct MatchingForm {
    private let redaction: Redaction
    private let rewriter: Rewriter?

    init(_ redaction: Redaction) {
        self.redaction = redaction
        rewriter = redaction.isNothing ? nil : Rewriter(redaction, mode: .unnumbered)
    }

    func of(_ request: StubRequest) -> (form: StubRequest, secrets: RequestSecrets) {
        // A copy: what one request holds says nothing about the next.
        guard var rewriter, !redaction.plainlyHasNothing(in: request) else { return (request, RequestSecrets()) }
        let form = rewriter.rewrite(request)
        return (form, rewriter.vault.secrets)
    }

    /// Returns the form in which what signatures bring along (times, nonces, states, challenges) does not count, and the
    /// names and values of that; `nil` for a request without any of it.
    func loose(_ request: StubRequest) -> (form: StubRequest, companions: [String: String])? {
        guard var rewriter, Self.mayBeSigned(request) else { return nil }
        rewriter.isLoose = true
        let form = rewriter.rewrite(request)
        guard !rewriter.companions.isEmpty else { return nil }
        return (form, Dictionary(rewriter.companions.map { ($0.name, $0.value) }) { first, _ in first })
    }

    /// Returns a Boolean value that indicates whether names of what signatures bring along may be in a request.
    static func mayBeSigned(_ request: StubRequest) -> Bool {
        let names: [StaticString] = ["ignature", "nonce", "state=", "challenge", "sig=", "hmac="]
        func isIn(_ bytes: Bytes) -> Bool { names.contains { bytes.position(of: $0, from: 0) != nil } }
        if request.url.query?.withBytes(isIn) == true { return true }
        guard let body = request.body, body.count < 65_536 else { return false }
        return body.withBytes(isIn)
    }
}
