import Foundation

/// The last look at the bytes that are about to be written, so that a gap in what redacted them does not become a
/// secret on disk.
///
/// It reads a stub file, or one stub, as JSON; anything else as text. What it finds stops a recording.
struct RecordingScan {
    let redaction: Redaction
    private let text: ScannedText

    init(_ redaction: Redaction) {
        self.redaction = redaction
        text = ScannedText(redaction: redaction)
    }

    func scan(_ data: Data) throws(StubbornNetworkError) {
        if let invalid = redaction.patterns.first(where: { $0.expression == nil }) {
            throw StubbornNetworkError(
                .secretInRecording,
                "Nothing was stored: the redaction pattern \(invalid.source) is not a regular expression, so that what it is "
                    + "meant to find may be in the recording. Correct it in .including(patterns:)."
            )
        }
        guard let finding = data.withBytes({ finding(in: $0) }) else { return }
        if finding.rule == .compressedBodies {
            throw StubbornNetworkError(
                .secretInRecording,
                "Nothing was stored: the body at \(finding.path) is compressed in a way that cannot be searched for secrets "
                    + "(rule compressed-bodies). Have a BodyDataProcessor store it decompressed. If it holds no secret: "
                    + ".excluding(.compressedBodies)."
            )
        }
        throw StubbornNetworkError(
            .secretInRecording,
            "Nothing was stored: the recording holds what looks like a secret at \(finding.path) "
                + "(rule \(finding.rule)). To have it replaced, name its field or its form: "
                + ".including(headers:queryItems:jsonKeys:formFields:patterns:). If it is none: "
                + ".excluding(\(finding.rule.code))."
        )
    }

    struct Finding: Equatable {
        var rule: Redaction.Rule
        var path: String
    }

    /// Returns the first secret: of what is encoded in the strings, then of the bytes as they are.
    func finding(in bytes: Bytes) -> Finding? {
        var finding: Finding?
        // What is not a body in base64.
        var plain: [Range<Int>] = []
        var position = 0
        // The coding of a request's body, and the stub that it is in.
        var coding = (stub: 0, name: "")
        Self.readStrings(bytes) { string, path in
            guard finding == nil else { return }
            let raw = bytes.part(string)
            let stub = path.levels.first?.index ?? 0
            guard let key = path.levels.last?.key else {
                if let name = Self.contentCoding(raw), path.text(in: bytes).contains("request.") {
                    coding = (stub, name)
                }
                if let rule = rule(raw, isHeader: true) { finding = Finding(rule: rule, path: path.text(in: bytes)) }
                return
            }
            let name = bytes.part(key)
            let isRequest = name.isOne(of: ["requestdata"])
            if isRequest || name.isOne(of: ["data", "responsedata"]) {
                plain.append(position..<string.lowerBound)
                position = string.upperBound
                guard let found = encoded(raw, coding: isRequest && coding.stub == stub ? coding.name : "") else {
                    return
                }
                finding = Finding(
                    rule: found.rule,
                    path: path.text(in: bytes) + (found.path.isEmpty ? "" : " \(found.path)")
                )
            } else if let rule = rule(raw, isHeader: false) {
                finding = Finding(rule: rule, path: path.text(in: bytes))
            }
        }
        if let finding { return finding }
        for range in plain + [position..<bytes.count] {
            guard let found = text.finding(in: bytes.part(range)) else { continue }
            let offset = range.lowerBound + found.offset
            return Finding(rule: found.rule, path: Self.path(in: bytes, to: offset) ?? "byte \(offset)")
        }
        return nil
    }

    // MARK: Paths

    /// The keys and indices around a value of JSON.
    private struct Path {
        /// The levels from the outermost on: an object's key, or an array's index.
        var levels: [(key: Range<Int>?, index: Int)] = []

        func text(in bytes: Bytes) -> String {
            var text = ""
            for level in levels {
                guard let range = level.key else {
                    text += "[\(level.index)]"
                    continue
                }
                let key = range.count <= 200 ? bytes.part(range).text : "…"
                text += text.isEmpty ? key : ".\(key)"
            }
            return text.isEmpty ? "the top" : text
        }
    }

    /// Visits the strings of JSON, as far as it is JSON, with the path to each.
    private static func readStrings(_ bytes: Bytes, visit: (Range<Int>, Path) -> Void) {
        var scanner = JSONScanner(bytes)
        scanner.skipWhitespace()
        guard scanner.current == .openingBracket || scanner.current == .openingBrace else { return }
        var path = Path()
        try? scanner.walk { token in
            let last = path.levels.count - 1
            switch token {
            case .open, .scalar: if last >= 0 { path.levels[last].index += 1 }
            default: break
            }
            switch token {
            case .open: path.levels.append((nil, -1))
            case .close: path.levels.removeLast()
            case .key(let key): path.levels[last].key = key.range.lowerBound + 1..<key.range.upperBound - 1
            case .scalar(let value):
                guard case .string = value.kind else { return }
                visit(value.range.lowerBound + 1..<value.range.upperBound - 1, path)
            }
        }
    }

