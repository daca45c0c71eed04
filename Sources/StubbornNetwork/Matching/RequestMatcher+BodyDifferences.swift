import Foundation

extension RequestMatcher {
    /// The largest number of differences of a body.
    ///
    /// More would help nobody, and a body may have a million.
    private static let maximumCount = 64

    /// Returns the differences between two bodies: of JSON by key path, of forms by field, of multipart bodies by part,
    /// of anything else the first byte that differs.
    func bodyDifferences(
        _ old: ComparableBody,
        _ new: ComparableBody,
        recorded: Data?,
        requested: Data?
    ) -> [RequestDifference] {
        switch (old, new) {
        case (.json(let old), .json(let new)):
            return Self.jsonDifferences(old, new).map { difference($0.part, $0.old, $0.new, $0.subject) }
        case (.form(let old), .form(let new)):
            return QueryItem.differences(old, new).prefix(Self.maximumCount).map { name, old, new in
                Self.difference("body.form.\(PercentEncoding.decoded(name).onOneLine)", old, new)
            }
        case (.multipart(let old), .multipart(let new)) where old.count != new.count:
            return [Self.difference("body", Self.counted(old.count, "part"), Self.counted(new.count, "part"))]
        case (.multipart(let old), .multipart(let new)):
            return zip(old, new).enumerated().filter { $1.0 != $1.1 }.prefix(Self.maximumCount).map { index, parts in
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

    /// A value that differs: its key path, and both values as they are shown.
    typealias JSONDifference = (part: String, old: String?, new: String?, subject: RequestDifference.Subject)

    static func jsonDifferences(_ old: JSONValue, _ new: JSONValue, in part: String = "body") -> [JSONDifference] {
        var differences: [JSONDifference] = []
        // The values that are still to be compared, the next one last.
        var pending: [(old: JSONValue?, new: JSONValue?, part: String, keys: [String])] = [(old, new, part, [])]
        while let (old, new, part, keys) = pending.popLast(), differences.count < maximumCount {
            guard old != new else { continue }
            let subject: RequestDifference.Subject =
                keys.isEmpty ? .wholeBody : .jsonMember(JSONKeyPath(keys: keys))
            switch (old?.content, new?.content) {
            case (.object(let old)?, .object(let new)?):
                pending += JSONValue.pairs(old, new).reversed().map { key, old, new in
                    (old, new, "\(part).\(JSONKeyPath.escaped(key).onOneLine)", keys + [key])
                }
            case (.array(let old)?, .array(let new)?) where old.count == new.count:
                pending += zip(old, new).enumerated().reversed().map { ($1.0, $1.1, "\(part)[\($0)]", keys) }
            case (.array(let old)?, .array(let new)?):
                differences.append((part, counted(old.count, "element"), counted(new.count, "element"), subject))
            default:
                differences.append((part, old.map(shown), new.map(shown), subject))
            }
        }
        return differences
    }

    private static func shown(_ value: JSONValue) -> String {
        if case .string(let text) = value.content { return text.quoted() }
        return value.text(upTo: 256).cut()
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func difference(_ part: String, _ old: String?, _ new: String?) -> RequestDifference {
        RequestDifference(part, recorded: old, requested: new, subject: .wholeBody)
    }

    /// Returns the difference between two bodies that are compared byte by byte.
    ///
    /// It shows short texts as they are, and of anything else the sizes and the offset of the first difference.
    private static func byteDifference(_ part: String, _ old: Data, _ new: Data) -> RequestDifference {
        if let oldText = shortText(old), let newText = shortText(new) {
            return difference(part, old.isEmpty ? nil : oldText.quoted(), new.isEmpty ? nil : newText.quoted())
        }
        let shown = { (data: Data) in data.isEmpty ? "none" : counted(data.count, "byte") }
        var text = "recorded \(shown(old)), requested \(shown(new))"
        if !old.isEmpty, !new.isEmpty {
            text += "; first difference at byte \(zip(old, new).prefix { $0 == $1 }.count)"
        }
        return RequestDifference(part: part, text: text, subject: .wholeBody)
    }

    /// Returns the text of at most 64 bytes; `nil` for more, and for bytes that are not text.
    private static func shortText(_ data: Data) -> String? {
        guard data.count <= 64, let text = String(data: data, encoding: .utf8), text.isPlainText else { return nil }
        return text
    }
}

extension ComparableBody.Part {
    /// The header fields and the content, as in the body.
    fileprivate var text: Data { head.data.isEmpty ? content.data : head.data + Data("\r\n\r\n".utf8) + content.data }
}
