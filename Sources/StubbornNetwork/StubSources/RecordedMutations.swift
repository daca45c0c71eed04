/// The recorded requests that change something, by host, and the number of them that were replayed.
///
/// A look-up continues where the last one ended: a request that was replayed stays replayed.
struct RecordedMutations: Sendable {
    private struct Line: Sendable {
        var positions: [Int] = []
        var replayed = 0
    }

    private var lines: [String: Line] = [:]
    private var regarded = 0

    /// Returns the indices of the last mutation of a host before the first that was not replayed, and of that one; -1 and
    /// `Int.max` if there is none.
    mutating func around(_ host: String, in index: MatchIndex, isReplayed: (Int) -> Bool) -> (last: Int, next: Int) {
        while regarded < index.count {
            let recorded = index[regarded]
            if recorded.request.isMutation { lines[recorded.url.host, default: Line()].positions.append(regarded) }
            regarded += 1
        }
        guard var line = lines.removeValue(forKey: host) else { return (-1, .max) }
        while line.replayed < line.positions.count, isReplayed(line.positions[line.replayed]) { line.replayed += 1 }
        let last = line.replayed > 0 ? line.positions[line.replayed - 1] : -1
        let next = line.replayed < line.positions.count ? line.positions[line.replayed] : .max
        lines[host] = line
        return (last, next)
    }
}
