/// The replacements of a recording, and what looks random in it, field by field.
struct RedactionList {
    private struct Field<Entry> {
        var entry: Entry
        var requests: Set<Int>
        var values: Set<Int> = []
        var suspicion = 0
    }

    private var replaced: [String: Int] = [:]
    private var replacements: [Field<RedactionReport.Replacement>] = []
    private var left: [String: Int] = [:]
    private var unredacted: [Field<RedactionReport.Unredacted>] = []

    /// Adds the replacements in a request and its response.
    mutating func add(_ notes: [SecretVault.Note], of request: StubRequest) {
        let id = request.identity
        for note in notes {
            let key = "\(note.part)|\(note.rule)"
            if let index = replaced[key] {
                replacements[index].entry.count += 1
                replacements[index].requests.insert(id)
            } else {
                replaced[key] = replacements.count
                let entry = RedactionReport.Replacement(
                    request: request.nameInReports,
                    part: note.part,
                    rule: note.rule,
                    placeholder: note.placeholder,
                    count: 1,
                    requestCount: 1
                )
                replacements.append(Field(entry: entry, requests: [id]))
            }
        }
    }

    /// Adds what looks random in a stub.
    mutating func add(_ found: [Leftovers.Found], of request: StubRequest) {
        let id = request.identity
        for value in found {
            if let index = left[value.part] {
                unredacted[index].requests.insert(id)
                unredacted[index].values.insert(value.identity)
                unredacted[index].suspicion = max(unredacted[index].suspicion, value.suspicion)
            } else {
                left[value.part] = unredacted.count
                let entry = RedactionReport.Unredacted(
                    request: request.nameInReports,
                    part: value.part,
                    beginning: value.beginning,
                    length: value.length,
                    requestCount: 1,
                    valueCount: 1
                )
                unredacted.append(
                    Field(entry: entry, requests: [id], values: [value.identity], suspicion: value.suspicion)
                )
            }
        }
    }

    /// The lists as they are shown: what was left with the most suspicious field first.
    var report: RedactionReport {
        var report = RedactionReport()
        report.replacements = replacements.map { field in
            var entry = field.entry
            entry.requestCount = field.requests.count
            return entry
        }
        report.unredacted = unredacted.enumerated()
            .sorted { ($1.element.suspicion, $0.offset) < ($0.element.suspicion, $1.offset) }
            .map { _, field in
                var entry = field.entry
                entry.requestCount = field.requests.count
                entry.valueCount = field.values.count
                return entry
            }
        return report
    }
}

extension StubRequest {
    /// The method and the URL without query, and without segments of the path that may be secrets.
    fileprivate var nameInReports: String {
        let segments = url.absoluteString.prefix { $0 != "?" && $0 != "#" }.split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        let shown = segments.map { segment in
            let isRandom = String(segment).withBytes { RandomText.looksRandom($0) || RandomText.looksDrawn($0) }
            return isRandom ? "\(segment.prefix(4))…" : "\(segment)"
        }
        return "\(method) \(shown.joined(separator: "/"))".cut(to: 500)
    }

    /// A number by which two requests are told apart in this process.
    fileprivate var identity: Int {
        var hasher = Hasher()
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(body)
        return hasher.finalize()
    }
}
