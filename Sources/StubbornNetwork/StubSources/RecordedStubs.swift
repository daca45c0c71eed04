import Foundation

/// Recorded stubs in their order, which of them have answered, and the index that finds them.
struct RecordedStubs: Sendable {
    /// The stubs, each with the number of its request.
    ///
    /// The number is -1 for a stub that was in the file when the run began.
    private var stubs: [(entry: StubFileEntry, requestNumber: Int)] = []
    private var used: [Bool] = []
    private var matchIndex = MatchIndex(options: .standard)
    /// The placeholders in the requests of the match index.
    private var secrets: [RequestSecrets] = []
    private var bindings = PlaceholderBindings()
    /// The answers that depended on the order in which secrets appeared, by the first stub that matched.
    private var orderDependent: [Int: RedactionReport.OrderDependence] = [:]
    private var generation: Int?
    /// The keys of the stubs' whole requests, as they are compared; 0 until a key is needed.
    private var exactKeys: [Int] = []
    private var comparesBodyExactly = false
    private var mutations = RecordedMutations()
    /// A number that changes when the indices of stubs change.
    fileprivate private(set) var version = 0

    private var requestCount = 0
    /// The number of the first request of the current run.
    private var firstOfRun = 0

    /// Returns the number of a request in the order in which requests start.
    mutating func nextRequestNumber() -> Int {
        requestCount += 1
        return requestCount - 1
    }

    /// Begins another run: what was recorded so far is in the file.
    mutating func beginRun() { firstOfRun = requestCount }

    /// A Boolean value that indicates whether a stub was there when the run began.
    var hasEarlierStubs: Bool { stubs.first.map { $0.requestNumber < firstOfRun } == true }

    /// Adds a stub of the file after the others.
    mutating func append(_ entry: StubFileEntry) {
        stubs.append((entry, -1))
        used.append(false)
    }

    /// Adds a stub of this run, in the order in which the requests started.
    mutating func insert(_ stub: Stub, requestNumber: Int) {
        let later = stubs.reversed().prefix { $0.requestNumber > requestNumber }.count
        let index = stubs.count - later
        // The entry is for looking up only: it is not written.
        stubs.insert((StubFileEntry(stub, Data()), requestNumber), at: index)
        used.insert(false, at: index)
        // The match index has the old indices.
        guard later > 0 else { return }
        generation = nil
        version += 1
    }

    /// Returns the match index for the rules, and the version of its indices.
    fileprivate mutating func matchIndex(by rules: PlaybackRules) -> (matchIndex: MatchIndex, version: Int) {
        bringIndexUpToDate(rules)
        return (matchIndex, version)
    }

    /// Returns an index of the stubs without what signatures bring along, and the version of its indices.
    ///
    /// It is made anew for each request that needs it: hardly any does.
    fileprivate mutating func looseIndex(by rules: PlaybackRules) -> (matchIndex: MatchIndex, version: Int) {
        bringIndexUpToDate(rules)
        var index = MatchIndex(options: rules.matchers)
        let form = MatchingForm(rules.redaction)
        for stub in stubs {
            let request = stub.entry.stub.request
            index.append(form.loose(request)?.form ?? form.of(request).form)
        }
        return (index, version)
    }

    /// Returns the next of the stubs that match, and marks it as used; `nil` if none is left.
    ///
    /// Stubs that differ in placeholders alone are told apart by the live values that stood for these first.
    fileprivate mutating func take(
        _ indices: [Int],
        for request: StubRequest,
        with live: RequestSecrets,
        by rules: PlaybackRules
    ) -> (stub: Stub, doubt: RedactionReport.OrderDependence?)? {
        let order = rules.order
        var indices = order.kind == .onceFromFile ? indices.filter { stubs[$0].requestNumber < firstOfRun } : indices
        var doubt: RedactionReport.OrderDependence?
        if indices.count > 1, indices.contains(where: { !secrets[$0].isSame(as: secrets[indices[0]]) }) {
            let first = indices[0]
            indices = bindings.nearest(indices, to: live, in: secrets)
            if !rules.replacesFile, orderDependent[first] == nil, let found = orderDependence(of: indices, rules) {
                doubt = found
                orderDependent[first] = found
            }
        }
        guard let index = next(of: indices, for: request, by: order) else { return nil }
        used[index] = true
        bindings.bind(live, to: secrets[index])
        return (stubs[index].entry.stub, doubt)
    }

    /// Returns the first of some stubs and the first one that differs from it in placeholders and in its answer, for the
    /// report; `nil` where there is none.
    private func orderDependence(of indices: [Int], _ rules: PlaybackRules) -> RedactionReport.OrderDependence? {
        let (stubs, secrets) = (stubs, secrets)
        guard let first = indices.first else { return nil }
        return indices.lazy.compactMap {
            RedactionReport.OrderDependence(
                stubs[first].entry.stub,
                secrets[first],
                stubs[$0].entry.stub,
                secrets[$0],
                rules.redaction
            )
        }.first
    }

