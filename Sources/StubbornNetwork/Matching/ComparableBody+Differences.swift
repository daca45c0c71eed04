import Foundation

extension ComparableBody {
    /// Returns the differences between two bodies, by key path, by field, by part or by byte.
    static func differences(
        _ old: ComparableBody,
        _ new: ComparableBody,
        recorded: Data?,
        requested: Data?,
        _ forms: PlaceholderForms? = nil
    ) -> [RequestDifference] {
        switch (old, new) {
        case (.json(let old), .json(let new)):
            return JSONDifference.all(old, new).filter { !$0.isHole(forms) }.map { found in
                let subject: RequestDifference.Subject =
                    found.keys.isEmpty ? .wholeBody : .jsonMember(JSONKeyPath(keys: found.keys))
                return RequestDifference(found.part, found.oldText, found.newText, subject)
            }
        case (.form(let old), .form(let new)):
            return QueryItem.differences(old, new).prefix(JSONDifference.maximumCount).map { name, old, new in
                let name = PercentEncoding.decoded(name)
                return RequestDifference("body.form.\(name.onOneLine)", old, new, .bodyField(name))
            }
        case (.multipart(let old), .multipart(let new)) where old.count != new.count:
            return [RequestDifference("body", old.count.counting("part"), new.count.counting("part"), .wholeBody)]
        case (.multipart(let old), .multipart(let new)):
            let differing = zip(old, new).enumerated().filter { $1.0 != $1.1 }.prefix(JSONDifference.maximumCount)
            return differing.map { index, parts in
                let (old, new) = parts
                let name = "body.parts\(new.name.map { ".\($0.onOneLine)" } ?? "[\(index)]")"
                let subject = new.name.map { RequestDifference.Subject.bodyField($0) } ?? .wholeBody
                // The header fields of a part are seldom what differs.
                return old.head == new.head
                    ? byteDifference(name, old.content.data, new.content.data, subject)
                    : byteDifference(name, old.text, new.text, old.name == new.name ? subject : .wholeBody)
            }
        case (.bytes(let old), .bytes(let new)) where old.data.first == .lessThan && new.data.first == .lessThan:
            return xmlDifferences(old, new) ?? [byteDifference("body", recorded ?? Data(), requested ?? Data())]
        default:
            return [byteDifference("body", recorded ?? Data(), requested ?? Data())]
        }
    }

    /// Returns the texts and attributes of two XML bodies that differ; `nil` where more than these differ.
    private static func xmlDifferences(_ old: BodyBytes, _ new: BodyBytes) -> [RequestDifference]? {
        let (olds, news) = (old.xmlTexts, new.xmlTexts)
        let differing = zip(olds, news).filter { $0.value != $1.value }
        let names = Set(differing.map(\.0.name))
        guard olds.map(\.name) == news.map(\.name), differing.count <= JSONDifference.maximumCount,
            old.removingXMLTexts(names) == new.removingXMLTexts(names)
        else { return nil }
        return differing.map { old, new in
            byteDifference("body.\(old.name.onOneLine)", old.value, new.value, .bodyField(old.name))
        }
    }

    /// Returns short texts that differ, and of anything else the sizes and the offset of the first difference.
    private static func byteDifference(
        _ part: String,
        _ old: Data,
        _ new: Data,
        _ subject: RequestDifference.Subject = .wholeBody
    ) -> RequestDifference {
        if let oldText = old.shortText, let newText = new.shortText {
            return RequestDifference(
                part,
                old.isEmpty ? nil : oldText.quoted(),
                new.isEmpty ? nil : newText.quoted(),
                subject
            )
        }
        let offset = zip(old, new).prefix { $0 == $1 }.count
        if let oldText = old.text(around: offset), let newText = new.text(around: offset) {
            return RequestDifference(part, oldText.quoted(), newText.quoted(), subject)
        }
        let shown = { (data: Data) in data.isEmpty ? nil : data.count.counting("byte") }
        let more = old.isEmpty || new.isEmpty ? "" : "; first difference at byte \(offset)"
        return RequestDifference(part, .values(stub: shown(old), live: shown(new), more: more), subject)
    }
}

extension JSONDifference {
    /// Returns a Boolean value that indicates whether the new value is in a hole of the old one.
    fileprivate func isHole(_ forms: PlaceholderForms?) -> Bool {
        guard let forms, let old = old?.tokens.first, let new, new.tokens.count == 1, let live = new.tokens.first,
            let compiled = ValueTemplate.token(old, forms)
        else { return false }
        var captures = ValueTemplate.Captures()
        return compiled.template.match(live, into: &captures)
    }
}

extension ComparableBody.Part {
    /// The name of the field that the part is for (RFC 7578, section 4.2); `nil` without one.
    var name: String? {
        head.data.withBytes { bytes in Multipart.name(in: bytes, 0..<bytes.count).map { bytes.part($0).text } }
    }

    /// The header fields and the content, as in the body.
    var text: Data { head.data.isEmpty ? content.data : head.data + Data("\r\n\r\n".utf8) + content.data }
}

extension Data {
    /// The bytes as text, if that is short enough for a report and has no control characters; otherwise `nil`.
    var shortText: String? {
        guard count <= 64, let text = String(data: self, encoding: .utf8), text.isPlainText else { return nil }
        return text
    }

    /// Returns the text around an offset, for a report; `nil` for bytes that are not text, and for more than 64 kilobytes.
    fileprivate func text(around offset: Int) -> String? {
        guard !isEmpty, count <= 64 << 10, let text = String(data: self, encoding: .utf8), text.isPlainText else {
            return nil
        }
        let start = offset > 24 ? offset - 24 : 0
        // A character of several bytes that is cut is left out.
        let part = String(decoding: dropFirst(start).prefix(64), as: UTF8.self).filter { $0 != "\u{FFFD}" }
        return (start > 0 ? "…" : "") + part + (count > start + 64 ? "…" : "")
    }
}
