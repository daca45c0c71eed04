import Foundation

/// Recorded stubs in their order, which of them are used, and the index that finds them.
struct RecordedStubs: Sendable {
    private var stubs: [(stub: Stub, filePlace: StubFilePlace?, place: Int)] = []
    private var used: [Bool] = []
    private var index = MatchIndex(options: .standard)
    private var indexed = 0
    private var generation: Int?
    /// Changes whenever stubs change their positions.
    fileprivate private(set) var version = 0

    /// Adds a stub of the file, behind the others.
    mutating func append(_ stub: Stub, place: StubFilePlace? = nil) {
        stubs.append((stub, place, -1))
        used.append(false)
    }

    /// Adds a stub of this run in the order in which the requests started: a slow one goes before those that overtook it.
    mutating func insert(_ stub: Stub, place: Int) {
        let later = stubs.reversed().prefix { $0.place > place }.count
        let position = stubs.count - later
        stubs.insert((stub, nil, place), at: position)
        used.insert(false, at: position)
        // The index knows stubs by their positions.
        guard later > 0 else { return }
        generation = nil
        version += 1
    }

    /// The index by the rules, and the version of the positions that it gives.
    fileprivate mutating func index(by rules: PlaybackRules) -> (index: MatchIndex, version: Int) {
        bringIndexUpToDate(rules)
        return (index, version)
    }

    /// Uses the next of the stubs that match; `nil` where none is left.
    fileprivate mutating func take(_ positions: [Int], by order: PlaybackOrder) -> Stub? {
        let position =
            switch order.kind {
            case .firstMatch: positions.first
            case .sequence: positions.first { !used[$0] }
            case .sequenceThenLast: positions.first { !used[$0] } ?? positions.last
            }
        guard let position else { return nil }
        used[position] = true
        return stubs[position].stub
    }

    fileprivate func nearest(_ found: (position: Int, differences: [RequestDifference])) -> LookupDiagnosis.Nearest {
        let (stub, place, _) = stubs[found.position]
        return LookupDiagnosis.Nearest(
            number: found.position + 1,
            line: place?.line,
            request: stub.request,
            differences: found.differences
        )
    }

    var count: Int { stubs.count }

    var all: [Stub] { stubs.map(\.stub) }

    var unused: [Stub] {
        // What this run has recorded was asked for.
        zip(stubs, used).filter { !$0.1 && $0.0.place < 0 }.map(\.0.stub)
    }

    private mutating func bringIndexUpToDate(_ rules: PlaybackRules) {
        if generation != rules.generation {
            index = MatchIndex(options: rules.matchers)
            indexed = 0
            generation = rules.generation
        }
        guard indexed < stubs.count else { return }
        let form = MatchingForm(rules.redaction)
        index.reserveCapacity(stubs.count)
        while indexed < stubs.count {
            index.append(form.of(stubs[indexed].stub.request))
            indexed += 1
        }
    }
}

extension Lock<RecordedStubs> {
    /// The next stub for a request, by the rules; it is used from now on.
    ///
    /// Stubs are compared outside the lock: a custom matcher is the user's code, which may ask the network something.
    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        let request = rules.redaction.matchingForm(of: request)
        while true {
            let (index, version) = withLock { $0.index(by: rules) }
            let positions = index.matches(request)
            let taken = withLock { stubs -> Stub?? in
                stubs.version == version ? .some(stubs.take(positions, by: rules.order)) : nil
            }
            if let taken { return taken }
        }
    }

    /// What is known about a request that no stub answers.
    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        let request = rules.redaction.matchingForm(of: request)
        let (index, version) = withLock { $0.index(by: rules) }
        let matching = index.matches(request).count
        let found = index.nearest(to: request, limit: 1).first
        return withLock { stubs in
            var diagnosis = LookupDiagnosis(count: stubs.count, usedUp: matching)
            if let found, stubs.version == version { diagnosis.nearest = stubs.nearest(found) }
            return diagnosis
        }
    }
}
