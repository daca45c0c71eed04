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
        let isIgnored = { (keys: [String]) in ignoredKeys.contains { $0.keys == keys } }
        return JSONDifference.all(oldValue, newValue, entersAllArrays: true, isLeaf: isIgnored).map { found in
            let kind = isIgnored(found.keys) ? .volatile : kind(of: found)
            return difference(kind, found.part, found.oldText, found.newText)
        }
    }

    private func kind(of difference: JSONDifference) -> VerificationReport.Kind {
        guard let old = difference.old?.content else { return .keyAdded }
        guard let new = difference.new?.content else { return .keyRemoved }
        return old.type == nil || new.type == nil || old.type == new.type ? .valueChanged : .typeChanged
    }

    private func difference(
        _ kind: VerificationReport.Kind,
        _ part: String,
        _ recorded: String?,
        _ received: String?
    ) -> Difference {
        Difference(kind: kind, part: part.cut(), recorded: recorded?.cut(), received: received?.cut())
    }

    private func shown(_ failure: StubFailure?) -> String? {
        failure.map { "\($0.domain) \($0.code)" + ($0.description.map { " (\($0))" } ?? "") }
    }

    private func shown(_ body: Data) -> String? {
        if body.isEmpty { return nil }
        if body.count <= 64, let text = String(data: body, encoding: .utf8), text.isPlainText { return text.quoted() }
        return body.count.counting("byte")
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
