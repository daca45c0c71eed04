@preconcurrency import Rainbow
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Two strings side by side, with the lines that differ.
struct SideBySide {
    struct Row: Equatable {
        enum Kind: String { case same, changed, removed, added, left }

        var kind: Kind
        var old = ""
        var new = ""
    }

    /// The rows: lines that differ, with three equal lines around them, and the number of omitted lines in between.
    let rows: [Row]

    private static let contextCount = 3

    init(_ old: [String], _ new: [String]) {
        let difference = LineDiff(from: old, to: new)
        var rows: [Row] = []
        var end = 0
        func leaveOut(upTo start: Int) {
            if start > end { rows.append(Row(kind: .left, old: "… \(counted(start - end, "equal line"))")) }
        }
        for hunk in difference.hunks(context: Self.contextCount) {
            leaveOut(upTo: hunk.lowerBound)
            end = hunk.upperBound + 1
            for edit in difference.edits[hunk] {
                switch edit {
                case .keep(let left, let right): rows.append(Row(kind: .same, old: old[left], new: new[right]))
                case .remove(let left): rows.append(Row(kind: .removed, old: old[left]))
                case .insert(let right):
                    // Lines that were removed come first; the first of them is next to the first new one.
                    let first = rows.lastIndex { $0.kind != .removed }.map { $0 + 1 } ?? 0
                    if first < rows.count {
                        (rows[first].kind, rows[first].new) = (.changed, new[right])
                    } else {
                        rows.append(Row(kind: .added, new: new[right]))
                    }
                }
            }
        }
        leaveOut(upTo: difference.edits.count)
        self.rows = rows
    }
}

extension StubText {
    /// Returns the lines of a stub without colors; none without a stub.
    static func plain(_ stub: Stub?) -> [String] {
        let wasEnabled = Rainbow.enabled
        defer { Rainbow.enabled = wasEnabled }
        Rainbow.enabled = false
        return stub.map { StubText($0).lines } ?? []
    }
}
