/// The replacements of a recording, and what looks random in it, field by field.
struct RedactionList {
    /// The lines of a list, by what they are about.
    private struct Lines<Entry> {
        private var indices: [String: Int] = [:]
        private(set) var lines: [Line] = []

        struct Line {
            let entry: Entry
            var suspicion: Int
            var count = 0
            var requests: Set<Int> = []
            var values: Set<Int> = []
        }

        mutating func add(_ entry: Entry, key: String, value: Int, of request: StubRequest, suspicion: Int = 0) {
            let index = indices[key] ?? lines.count
            if index == lines.count {
                indices[key] = index
                lines.append(Line(entry: entry, suspicion: suspicion))
            }
            lines[index].count += 1
            lines[index].suspicion = max(lines[index].suspicion, suspicion)
            lines[index].requests.insert(request.identity)
            lines[index].values.insert(value)
        }
    }

    private var replaced = Lines<RedactionReport.Replacement>()
    private var left = Lines<RedactionReport.Unredacted>()

    /// Adds the replacements in a request and its response.
    mutating func add(_ notes: [SecretVault.Note], of request: StubRequest) {
        let name = request.nameInReports
        for note in notes {
            let entry = RedactionReport.Replacement(
                request: name,
                part: note.part + (note.field.label.isEmpty ? "" : ", \(note.field.label)"),
                rule: note.field.rule.name,
                placeholder: note.placeholder
            )
            let key = "\(entry.part)|\(entry.rule)"
            replaced.add(entry, key: key, value: note.placeholder.hashValue, of: request)
        }
    }

    /// Adds what looks random in a stub.
    mutating func add(_ found: [UnredactedTextSearch.Found], of request: StubRequest) {
        let name = request.nameInReports
        for text in found {
            let entry = RedactionReport.Unredacted(
                request: name,
                part: text.part,
                beginning: text.beginning,
                length: text.length
            )
            left.add(entry, key: text.part, value: text.identity, of: request, suspicion: text.suspicion)
        }
    }

    /// The lists as they are shown: what was left with the most suspicious field first.
    var report: RedactionReport {
        var report = RedactionReport()
        report.replacements = replaced.lines.map { line in
            var entry = line.entry
            (entry.count, entry.requestCount, entry.valueCount) = (line.count, line.requests.count, line.values.count)
            return entry
        }
        report.unredacted = left.lines.enumerated()
            .sorted { ($1.element.suspicion, $0.offset) < ($0.element.suspicion, $1.offset) }
            .map { _, line in
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
