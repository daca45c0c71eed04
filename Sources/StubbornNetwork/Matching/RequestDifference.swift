/// One thing in which a recorded request and a live one differ, on one line.
///
///     url.query.page: recorded "1", requested "2"
struct RequestDifference: Sendable, Hashable {
    /// What differs, and with it what would ignore it.
    enum Subject: Sendable, Hashable {
        case queryItem(String)
        case jsonMember(JSONKeyPath)
        case headerField(String)
        /// Scheme, host or port.
        case origin
        /// A body, or a part of one, that nothing but leaving the body out ignores.
        case wholeBody
        case other
    }

    /// Where: `method`, `url.host`, `url.query.page`, `headers.Accept`, `body.user.name`, `body.form.id`.
    let place: String

    /// What is different there: `recorded "1", requested "2"`.
    let text: String

    let subject: Subject

    /// Whether one of the two has nothing there: further away than another value.
    var isAboutPresence: Bool { text.hasPrefix("recorded none") || text.hasSuffix("requested none") }

    /// The code that would ignore it, with what the matcher in force ignores already: `.url(ignoringQueryItems: ["page"])`;
    /// `nil` if there is none.
    let ignoringOption: String?

    init(place: String, text: String, subject: Subject = .other, ignoredBy option: RequestMatcher? = nil) {
        self.place = place.cut()
        self.text = text
        self.subject = subject
        ignoringOption = option?.description
    }

    /// The values of both, as they are to be shown; `nil` for none.
    init(
        _ place: String,
        recorded: String?,
        requested: String?,
        subject: Subject = .other,
        ignoredBy option: RequestMatcher? = nil
    ) {
        let text = "recorded \(recorded ?? "none"), requested \(requested ?? "none")"
        self.init(place: place, text: text, subject: subject, ignoredBy: option)
    }
}

extension RequestDifference {
    /// A declared stub's value and a request's; empty for none.
    init(declared: String, requested: String, at place: String) {
        let quoted = { (text: String) in text.isEmpty ? "none" : text.quoted() }
        self.init(place: place, text: "declared \(quoted(declared)), requested \(quoted(requested))")
    }

    /// The same, told of a declared stub.
    var ofDeclaredStub: RequestDifference {
        guard text.hasPrefix("recorded ") else { return self }
        return RequestDifference(place: place, text: "declared \(text.dropFirst("recorded ".count))")
    }

    /// The line without secrets. Place and text each by itself: `token: recorded` is no token called "recorded".
    func described(_ redact: (String) -> String) -> String { "\(redact(place)): \(redact(text))" }
}

extension RequestDifference: CustomStringConvertible {
    var description: String { "\(place): \(text)" }
}
