@preconcurrency import Rainbow

/// The difference between two strings, line by line, as `diff -u` writes it.
struct LineDiff {
    enum Edit { case keep(Int, Int), remove(Int), insert(Int) }

    private let old: [String]
    private let new: [String]
    let edits: [Edit]

    /// Compares two strings.
    ///
    /// If strings differ in thousands of lines, all lines between the first and the last difference are shown.
    init(from old: [String], to new: [String]) {
        (self.old, self.new) = (old, new)
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        let (oldPart, newPart) = (old[start..<old.count - end], new[start..<new.count - end])
        var removed = Set(oldPart.indices)
        var inserted = Set(newPart.indices)
        if oldPart.count + newPart.count < 8_000 {
            let difference = Array(newPart).difference(from: Array(oldPart))
            (removed, inserted) = ([], [])
            for change in difference {
                switch change {
                case .remove(let offset, _, _): removed.insert(offset + start)
                case .insert(let offset, _, _): inserted.insert(offset + start)
                }
            }
        }
        var edits: [Edit] = []
        var (position, newPosition) = (0, 0)
        while position < old.count || newPosition < new.count {
            if removed.contains(position) {
                edits.append(.remove(position))
                position += 1
            } else if inserted.contains(newPosition) {
                edits.append(.insert(newPosition))
                newPosition += 1
            } else {
                edits.append(.keep(position, newPosition))
                (position, newPosition) = (position + 1, newPosition + 1)
            }
        }
        self.edits = edits
    }

    /// The number of lines that are removed or inserted.
    var changedCount: Int {
        edits.reduce(0) { if case .keep = $1 { $0 } else { $0 + 1 } }
    }

    /// Returns the ranges of edits that have the changed lines and some lines around them; none for equal strings.
    func hunks(context: Int) -> [ClosedRange<Int>] {
        let changed = edits.indices.filter { if case .keep = edits[$0] { false } else { true } }
        return changed.reduce(into: []) { hunks, index in
            let range = max(0, index - context)...min(edits.count - 1, index + context)
            if let last = hunks.last, last.upperBound >= range.lowerBound - 1 {
                hunks[hunks.count - 1] = last.lowerBound...range.upperBound
            } else {
                hunks.append(range)
            }
        }
    }

    /// Returns the changed lines with some lines around them; none for equal strings.
    ///
    ///     @@ -1,2 +1,2 @@
    ///      first
    ///     -second
    ///     +2nd
    func lines(context: Int = 3) -> [String] { hunks(context: context).flatMap(lines(of:)) }

    private func lines(of hunk: ClosedRange<Int>) -> [String] {
        var (oldLines, newLines): ([Int], [Int]) = ([], [])
        let lines = hunk.map { index in
            switch edits[index] {
            case .keep(let position, let newPosition):
                oldLines.append(position)
                newLines.append(newPosition)
                return " \(old[position])"
            case .remove(let position):
                oldLines.append(position)
                return "-\(old[position])".red
            case .insert(let position):
                newLines.append(position)
                return "+\(new[position])".green
            }
        }
        let range = { (lines: [Int]) in "\((lines.first ?? -1) + 1),\(lines.count)" }
        return ["@@ -\(range(oldLines)) +\(range(newLines)) @@".cyan] + lines
    }
}
