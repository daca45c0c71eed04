import Foundation

/// Recorded stubs in their order, which of them are used, and the index that finds them.
struct RecordedStubs: Sendable {
    private var stubs: [(entry: StubFileEntry, place: Int)] = []
    private var used: [Bool] = []
    private var index = MatchIndex(options: .standard)
    private var indexed = 0
    private var generation: Int?
    /// Of each stub's whole request, as it is compared; 0 for what nobody has needed yet.
    private var exactKeys: [Int] = []
    private var comparesBodyExactly = false
    private var mutations = RecordedMutations()
    /// Changes whenever stubs change their positions.
    fileprivate private(set) var version = 0

    /// Adds a stub of the file, behind the others.
    mutating func append(_ entry: StubFileEntry) {
        stubs.append((entry, -1))
        used.append(false)
    }

    /// Adds a stub of this run in the order in which the requests started: a slow one goes before those that overtook it.
    mutating func insert(_ recording: Recording) {
        let later = stubs.reversed().prefix { $0.place > recording.place }.count
        let position = stubs.count - later
        stubs.insert((recording.entry, recording.place), at: position)
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
    fileprivate mutating func take(_ positions: [Int], for request: StubRequest, by order: PlaybackOrder) -> Stub? {
        guard let position = next(of: positions, for: request, by: order) else { return nil }
        used[position] = true
        return stubs[position].entry.stub
    }

    private mutating func next(of positions: [Int], for request: StubRequest, by order: PlaybackOrder) -> Int? {
        guard positions.count > 1 else { return positions.first { order.kind != .sequence || !used[$0] } }
        let live = ExactRequest(request, comparesBody: comparesBodyExactly).key
        switch order.kind {
        case .firstMatch: return positions.first { isExact($0, live) } ?? positions.first
        case .sequence: return unused(positions[...], live)
        case .sequenceThenLast: return next(of: positions[...], live)
        case .stateful: return request.isSafe ? nextUnchanged(positions, live) : next(of: positions[...], live)
        }
    }

    /// For a request that only reads: as `next(of:_:)`, between the changes that have been and the one that is to come.
    private mutating func nextUnchanged(_ positions: [Int], _ live: Int) -> Int? {
        guard let host = positions.first.map({ index[$0].url.host }) else { return nil }
        let (used, stubs) = (used, stubs)
        // What this run has recorded has happened.
        let (last, barrier) = mutations.around(host, in: index) { used[$0] || stubs[$0].place >= 0 }
        let allowed = positions.prefix { $0 < barrier }
        // Nothing was recorded before the change that is still to come.
        if allowed.isEmpty { return next(of: positions[...], live) }
        return next(of: allowed.drop { $0 < last }, live) ?? latest(allowed, live)
    }

    /// The next one, or the last again: of the exact ones where there are any.
    private mutating func next(of positions: ArraySlice<Int>, _ live: Int) -> Int? {
        guard let first = positions.first(where: { !used[$0] }) else { return latest(positions, live) }
        if isExact(first, live) { return first }
        var latest: Int?
        for position in positions where isExact(position, live) {
            if !used[position] { return position }
            latest = position
        }
        return latest ?? first
    }

    /// The next one that is left, an exact one before the others.
    private mutating func unused(_ positions: ArraySlice<Int>, _ live: Int) -> Int? {
        guard let first = positions.first(where: { !used[$0] }) else { return nil }
        for position in positions where position >= first && !used[position] && isExact(position, live) {
            return position
        }
        return first
    }

    private mutating func latest(_ positions: ArraySlice<Int>, _ live: Int) -> Int? {
        for position in positions.reversed() where isExact(position, live) { return position }
        return positions.last
    }

    /// Whether the whole request of a stub has the key of the live one.
    private mutating func isExact(_ position: Int, _ live: Int) -> Bool {
        if exactKeys.count < stubs.count {
            exactKeys += Array(repeating: 0, count: stubs.count - exactKeys.count)
        }
        if exactKeys[position] == 0 {
            exactKeys[position] = ExactRequest(index[position].request, comparesBody: comparesBodyExactly).key
        }
        return exactKeys[position] == live
    }

    fileprivate func place(_ position: Int) -> StubPlace {
        StubPlace(
            number: position + 1,
            line: stubs[position].entry.line,
            request: stubs[position].entry.stub.request,
            isUsed: used[position]
        )
    }

    fileprivate func isUsed(_ position: Int) -> Bool { used[position] }

    var count: Int { stubs.count }

    var all: [Stub] { stubs.map(\.entry.stub) }

    var unused: [Stub] { unusedPositions.map { stubs[$0].entry.stub } }

    var unusedPlaces: [StubPlace] { unusedPositions.map(place) }

    /// What this run has recorded was asked for.
    private var unusedPositions: [Int] { stubs.indices.filter { !used[$0] && stubs[$0].place < 0 } }

    private mutating func bringIndexUpToDate(_ rules: PlaybackRules) {
        if generation != rules.generation {
            index = MatchIndex(options: rules.matchers)
            indexed = 0
            exactKeys = []
            mutations = RecordedMutations()
            comparesBodyExactly = !rules.matchers.comparesWholeBody
            generation = rules.generation
        }
        guard indexed < stubs.count else { return }
        let form = MatchingForm(rules.redaction)
        index.reserveCapacity(stubs.count)
        while indexed < stubs.count {
            index.append(form.of(stubs[indexed].entry.stub.request))
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
                stubs.version == version ? .some(stubs.take(positions, for: request, by: rules.order)) : nil
            }
            if let taken { return taken }
        }
    }

    /// What is known about a request that no stub answers.
    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        let request = rules.redaction.matchingForm(of: request)
        let (index, version) = withLock { $0.index(by: rules) }
        let matching = index.matches(request)
        let found = index.nearest(to: request, limit: 1).first
        let path = ParsedRequest(request).url.path
        let here = (0..<index.count).filter { index[$0].url.path == path }
        return withLock { stubs in
            var diagnosis = LookupDiagnosis(count: stubs.count, pathCount: here.count, compared: request)
            guard stubs.version == version else { return diagnosis }
            diagnosis.usedPathCount = here.filter { stubs.isUsed($0) }.count
            diagnosis.usedUp = matching.map { stubs.place($0) }
            diagnosis.nearest = found.map { found in
                var place = stubs.place(found.position)
                place.request = index[found.position].request
                return LookupDiagnosis.Nearest(place: place, differences: found.differences)
            }
            return diagnosis
        }
    }
}
