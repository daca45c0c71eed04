import Foundation

/// The last look at a stub that is about to be written, so that a gap in what redacted it does not become a secret on
/// disk.
///
/// It judges differently than what replaces secrets: it reads the result, every value in every format, and asks of each
/// whether it looks random, whatever its name allows. A value that does under a secret's name, and one of a provider's
/// form, stops the recording. What looks random elsewhere is noted.
struct LastLook {
    struct Finding: Equatable {
        var rule: Redaction.Rule
        var part: String
    }

    private static let maximumDepth = 8

    private let redaction: Redaction
    private let names: SecretNames
    private let shapes: SecretShapes

    /// The first secret that was found.
    private(set) var finding: Finding?

    /// The parts with values that look random under names that say nothing, and the values' lengths.
    private(set) var unredacted: [(part: String, length: Int)] = []

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
        let fields = stub.request.headerFields
        stub.request.url.absoluteString.withBytes { url($0, "request URL") }
        headers(fields, "request")
        if let body = stub.request.body { search(body, "request body", fields) }
        headers(stub.response.head?.headerFields ?? [:], "response")
        stub.response.head?.url?.absoluteString.withBytes { url($0, "response URL") }
        if let body = try? stub.response.body {
            search(body, "response body", ["Content-Type": stub.response.head?.headerFields["Content-Type"] ?? ""])
        }
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

    private mutating func headers(_ fields: HeaderFields, _ message: String) {
        for field in fields {
            let secret = field.name.withBytes { names.field($0, in: .header) }
            field.value.withBytes { text($0, "\(message) header \(field.name)", secret) }
        }
    }

    private mutating func url(_ bytes: Bytes, _ part: String) {
        let url = URLFields(bytes)
        if let user = url.userInfo, redaction.has(.userInfo),
            let colon = bytes.part(user).position(of: .colon, from: 0),
            Self.isUnredacted(bytes.part(user.lowerBound + colon + 1..<user.upperBound), atLeast: 6)
        {
            note(.userInfo, part)
        }
        for range in [url.query, url.fragment] {
            let pairs = bytes.part(range)
            FormFields.read(pairs, as: .query) { self.field($0, of: pairs, in: .query, part, nil, depth: 0) }
        }
        text(bytes.part(url.path), part, nil)
    }

    private mutating func search(_ body: Data, _ part: String, _ fields: HeaderFields) {
        let type = fields["Content-Type"]?.lowercased() ?? ""
        let coding = fields["Content-Encoding"]?.lowercased() ?? "identity"
        body.withBytes { bytes in
            if coding != "identity", String(bytes: bytes, encoding: .utf8) == nil || bytes.contains(0) {
                if coding.contains("gzip") || coding.contains("deflate"), let plain = Inflation.inflate(bytes) {
                    plain.withUnsafeBufferPointer { search($0, part, type: type, nil, depth: 0) }
                } else if redaction.has(.compressedBodies) {
                    note(.compressedBodies, part)
                }
            } else if let wide = WideText(bytes) {
                wide.narrow.withUnsafeBufferPointer { search($0, part, type: type, nil, depth: 0) }
            } else {
                search(bytes, part, type: type, nil, depth: 0)
            }
        }
    }

    /// Searches a text of any format, and the values in it.
    private mutating func search(_ bytes: Bytes, _ part: String, type: String = "", _ outer: SecretField?, depth: Int) {
        shaped(bytes, part)
        guard depth < Self.maximumDepth, finding == nil, type.hasPrefix("multipart/") || !bytes.contains(0) else {
            return
        }
        let format = TextFormat(bytes, type: type)
        let names = names
        switch format.kind {
        case .reference: url(bytes, part)
        case .other: text(bytes, part, outer)
        default:
            let place = format.place
            _ = format.read(isTelling: { names.spread(bytes.part($0), in: place) != nil }) { found in
                field(found, of: bytes, in: place, part, outer, depth: depth)
            }
        }
    }

    // MARK: Values

    private mutating func field(
        _ field: TextField,
        of bytes: Bytes,
        in place: SecretPlaces,
        _ part: String,
        _ outer: SecretField?,
        depth: Int
    ) {
        guard !field.isNumber, field.value.count >= 16, finding == nil else { return }
        let name = field.names.first.map { bytes.part($0) }
        var secret = field.outer.flatMap { names.spread(bytes.part($0), in: place) } ?? outer
        for range in field.names.reversed() { secret = names.field(bytes.part(range), in: place) ?? secret }
        let part = name.map { "\(part), \($0.part(0..<80).text)" } ?? part
        let raw = bytes.part(field.value)
        let value = field.spelling.decoded(raw)
        value.withUnsafeBufferPointer { value in
            if value.count != raw.count { shaped(value, part) }
            text(value, part, secret)
            if Base64.isText(value), let decoded = Base64.decoded(value) {
                decoded.withUnsafeBufferPointer { search($0, part, secret, depth: depth + 1) }
            } else if value.contains(where: { "{[<=&:".utf8.contains($0) }) {
                search(value, part, secret, depth: depth + 1)
            }
        }
    }

    /// Judges the words of a text that look random.
    private mutating func text(_ value: Bytes, _ part: String, _ secret: SecretField?) {
        let isURL = value.position(of: "://", from: 0) != nil
        for run in RandomText.runs(in: value, atLeast: 16) {
            let word = value.part(run)
            // Tokens of JSON have been searched by their form, and objects in base64 by themselves.
            guard Self.isUnredacted(word, atLeast: 16), !word.has("eyJ", at: 0) else { continue }
            if let secret, !isURL, secret.accepts(word) { return note(secret.rule, part) }
            guard word.count >= 20, unredacted.count < 100 else { continue }
            unredacted.append((part, word.count))
        }
    }

    /// Searches for what is known by its form.
    private mutating func shaped(_ bytes: Bytes, _ part: String) {
        let match = shapes.matches(in: bytes).first {
            $0.form != .encoded && Self.isUnredacted(bytes.part($0.range), atLeast: 12)
        }
        if let match { note(match.rule, part) }
    }

    private mutating func note(_ rule: Redaction.Rule, _ part: String) {
        finding = finding ?? Finding(rule: rule, part: part)
    }

    /// Returns a Boolean value that indicates whether a value has a digit, and is not a placeholder, neither as it is
    /// nor in base64.
    private static func isUnredacted(_ value: Bytes, atLeast minimum: Int) -> Bool {
        value.count >= minimum && value.contains(where: \.isDigit) && !Placeholder.isIn(value)
            && !["UkVEQUNURU", "NWVjMmU3MD", "NUVDMkU3MD"].contains { value.position(of: $0, from: 0) != nil }
    }
}
