import Foundation

extension RequestMatcher {
    /// Returns the differences between two bodies, by key path, by field, by part or by byte.
    func bodyDifferences(
        _ old: ComparableBody,
        _ new: ComparableBody,
        recorded: Data?,
        requested: Data?
    ) -> [RequestDifference] {
        switch (old, new) {
        case (.json(let old), .json(let new)):
            return JSONDifference.all(old, new).map { found in
                let subject: RequestDifference.Subject =
                    found.keys.isEmpty ? .wholeBody : .jsonMember(JSONKeyPath(keys: found.keys))
                return difference(found.part, found.oldText, found.newText, subject)
            }
        case (.form(let old), .form(let new)):
            return QueryItem.differences(old, new).prefix(JSONDifference.maximumCount).map { name, old, new in
                Self.difference("body.form.\(PercentEncoding.decoded(name).onOneLine)", old, new)
            }
        case (.multipart(let old), .multipart(let new)) where old.count != new.count:
            return [Self.difference("body", old.count.counting("part"), new.count.counting("part"))]
        case (.multipart(let old), .multipart(let new)):
            let differing = zip(old, new).enumerated().filter { $1.0 != $1.1 }.prefix(JSONDifference.maximumCount)
            return differing.map { index, parts in
                let (old, new) = parts
                // The header fields of a part are seldom what differs.
                return old.head == new.head
                    ? Self.byteDifference("body.parts[\(index)]", old.content.data, new.content.data)
                    : Self.byteDifference("body.parts[\(index)]", old.text, new.text)
            }
        default:
            return [Self.byteDifference("body", recorded ?? Data(), requested ?? Data())]
        }
    }

    private static func difference(_ part: String, _ old: String?, _ new: String?) -> RequestDifference {
        RequestDifference(part, recorded: old, requested: new, subject: .wholeBody)
    }

    /// Returns short texts that differ, and of anything else the sizes and the offset of the first difference.
    private static func byteDifference(_ part: String, _ old: Data, _ new: Data) -> RequestDifference {
        if let oldText = shortText(old), let newText = shortText(new) {
            return difference(part, old.isEmpty ? nil : oldText.quoted(), new.isEmpty ? nil : newText.quoted())
        }
        let shown = { (data: Data) in data.isEmpty ? "none" : data.count.counting("byte") }
        var text = "recorded \(shown(old)), requested \(shown(new))"
        if !old.isEmpty, !new.isEmpty {
            text += "; first difference at byte \(zip(old, new).prefix { $0 == $1 }.count)"
        }
        return RequestDifference(part: part, text: text, subject: .wholeBody)
    }

    private static func shortText(_ data: Data) -> String? {
        guard data.count <= 64, let text = String(data: data, encoding: .utf8), text.isPlainText else { return nil }
        return text
    }
}

extension ComparableBody.Part {
    /// The header fields and the content, as in the body.
    fileprivate var text: Data { head.data.isEmpty ? content.data : head.data + Data("\r\n\r\n".utf8) + content.data }
}
