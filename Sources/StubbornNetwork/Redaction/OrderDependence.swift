import Foundation

extension RequestSecrets.Secret {
    /// Returns the rule whose exclusion keeps the value as it is; `nil` where no rule of a name or a form has found it.
    func rule(in request: StubRequest) -> Redaction.Rule? {
        if field.rule == .included { return nil }
        guard Redaction.Rule.byName.contains(field.rule) else { return field.rule }
        switch part.kind {
        case "request URL":
            let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            let isInQuery = items.contains { $0.name.withBytes(Placeholder.label) == field.label }
            return isInQuery ? .queryItem(field.label) : .jsonKey(field.label)
        case "request body":
            let type = request.headerFields["Content-Type"] ?? ""
            let place = request.body?.withBytes { TextFormat($0, type: type.lowercased()).place }
            return place == .form ? .formField(field.label) : .jsonKey(field.label)
        default: return .header(part.name)
        }
    }
}

extension RedactionReport.OrderDependence {
    /// Creates the entry of two stubs; `nil` where their secrets are equal, or their answers are but for placeholders.
    init?(_ first: Stub, _ secrets: RequestSecrets, _ second: Stub, _ others: RequestSecrets, _ redaction: Redaction) {
        let differing = secrets.pairs(with: others).filter { $0.own.value != $0.other.value }.map(\.own)
        guard !differing.isEmpty else { return nil }
        let (answer, other) = (redaction.namelessForm(of: first).response, redaction.namelessForm(of: second).response)
        // Dates in header fields differ in any case.
        let isSame = answer.head?.statusCode == other.head?.statusCode && answer.failure == other.failure
        if isSame, (try? answer.body) == (try? other.body) { return nil }
        request = first.request.nameInReports
        part = differing.map { "\($0.part.kind)\($0.part.name), \($0.field.label)" }.joined(separator: "; ")
        let rules = differing.map { $0.rule(in: first.request) }
        fix =
            rules.contains(nil)
            ? "exclude its rule or take it out of .including(…)"
            : "use .excluding(\(rules.compactMap { $0?.code }.joined(separator: ", ")))"
    }
}
