import Foundation

/// A difference between the request of a stub and a live one: `url.query.page: recorded "1", requested "2"`.
struct RequestDifference: Sendable, Hashable, CustomStringConvertible {
    enum Subject: Sendable, Hashable {
        /// Parts that matchers may leave out: a query item, a header field, a field of a body, or a segment of the path.
        case parts(IgnoredParts)
        /// Scheme, host or port.
        case origin
        /// A body, or a part of one, that can be ignored only by ignoring the whole body.
        case wholeBody
        /// A part that cannot be ignored: the method, a custom matcher, or a path without a part that differs each time.
        case other

        /// The parts to ignore, so that there is no difference.
        var ignored: IgnoredParts { if case .parts(let parts) = self { parts } else { IgnoredParts() } }
    }

    /// The values that differ, in the form for reports; `nil` for a missing value.
    enum Finding: Sendable, Hashable {
        /// The values of the stub and of the live request, and more about their difference.
        case values(stub: String?, live: String?, more: String = "")
        /// The description of an unmet condition.
        case remark(String)
    }

    /// The part of the request that differs: `url.query.page`, `headers.Accept`, `body.user.name`, `body.form.id`.
    let part: String
    let finding: Finding
    let subject: Subject

    init(_ part: String, _ finding: Finding, _ subject: Subject = .other) {
        (self.part, self.finding, self.subject) = (part.cut(), finding, subject)
    }

    /// Creates a difference from both values, in the form for reports; `nil` stands for none.
    init(_ part: String, _ recorded: String?, _ requested: String?, _ subject: Subject) {
        self.init(part, .values(stub: recorded.map(Self.shown), live: requested), subject)
    }

    /// Returns a recorded value in the form for reports: `any value (REDACTED-token-1)` for a quoted placeholder.
    private static func shown(_ recorded: String) -> String {
        let content = String(recorded.dropFirst().dropLast())
        guard recorded.hasPrefix("\""), content.withBytes(Placeholder.isWhole) else { return recorded }
        return "any value (\(content))"
    }

    /// Creates a difference between two texts, of which one may be missing.
    init(_ part: String, texts recorded: String?, _ requested: String?, _ subject: Subject) {
        guard let recorded, let requested else {
            self.init(part, recorded?.quoted(), requested?.quoted(), subject)
            return
        }
        let shown = String.quoted(recorded, requested)
        self.init(part, shown.old, shown.new, subject)
    }

    /// Creates a difference between two long texts.
    init(_ part: String, _ texts: TextDifference, _ subject: Subject) {
        let more = texts.count.map { "; \($0)" } ?? ""
        self.init(part, .values(stub: texts.old.quoted(), live: texts.new.quoted(), more: more), subject)
    }

    /// Creates a difference between a declared stub and a request; an empty value stands for none.
    init(_ part: String, declared: String, requested: String) {
        let texts = [declared, requested].map { $0.isEmpty ? nil : $0 }
        self = Self(part, texts: texts[0], texts[1], .other).ofDeclaredStub
    }

    /// The same difference, for a declared stub.
    var ofDeclaredStub: RequestDifference { RequestDifference(part, .remark(text(kind: "declared"))) }

    /// Returns the differences between live requests, with their secrets redacted.
    static func shown(_ differences: [Self], as safe: [Self]) -> [Self] {
        let (parts, safeParts) = (Set(differences.map(\.part)), Set(safe.map(\.part)))
        // Different secrets look alike when they are redacted.
        return safe.filter { parts.contains($0.part) }
            + differences.filter { !safeParts.contains($0.part) }
            .map { Self($0.part, .remark("differs in a redacted part"), $0.subject) }
    }

    /// A Boolean value that indicates whether only one of the requests has the part.
    var isAboutPresence: Bool {
        if case .values(let stub, let live, _) = finding { [stub, live].contains(nil) } else { false }
    }

    /// A value that a client makes for each request: a time or a random word.
    struct MadeValue: Hashable {
        let recorded: String
        let requested: String
        let isTime: Bool
    }

    /// The values that differ, if a client makes each of them for each request; `nil` for any other difference.
    var madeValues: [MadeValue]? {
        guard case .values(let stub?, let live?, _) = finding else { return nil }
        let (recorded, requested) = (stub.withBytes(Self.made), live.withBytes(Self.made))
        let values = zip(recorded.values, requested.values).filter { $0.text != $1.text }
        guard recorded.form == requested.form, !values.isEmpty else { return nil }
        return values.map { MadeValue(recorded: $0.text, requested: $1.text, isTime: $0.isTime) }
    }

