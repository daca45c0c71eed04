/// The replacements of a recording, and the values that look random in it, field by field.
struct RedactionList {
    /// A line of a list: a field of any number of requests.
    private struct Line<Entry> {
        let entry: Entry
        let position: Int
        var suspicion = Int.min
        var count = 0
        var requests: Set<Int> = []
        var values: Set<Int> = []

        mutating func add(_ value: Int, of request: StubRequest, suspicion: Int = 0) {
            self.suspicion = max(self.suspicion, suspicion)
            count += 1
            requests.insert(request.identity)
            values.insert(value)
        }
    }

    private var replaced: [String: Line<RedactionReport.Replacement>] = [:]
    private var left: [String: Line<RedactionReport.Unredacted>] = [:]

    /// The stubs to search for text that looks random, by the numbers of their requests.
    ///
    /// They are searched when the list is shown, because a client waits while a stub is stored.
    var unsearched: [Int: Stub] = [:]

    /// Adds the replacements in a request and its response.
    mutating func add(_ notes: [SecretVault.Note], of request: StubRequest) {
        for note in notes {
            let part = note.part + (note.field.label.isEmpty ? "" : ", \(note.field.label)")
            let (rule, text, position) = (note.field.rule.name, note.placeholder, replaced.count)
            replaced[
                "\(part)|\(rule)",
                default: Line(
                    entry: .init(request: request.nameInReports, part: part, rule: rule, placeholder: text),
                    position: position
                )
            ].add(text.hashValue, of: request)
        }
    }

    /// Adds the values that look random in a stub.
    mutating func add(_ found: [UnredactedTextSearch.Found], of request: StubRequest) {
        for text in found {
            let (beginning, length, position) = (text.beginning, text.length, left.count)
            left[
                text.part,
                default: Line(
                    entry: .init(request: request.nameInReports, part: text.part, beginning: beginning, length: length),
                    position: position
                )
            ].add(text.identity, of: request, suspicion: text.suspicion)
        }
    }

    /// The lists as they are shown: among the values that were kept, the most suspicious field comes first.
    var report: RedactionReport {
        var report = RedactionReport()
        report.replacements = replaced.values.sorted { $0.position < $1.position }.map { line in
            var entry = line.entry
            (entry.count, entry.requestCount, entry.valueCount) = (line.count, line.requests.count, line.values.count)
            return entry
        }
        let lines = left.values.sorted { ($1.suspicion, $0.position) < ($0.suspicion, $1.position) }
        report.unlistedCount = Swift.max(0, lines.count - RedactionReport.longestList)
        report.unredacted = lines.prefix(RedactionReport.longestList).map { line in
            var entry = line.entry
            (entry.requestCount, entry.valueCount) = (line.requests.count, line.values.count)
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
            let isRandom = String(segment).withBytes { RandomText.looksRandom($0) }
            return isRandom ? "\(segment.prefix(4))…" : "\(segment)"
        }
        return "\(method) \(shown.joined(separator: "/"))".cut(to: 500)
    }

    /// A number by which two requests are distinguished in this process.
    fileprivate var identity: Int {
        var hasher = Hasher()
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(body)
        return hasher.finalize()
    }
}