    /// Returns the path to the string in which an offset is.
    private static func path(in bytes: Bytes, to offset: Int) -> String? {
        var result: String?
        readStrings(bytes) { string, path in
            if result == nil, string.upperBound >= offset { result = path.text(in: bytes) }
        }
        return result
    }

    // MARK: Strings

    /// Returns the rule by which a string is a secret that the bytes as they are do not show.
    private func rule(_ raw: Bytes, isHeader: Bool) -> Redaction.Rule? {
        if raw.contains(.backslash) {
            let value = JSONString.unescapedLeniently(raw)
            return value.withUnsafeBufferPointer { text.finding(in: $0)?.rule ?? rule(plain: $0, isHeader: isHeader) }
        }
        return rule(plain: raw, isHeader: isHeader)
    }

    private func rule(plain value: Bytes, isHeader: Bool) -> Redaction.Rule? {
        if isHeader, let rule = header(value) { return rule }
        guard value.contains(.percent) else { return nil }
        return PercentEncoding.decoded(value).withUnsafeBufferPointer { text.finding(in: $0)?.rule }
    }

    /// Returns the coding of a body, where a header field says it.
    private static func contentCoding(_ field: Bytes) -> String? {
        guard field.hasIgnoringCase("content-encoding[:::]", at: 0) else { return nil }
        return field.part(21..<field.count).text.lowercased()
    }

    /// Returns the rule of a header field, `name[:::]value`, whose name leaves no doubt.
    private func header(_ field: Bytes) -> Redaction.Rule? {
        guard let separator = field.position(of: "[:::]", from: 0) else { return nil }
        let name = field.part(0..<separator)
        let isSetCookie = name.isOne(of: ["set-cookie"])
        let isCookie = isSetCookie || name.isOne(of: ["cookie"])
        let rule: Redaction.Rule = isCookie ? .cookies : .headers
        guard isCookie || name.isOne(of: SecretList.certainHeaders), redaction.has(rule),
            redaction.excluded.isEmpty || !redaction.excluded.contains(.header(name.text))
        else { return nil }
        let content = field.part(separator + 5..<field.count)
        let value = isSetCookie ? content.part(0..<content.end(from: 0) { $0 != .semicolon }) : content
        return ScannedText.isUnredacted(value, atLeast: isCookie ? 20 : 12) ? rule : nil
    }

    // MARK: Bodies

    /// Returns the rule and the path of a secret in base64.
    private func encoded(_ value: Bytes, coding: String) -> (rule: Redaction.Rule, path: String)? {
        if !coding.isEmpty, coding != "identity", let decoded = Base64.decoded(value) {
            return decoded.withUnsafeBufferPointer { compressed($0, coding: coding) }
        }
        // In parts that stay in the processor's cache.
        let (step, overlap) = (256 << 10, 4096)
        var start = 0
        while start < value.count {
            guard let decoded = Base64.decoded(value.part(start..<start + step)) else {
                return text.finding(in: value).map { ($0.rule, "") }
            }
            if decoded.withUnsafeBufferPointer({ body($0) }) != nil {
                return Base64.decoded(value).flatMap { $0.withUnsafeBufferPointer { body($0) } }
            }
            start += start + step >= value.count ? step : step - overlap
        }
        return nil
    }

    /// Searches a request's body that its app has compressed.
    ///
    /// A body that is text is no longer compressed.
    private func compressed(_ bytes: Bytes, coding: String) -> (rule: Redaction.Rule, path: String)? {
        let isText = !bytes.contains { $0 < 9 || ($0 > 13 && $0 < 32) } && String(bytes: bytes, encoding: .utf8) != nil
        if isText { return body(bytes) }
        if coding.contains("gzip") || coding.contains("deflate"), let inflated = Inflation.inflate(bytes) {
            return inflated.withUnsafeBufferPointer(body)
        }
        return redaction.has(.compressedBodies) ? (.compressedBodies, "") : nil
    }

    /// Returns the rule and the path of a secret in a body: `$.user.apiKey`, for JSON.
    private func body(_ bytes: Bytes) -> (rule: Redaction.Rule, path: String)? {
        if let found = text.finding(in: bytes) {
            let path = Self.path(in: bytes, to: found.offset)
            return (found.rule, path.map { $0.hasPrefix("[") ? "$\($0)" : "$.\($0)" } ?? "")
        }
        // UTF-16 has a NUL beside each of its first letters.
        guard let wide = WideText(bytes) else { return nil }
        return wide.narrow.withUnsafeBufferPointer { text.finding(in: $0).map { ($0.rule, "") } }
    }
}
