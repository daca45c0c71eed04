/// A difference between the request of a stub and a live one: `url.query.page: recorded "1", requested "2"`.
struct RequestDifference: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        /// Parts that matchers may leave out: a query item, a header field, a field of a body, or a segment of the path.
        case parts(IgnoredParts)
        /// Scheme, host or port.
        case origin
        /// A body, or a part of one, that can be ignored only by ignoring the whole body.
        case wholeBody
        case other

        /// The parts to ignore, so that there is no difference.
        var ignored: IgnoredParts { if case .parts(let parts) = self { parts } else { IgnoredParts() } }
    }

    /// The values that differ, as they are shown; `nil` for a value that is missing.
    enum Finding: Sendable, Hashable {
        /// The values of the stub and of the live request, and more about their difference.
        case values(stub: String?, live: String?, more: String = "")
        /// A text that says all about a condition that does not hold.
        case remark(String)
    }

    /// The part of the request that differs: `url.query.page`, `headers.Accept`, `body.user.name`, `body.form.id`.
    let part: String
    let finding: Finding
    let subject: Subject

    init(_ part: String, _ finding: Finding, _ subject: Subject = .other) {
        self.part = part.cut()
        self.finding = finding
        self.subject = subject
    }

    /// Creates a difference from both values, as they are to be shown; `nil` stands for none.
    init(_ part: String, _ recorded: String?, _ requested: String?, _ subject: Subject) {
        let isWildcard =
            recorded?.withBytes { $0.count > 2 && $0[0] == .quote && Placeholder.isWhole($0.part(1..<$0.count - 1)) }
            == true
        let recorded = isWildcard ? recorded.map { "any value (\($0.dropFirst().dropLast()))" } : recorded
        self.init(part, .values(stub: recorded, live: requested), subject)
    }

    /// Creates a difference between two long texts.
    init(_ part: String, _ texts: TextDifference, _ subject: Subject) {
        let more = texts.count.map { "; \($0)" } ?? ""
        self.init(part, .values(stub: texts.old.quoted(), live: texts.new.quoted(), more: more), subject)
    }

    /// Creates a difference between a declared stub and a request; an empty value stands for none.
    init(_ part: String, declared: String, requested: String) {
        let shown = { (text: String) in text.isEmpty ? nil : text.quoted() }
        self = Self(part, .values(stub: shown(declared), live: shown(requested))).ofDeclaredStub
    }

    /// The same difference, when the stub is a declared one.
    var ofDeclaredStub: RequestDifference { RequestDifference(part, .remark(text(kind: "declared"))) }

    /// Returns the differences of live requests as those of requests without their secrets.
    static func shown(_ differences: [Self], as safe: [Self]) -> [Self] {
        let (parts, safeParts) = (Set(differences.map(\.part)), Set(safe.map(\.part)))
        // Two secrets that differ look alike when they are redacted.
        return safe.filter { parts.contains($0.part) }
            + differences.filter { !safeParts.contains($0.part) }
            .map { Self($0.part, .remark("differs in a redacted part"), $0.subject) }
    }

    /// A Boolean value that indicates whether only one of the requests has the part.
    var isAboutPresence: Bool {
        guard case .values(let stub, let live, _) = finding else { return false }
        return stub == nil || live == nil
    }

    /// The values as text: `recorded "1", requested "2"`.
    var text: String { text(kind: "recorded") }

    private func text(kind: String) -> String {
        switch finding {
        case .values(let stub, let live, let more): "\(kind) \(stub ?? "none"), requested \(live ?? "none")\(more)"
        case .remark(let text): text
        }
    }

    /// Returns the line without secrets; in `token: recorded`, "recorded" is not a token.
    func described(_ redact: (String) -> String) -> String { "\(redact(part)): \(redact(text))" }
}

extension RequestDifference: CustomStringConvertible {
    var description: String { "\(part): \(text)" }
}