    /// Returns a text with the forms of the values that a client makes, and these values.
    private static func made(in text: Bytes) -> (form: String, values: [(text: String, isTime: Bool)]) {
        let times = MadeText.times(in: text).map { (range: $0.range, form: $0.format, isTime: true) }
        let words = MadeText.words(in: text).apart(from: times.map { $0.range }) { $0 }.compactMap { range in
            MadeText.random(text.part(range)).map { (range: range, form: $0, isTime: false) }
        }
        let found = (times + words).sorted { $0.range.lowerBound < $1.range.lowerBound }
        let edits = found.map { Edit(range: $0.range, text: Array($0.form.utf8)) }
        let form = String(decoding: Edit.apply(edits, to: text) ?? Array(text), as: UTF8.self)
        return (form, found.map { (text.part($0.range).text, $0.isTime) })
    }

    /// A Boolean value that indicates whether the values look as if they differ each time: a server's port, a time, a random word,
    /// a version such as `3.4`; not `limit=3`, `state=open` or `Brazil (1985)`, which a test may request.
    var mayDifferEachTime: Bool {
        switch finding {
        case _ where subject == .origin || madeValues != nil: return true
        case .values(let stub?, let live?, _):
            return [stub, live].allSatisfy { value in
                let word = value.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
                // Digits and other characters.
                return !word.contains(where: \.isWhitespace) && Set(word.map(\.isNumber)).count == 2
            }
        case .values, .remark: return false
        }
    }

    /// Returns a Boolean value that indicates whether one of the two requests lacks this part.
    func hides(_ other: Self) -> Bool {
        subject == .wholeBody ? other.part.hasPrefix("body") : isAboutPresence && part == other.part
    }

    /// The values as text: `recorded "1", requested "2"`.
    var text: String { text(kind: "recorded") }

    private func text(kind: String) -> String {
        if case .remark(let text) = finding { return text }
        return "\(kind) \(texts.old ?? "none"), requested \(texts.new ?? "none")"
    }

    /// Both values as they are shown; `nil` for a value that is missing.
    var texts: (old: String?, new: String?) {
        guard case .values(let stub, let live, let more) = finding else { return (nil, nil) }
        guard let stub, let live else { return (stub, live) }
        let shown = LookAlikes.escaped(stub, live) ?? (stub, live)
        return (shown.first, shown.second + more)
    }

    var description: String { "\(part): \(text)" }

    /// Returns the line without secrets; in `token: recorded`, "recorded" is not a token.
    func described(_ redact: (String) -> String) -> String { "\(redact(part)): \(redact(text))" }

    // MARK: Finding differences

    /// Returns the differences between two fields of one name; one of them may be missing.
    ///
    /// `requests` are the recorded request and the live one.
    static func all(
        _ name: ComparedRequest.Name,
        _ old: ComparedRequest.Field?,
        _ new: ComparedRequest.Field?,
        of requests: [StubRequest],
        _ forms: PlaceholderForms?
    ) -> [RequestDifference] {
        let (oldTexts, newTexts) = (old?.texts ?? [], new?.texts ?? [])
        let key = PercentEncoding.decoded(name.key)
        func texts(_ part: String, _ subject: Subject, showsEmpty: Bool = true) -> [Self] {
            let texts = [oldTexts, newTexts].map { texts in
                texts.first.flatMap { $0 }.flatMap { $0.isEmpty && !showsEmpty ? nil : $0 }
            }
            return [Self(part, texts: texts[0], texts[1], subject)]
        }
        func items(_ part: String, _ subject: Subject) -> [Self] {
            let part = "\(part).\(key.onOneLine)"
            let (oldItems, newItems) = (oldTexts.removing(newTexts), newTexts.removing(oldTexts))
            let (old, new) = (shown(oldItems), shown(newItems))
            guard let old, old == new else { return [Self(part, old, new, subject)] }
            // `%2B` and `+` are the same text when they are decoded.
            let sent = [oldItems, newItems].map { $0.map { $0 ?? "" }.joined(separator: ", ") }
            return [Self(part, texts: sent[0], sent[1], subject)]
        }
        switch (old?.value, new?.value) {
        case (.tokens(let old)?, .tokens(let new)?) where name.part == .json:
            return all(JSONValue(old), JSONValue(new), forms)
        case (.bytes(let old)?, .bytes(let new)?) where name.part == .multipart: return all(old, new, forms)
        case (.bytes?, .bytes?): return [ofBodies(requests)]
        default: break
        }
        switch name.part {
        case .method: return texts("method", .other)
        case .scheme, .host, .port: return texts("url.\(name.part)", .origin, showsEmpty: false)
        case .path: return [ofPaths(oldTexts.map { $0 ?? "" }, newTexts.map { $0 ?? "" }, forms)]
        case .query: return items("url.query", .parts(IgnoredParts(queryItems: [key])))
        case .formField: return items("body.form", .parts(IgnoredParts(bodyFields: [key])))
        case .header:
            let fields = requests.reversed().map(\.headerFields).joined()
            let spelling = fields.first { $0.name.isSameFieldName(as: name.key) }?.name ?? name.key
            return texts("headers.\(spelling.onOneLine)", .parts(IgnoredParts(headerFields: [spelling])))
        case .form, .json, .multipart, .bytes: return []
        }
    }

