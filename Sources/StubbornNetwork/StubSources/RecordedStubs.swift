import Foundation

/// Recorded stubs in their order, which of them are used, and the index that finds them.
struct RecordedStubs: Sendable {
    private var stubs: [(stub: Stub, line: Int?, place: Int)] = []
    private var used: [Bool] = []
    private var index = MatchIndex(options: .standard)
    private var indexed = 0
    private var generation: Int?

    /// Adds a stub of the file, behind the others.
    mutating func append(_ stub: Stub, line: Int? = nil) {
        stubs.append((stub, line, -1))
        used.append(false)
    }

    /// Adds a stub of this run in the order in which the requests started: a slow one goes before those that overtook it.
    mutating func insert(_ stub: Stub, place: Int) {
        let later = stubs.reversed().prefix { $0.place > place }.count
        let position = stubs.count - later
        stubs.insert((stub, nil, place), at: position)
        used.insert(false, at: position)
        // The index knows stubs by their positions.
        if later > 0 { generation = nil }
    }

    /// The next stub for a request, by the rules; it is used from now on.
    mutating func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        bringIndexUpToDate(rules)
        let positions = index.matches(rules.redaction.matchingForm(of: request))
        let position =
            switch rules.order.kind {
            case .firstMatch: positions.first
            case .sequence: positions.first { !used[$0] }
            case .sequenceThenLast: positions.first { !used[$0] } ?? positions.last
            }
        guard let position else { return nil }
        used[position] = true
        return stubs[position].stub
    }

    mutating func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        bringIndexUpToDate(rules)
        let request = rules.redaction.matchingForm(of: request)
        var diagnosis = LookupDiagnosis(count: stubs.count, usedUp: index.matches(request).count)
        if let nearest = index.nearest(to: request, limit: 1).first {
            let (stub, line, _) = stubs[nearest.position]
            diagnosis.nearest = LookupDiagnosis.Nearest(
                number: nearest.position + 1,
                line: line,
                request: stub.request,
                differences: nearest.differences
            )
        }
        return diagnosis
    }

    var all: [Stub] { stubs.map(\.stub) }

    var unused: [Stub] {
        zip(stubs, used).filter { !$0.1 }.map(\.0.stub)
    }

    private mutating func bringIndexUpToDate(_ rules: PlaybackRules) {
        if generation != rules.generation {
            index = MatchIndex(options: rules.matchers)
            indexed = 0
            generation = rules.generation
        }
        while indexed < stubs.count {
            index.append(rules.redaction.matchingForm(of: stubs[indexed].stub.request))
            indexed += 1
        }
    }
}
