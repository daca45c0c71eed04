/// A difference between a recorded request and a live one: `url.query.page: recorded "1", requested "2"`.
struct RequestDifference: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case queryItem(String)
        case jsonMember(JSONKeyPath)
        case headerField(String)
        /// Scheme, host or port.
        case origin
        /// A body, or a part of one, that can be ignored only by ignoring the whole body.
        case wholeBody
        case other
    }

    /// The part of the request that differs: `url.query.page`, `headers.Accept`, `body.user.name`, `body.form.id`.
    let part: String
    let text: String
    let subject: Subject

    var isAboutPresence: Bool { text.hasPrefix("recorded none") || text.hasSuffix("requested none") }

    init(part: String, text: String, subject: Subject = .other) {
        self.part = part.cut()
        self.text = text
        self.subject = subject
    }

    /// Creates a difference from both values, as they are to be shown; `nil` stands for none.
    init(_ part: String, _ recorded: String?, _ requested: String?, _ subject: Subject) {
        let isHole =
            recorded?.withBytes { $0.count > 2 && $0[0] == .quote && Placeholder.isWhole($0.part(1..<$0.count - 1)) }
            == true
        let recorded = isHole ? recorded.map { "any value (\($0.dropFirst().dropLast()))" } : recorded
        self.init(
            part: part,
            text: "recorded \(recorded ?? "none"), requested \(requested ?? "none")",
            subject: subject
        )
    }

    /// Creates a difference between a declared stub and a request; an empty value stands for none.
    init(_ part: String, declared: String, requested: String) {
        let quoted = { (text: String) in text.isEmpty ? "none" : text.quoted() }
        self.init(part: part, text: "declared \(quoted(declared)), requested \(quoted(requested))")
    }

    /// The same difference, when the stub is a declared one.
    var ofDeclaredStub: RequestDifference {
        guard text.hasPrefix("recorded ") else { return self }
        return RequestDifference(part: part, text: "declared \(text.dropFirst("recorded ".count))")
    }

    /// Returns the line without secrets; in `token: recorded`, "recorded" is not a token.
    func described(_ redact: (String) -> String) -> String { "\(redact(part)): \(redact(text))" }
}

extension RequestDifference: CustomStringConvertible {
    var description: String { "\(part): \(text)" }
}