    /// Returns the values of one name, decoded.
    private static func shown(_ values: [String?]) -> String? {
        guard !values.isEmpty else { return nil }
        let texts = values.prefix(8).map { value in
            value.map { PercentEncoding.decoded($0).quoted(upTo: 256 / min(8, values.count)) } ?? "no value"
        }
        return texts.joined(separator: ", ") + (values.count > 8 ? ", …" : "")
    }

    private static func ofPaths(_ old: [String], _ new: [String], _ forms: PlaceholderForms?) -> RequestDifference {
        var new = new
        for (index, segment) in old.enumerated() where old.count == new.count {
            if ComparedRequest.Field(.path, segment).matches(.init(.path, new[index]), forms) { new[index] = segment }
        }
        let (oldPath, newPath) = (old.joined(separator: "/"), new.joined(separator: "/"))
        let template = PathTemplate(ofGenerated: oldPath, newPath)
        let subject = template.map { Subject.parts(IgnoredParts(pathParameters: [$0.text])) } ?? .other
        return Self("url.path", texts: oldPath, newPath, subject)
    }

    // MARK: Bodies

    private static func all(_ old: JSONValue, _ new: JSONValue, _ forms: PlaceholderForms?) -> [RequestDifference] {
        func isEqual(_ old: JSONValue, _ new: JSONValue) -> Bool {
            guard old.tokens.count == 1, new.tokens.count == 1 else { return old == new }
            return ComparedRequest.Field(old).matches(.init(new), forms)
        }
        return JSONDifference.all(old, new, isEqual: isEqual).map { found in
            let path = JSONKeyPath(keys: found.keys).text
            let subject: Subject = found.keys.isEmpty ? .wholeBody : .parts(IgnoredParts(jsonKeyPaths: [path]))
            if let texts = found.ofTexts { return Self(found.part, texts, subject) }
            return Self(found.part, found.texts.old, found.texts.new, subject)
        }
    }

    private static func all(_ old: [BodyPart], _ new: [BodyPart], _ forms: PlaceholderForms?) -> [Self] {
        guard old.count == new.count else {
            return [Self("body", old.count.counting("part"), new.count.counting("part"), .wholeBody)]
        }
        func field(_ part: BodyPart) -> ComparedRequest.Field { .init([part]) }
        return zip(old, new).enumerated().filter { !field($1.0).matches(field($1.1), forms) }.map { index, parts in
            let (old, new) = parts
            let name = "body.parts\(new.name.map { ".\($0.onOneLine)" } ?? "[\(index)]")"
            let subject = new.name.map { Subject.parts(IgnoredParts(bodyFields: [$0])) } ?? .wholeBody
            // The header fields of a part seldom differ.
            return old.head == new.head
                ? ofBytes(name, old.content, new.content, subject)
                : ofBytes(name, old.text, new.text, old.name == new.name ? subject : .wholeBody)
        }
    }

    /// Returns the difference between two bodies as they are sent.
    static func ofBodies(_ requests: [StubRequest]) -> RequestDifference {
        ofBytes("body", requests[0].body ?? Data(), requests[1].body ?? Data(), .wholeBody)
    }

    /// Returns short strings that differ, or else the sizes and the offset of the first difference.
    static func ofBytes(_ part: String, _ old: Data, _ new: Data, _ subject: Subject) -> RequestDifference {
        if let oldText = old.text(upTo: 64), let newText = new.text(upTo: 64) {
            let shown = [oldText, newText].map { $0.isEmpty ? nil : $0.quoted() }
            return Self(part, shown[0], shown[1], subject)
        }
        if !old.isEmpty, !new.isEmpty, let oldText = old.text(upTo: 64 << 10), let newText = new.text(upTo: 64 << 10) {
            return Self(part, TextDifference(oldText, newText), subject)
        }
        let offset = zip(old, new).prefix { $0 == $1 }.count
        let shown = { (data: Data) in data.isEmpty ? nil : data.count.counting("byte") }
        let more = old.isEmpty || new.isEmpty ? "" : "; first difference at byte \(offset)"
        return Self(part, .values(stub: shown(old), live: shown(new), more: more), subject)
    }
}

extension Data {
    /// Returns the bytes as text; `nil` for text with control characters, bytes that are not text, and more than `byteCount`.
    fileprivate func text(upTo byteCount: Int) -> String? {
        guard count <= byteCount else { return nil }
        // Foundation's initializer leaves out a byte-order mark.
        let text = String(decoding: self, as: UTF8.self)
        return text.isPlainText && text.utf8.elementsEqual(self) ? text : nil
    }
}
