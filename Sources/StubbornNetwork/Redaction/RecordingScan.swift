import Foundation

/// The last look at the bytes that are about to be written: independent of what redacted them, so that a gap there does not
/// become a secret on disk.
///
/// It shares neither names nor shapes nor search with the redactor, and asks for more before it speaks: what it finds stops
/// a recording. It reads a stub file, or one stub, as JSON; anything else as text.
struct RecordingScan {
    let redaction: Redaction
    private let values: ScannedText

    init(_ redaction: Redaction) {
        self.redaction = redaction
        let excluded = redaction.excluded
        values = ScannedText(
            asksFor: { Redaction.Rule.named($0).map(redaction.has) ?? false },
            ignores: { name in
                guard !excluded.isEmpty else { return false }
                return [.jsonKey("\(name)"), .formField("\(name)"), .queryItem("\(name)")].contains(
                    where: excluded.contains
                )
            }
        )
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
        if finding.rule == "compressed-bodies" {
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
                + ".excluding(\(Redaction.Rule.named(finding.rule)?.code ?? finding.rule))."
        )
    }

    struct Finding: Equatable {
        var rule: String
        var path: String
    }

    private struct Level {
        var isObject: Bool
        var index = 0
        /// Where the key stands, if this is an object.
        var key = 0..<0
    }

    /// Reads what is encoded in the strings, then the bytes as they are, whose path is looked for when there is a finding.
    func finding(in bytes: Bytes) -> Finding? {
        let start = bytes.end(from: 0, while: \.isSpace)
        guard bytes.at(start) == UInt8(ascii: "[") || bytes.at(start) == UInt8(ascii: "{") else {
            return body(bytes).map { Finding(rule: $0.rule, path: "byte \($0.position)") }
        }
        var finding: Finding?
        var plain: [Range<Int>] = []
        var position = 0
        var coding = ""
        var stub = 0
        walk(bytes) { raw, levels in
            if let first = levels.first, first.index != stub, !first.isObject { (stub, coding) = (first.index, "") }
            let key = bytes.part(levels.last?.key ?? 0..<0)
            let isRequestData = key.count == 11 && key.has("requestData", at: 0)
            if isRequestData || (key.count == 4 && key.has("data", at: 0))
                || (key.count == 12 && key.has("responseData", at: 0))
            {
                guard let found = encoded(raw, coding: isRequestData ? coding : "") else {
                    if let start = bytes.offset(of: raw) {
                        plain.append(position..<start)
                        position = start + raw.count
                    }
                    return true
                }
                let path = path(of: levels, in: bytes) + (found.path.isEmpty ? "" : " \(found.path)")
                finding = Finding(rule: found.rule, path: path)
                return false
            }
            if key.isEmpty, let value = Self.contentCoding(raw), self.path(of: levels, in: bytes).contains("request.") {
                coding = value
            }
            guard let rule = rule(raw, isField: key.isEmpty) else { return true }
            finding = Finding(rule: rule, path: path(of: levels, in: bytes))
            return false
        }
        if let finding { return finding }
        for range in plain + [position..<bytes.count] {
            guard let found = values.finding(in: bytes.part(range)) else { continue }
            let place = range.lowerBound + found.position
            return Finding(rule: found.rule, path: path(in: bytes, to: place) ?? "byte \(place)")
        }
        return nil
    }

