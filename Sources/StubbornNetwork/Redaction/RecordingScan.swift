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
        values = ScannedText { name in
            !excluded.isEmpty && (excluded.contains(.jsonKey("\(name)")) || excluded.contains(.formField("\(name)")))
        }
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
        throw StubbornNetworkError(
            .secretInRecording,
            "Nothing was stored: the recording holds what looks like a secret at \(finding.path) "
                + "(rule \(finding.rule)). To have it replaced, name its field or its form: "
                + ".including(headers:queryItems:jsonKeys:formFields:patterns:). If it is none: "
                + ".excluding(.rule(\"\(finding.rule)\"))."
        )
    }

    struct Finding: Equatable {
        var rule: String
        var path: String
    }

    private struct Level {
        var isObject: Bool
        var index = 0
        var key = ""
    }

    /// Walks through the JSON from string to string, and keeps the path. What is no JSON is one string.
    func finding(in bytes: Bytes) -> Finding? {
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
                let end = end(ofString: bytes, from: position)
                let raw = bytes.part(position..<end)
                position = end + 1
                if isKey, let last = levels.indices.last {
                    levels[last].key = raw.count <= 200 ? raw.text : "…"
                } else if let rule = rule(raw, key: levels.last?.key ?? "", levels: levels.map(\.key)) {
                    return Finding(rule: rule, path: Self.path(levels))
                }
            default: break
            }
        }
        // Nothing that a stub file begins with: searched as it is.
        let start = bytes.end(from: 0, while: \.isSpace)
        if bytes.at(start) != UInt8(ascii: "["), bytes.at(start) != UInt8(ascii: "{"), let rule = text(bytes) {
            return Finding(rule: rule, path: "byte \(start)")
        }
        return nil
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

    private static func path(_ levels: [Level]) -> String {
        var path = ""
        for level in levels {
            path += level.isObject ? (path.isEmpty ? level.key : ".\(level.key)") : "[\(level.index)]"
        }
        return path.isEmpty ? "the top" : path
    }

    // MARK: Strings

    private func rule(_ raw: Bytes, key: String, levels: [String]) -> String? {
        if raw.contains(0x5C) {
            let value = TextEncodings.jsonUnescaped(raw)
            return value.withUnsafeBufferPointer { rule(plain: $0, key: key, levels: levels) }
        }
        return rule(plain: raw, key: key, levels: levels)
    }

    private func rule(plain value: Bytes, key: String, levels: [String]) -> String? {
        if key == "data" || key == "requestData" || key == "responseData" {
            return encoded(value)
        }
        if let rule = values.rule(named: key, value: value), has(rule) { return rule }
        if levels.contains("headerFields") || key.isEmpty, let rule = header(value) { return rule }
        if let rule = text(value) { return rule }
        guard value.contains(0x25) else { return nil }
        return TextEncodings.percentDecoded(value).withUnsafeBufferPointer { text($0) }
    }

    private func has(_ rule: String) -> Bool { redaction.has(.rule(rule)) }

    /// The content of base64, decoded a few megabytes at a time.
    private func encoded(_ value: Bytes) -> String? {
        let step = 4 << 20
        let overlap = 4096
        var start = 0
        while start < value.count {
            let slice = value.part(start..<Swift.min(start + step, value.count))
            guard let decoded = TextEncodings.base64Decoded(slice) else { return text(value) }
            if let rule = decoded.withUnsafeBufferPointer({ body($0) }) { return rule }
            if start + step >= value.count { return nil }
            start += step - overlap
        }
        return nil
    }

    private func body(_ bytes: Bytes) -> String? {
        if let rule = text(bytes) { return rule }
        guard bytes.position(of: 0, from: 0) == nil else { return nil }
        return values.assignedSecret(bytes).flatMap { has($0) ? $0 : nil }
    }

    private func text(_ bytes: Bytes) -> String? {
        values.shapes(in: bytes) { has($0) }
    }

    private func header(_ field: Bytes) -> String? {
        guard let separator = field.position(of: "[:::]", from: 0) else { return nil }
        let name = field.part(0..<separator).text.lowercased()
        let value = field.part(separator + 5..<field.count)
        guard !redaction.excluded.contains(.header(name)) else { return nil }
        switch name {
        case "authorization", "proxy-authorization", "x-api-key", "x-auth-token", "x-amz-security-token",
            "x-goog-api-key":
            return has("headers") && values.isUnredacted(value, atLeast: 12) ? "headers" : nil
        case "cookie", "set-cookie":
            let end = name == "cookie" ? nil : value.position(of: 0x3B, from: 0)
            return has("cookies") && values.isUnredacted(value.part(0..<(end ?? value.count)), atLeast: 20)
                ? "cookies" : nil
        default: return nil
        }
    }
}
