import Foundation
import StubbornNetwork

/// The differences between the requests of a run and a snapshot: missing requests, unexpected ones, and the fields that
/// differ in the others.
struct SnapshotDifference {
    /// The differences, one line each; empty when nothing differs.
    let lines: [String]

    /// The sorted names of the header fields that have a value other than the expected one.
    let changedHeaders: [String]

    /// The number of lines that are shown.
    private static let maximumCount = 60

    /// Compares the requests of two snapshots.
    ///
    /// An unexpected request counts as a change of a missing one if the path or the body is the same.
    init(expected: RequestSnapshot, actual: RequestSnapshot) {
        var lines: [String] = []
        var changedHeaders: Set<String> = []
        let (expected, actual) = (expected.entries, actual.entries)
        var (removed, inserted) = (Set<Int>(), Set<Int>())
        for change in actual.difference(from: expected) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var (old, new) = (0, 0)
        while old < expected.count || new < actual.count {
            switch (removed.contains(old), inserted.contains(new)) {
            case (true, true) where Self.isSameRequest(expected[old], actual[new]):
                let (before, after) = (expected[old], actual[new])
                lines.append("request \(new + 1), \(after.name):")
                lines += Self.fields(before, after).map { "  \($0)" }
                changedHeaders.formUnion(after.headers.filter { $0.value != before.headers[$0.key] ?? $0.value }.keys)
                (old, new) = (old + 1, new + 1)
            case (true, _):
                lines.append("missing: \(expected[old].name)")
                old += 1
            case (_, true):
                let repeats = actual.prefix(new).contains(actual[new])
                lines.append("request \(new + 1), \(actual[new].name): \(repeats ? "repeated" : "not expected")")
                new += 1
            case (false, false): (old, new) = (old + 1, new + 1)
            }
        }
        if expected.count != actual.count { lines.append("\(expected.count) expected, \(actual.count) made") }
        self.changedHeaders = changedHeaders.sorted()
        self.lines = lines.listed(upTo: Self.maximumCount)
    }

    private static func isSameRequest(_ old: RequestSnapshot.Entry, _ new: RequestSnapshot.Entry) -> Bool {
        func path(_ url: String) -> Substring { url.prefix { $0 != "?" } }
        return path(old.url) == path(new.url) || (old.body != nil && old.body == new.body)
    }

    private static func fields(_ old: RequestSnapshot.Entry, _ new: RequestSnapshot.Entry) -> [String] {
        var lines: [String] = []
        if old.url != new.url {
            let urls = String.quoted(old.url, new.url)
            lines.append("url: expected \(urls.old), was \(urls.new)")
        }
        if old.method != new.method {
            lines.append("method: expected \(old.method.quoted()), was \(new.method.quoted())")
        }
        lines += new.headersJSON.differences(from: old.headersJSON, in: "headers")
        guard old.body != new.body else { return lines }
        if let old = old.body, let new = new.body { return lines + new.differences(from: old) }
        return lines + ["body: expected \(old.body?.summary ?? "none"), was \(new.body?.summary ?? "none")"]
    }
}
