import Foundation
import StubbornNetwork

/// The differences between the requests of a run and a snapshot: missing requests, unexpected ones, and the fields that
/// differ in the others.
struct SnapshotDifference {
    /// The differences, one line each; empty when nothing differs.
    let lines: [String]

    /// The number of lines that are shown.
    private static let maximumCount = 60

    init(expected: RequestSnapshot, actual: RequestSnapshot) {
        var lines: [String] = []
        for step in Self.steps(expected.entries, actual.entries) {
            switch step {
            case .changed(let number, let old, let new):
                lines.append("request \(number), \(new.name):")
                lines += Self.fields(old, new).map { "  \($0)" }
            case .missing(let entry): lines.append("missing: \(entry.name)")
            case .unexpected(let number, let entry):
                let repeats = actual.entries.prefix(number - 1).contains(entry)
                lines.append("request \(number), \(entry.name): \(repeats ? "repeated" : "not expected")")
            }
        }
        if expected.entries.count != actual.entries.count {
            lines.append("\(expected.entries.count) expected, \(actual.entries.count) made")
        }
        let more = lines.count - Self.maximumCount
        self.lines = more > 0 ? lines.prefix(Self.maximumCount) + ["and \(more) more lines"] : lines
    }

    private enum Step {
        case changed(Int, RequestSnapshot.Entry, RequestSnapshot.Entry)
        case missing(RequestSnapshot.Entry)
        case unexpected(Int, RequestSnapshot.Entry)
    }

    /// Returns the steps from the expected to the actual requests.
    ///
    /// An unexpected request in place of a missing one is a change of it when the path or the body is the same.
    private static func steps(_ expected: [RequestSnapshot.Entry], _ actual: [RequestSnapshot.Entry]) -> [Step] {
        let difference = actual.difference(from: expected)
        var (removed, inserted) = (Set<Int>(), Set<Int>())
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var steps: [Step] = []
        var (old, new) = (0, 0)
        while old < expected.count || new < actual.count {
            let isRemoved = removed.contains(old) && old < expected.count
            let isInserted = inserted.contains(new) && new < actual.count
            if isRemoved, isInserted, isSameRequest(expected[old], actual[new]) {
                steps.append(.changed(new + 1, expected[old], actual[new]))
                (old, new) = (old + 1, new + 1)
            } else if isRemoved {
                steps.append(.missing(expected[old]))
                old += 1
            } else if isInserted {
                steps.append(.unexpected(new + 1, actual[new]))
                new += 1
            } else {
                (old, new) = (old + 1, new + 1)
            }
        }
        return steps
    }

    private static func isSameRequest(_ old: RequestSnapshot.Entry, _ new: RequestSnapshot.Entry) -> Bool {
        func path(_ url: String) -> Substring { url.prefix { $0 != "?" && $0 != "#" } }
        return path(old.url) == path(new.url) || (old.body != nil && old.body == new.body)
    }

    private static func fields(_ old: RequestSnapshot.Entry, _ new: RequestSnapshot.Entry) -> [String] {
        var lines: [String] = []
        func compare(_ name: String, _ old: String?, _ new: String?) {
            guard old != new else { return }
            lines.append("\(name): expected \(shown(old)), was \(shown(new))")
        }
        compare("url", old.url, new.url)
        compare("method", old.method, new.method)
        let (oldFields, newFields) = (old.headers ?? [:], new.headers ?? [:])
        for name in Set(oldFields.keys).union(newFields.keys).sorted() {
            compare("headers.\(name)", oldFields[name], newFields[name])
        }
        if old.body != new.body { lines += bodyLines(old, new) }
        return lines
    }

    /// Returns the differences of two bodies, for JSON by key path.
    private static func bodyLines(_ old: RequestSnapshot.Entry, _ new: RequestSnapshot.Entry) -> [String] {
        if let lines = StubRequest.jsonDifferences(expected: old.body ?? "", actual: new.body ?? ""), !lines.isEmpty {
            return lines
        }
        return ["body: expected \(shown(old.body)), was \(shown(new.body))"]
    }

    private static func shown(_ text: String?) -> String { text.map { $0.quoted() } ?? "none" }
}
