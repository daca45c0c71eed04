import Foundation
import StubbornNetwork

/// The differences between the requests of a run and a snapshot: missing requests, unexpected ones, and the fields that
/// differ in the others.
struct SnapshotDifference {
    /// The differences, one line each; empty when nothing differs.
    let lines: [String]

    /// The names of the header fields that a request has with another value than expected, sorted.
    let changedHeaders: [String]

    /// The number of lines that are shown.
    private static let maximumCount = 60

    init(expected: RequestSnapshot, actual: RequestSnapshot) {
        var lines: [String] = []
        var changedHeaders: Set<String> = []
        for step in Self.steps(expected.entries, actual.entries) {
            switch step {
            case .changed(let number, let old, let new):
                lines.append("request \(number), \(new.name):")
                lines += Self.fields(old, new).map { "  \($0)" }
                changedHeaders.formUnion(new.headers.filter { $0.value != old.headers[$0.key] ?? $0.value }.keys)
            case .missing(let entry): lines.append("missing: \(entry.name)")
            case .unexpected(let number, let entry):
                let repeats = actual.entries.prefix(number - 1).contains(entry)
                lines.append("request \(number), \(entry.name): \(repeats ? "repeated" : "not expected")")
            }
        }
        if expected.entries.count != actual.entries.count {
            lines.append("\(expected.entries.count) expected, \(actual.entries.count) made")
        }
        self.changedHeaders = changedHeaders.sorted()
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
        func path(_ url: String) -> Substring { url.prefix { $0 != "?" } }
        return path(old.url) == path(new.url) || (old.body != nil && old.body == new.body)
    }

    private static func fields(_ old: RequestSnapshot.Entry, _ new: RequestSnapshot.Entry) -> [String] {
        var lines: [String] = []
        if old.url != new.url { lines.append("url: expected \(old.url.quoted()), was \(new.url.quoted())") }
        if old.method != new.method {
            lines.append("method: expected \(old.method.quoted()), was \(new.method.quoted())")
        }
        lines += new.headersJSON.differences(from: old.headersJSON, in: "headers")
        guard old.body != new.body else { return lines }
        if let old = old.body, let new = new.body { return lines + new.differences(from: old) }
        return lines + ["body: expected \(old.body?.summary ?? "none"), was \(new.body?.summary ?? "none")"]
    }
}