    private mutating func next(of indices: [Int], for request: StubRequest, by order: PlaybackOrder) -> Int? {
        let isOnce = order.kind == .onceFromFile
        guard indices.count > 1 else { return indices.first { (order.kind != .sequence && !isOnce) || !used[$0] } }
        let live = ExactRequest(request, comparesBody: comparesBodyExactly).key
        switch order.kind {
        case .firstMatch: return indices.first { isExact($0, live) } ?? indices.first
        case .sequence, .onceFromFile: return unused(indices[...], live)
        case .sequenceThenLast: return next(of: indices[...], live)
        case .stateful: return request.isSafe ? nextUnchanged(indices, live) : next(of: indices[...], live)
        }
    }

    /// Returns the next stub for a request that only reads, as `next(of:_:)` does: one that was recorded between the last
    /// change that was requested and the next one.
    private mutating func nextUnchanged(_ indices: [Int], _ live: Int) -> Int? {
        guard let host = indices.first.map({ matchIndex[$0].url.host }) else { return nil }
        let (used, stubs) = (used, stubs)
        // A change that this run has recorded was requested.
        let (last, barrier) = mutations.around(host, in: matchIndex) { used[$0] || stubs[$0].requestNumber >= 0 }
        let allowed = indices.prefix { $0 < barrier }
        // Nothing was recorded before the next change.
        if allowed.isEmpty { return next(of: indices[...], live) }
        return next(of: allowed.drop { $0 < last }, live) ?? latest(allowed, live)
    }

    /// Returns the next unused stub, or the last one again: of the exact ones if there are any.
    private mutating func next(of indices: ArraySlice<Int>, _ live: Int) -> Int? {
        guard let first = indices.first(where: { !used[$0] }) else { return latest(indices, live) }
        if isExact(first, live) { return first }
        var latest: Int?
        for index in indices where isExact(index, live) {
            if !used[index] { return index }
            latest = index
        }
        return latest ?? first
    }

    /// Returns the next unused stub, an exact one before the others.
    private mutating func unused(_ indices: ArraySlice<Int>, _ live: Int) -> Int? {
        guard let first = indices.first(where: { !used[$0] }) else { return nil }
        for index in indices where index >= first && !used[index] && isExact(index, live) {
            return index
        }
        return first
    }

    private mutating func latest(_ indices: ArraySlice<Int>, _ live: Int) -> Int? {
        for index in indices.reversed() where isExact(index, live) { return index }
        return indices.last
    }

    /// Returns a Boolean value that indicates whether the whole request of a stub has the key of the live request.
    private mutating func isExact(_ index: Int, _ live: Int) -> Bool {
        if exactKeys.count < stubs.count {
            exactKeys += Array(repeating: 0, count: stubs.count - exactKeys.count)
        }
        if exactKeys[index] == 0 {
            exactKeys[index] = ExactRequest(matchIndex[index].request, comparesBody: comparesBodyExactly).key
        }
        return exactKeys[index] == live
    }

    /// The indices of the stubs that this process has recorded and that have secrets.
    fileprivate var recordedWithSecrets: [Int] {
        stubs.indices.filter { stubs[$0].requestNumber >= 0 && $0 < secrets.count && !secrets[$0].all.isEmpty }
    }

    /// Returns the answers that depend on the order in which secrets appear, of some groups of stubs that match the same
    /// request, and those that were given.
    fileprivate func orderDependent(in groups: [[Int]], _ rules: PlaybackRules) -> [RedactionReport.OrderDependence] {
        // A run that replaces the stubs of the file replaces their placeholders too.
        let groups = groups.map { $0.filter { !rules.replacesFile || stubs[$0].requestNumber >= 0 } }
        var found: [RedactionReport.OrderDependence] = []
        for dependence in orderDependent.sorted(by: { $0.key < $1.key }).map(\.value)
            + Set(groups).sorted(by: { $0[0] < $1[0] }).compactMap({ orderDependence(of: $0, rules) })
        where !found.contains(dependence) { found.append(dependence) }
        return found
    }

    fileprivate func summary(at index: Int) -> StubSummary {
        StubSummary(
            position: index + 1,
            line: stubs[index].entry.line,
            request: stubs[index].entry.stub.request,
            isUsed: used[index]
        )
    }

    fileprivate func isUsed(_ index: Int) -> Bool { used[index] }

    var count: Int { stubs.count }

    var all: [Stub] { stubs.map(\.entry.stub) }

    /// Returns the stubs that this process has recorded for requests of some numbers, in their order.
    func ofThisProcess(where isWanted: (Int) -> Bool) -> [Stub] {
        stubs.filter { $0.requestNumber >= 0 && isWanted($0.requestNumber) }.map(\.entry.stub)
    }

