import Foundation

/// An object that recognizes the secrets of one recording, remembers them, and replaces them everywhere.
///
/// A value is replaced in the stub in which it is recognized and in every one after it. Stubs that were redacted before
/// are not searched again. Its methods may be called from any thread.
package final class Redactor: Sendable {
    let redaction: Redaction
    private let rewriter: Lock<Rewriter>
    private let listed = Lock(RedactionList())
    /// Held while stubs are searched, so that another report waits for the result.
    private let searching = Lock(0)

    /// Creates the redactor of one recording.
    package init(_ redaction: Redaction, environment: [String: String] = [:]) {
        self.redaction = redaction.knowing(environment: environment)
        rewriter = Lock(Rewriter(self.redaction))
    }

    /// Returns the stub in the form for storage: URL, header fields, bodies and the text of an error.
    ///
    /// Placeholders are unchanged: those with a name, and the digits that the request lists.
    package func redact(_ stub: Stub) -> Stub { rewriting(stub) { $0.rewrite(&$1) } }

    /// Returns a redacted stub without the values that were recognized since.
    package func redactAgain(_ stub: Stub) -> Stub { rewriting(stub) { $0.replaceKnownValues(in: &$1) } }

    private func rewriting(_ stub: Stub, _ rewrite: (inout Rewriter, inout Stub) -> Void) -> Stub {
        // A value that a test made is stored unchanged, or not at all.
        if stub.valueName != nil { return stub }
        return withRewriter(stub) { rewriter in
            rewriter.vault.listed = Set((stub.request.placeholders ?? []).map { Array($0.utf8) })
            var result = stub
            rewrite(&rewriter, &result)
            list(rewriter.vault, &result.request)
            return result
        }
    }

    /// Returns a live request, redacted for storage.
    func redact(_ request: StubRequest) -> StubRequest {
        withRewriter(request) { rewriter in
            var result = rewriter.rewrite(request)
            list(rewriter.vault, &result)
            return result
        }
    }

    /// Returns a text without secrets, to be shown: an error, a log line, a report.
    func redact(text: String) -> String {
        withRewriter(text) { rewriter in
            (rewriter.vault.part, rewriter.isResponse) = ("", false)
            let result = text.withBytes { bytes in
                rewriter.then(rewriter.content(bytes, depth: 1), bytes) { $0.knownValues(in: $1) }
            }
            return result.map { String(decoding: $0, as: UTF8.self) } ?? text
        }
    }

    /// Returns the request as a report shows it: without its own secrets, and without those of all earlier requests.
    package func shownForm(of live: StubRequest) -> StubRequest { withRewriter(live) { $0.rewrite(live) }.nameless }

    /// Returns a URL as an error without a network shows it: without the values that the standard rules recognize as secrets.
    static func shown(_ url: URL) -> URL { Redactor(.standard).shownForm(of: StubRequest(url: url)).url }

    /// The number of values that are searched for.
    ///
    /// If it has grown since a stub was redacted, `redactAgain(_:)` replaces the values that were recognized since.
    package var knownSecretCount: Int { rewriter.withLock { $0.vault.followed.count } }

    /// Continues the numbers of placeholders after the numbers in a stub that is already in the file.
    package func learn(fromStored stub: Stub) {
        if stub.valueName != nil { return }
        withRewriter(()) { $0.vault.learn(fromStored: stub) }
    }

    /// Learns the secrets of a request that is not recorded, because a stub answered it.
    func learn(fromLive request: StubRequest) { withRewriter(()) { _ = $0.rewrite(request) } }

    /// Assigns to live values their placeholders in the stub that answers a request.
    func adopt(_ values: [(placeholder: String, value: [UInt8])]) {
        withRewriter(()) { rewriter in
            for (placeholder, value) in values { rewriter.vault.adopt(Array(placeholder.utf8), for: value) }
        }
    }

    /// Returns a redacted stub that is about to be written; if other requests have brought new secrets, without these.
    ///
    /// - Throws: `.secretInRecording` if a secret cannot be replaced.
    func scanned(_ stub: Stub, number: Int) throws(StubbornNetworkError) -> Stub {
        if (try? scan(stub, number: number)) != nil { return stub }
        let again = redactAgain(stub)
        try scan(again, number: number)
        return again
    }

    /// Looks once more at a redacted stub that is about to be written.
    ///
    /// The report lists what looks random in it. Of the stubs with one request number, which are the beginnings of a stream and the
    /// whole, it searches the last.
    ///
    /// - Throws: `.secretInRecording`, with the rule and the part, if a value that was replaced elsewhere is found.
    package func scan(_ stub: Stub, number: Int) throws(StubbornNetworkError) {
        guard !redaction.isNothing else { return }
        if let invalid = redaction.patterns.first(where: { $0.expression == nil }) {
            throw StubbornNetworkError(
                .secretInRecording,
                "Nothing was stored: the redaction pattern \(invalid.source) is not a regular expression, so the recording "
                    + "may contain secrets that the pattern should find. Correct it in .including(patterns:)."
            )
        }
        if stub.valueName == nil, let left = rewriter.withLock({ $0.leftover(in: stub) }) {
            let (field, part) = (left.field, left.part)
            let decision = field.rule == .included ? "leave it out of .including(…)" : ".excluding(\(field.rule.code))"
            throw StubbornNetworkError(
                .secretInRecording,
                "Nothing was stored: the \(part) still contains a value that was replaced elsewhere (\(field.label), rule "
                    + "\(field.rule)). If it is not a secret: \(decision)."
            )
        }
        guard redaction.usesStandardRules, stub.valueName == nil else { return }
        listed.withLock { $0.unsearched[number] = stub }
    }

    /// The replacements so far, and the values that look random in the stubs that are about to be written.
    package var report: RedactionReport {
        searching.withLock { _ in
            let stubs = listed.withLock { list in
                defer { list.unsearched = [:] }
                return list.unsearched.sorted { $0.key < $1.key }.map(\.value)
            }
            // This is done outside the lock of the list, because storing waits for that lock.
            let found = stubs.map { ($0.request, UnredactedTextSearch.found(in: $0)) }
            return listed.withLock { list in
                for (request, found) in found { list.add(found, of: request) }
                return list.report
            }
        }
    }

    /// Returns the result of `rewrite`; the value itself if there is nothing to search for.
    private func withRewriter<Value: Sendable>(_ value: Value, _ rewrite: (inout Rewriter) -> Value) -> Value {
        if redaction.isNothing { return value }
        return rewriter.withLock { rewriter in
            (rewriter.vault.notes, rewriter.vault.hidden, rewriter.vault.listed) = ([], [], [])
            return rewrite(&rewriter)
        }
    }

    /// Lists the replacements in a request and its response: all of them in the report, and in the request the placeholders that
    /// look like ordinary digits.
    private func list(_ vault: SecretVault, _ request: inout StubRequest) {
        if !vault.notes.isEmpty { listed.withLock { [request] in $0.add(vault.notes, of: request) } }
        guard !vault.hidden.isEmpty else { return }
        let hidden = vault.hidden.map { String(decoding: $0, as: UTF8.self) }
        request.placeholders = Set(request.placeholders ?? []).union(hidden).sorted()
    }
}

extension Redaction {
    /// Returns these rules with the values of the environment variables that have names of secrets: `GITHUB_TOKEN`,
    /// `DB_PASSWORD`.
    ///
    /// Values under 8 characters, paths and common words are left out.
    func knowing(environment: [String: String]) -> Redaction {
        guard !environment.isEmpty, has(.environmentValues) else { return self }
        var result = self
        let values = environment.filter { name, value in
            guard value.utf8.count >= 8, !["/", "~/", "./"].contains(where: value.hasPrefix),
                let field = name.withBytes({ Redaction.standard.field($0, in: .text) })
            else { return false }
            return value.withBytes { bytes in
                SecretValues.reach(of: bytes) != nil && SecretRule.isSecret(FieldValue(bytes: bytes, field: field))
            }
        }.map(\.value)
        let new = Set(values).subtracting(knownValues.map(\.value))
        result.knownValues += new.sorted().map { ($0, .environmentValues) }
        return result
    }
}
