@preconcurrency import Rainbow
@_spi(Tools) import StubbornNetwork

/// Two texts side by side, with the lines that differ.
struct SideBySide {
    struct Row: Equatable {
        enum Kind: String { case same, changed, removed, added, left }

        var kind: Kind
        var old: String
        var new: String
    }

    /// The rows: lines that differ, with three equal ones around them, and a count of those between.
    let rows: [Row]

    private static let contextCount = 3
    /// The most lines of a text that are compared: comparing takes longer than their number.
    private static let maximumLineCount = 4_000

    init(_ old: [String], _ new: [String]) {
        rows = Self.folded(
            Self.rows(Array(old.prefix(Self.maximumLineCount)), Array(new.prefix(Self.maximumLineCount)))
        )
    }

    private static func rows(_ old: [String], _ new: [String]) -> [Row] {
        let difference = new.difference(from: old)
        var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var rows: [Row] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            let isRemoved = removed.contains(left)
            let isInserted = inserted.contains(right)
            switch (isRemoved, isInserted) {
            case (true, true): rows.append(Row(kind: .changed, old: old[left], new: new[right]))
            case (true, false): rows.append(Row(kind: .removed, old: old[left], new: ""))
            case (false, true): rows.append(Row(kind: .added, old: "", new: new[right]))
            case (false, false): rows.append(Row(kind: .same, old: old[left], new: new[right]))
            }
            if isRemoved || !isInserted { left += 1 }
            if isInserted || !isRemoved { right += 1 }
        }
        return rows
    }

    /// Returns the rows with long runs of equal lines left out.
    private static func folded(_ rows: [Row]) -> [Row] {
        let changes = rows.indices.filter { rows[$0].kind != .same }
        var kept: Set<Int> = []
        for index in changes { kept.formUnion(index - contextCount...index + contextCount) }
        var result: [Row] = []
        var leftOut = 0
        func flush() {
            if leftOut > 0 { result.append(Row(kind: .left, old: "… \(counted(leftOut, "equal line"))", new: "")) }
            leftOut = 0
        }
        for index in rows.indices {
            if kept.contains(index) {
                flush()
                result.append(rows[index])
            } else {
                leftOut += 1
            }
        }
        flush()
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