    /// The stubs with their positions and lines, as reports list them.
    var summaries: [StubSummary] { stubs.indices.map { summary(at: $0) } }

    var unused: [Stub] { unusedIndices.map { stubs[$0].entry.stub } }

    var unusedPositions: [Int] { unusedIndices.map { $0 + 1 } }

    var unusedSummaries: [StubSummary] { unusedIndices.map { summary(at: $0) } }

    /// The indices of the stubs that no request asked for.
    ///
    /// The stubs that the run recorded count as asked for.
    private var unusedIndices: [Int] { stubs.indices.filter { !used[$0] && stubs[$0].requestNumber < 0 } }

    private mutating func bringIndexUpToDate(_ rules: PlaybackRules) {
        if generation != rules.generation {
            matchIndex = MatchIndex(options: rules.matchers)
            secrets = []
            exactKeys = []
            mutations = RecordedMutations()
            comparesBodyExactly = !rules.matchers.comparesWholeBody
            generation = rules.generation
        }
        guard secrets.count < stubs.count else { return }
        let form = MatchingForm(rules.redaction)
        matchIndex.reserveCapacity(stubs.count)
        while secrets.count < stubs.count {
            let request = form.of(stubs[secrets.count].entry.stub.request)
            matchIndex.append(request.form)
            secrets.append(request.secrets)
        }
    }
}

extension Lock<RecordedStubs> {
    /// Adds the stub of a recording.
    func insert(_ recording: Recording) {
        guard let stub = recording.stub else { return }
        withLock { $0.insert(stub, requestNumber: recording.requestNumber) }
    }

    /// Returns the next stub for a request, and marks it as used; `nil` if there is none.
    ///
    /// Stubs are compared outside the lock: a custom matcher is the user's code, which may call the network. A request
    /// that is signed is compared exactly first, and then without what its signature brings along.
    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        let (form, secrets) = rules.redaction.reading(request)
        if let stub = take(form, secrets, by: rules, { $0.matchIndex(by: rules) }) { return stub }
        guard MatchingForm.mayBeSigned(request), let live = MatchingForm(rules.redaction).loose(request),
            var stub = take(live.form, secrets, by: rules, { $0.looseIndex(by: rules) })
        else { return nil }
        // A client compares the state that comes back with the one that it has sent.
        let recorded = MatchingForm(rules.redaction).loose(stub.request)?.companions ?? [:]
        for (name, value) in recorded where value.utf8.count >= 20 || value.withBytes(RandomText.looksRandom) {
            if let new = live.companions[name] { stub.response.replace(value, by: new) }
        }
        return stub
    }

    private func take(
        _ request: StubRequest,
        _ secrets: RequestSecrets,
        by rules: PlaybackRules,
        _ index: (inout RecordedStubs) -> (matchIndex: MatchIndex, version: Int)
    ) -> Stub? {
        while true {
            let (matchIndex, version) = withLock { index(&$0) }
            let indices = matchIndex.matches(request)
            let taken = withLock { stubs -> (stub: Stub, doubt: RedactionReport.OrderDependence?)?? in
                stubs.version == version ? .some(stubs.take(indices, for: request, with: secrets, by: rules)) : nil
            }
            guard let taken else { continue }
            if let doubt = taken?.doubt { StandardError.write("This answer was chosen by order alone: \(doubt)") }
            return taken?.stub
        }
    }

    /// Returns the answers that depend on the order in which secrets appear: those given, and those that were recorded.
    func orderDependent(by rules: PlaybackRules) -> [RedactionReport.OrderDependence] {
        let (matchIndex, version) = withLock { $0.matchIndex(by: rules) }
        // Groups of a network that only plays have been looked at when they answered.
        let groups = withLock { $0.recordedWithSecrets }.map { matchIndex.matches(matchIndex[$0].request) }
        return withLock { stubs in stubs.version == version ? stubs.orderDependent(in: groups, rules) : [] }
    }

    /// Returns what is known about a request that no stub answers.
    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        let request = rules.redaction.matchingForm(of: request)
        let (matchIndex, version) = withLock { $0.matchIndex(by: rules) }
        let matching = matchIndex.matches(request)
        let found = matchIndex.nearest(to: request, limit: 1).first
        let path = ParsedRequest(request).url.path
        let here = (0..<matchIndex.count).filter { matchIndex[$0].url.path == path }
        return withLock { stubs in
            var diagnosis = LookupDiagnosis(count: stubs.count, pathCount: here.count, compared: request)
            guard stubs.version == version else { return diagnosis }
            diagnosis.usedPathCount = here.filter { stubs.isUsed($0) }.count
            diagnosis.usedUp = matching.map { stubs.summary(at: $0) }
            diagnosis.nearest = found.map { found in
                var stub = stubs.summary(at: found.position)
                stub.request = matchIndex[found.position].request
                return LookupDiagnosis.Nearest(stub: stub, differences: found.differences)
            }
            return diagnosis
        }
    }
}
