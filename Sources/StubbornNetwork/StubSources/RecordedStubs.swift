import Foundation

/// Recorded stubs in their order, which of them have answered, and the index that finds them.
struct RecordedStubs: Sendable {
    private struct Item: Sendable {
        let entry: StubFileEntry
        /// The number of its request; -1 for a stub that was in the file when the run began.
        let requestNumber: Int
        /// A Boolean value that indicates whether an earlier process of the run has recorded the stub.
        var isOfRun = false
        var isUsed = false
    }

    private var stubs: [Item] = []
    private var requestCount = 0
    /// The number of the first request of the current run.
    private var firstOfRun = 0
    /// Called when a stub of the file answers for the first time.
    var onFirstUse: (@Sendable (StubFileEntry) -> Void)?
    /// A number that changes when the indices of stubs change.
    private(set) var version = 0

    // The rest is made from the stubs and the rules, and made anew when the generation of the rules is another.
    private var generation: Int?
    private var matchIndex = MatchIndex(options: .standard)
    /// The keys of the stubs' whole requests that have been needed so far.
    private var exactKeys: [Int: Int] = [:]
    /// The stubs whose requests change something, by host, and the number of them that were played, all from the first.
    private var changes: [String: (indices: [Int], playedCount: Int)] = [:]
    /// The placeholders in the requests of the match index.
    private var secrets: [RequestSecrets] = []

    private var bindings = PlaceholderBindings()
    /// The answers that depended on the order in which secrets appeared, by the first stub that matched.
    private var orderDependent: [Int: RedactionReport.OrderDependence] = [:]

    // MARK: The stubs

    /// Returns the number of a request in the order in which requests start.
    mutating func nextRequestNumber() -> Int {
        requestCount += 1
        return requestCount - 1
    }

    /// Begins another run: what was recorded so far is in the file.
    mutating func beginRun() { firstOfRun = requestCount }

    /// A Boolean value that indicates whether a stub was there when the run began.
    var hasEarlierStubs: Bool { stubs.contains { isEarlier($0) } }

    private func isEarlier(_ stub: Item) -> Bool { stub.requestNumber < firstOfRun && !stub.isOfRun }

    /// Adds a stub of the file after the others.
    mutating func append(_ entry: StubFileEntry, isOfRun: Bool = false) {
        stubs.append(Item(entry: entry, requestNumber: -1, isOfRun: isOfRun))
    }

    /// Marks the stubs that earlier launches have used, by their identities, each as often as it was used.
    mutating func markUsed(_ used: [UInt64: Int]) {
        guard !used.isEmpty else { return }
        var used = used
        for index in stubs.indices {
            guard let identity = try? stubs[index].entry.identity(), let count = used[identity], count > 0 else {
                continue
            }
            used[identity] = count - 1
            stubs[index].isUsed = true
        }
    }

    /// Adds a stub of this run, in the order in which the requests started.
    mutating func insert(_ stub: Stub, requestNumber: Int) {
        let later = stubs.reversed().prefix { $0.requestNumber > requestNumber }.count
        // The entry is for looking up only: it is not written.
        let new = Item(entry: StubFileEntry(stub, Data()), requestNumber: requestNumber)
        stubs.insert(new, at: stubs.count - later)
        // The match index has the old indices.
        guard later > 0 else { return }
        generation = nil
        version += 1
    }

    /// The stubs in their order.
    var all: [Stub] { stubs.map(\.entry.stub) }

    /// The stubs with their positions and lines, as reports list them.
    var summaries: [StubSummary] { stubs.indices.map(summary) }

    /// The stubs that no request asked for, without those that the run recorded.
    var unused: [StubSummary] {
        let isRecording = stubs.contains { $0.requestNumber >= 0 }
        return stubs.indices.filter { index in
            let stub = stubs[index]
            return !stub.isUsed && stub.requestNumber < 0 && !(isRecording && stub.isOfRun)
        }.map(summary)
    }

    func summary(at index: Int) -> StubSummary {
        let entry = stubs[index].entry
        return StubSummary(position: index + 1, entry: entry, request: entry.stub.request, isUsed: stubs[index].isUsed)
    }

