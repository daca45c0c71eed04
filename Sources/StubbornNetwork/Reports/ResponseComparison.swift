import Foundation

/// The comparison of a recorded response with the one that the real server gives now.
///
/// Both are without secrets, and without the numbers of their placeholders.
struct ResponseComparison {
    typealias Difference = VerificationReport.Difference

    /// The names of header fields that change each time.
    let volatile: VolatileHeaderFields
    /// The members of JSON bodies that the matchers ignore.
    let ignoredKeys: [JSONKeyPath]

    /// The largest number of differences of a body.
    private static let maximumCount = 64

    /// Returns the differences, those of the status first.
    func differences(recorded: StubResponse, received: StubResponse) -> [Difference] {
        guard let old = recorded.head else { return failureDifferences(recorded.failure, received) }
        guard let new = received.head, received.failure == nil || recorded.failure != nil else {
            return [difference(.gone, "response", "\(old.statusCode)", shown(received.failure))]
        }
        guard old.statusCode == new.statusCode else {
            let isGone = (new.statusCode == 404 || new.statusCode == 410) && old.statusCode < 400
            // What another status says is about that status.
            return [difference(isGone ? .gone : .statusChanged, "status", "\(old.statusCode)", "\(new.statusCode)")]
        }
        let body = bodyDifferences(try? recorded.body, try? received.body)
        let isSameJSON = body.isEmpty && (try? recorded.body) != (try? received.body)
        return headerDifferences(old.headerFields, new.headerFields, ignoresLength: isSameJSON || !body.isEmpty) + body
    }

    private func failureDifferences(_ recorded: StubFailure?, _ received: StubResponse) -> [Difference] {
        if let head = received.head {
            return [difference(.statusChanged, "response", shown(recorded), "\(head.statusCode)")]
        }
        let isSame = recorded?.domain == received.failure?.domain && recorded?.code == received.failure?.code
        return isSame ? [] : [difference(.valueChanged, "error", shown(recorded), shown(received.failure))]
    }

    private func headerDifferences(_ old: HeaderFields, _ new: HeaderFields, ignoresLength: Bool) -> [Difference] {
        let names = Set((Array(old) + Array(new)).map { $0.name.lowercased() })
        return names.sorted().compactMap { name in
            let (recorded, received) = (old[name], new[name])
            guard recorded != received else { return nil }
            // A difference of the body is told once.
            if ignoresLength, VolatileHeaderFields.ofBody.contains(name) { return nil }
            let spelling = (Array(old) + Array(new)).first { $0.name.lowercased() == name }?.name ?? name
            return difference(
                volatile.contains(name) ? .volatile : .headerChanged,
                "headers.\(spelling)",
                recorded?.quoted(),
                received?.quoted()
            )
        }
    }

    private func bodyDifferences(_ old: Data?, _ new: Data?) -> [Difference] {
        let (old, new) = (old ?? Data(), new ?? Data())
        guard old != new else { return [] }
        guard let oldValue = JSONValue(body: old), let newValue = JSONValue(body: new) else {
            let kind: VerificationReport.Kind = JSONValue(body: old) == nil ? .valueChanged : .typeChanged
            return [difference(kind, "body", shown(old), shown(new))]
        }
        return jsonDifferences(oldValue, newValue)
    }

    private func jsonDifferences(_ old: JSONValue, _ new: JSONValue) -> [Difference] {
        var differences: [Difference] = []
        // The values that are still to be compared, the next one last.
        var pending: [(old: JSONValue?, new: JSONValue?, part: String, keys: [String])] = [(old, new, "body", [])]
        while let (old, new, part, keys) = pending.popLast(), differences.count < Self.maximumCount {
            guard old != new else { continue }
            if ignoredKeys.contains(where: { $0.keys == keys }) {
                differences.append(difference(.volatile, part, old.map(shown), new.map(shown)))
                continue
            }
            switch (old?.content, new?.content) {
            case (.object(let old)?, .object(let new)?):
                pending += JSONValue.pairs(old, new).reversed().map { key, old, new in
                    (old, new, "\(part).\(JSONKeyPath.escaped(key).onOneLine)", keys + [key])
                }
            case (.array(let old)?, .array(let new)?):
                if old.count != new.count {
                    let count = { (values: [JSONValue]) in "\(values.count) element\(values.count == 1 ? "" : "s")" }
                    differences.append(difference(.valueChanged, part, count(old), count(new)))
                }
                pending += zip(old, new).enumerated().reversed().map { ($1.0, $1.1, "\(part)[\($0)]", keys) }
            case (nil, _): differences.append(difference(.keyAdded, part, nil, new.map(shown)))
            case (_, nil): differences.append(difference(.keyRemoved, part, old.map(shown), nil))
            case (let oldContent?, let newContent?):
                let isSameType = oldContent.type == newContent.type || oldContent.type == nil || newContent.type == nil
                differences.append(
                    difference(isSameType ? .valueChanged : .typeChanged, part, old.map(shown), new.map(shown))
                )
            }
        }
        return differences
    }

    private func difference(
        _ kind: VerificationReport.Kind,
        _ part: String,
        _ recorded: String?,
        _ received: String?
    ) -> Difference {
        Difference(kind: kind, part: part.cut(), recorded: recorded?.cut(), received: received?.cut())
    }

    private func shown(_ value: JSONValue) -> String { value.text(upTo: 256) }

    private func shown(_ failure: StubFailure?) -> String? {
        failure.map { "\($0.domain) \($0.code)" + ($0.description.map { " (\($0))" } ?? "") }
    }

    private func shown(_ body: Data) -> String? {
        if body.isEmpty { return nil }
        if body.count <= 64, let text = String(data: body, encoding: .utf8), text.isPlainText { return text.quoted() }
        return "\(body.count) byte\(body.count == 1 ? "" : "s")"
    }
}

extension JSONValue.Content {
    /// The name of the value's type; `nil` for null, which any type may be.
    fileprivate var type: String? {
        switch self {
        case .null: nil
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