    /// Hands over each string that is a value, with the path to it, as long as `visit` says to go on.
    private func walk(_ bytes: Bytes, visit: (Bytes, [Level]) -> Bool) {
        var levels: [Level] = []
        var isKey = false
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"):
                levels.append(Level(isObject: true))
                isKey = true
            case UInt8(ascii: "["):
                levels.append(Level(isObject: false))
                isKey = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = levels.popLast()
                isKey = false
            case UInt8(ascii: ","):
                if let last = levels.indices.last {
                    levels[last].index += 1
                    isKey = levels[last].isObject
                }
            case UInt8(ascii: ":"): isKey = false
            case UInt8(ascii: "\""):
                let start = position
                let end = end(ofString: bytes, from: start)
                position = end + 1
                if isKey, let last = levels.indices.last {
                    levels[last].key = start..<end
                } else if !visit(bytes.part(start..<end), levels) {
                    return
                }
            default: break
            }
        }
    }

    private func end(ofString bytes: Bytes, from start: Int) -> Int {
        var next = start
        while let quote = bytes.position(of: 0x22, from: next) {
            var before = quote
            while before > next, bytes[before - 1] == 0x5C { before -= 1 }
            if (quote - before) % 2 == 0 { return quote }
            next = quote + 1
        }
        return bytes.count
    }

    private func path(of levels: [Level], in bytes: Bytes) -> String {
        var path = ""
        for level in levels {
            let key = level.key.count <= 200 ? bytes.part(level.key).text : "…"
            path += level.isObject ? (path.isEmpty ? key : ".\(key)") : "[\(level.index)]"
        }
        return path.isEmpty ? "the top" : path
    }

    /// The path to the string in which a position is.
    private func path(in bytes: Bytes, to position: Int) -> String? {
        var path: String?
        walk(bytes) { raw, levels in
            guard let start = bytes.offset(of: raw), start + raw.count >= position else { return true }
            path = self.path(of: levels, in: bytes)
            return false
        }
        return path
    }

    // MARK: Strings

    /// The rule by which a string is a secret that the bytes as they are do not show.
    private func rule(_ raw: Bytes, isField: Bool) -> String? {
        if raw.contains(0x5C) {
            let value = TextEncodings.jsonUnescaped(raw)
            return value.withUnsafeBufferPointer { rule(plain: $0, isField: isField) ?? values.finding(in: $0)?.rule }
        }
        return rule(plain: raw, isField: isField)
    }

    private func rule(plain value: Bytes, isField: Bool) -> String? {
        if isField, let rule = header(value) { return rule }
        guard value.contains(0x25) else { return nil }
        return TextEncodings.percentDecoded(value).withUnsafeBufferPointer { values.finding(in: $0)?.rule }
    }

    /// The coding of a request's body, where the field says it.
    private static func contentCoding(_ field: Bytes) -> String? {
        guard field.hasIgnoringCase("content-encoding[:::]", at: 0) else { return nil }
        return field.part(21..<field.count).text.lowercased()
    }

    /// The content of base64, decoded a few megabytes at a time; and the path to the secret in it.
    private func encoded(_ value: Bytes, coding: String) -> (rule: String, path: String)? {
        let step = 4 << 20
        let overlap = 4096
        var start = 0
        while start < value.count {
            let slice = value.part(start..<Swift.min(start + step, value.count))
            guard let decoded = TextEncodings.base64Decoded(slice) else {
                return values.finding(in: value).map { ($0.rule, "") }
            }
            let found = decoded.withUnsafeBufferPointer { bytes -> (rule: String, path: String)? in
                if start == 0, !coding.isEmpty, coding != "identity" { return compressed(bytes, coding: coding) }
                return body(bytes).map { ($0.rule, start == 0 ? innerPath(bytes, to: $0.position) : "") }
            }
            if let found { return found }
            if start + step >= value.count { return nil }
            start += step - overlap
        }
        return nil
    }

    /// A request's body that its app has compressed. One that is text is compressed no more.
    private func compressed(_ bytes: Bytes, coding: String) -> (rule: String, path: String)? {
        let isText = !bytes.contains { $0 < 9 || ($0 > 13 && $0 < 32) } && String(bytes: bytes, encoding: .utf8) != nil
        if isText { return body(bytes).map { ($0.rule, innerPath(bytes, to: $0.position)) } }
        if coding.contains("gzip") || coding.contains("deflate"), let inflated = Inflation.inflate(bytes) {
            return inflated.withUnsafeBufferPointer { bytes in
                body(bytes).map { ($0.rule, innerPath(bytes, to: $0.position)) }
            }
        }
        return redaction.has(.compressedBodies) ? ("compressed-bodies", "") : nil
    }

    private func body(_ bytes: Bytes) -> ScannedText.Finding? {
        if let finding = values.finding(in: bytes) { return finding }
        // UTF-16 has a NUL beside each of its first letters.
        guard bytes.count >= 8, (0..<8).filter({ bytes[$0] == 0 }).count >= 3 else { return nil }
        return bytes.filter { $0 != 0 }.withUnsafeBufferPointer { values.finding(in: $0) }
    }

    /// `$.user.apiKey`, for a JSON body.
    private func innerPath(_ bytes: Bytes, to position: Int) -> String {
        let start = bytes.end(from: 0, while: \.isSpace)
        guard bytes.at(start) == UInt8(ascii: "[") || bytes.at(start) == UInt8(ascii: "{") else { return "" }
        return path(in: bytes, to: position).map { $0.hasPrefix("[") ? "$\($0)" : "$.\($0)" } ?? ""
    }

    private func header(_ field: Bytes) -> String? {
        guard let separator = field.position(of: "[:::]", from: 0) else { return nil }
        let name = field.part(0..<separator).text.lowercased()
        let value = field.part(separator + 5..<field.count)
        guard !redaction.excluded.contains(.header(name)) else { return nil }
        switch name {
        case "authorization", "proxy-authorization", "x-api-key", "x-auth-token", "x-amz-security-token",
            "x-goog-api-key":
            return redaction.has(.headers) && values.isUnredacted(value, atLeast: 12) ? "headers" : nil
        case "cookie", "set-cookie":
            let end = name == "cookie" ? nil : value.position(of: 0x3B, from: 0)
            return redaction.has(.cookies) && values.isUnredacted(value.part(0..<(end ?? value.count)), atLeast: 20)
                ? "cookies" : nil
        default: return nil
        }
    }
}
