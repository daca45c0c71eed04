import Foundation

/// The last look at a stub that is about to be written, so that a gap in what redacted it does not become a secret on
/// disk.
///
/// It judges differently than what replaces secrets: it reads the result, every value in every format, and asks of each
/// whether it looks random, whatever its name allows. A value that does under a secret's name, and one of a provider's
/// form, stops the recording. What looks random elsewhere is noted.
struct LastLook {
    private let redaction: Redaction
    private let names: SecretNames
    private let shapes: SecretShapes

    /// The first secret that was found.
    private(set) var finding: (rule: Redaction.Rule, part: String)?

    /// The parts with values that look random under names that say nothing, and the values' lengths.
    private(set) var unredacted: [(part: String, length: Int)] = []

    /// The part that is being searched: `response body, user, name`.
    private var part = ""

    /// The meaning that the names around a value have for it.
    private var outer: SecretField?

    init(_ redaction: Redaction) {
        self.redaction = redaction
        names = SecretNames(redaction: redaction)
        shapes = SecretShapes(redaction: redaction)
    }

    /// Searches a stub.
    ///
    /// - Throws: `.secretInRecording`, naming the rule and the part, where something still looks like a secret.
    mutating func search(_ stub: Stub) throws(StubbornNetworkError) {
        if let invalid = redaction.patterns.first(where: { $0.expression == nil }) {
            throw StubbornNetworkError(
                .secretInRecording,
                "Nothing was stored: the redaction pattern \(invalid.source) is not a regular expression, so that what it is "
                    + "meant to find may be in the recording. Correct it in .including(patterns:)."
            )
        }
        guard redaction.usesStandardRules else { return }
        let (request, head) = (stub.request, stub.response.head)
        search(request.url, "request URL")
        search(request.headerFields, "request")
        search(request.body, "request body", request.headerFields, coding: request.headerFields["Content-Encoding"])
        search(head?.headerFields ?? [:], "response")
        search(head?.url, "response URL")
        search(try? stub.response.body, "response body", head?.headerFields ?? [:])
        guard let finding else { return }
        if finding.rule == .compressedBodies {
            throw StubbornNetworkError(
                .secretInRecording,
                "Nothing was stored: the \(finding.part) is compressed in a way that cannot be searched for secrets "
                    + "(rule compressed-bodies). Have a BodyDataProcessor store it decompressed. If it holds no secret: "
                    + ".excluding(.compressedBodies)."
            )
        }
        throw StubbornNetworkError(
            .secretInRecording,
            "Nothing was stored: the recording holds what looks like a secret in the \(finding.part) "
                + "(rule \(finding.rule)). To have it replaced, name its field, its form or itself: "
                + ".including(headers:queryItems:jsonKeys:formFields:patterns:values:). If it is none: "
                + ".excluding(\(finding.rule.code))."
        )
    }

    // MARK: Parts

    private mutating func search(_ address: URL?, _ part: String) {
        self.part = part
        _ = address?.absoluteString.withBytes { url($0, depth: 0) }
    }

    private mutating func search(_ fields: HeaderFields, _ message: String) {
        for field in fields {
            part = "\(message) header \(field.name)"
            let secret = field.name.withBytes { names.field($0, in: .header) }
            field.value.withBytes { value in
                // The name of a cookie may look random, as those of Drupal and WordPress do.
                let ranges =
                    switch secret?.form {
                    case .cookies: CookieFields.values(inCookie: value)
                    case .setCookie: CookieFields.values(inSetCookie: value)
                    default: [0..<value.count]
                    }
                for range in ranges { judge(value.part(range), secret) }
            }
        }
    }

    private mutating func search(_ body: Data?, _ part: String, _ fields: HeaderFields, coding: String? = nil) {
        guard let body else { return }
        self.part = part
        let type = fields["Content-Type"]?.lowercased() ?? ""
        body.withBytes { bytes in
            if let coding, coding.lowercased() != "identity", bytes.contains(0) || bytes.firstInvalidUTF8 != nil,
                WrappedText.decoded(bytes, coding: coding) == nil
            {
                if redaction.has(.compressedBodies) { note(.compressedBodies) }
            } else {
                _ = content(bytes, depth: 0, type: type, coding: coding)
            }
        }
    }

    // MARK: Values

    /// Judges the words of a value that look random.
    private mutating func judge(_ value: Bytes, _ secret: SecretField?) {
        let isURL = value.position(of: "://", from: 0) != nil
        for run in RandomText.runs(in: value, atLeast: 16) {
            let word = value.part(run)
            // Tokens of JSON have been searched by their form, and objects in base64 by themselves.
            guard Self.isUnredacted(word, atLeast: 16), !word.has("eyJ", at: 0) else { continue }
            if let secret, !isURL, secret.accepts(word) { return note(secret.rule) }
            if word.count >= 20, unredacted.count < 100 { unredacted.append((part, word.count)) }
        }
    }

    /// Searches for what is known by its form.
    private mutating func searchForms(_ bytes: Bytes) {
        let match = shapes.matches(in: bytes).first {
            $0.form != .encoded && Self.isUnredacted(bytes.part($0.range), atLeast: 12)
        }
        if let match { note(match.rule) }
    }

    private mutating func note(_ rule: Redaction.Rule) { finding = finding ?? (rule, part) }

    /// Returns a Boolean value that indicates whether a value has a digit, and is not a placeholder, neither as it is
    /// nor in base64.
    private static func isUnredacted(_ value: Bytes, atLeast minimum: Int) -> Bool {
        value.count >= minimum && value.contains(where: \.isDigit) && !Placeholder.isIn(value)
            && Placeholder.finder.hits(in: value).isEmpty
    }
}

extension LastLook: TextVisitor {
    var isTelling: (Bytes, NamePlaces) -> Bool { { [names] in names.spread($0, in: $1) != nil } }

    var keepsForm: Bool { true }

    mutating func visit(_ wrapped: WrappedText, of bytes: Bytes) {
        if wrapped.isBinary { searchForms(bytes) }
        guard !wrapped.isWhole, unredacted.count < 100 else { return }
        unredacted.append((part + " (not read to its end)", bytes.count))
    }

    mutating func visit(_ field: TextField, in text: inout FieldText) -> Bool {
        guard !field.isNumber, field.value.count >= 16, finding == nil else { return false }
        let (bytes, around) = (text.bytes, (part, outer))
        defer { (part, outer) = around }
        var secret = field.outer.flatMap { names.spread(bytes.part($0), in: text.place) } ?? outer
        for range in field.names.reversed() { secret = names.field(bytes.part(range), in: text.place) ?? secret }
        if let name = field.names.first { part += ", \(bytes.part(name.prefix(80)).text)" }
        outer = secret
        let raw = bytes.part(field.value)
        let isText = text.readsValues && TextFormat.isLikely(in: raw, field.spelling)
        field.spelling.decoded(raw).withUnsafeBufferPointer { value in
            if value.count != raw.count { searchForms(value) }
            judge(value, secret)
            if isText { _ = content(value, depth: text.depth + 1) }
        }
        return false
    }

    mutating func visit(_ url: URLFields, in text: inout FieldText) {
        if let user = url.userInfo.map({ text.bytes.part($0) }), redaction.has(.userInfo),
            let colon = user.position(of: .colon, from: 0),
            Self.isUnredacted(user.part(colon + 1..<user.count), atLeast: 6)
        {
            note(.userInfo)
        }
        judge(text.bytes.part(url.path), nil)
    }

    mutating func finish(_ text: FieldText, _ format: TextFormat, isDecoded: Bool) -> [UInt8]? {
        searchForms(text.bytes)
        return nil
    }
}
