import Foundation

/// The comparison of a recorded response with the real server's; both are redacted, without the numbers of placeholders.
extension MergeRules {
    package typealias Difference = VerificationReport.Difference

    /// Returns the differences, those of the status first.
    package func differences(recorded: StubResponse, received: StubResponse) -> [Difference] {
        guard let old = recorded.head else { return failureDifferences(recorded.failure, received) }
        guard let new = received.head, received.failure == nil || recorded.failure != nil else {
            return [difference(.breaking, "response", "\(old.statusCode)", shown(received.failure))]
        }
        guard old.statusCode == new.statusCode else {
            // With another status, the header fields and the body are about that status.
            return [difference(.breaking, "status", "\(old.statusCode)", "\(new.statusCode)")]
        }
        let body = bodyDifferences(recorded.body, received.body)
        // What describes a body is compared with the body.
        let described = recorded.body == nil && received.body == nil ? VolatileHeaderFields([]) : .ofBody
        return headerDifferences(old.headerFields, new.headerFields, except: described) + body
    }

    private func failureDifferences(_ recorded: StubFailure?, _ received: StubResponse) -> [Difference] {
        if let head = received.head {
            return [difference(.breaking, "response", shown(recorded), "\(head.statusCode)")]
        }
        let isSame = recorded?.domain == received.failure?.domain && recorded?.code == received.failure?.code
        return isSame ? [] : [difference(.values, "error", shown(recorded), shown(received.failure))]
    }

    private func headerDifferences(
        _ old: HeaderFields,
        _ new: HeaderFields,
        except ignored: VolatileHeaderFields
    ) -> [Difference] {
        let spellings = Dictionary((old + Array(new)).map { ($0.name.lowercased(), $0.name) }) { first, _ in first }
        return spellings.sorted { $0.key < $1.key }.compactMap { name, spelling in
            let (recorded, received) = (old[name], new[name])
            if recorded == received || ignored.contains(name) { return nil }
            if let recorded, let received, recorded.hasSameElements(as: received) { return nil }
            let severity: VerificationReport.Severity = volatileHeaderFields.contains(name) ? .volatile : .values
            return difference(severity, "headers.\(spelling)", recorded?.quoted(), received?.quoted())
        }
    }

    private func bodyDifferences(_ old: Data?, _ new: Data?) -> [Difference] {
        let (old, new) = (old ?? Data(), new ?? Data())
        guard old != new else { return [] }
        guard let oldValue = JSONValue(body: old), let newValue = JSONValue(body: new) else {
            let severity: VerificationReport.Severity = JSONValue(body: old) == nil ? .values : .breaking
            return [difference(severity, "body", shown(old), shown(new))]
        }
        let ignoredKeys = (ignored.jsonKeys + volatileJSONKeys).map { JSONKeyPath($0).keys }
        let isIgnored = { (keys: [String]) in ignoredKeys.contains(keys) }
        return JSONDifference.all(oldValue, newValue, entersAllArrays: true, isLeaf: isIgnored).map { found in
            let severity = isIgnored(found.keys) ? .volatile : severity(of: found)
            return difference(severity, found.part, found.oldText, found.newText)
        }
    }

    private func severity(of difference: JSONDifference) -> VerificationReport.Severity {
        switch (difference.old?.content, difference.new?.content) {
        case (nil, _): .structure
        case (_, nil): .breaking
        // Any type may be null.
        case (.null, _), (_, .null), (.bool, .bool), (.number, .number), (.string, .string), (.array, .array),
            (.object, .object):
            .values
        default: .breaking
        }
    }

    private func difference(
        _ severity: VerificationReport.Severity,
        _ part: String,
        _ recorded: String?,
        _ received: String?
    ) -> Difference {
        Difference(severity: severity, part: part.cut(), recorded: recorded?.cut(), received: received?.cut())
    }

    private func shown(_ failure: StubFailure?) -> String? {
        failure.map { "\($0.domain) \($0.code)" + ($0.description.map { " (\($0))" } ?? "") }
    }

    private func shown(_ body: Data) -> String? {
        body.isEmpty ? nil : body.shortText?.quoted() ?? body.count.counting("byte")
    }
}

/// Two versions of a recording, stub by stub, in which the values that a server makes anew are volatile.
@_spi(Tools) public struct ConversationDifferences: Sendable {
    private let rules: MergeRules
    private var made = ServerMadeValues()

    package init(_ rules: MergeRules) { self.rules = rules }

    /// Adds the next stub, in the order of the file, and the one that has taken its place.
    public mutating func add(_ old: Stub, _ new: Stub) { made.add(StubChange(old, new, rules).values) }

    /// Returns a new request with the values that the server had made in the older version.
    public func recorded(_ request: StubRequest) -> StubRequest { made.recorded(request) }

    /// Returns the differences between the responses of two stubs, those of the status first.
    public func differences(from old: Stub, to new: Stub) -> [VerificationReport.Difference] {
        let change = StubChange(old, new, rules)
        return rules.differences(recorded: old.response, received: new.response)
            .map { change.hides($0, made) ? $0.volatile : $0 }
    }
}

extension StubChange {
    /// Returns a Boolean value that indicates whether a difference is only in values that a server makes anew.
    func hides(_ difference: VerificationReport.Difference, _ made: ServerMadeValues) -> Bool {
        guard difference.severity == .values, let old = difference.recorded,
            let new = difference.received
        else { return false }
        // Of a long text, the difference shows only a part, or the length.
        if isOnly(made.contains) { return true }
        guard difference.part != "body" else { return false }
        let hidden = Set(values.filter(made.contains).map(\.pair))
        return TextWords.pairs(old, new).map { !$0.isEmpty && $0.allSatisfy(hidden.contains) } ?? false
    }
}

extension VerificationReport.Difference {
    var volatile: Self { Self(severity: .volatile, part: part, recorded: recorded, received: received) }
}
