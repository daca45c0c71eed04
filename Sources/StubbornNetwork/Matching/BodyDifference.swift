import Foundation

/// In what two bodies differ: JSON by path, forms by field, multipart bodies by part, anything else by its first byte.
struct BodyDifference {
    let matcher: RequestMatcher
    let recorded: ParsedRequest
    let requested: ParsedRequest

    /// More lines than this help nobody; a body may have a million differences.
    private static let maximumCount = 64

    func lines(_ old: ComparableBody, _ new: ComparableBody) -> [RequestDifference] {
        switch (old, new) {
        case (.json(let old), .json(let new)):
            return differences(old, new)
        case (.form(let old), .form(let new)):
            return QueryItem.differences(old, new).prefix(Self.maximumCount).map { name, old, new in
                let place = "body.form.\(PercentEncoding.decoded(name).onOneLine)"
                return RequestDifference(place, recorded: old, requested: new, subject: .wholeBody)
            }
        case (.multipart(let old), .multipart(let new)) where old.count != new.count:
            let shown = { (count: Int) in "\(count) part\(count == 1 ? "" : "s")" }
            return [
                RequestDifference(
                    "body",
                    recorded: shown(old.count),
                    requested: shown(new.count),
                    subject: .wholeBody
                )
            ]
        case (.multipart(let old), .multipart(let new)):
            return zip(old, new).enumerated().filter { $1.0 != $1.1 }.prefix(Self.maximumCount).map { index, parts in
                // The header fields of a part are seldom what differs.
                let (old, new) = parts
                return old.head == new.head
                    ? Self.byteDifference("body.parts[\(index)]", old.content.data, new.content.data)
                    : Self.byteDifference("body.parts[\(index)]", old.text, new.text)
            }
        default:
            return [Self.byteDifference("body", recorded.request.body, requested.request.body)]
        }
    }

    private func differences(_ old: JSONValue, _ new: JSONValue) -> [RequestDifference] {
        var lines: [RequestDifference] = []
        // The values that are still to be compared, the next one last.
        var pending: [(old: JSONValue?, new: JSONValue?, place: String, path: [String])] = [(old, new, "body", [])]
        while let (old, new, place, path) = pending.popLast(), lines.count < Self.maximumCount {
            guard old != new else { continue }
            switch (old?.content, new?.content) {
            case (.object(let old)?, .object(let new)?):
                pending += JSONValue.pairs(old, new).reversed().map { key, old, new in
                    (old, new, "\(place).\(JSONKeyPath.escaped(key).onOneLine)", path + [key])
                }
            case (.array(let old)?, .array(let new)?) where old.count == new.count:
                pending += zip(old, new).enumerated().reversed().map { index, elements in
                    (elements.0, elements.1, "\(place)[\(index)]", path)
                }
            case (.array(let old)?, .array(let new)?):
                add(place, Self.elements(old.count), Self.elements(new.count), path, to: &lines)
            default:
                add(place, old.map(Self.shown), new.map(Self.shown), path, to: &lines)
            }
        }
        return lines
    }

    private func add(
        _ place: String,
        _ old: String?,
        _ new: String?,
        _ path: [String],
        to lines: inout [RequestDifference]
    ) {
        let subject = RequestDifference.Subject.jsonMember(JSONKeyPath(keys: path))
        lines.append(
            RequestDifference(
                place,
                recorded: old,
                requested: new,
                subject: path.isEmpty ? .wholeBody : subject,
                ignoredBy: path.isEmpty ? nil : matcher.ignoring(subject)
            )
        )
    }

    private static func elements(_ count: Int) -> String { "\(count) element\(count == 1 ? "" : "s")" }

    private static func shown(_ value: JSONValue) -> String {
        if case .string(let text) = value.content { return text.quoted() }
        return value.text(upTo: 256).cut()
    }

    /// Short texts as they are; of anything else the sizes, and where the first difference is, counted from 0.
    private static func byteDifference(_ place: String, _ old: Data?, _ new: Data?) -> RequestDifference {
        let (old, new) = (old ?? Data(), new ?? Data())
        if let oldText = shortText(old), let newText = shortText(new) {
            let shown = { (text: String) -> String? in text.isEmpty ? nil : text.quoted() }
            return RequestDifference(
                place,
                recorded: shown(oldText),
                requested: shown(newText),
                subject: .wholeBody
            )
        }
        let shown = { (data: Data) -> String? in
            data.isEmpty ? nil : "\(data.count) byte\(data.count == 1 ? "" : "s")"
        }
        var text = "recorded \(shown(old) ?? "none"), requested \(shown(new) ?? "none")"
        if !old.isEmpty, !new.isEmpty {
            let same = zip(old, new).prefix { $0 == $1 }.count
            text += "; first difference at byte \(same)"
        }
        return RequestDifference(place: place, text: text, subject: .wholeBody)
    }

    /// At most 64 bytes that are text, none included; `nil` for anything else.
    private static func shortText(_ data: Data) -> String? {
        guard data.count <= 64, let text = String(data: data, encoding: .utf8), text.isPlainText else { return nil }
        return text
    }
}

extension ComparableBody.Part {
    /// The header fields and the content, as in the body.
    fileprivate var text: Data { head.data.isEmpty ? content.data : head.data + Data("\r\n\r\n".utf8) + content.data }
}
