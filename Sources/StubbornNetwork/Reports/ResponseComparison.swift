import Foundation

/// Two recordings of one conversation, and the differences between their stubs.
@_spi(Tools) public struct RecordingComparison: Sendable {
    /// A difference between two stubs.
    public typealias Difference = VerificationReport.Difference

    private let stubs: (old: [Stub], new: [Stub])
    private let rules: MergeRules
    private var pairs: RecordingPairs

    package init(_ old: [Stub], _ new: [Stub], _ rules: MergeRules) {
        (stubs, self.rules) = ((old, new), rules)
        pairs = RecordingPairs(old.enumerated().map { ($0.offset, $0.element) }, new, rules)
    }

    /// The keys that pair stubs.
    ///
    /// Requests with the same normal form have equal keys.
    public var keys: (old: [UInt64], new: [UInt64]) { (pairs.old.keys, pairs.new.keys) }

    /// Returns the older stub of each new one; `nil` for a new request.
    public mutating func partners() -> [Int?] {
        let keys = stubs.old.map { rules.key($0.request) }
        var free = Set(stubs.old.indices)
        return stubs.new.indices.map { index in
            let key = rules.key(stubs.new[index].request)
            let partner = pairs.stub(for: index, key: key, keyOfOld: { keys[$0] }, where: free.contains)
            if let partner { free.remove(partner) }
            return partner
        }
    }

    /// Returns the differences between two requests, beginning with the URL.
    public func requestDifferences(_ old: Int, _ new: Int) -> [Difference] {
        let (form, newForm) = (pairs.old.exchanges[old].request, pairs.new.exchanges[new].request)
        let (request, newRequest) = (stubs.old[old].request, stubs.new[new].request)
        var result: [Difference] = []
        if request.url != newRequest.url {
            let severity: VerificationReport.Severity = form.url == newForm.url ? .volatile : .values
            result.append(difference(severity, "url", request.url.absoluteString, newRequest.url.absoluteString))
        }
        return result + headerDifferences(request.headerFields, newRequest.headerFields, form, newForm)
            + bodyDifferences(request.body, newRequest.body, form, newForm)
    }

    /// Returns the differences between two responses, beginning with the status; `.volatile` if the normal forms are
    /// equal.
    ///
    /// If the status differs, only a complete comparison includes the header fields and the body.
    public func differences(_ old: Int, _ new: Int, isComplete: Bool = false) -> [Difference] {
        let (form, newForm) = (pairs.old.exchanges[old], pairs.new.exchanges[new])
        let (response, newResponse) = (stubs.old[old].response, stubs.new[new].response)
        let found = differences(response, newResponse, form.response, newForm.response, isComplete)
        return form.saysSame(as: newForm) ? found.map(\.volatile) : found
    }

    private func differences(
        _ recorded: StubResponse,
        _ received: StubResponse,
        _ form: NormalForm.Message,
        _ newForm: NormalForm.Message,
        _ isComplete: Bool
    ) -> [Difference] {
        guard let old = recorded.head else { return failureDifferences(recorded.failure, received) }
        guard let new = received.head, received.failure == nil || recorded.failure != nil else {
            return [difference(.breaking, "response", "\(old.statusCode)", shown(received.failure))]
        }
        guard old.statusCode == new.statusCode else {
            let status = difference(.breaking, "status", "\(old.statusCode)", "\(new.statusCode)")
            return isComplete ? [status] + partDifferences(recorded, received, form, newForm) : [status]
        }
        return partDifferences(recorded, received, form, newForm)
    }

    private func partDifferences(
        _ recorded: StubResponse,
        _ received: StubResponse,
        _ form: NormalForm.Message,
        _ newForm: NormalForm.Message
    ) -> [Difference] {
        let (old, new) = (recorded.head?.headerFields ?? [:], received.head?.headerFields ?? [:])
        return headerDifferences(old, new, form, newForm)
            + bodyDifferences(recorded.body, received.body, form, newForm)
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
        _ form: NormalForm.Message,
        _ newForm: NormalForm.Message
    ) -> [Difference] {
        let spellings = Dictionary((old + Array(new)).map { ($0.name.lowercased(), $0.name) }) { first, _ in first }
        return spellings.sorted { $0.key < $1.key }.compactMap { name, spelling in
            let (recorded, received) = (old[name], new[name])
            if recorded == received { return nil }
            if let recorded, let received, recorded.hasSameElements(as: received) { return nil }
            let isSame = form.fields[name] == newForm.fields[name]
            // The length of a body is compared with the body.
            if isSame, VolatileHeaderFields.ofBody.contains(name) { return nil }
            return difference(
                isSame ? .volatile : .values,
                "headers.\(spelling)",
                recorded?.quoted(),
                received?.quoted()
            )
        }
    }

    private func bodyDifferences(
        _ old: Data?,
        _ new: Data?,
        _ form: NormalForm.Message,
        _ newForm: NormalForm.Message
    ) -> [Difference] {
        let (old, new) = (old ?? Data(), new ?? Data())
        guard old != new else { return [] }
        let real = form.body == newForm.body ? [] : JSONDifference.all(form.body, newForm.body, entersAllArrays: true)
        guard let oldValue = JSONValue(body: old), let newValue = JSONValue(body: new) else {
            if case (.array, .array) = (form.body.content, newForm.body.content), !real.isEmpty {
                // The events of a stream, and the parts of a form.
                return real.map { difference(severity(of: $0), $0.part, $0.oldText, $0.newText) }
            }
            let real: VerificationReport.Severity = JSONValue(body: old) == nil ? .values : .breaking
            return [difference(form.body == newForm.body ? .volatile : real, "body", shown(old), shown(new))]
        }
        let all = JSONDifference.all(oldValue, newValue, entersAllArrays: true)
        let byPart = Dictionary(all.map { ($0.part, $0) }) { first, _ in first }
        let realParts = Set(real.map(\.part))
        return real.map { byPart[$0.part] ?? $0 }.map { difference(severity(of: $0), $0.part, $0.oldText, $0.newText) }
            + all.filter { !realParts.contains($0.part) }.map { difference(.volatile, $0.part, $0.oldText, $0.newText) }
    }

    private func severity(of difference: JSONDifference) -> VerificationReport.Severity {
        switch (difference.old?.content, difference.new?.content) {
        case (nil, _): .structure
        case (_, nil): .breaking
        // A null value may become any type.
        case (.null, _), (.bool, .bool), (.number, .number), (.string, .string), (.array, .array), (.object, .object):
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

extension VerificationReport.Difference {
    var volatile: Self { Self(severity: .volatile, part: part, recorded: recorded, received: received) }
}