    func isUsed(_ index: Int) -> Bool { stubs[index].isUsed }

    var count: Int { stubs.count }

    /// Returns the stubs that this process has recorded, in their order, and separately those of some requests.
    func recorded(discarding discarded: Set<Int>) -> (kept: [Stub], discarded: [Stub]) {
        let own = stubs.filter { $0.requestNumber >= 0 }
        return (
            own.filter { !discarded.contains($0.requestNumber) }.map(\.entry.stub),
            own.filter { discarded.contains($0.requestNumber) }.map(\.entry.stub)
        )
    }

    // MARK: The index

    /// Returns the match index for the rules, and the version of its indices.
    mutating func matchIndex(by rules: PlaybackRules) -> (matchIndex: MatchIndex, version: Int) {
        bringIndexUpToDate(rules)
        return (matchIndex, version)
    }

    /// Returns an index of the stubs without what signatures bring along, and the version of its indices.
    ///
    /// It is made anew for each request that needs it: hardly any does.
    mutating func looseIndex(by rules: PlaybackRules) -> (matchIndex: MatchIndex, version: Int) {
        bringIndexUpToDate(rules)
        var index = MatchIndex(options: rules.matchers)
        let form = MatchingForm(rules.redaction)
        for stub in stubs {
            let request = stub.entry.stub.request
            index.append(form.loose(request)?.form ?? form.of(request).form)
        }
        return (index, version)
    }

    private mutating func bringIndexUpToDate(_ rules: PlaybackRules) {
        if generation != rules.generation {
            matchIndex = MatchIndex(options: rules.matchers)
            (secrets, exactKeys, changes) = ([], [:], [:])
            generation = rules.generation
        }
        guard matchIndex.count < stubs.count else { return }
        let form = MatchingForm(rules.redaction)
        matchIndex.reserveCapacity(stubs.count)
        for index in matchIndex.count..<stubs.count {
            let request = form.of(stubs[index].entry.stub.request)
            matchIndex.append(request.form)
            secrets.append(request.secrets)
            guard ["POST", "PUT", "PATCH", "DELETE"].contains(request.form.method) else { continue }
            changes[matchIndex[index].url.host, default: ([], 0)].indices.append(index)
        }
    }

    // MARK: Answers

    /// Returns the next of the stubs that match, and marks it as used; `nil` if none is left.
    ///
    /// Stubs that differ in placeholders alone are told apart by the live values that stood for these first.
    mutating func take(
        _ indices: [Int],
        for request: StubRequest,
        with live: RequestSecrets,
        by rules: PlaybackRules
    ) -> (stub: Stub, doubt: RedactionReport.OrderDependence?)? {
        let order = rules.order.kind
        var indices = order == .onceFromFile ? indices.filter { isEarlier(stubs[$0]) } : indices
        var doubt: RedactionReport.OrderDependence?
        if indices.count > 1, indices.contains(where: { !secrets[$0].isSame(as: secrets[indices[0]]) }) {
            let first = indices[0]
            indices = bindings.nearest(indices, to: live, in: secrets)
            if !rules.replacesFile, orderDependent[first] == nil {
                doubt = orderDependence(of: indices, rules)
                orderDependent[first] = doubt
            }
        }
        guard let index = next(of: indices, for: request, by: rules) else { return nil }
        if !stubs[index].isUsed, stubs[index].requestNumber < 0 { onFirstUse?(stubs[index].entry) }
        stubs[index].isUsed = true
        bindings.bind(live, to: secrets[index])
        return (stubs[index].entry.stub, doubt)
    }

    private mutating func next(of indices: [Int], for request: StubRequest, by rules: PlaybackRules) -> Int? {
        let order = rules.order.kind
        let repeats = order != .sequence && order != .onceFromFile
        guard indices.count > 1 else { return indices.first { repeats || !stubs[$0].isUsed } }
        let live = exactKey(of: request, rules)
        switch order {
        case .firstMatch: return indices.first { isExact($0, live, rules) } ?? indices.first
        case .stateful where ["GET", "HEAD", "OPTIONS"].contains(request.method):
            return nextUnchanged(indices, live, rules)
        case .stateful, .sequence, .sequenceThenLast, .onceFromFile:
            return next(of: indices[...], live, rules, repeats: repeats)
        }
    }

