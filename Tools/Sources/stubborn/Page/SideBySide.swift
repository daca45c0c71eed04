@preconcurrency import Rainbow
import StubbornNetwork
import StubbornNetworkTooling

/// Two texts side by side, with the lines that differ.
struct SideBySide {
    struct Row: Equatable {
        enum Kind: String { case same, changed, removed, added, left }

        var kind: Kind
        var old = ""
        var new = ""
    }

    /// The rows: lines that differ, with three equal ones around them, and a count of those between.
    let rows: [Row]

    private static let contextCount = 3

    init(_ old: [String], _ new: [String]) {
        var rows: [Row] = []
        for edit in LineDiff(from: old, to: new).edits {
            switch edit {
            case .keep(let left, let right): rows.append(Row(kind: .same, old: old[left], new: new[right]))
            case .remove(let left): rows.append(Row(kind: .removed, old: old[left]))
            case .insert(let right):
                // Lines that were removed come first; the first of them stands next to the first new one.
                let end = rows.lastIndex { $0.kind != .removed }.map { $0 + 1 } ?? 0
                if end < rows.count {
                    rows[end].kind = .changed
                    rows[end].new = new[right]
                } else {
                    rows.append(Row(kind: .added, new: new[right]))
                }
            }
        }
        self.rows = Self.folded(rows)
    }

    /// Returns the rows without the equal lines that are far from a change.
    private static func folded(_ rows: [Row]) -> [Row] {
        var isKept = rows.map { $0.kind != .same }
        for index in rows.indices where rows[index].kind != .same {
            for near in max(index - contextCount, 0)...min(index + contextCount, rows.count - 1) { isKept[near] = true }
        }
        var result: [Row] = []
        var leftOut = 0
        for index in rows.indices {
            if !isKept[index] { leftOut += 1 }
            if leftOut > 0, isKept[index] || index == rows.count - 1 {
                result.append(Row(kind: .left, old: "… \(counted(leftOut, "equal line"))"))
                leftOut = 0
            }
            if isKept[index] { result.append(rows[index]) }
        }
        return result
    }
}

extension StubText {
    /// Returns the lines of a stub without colours; none without a stub.
    static func plain(_ stub: Stub?) -> [String] {
        let wasEnabled = Rainbow.enabled
        defer { Rainbow.enabled = wasEnabled }
        Rainbow.enabled = false
        return stub.map { StubText($0).lines } ?? []
    }
}