    /// Returns the next unused stub, or the last one again if it `repeats`: of the exact ones if there are any.
    private mutating func next(
        of indices: ArraySlice<Int>,
        _ live: Int,
        _ rules: PlaybackRules,
        repeats: Bool
    ) -> Int? {
        indices.first { !stubs[$0].isUsed && isExact($0, live, rules) }
            ?? (repeats ? indices.last { isExact($0, live, rules) } : nil)
            ?? indices.first { !stubs[$0].isUsed }
            ?? (repeats ? indices.last : nil)
    }

    /// Returns the next stub for a request that only reads (RFC 9110, section 9.2.1): one that was recorded between the
    /// last change that was requested and the next one.
    private mutating func nextUnchanged(_ indices: [Int], _ live: Int, _ rules: PlaybackRules) -> Int? {
        let host = matchIndex[indices[0]].url.host
        let known = changes[host] ?? ([], 0)
        // A change that this run has recorded was requested.
        let unplayed = known.indices[known.playedCount...]
        let firstUnplayed =
            unplayed.firstIndex { !stubs[$0].isUsed && stubs[$0].requestNumber < 0 } ?? unplayed.endIndex
        changes[host]?.playedCount = firstUnplayed
        let last = firstUnplayed > 0 ? known.indices[firstUnplayed - 1] : -1
        let barrier = firstUnplayed < known.indices.count ? known.indices[firstUnplayed] : Int.max
        let allowed = indices.prefix { $0 < barrier }
        // Nothing was recorded before the next change.
        if allowed.isEmpty { return next(of: indices[...], live, rules, repeats: true) }
        return next(of: allowed.drop { $0 < last }, live, rules, repeats: true)
            ?? allowed.last(where: { isExact($0, live, rules) }) ?? allowed.last
    }

    /// Returns a Boolean value that indicates whether the whole request of a stub has the key of the live request.
    private mutating func isExact(_ index: Int, _ live: Int, _ rules: PlaybackRules) -> Bool {
        if let key = exactKeys[index] { return key == live }
        let key = exactKey(of: matchIndex[index].request, rules)
        exactKeys[index] = key
        return key == live
    }

    /// Returns a hash of a whole request, to tell apart requests that the matchers take for the same.
    private func exactKey(of request: StubRequest, _ rules: PlaybackRules) -> Int {
        var hasher = Hasher()
        hasher.combine(request.method)
        hasher.combine(request.url.absoluteString)
        hasher.combine(HeaderComparison.fields(of: request))
        // Reading the bodies takes longer than all the rest. The value and not the bytes: a dictionary's keys have another
        // order in each process.
        if !rules.matchers.comparesWholeBody { hasher.combine(ComparableBody(request)) }
        return hasher.finalize()
    }

    // MARK: The order of secrets

    /// The indices of the stubs that this process has recorded and that have secrets.
    var recordedWithSecrets: [Int] {
        secrets.indices.filter { stubs[$0].requestNumber >= 0 && !secrets[$0].all.isEmpty }
    }

    /// Returns the answers that depend on the order in which secrets appear, of some groups of stubs that match the same
    /// request, and those that were given.
    func orderDependent(in groups: [[Int]], _ rules: PlaybackRules) -> [RedactionReport.OrderDependence] {
        // A run that replaces the stubs of the file replaces their placeholders too.
        let groups = groups.map { $0.filter { !rules.replacesFile || stubs[$0].requestNumber >= 0 } }
        var found: [RedactionReport.OrderDependence] = []
        for dependence in orderDependent.sorted(by: { $0.key < $1.key }).map(\.value)
            + Set(groups).sorted(by: { $0.first ?? 0 < $1.first ?? 0 }).compactMap({ orderDependence(of: $0, rules) })
        where !found.contains(dependence) { found.append(dependence) }
        return found
    }

    /// Returns the first of some stubs and the first one that differs from it in placeholders and in its answer, for the
    /// report; `nil` where there is none.
    private func orderDependence(of indices: [Int], _ rules: PlaybackRules) -> RedactionReport.OrderDependence? {
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
}
