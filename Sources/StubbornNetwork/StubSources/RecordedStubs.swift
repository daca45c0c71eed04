import Foundation

/// Recorded stubs in their order, with their uses and the index that finds them.
struct RecordedStubs: Sendable {
    private struct Item: Sendable {
        let entry: StubFileEntry
        /// The number of its request; -1 for a stub that was in the file when the run began.
        let requestNumber: Int
        /// A Boolean value that indicates whether an earlier process of the run has recorded the stub.
        var isOfRun = false
        var isUsed = false
        /// A Boolean value that indicates whether the response has placeholders; `nil` until that is needed.
        var givesPlaceholders: Bool?
        /// The values of its request that the response repeats; `nil` until they are needed.
        var givenBack: EchoedRequestValues?

        /// A Boolean value that indicates whether this process has recorded the stub.
        var isRecorded: Bool { requestNumber >= 0 }
        /// A Boolean value that indicates whether the stub was there before the run.
        var isEarlier: Bool { !isRecorded && !isOfRun }
    }

    /// The file of the stubs; `nil` in memory.
    let file: URL?
    private var stubs: [Item] = []
    private var requestCount = 0
    /// The number of the first request of the current run.
    private var firstOfRun = 0
    /// The number of stubs that were there when the run began, all of them before the others.
    private var earlierCount = 0
    /// A Boolean value that indicates whether the recordings of earlier processes of the run count as used.
    private var isRunUsed = false
    /// Called when a stub of the file answers for the first time.
    var onFirstUse: (@Sendable (StubFileEntry) -> Void)?
    /// The positions of stubs that were used for the first time, and the recorded stubs, which a run report does not have yet.
    var unreported: (used: [Int], recorded: [Stub]) = ([], [])
    /// A number that changes when the indices of stubs change.
    private(set) var version = 0

    // The following properties are derived from the stubs and the rules, and are derived again when the generation of
    // the rules changes.
    private var generation: Int?
    private(set) var matchIndex = MatchIndex(options: .standard)
    /// The indices of the stubs whose requests change something, by host; `nil` until `.stateful` needs them, because finding them
    /// takes time.
    private var changes: [String: [Int]]?

    private var ranking = StubRanking()

    init(file: URL? = nil) { self.file = file }

    // MARK: The stubs

    /// Returns the number of a request in the order in which requests start.
    mutating func nextRequestNumber() -> Int { requestCount.increment() - 1 }

    /// Begins a new run: all recordings so far are in the file.
    mutating func beginRun() { (firstOfRun, earlierCount) = (requestCount, stubs.count) }

    /// Adds a stub of the file after the others.
    mutating func append(_ entry: StubFileEntry, isOfRun: Bool = false) {
        stubs.append(Item(entry: entry, requestNumber: -1, isOfRun: isOfRun))
        earlierCount += 1
    }

    /// Marks the stubs that earlier launches have used, by their identities, each as often as it was used.
    mutating func markUsed(_ used: [UInt64]) {
        guard !used.isEmpty else { return }
        var positions = Dictionary(grouping: stubs.indices.reversed()) { stubs[$0].entry.identity }
        for identity in used {
            if let position = positions[identity]?.popLast() { stubs[position].isUsed = true }
        }
    }

    /// Adds a stub of this run, in the order in which the requests started.
    mutating func insert(_ stub: Stub, requestNumber: Int) {
        let position = (stubs.lastIndex { $0.requestNumber <= requestNumber } ?? -1) + 1
        // The entry is only for lookups, and is not written.
        let new = Item(entry: StubFileEntry(stub, Data()), requestNumber: requestNumber)
        unreported.recorded.append(stub)
        stubs.insert(new, at: position)
        if requestNumber < firstOfRun { earlierCount += 1 }
        // The match index contains the old indices of these stubs, if it contains them at all. While a run records, it
        // contains the stubs from before the run.
        guard position < matchIndex.count else { return }
        generation = nil
        version += 1
    }

    /// The stubs in their order.
    var all: [Stub] { stubs.map(\.entry.stub) }

    /// The stubs with their positions and lines, as reports list them.
    var summaries: [StubSummary] { stubs.indices.map(summary) }

    /// The stubs that no request used, except stubs that the run recorded.
    var unused: [StubSummary] {
        let isRecording = stubs.contains(where: \.isRecorded)
        return stubs.indices.filter { isRecording ? stubs[$0].isEarlier : true }.filter { !isUsed($0) }.map(summary)
    }

    /// The number of stubs of earlier runs that requests have used.
    var usedCount: Int { stubs.filter(\.isEarlier).count(where: \.isUsed) }

    func summary(at index: Int) -> StubSummary {
        StubSummary(position: index + 1, entry: stubs[index].entry, file: file, isUsed: stubs[index].isUsed)
    }

    func isUsed(_ index: Int) -> Bool { stubs[index].isUsed }

    var count: Int { stubs.count }

    /// Returns the stubs that this process has recorded, in their order, and separately those of some requests.
    func recorded(discarding discarded: Set<Int>) -> (kept: [Stub], discarded: [Stub]) {
        let own = Dictionary(grouping: stubs.filter(\.isRecorded)) { discarded.contains($0.requestNumber) }
            .mapValues { $0.map(\.entry.stub) }
        return (own[false] ?? [], own[true] ?? [])
    }

    // MARK: The index

    /// Returns the groups of stubs that may match a live request, and the version of their indices.
    mutating func groups(for live: MatchIndex.Live, by rules: PlaybackRules) -> (groups: [RequestGroup], version: Int) {
        bringIndexUpToDate(rules)
        return (matchIndex.groups(for: live), version)
    }

    /// Makes the match index for the rules, and adds the stubs that it does not have.
    mutating func bringIndexUpToDate(_ rules: PlaybackRules) {
        if generation != rules.generation {
            matchIndex = MatchIndex(options: rules.matchers, declared: rules.placeholders)
            for index in stubs.indices where stubs[index].givenBack != nil { stubs[index].givenBack = nil }
            generation = rules.generation
        }
        let count = rules.order.kind == .onceFromFile ? earlierCount : stubs.count
        guard matchIndex.count < count else { return }
        changes = nil
        for index in matchIndex.count..<count {
            let stub = stubs[index].entry.stub
            matchIndex.append(stub.request, isLate: stub.response.waitsToBeCancelled)
        }
    }

    /// Returns the indices of the stubs whose requests change something, by host.
    private func findChanges() -> [String: [Int]] {
        let methods: Set = ["POST", "PUT", "PATCH", "DELETE"]
        let changes = (0..<matchIndex.count).filter { methods.contains(matchIndex[$0].request.method) }
            // A GraphQL query is also a POST.
            .filter { !matchIndex[$0].request.isReadOnly }
        return Dictionary(grouping: changes) { matchIndex[$0].url.host }
    }

    // MARK: Answers

    /// A stub that answers a request.
    struct Answer {
        /// The stub, with the live values in its response.
        var stub: Stub
        /// The live values that its placeholders stand for.
        let values: [(placeholder: String, value: [UInt8])]
    }

    /// Returns the next of the stubs that match, and marks it as used; `nil` if none is left.
    ///
    /// The best-ranked stubs come first, and among those the first one that is not used.
    mutating func take(_ matches: [MatchIndex.Match], for request: StubRequest, by rules: PlaybackRules) -> Answer? {
        // A run that records does not get its own recordings as answers.
        if rules.order.kind == .onceFromFile, !isRunUsed {
            isRunUsed = true
            for index in stubs.indices where stubs[index].isOfRun { stubs[index].isUsed = true }
        }
        guard let chosen = next(of: matches, for: request, by: rules) else { return nil }
        let index = chosen.position
        use(index)
        let wildcards = chosen.match.group.family(of: index)?.wildcards ?? []
        let values = chosen.match.captures.values
        ranking.bind(wildcards, to: values)
        var stub = stubs[index].entry.stub
        stub.response = givenBack(by: index, rules).response(stub.response, to: request)
        return Answer(stub: echoing(stub, index, wildcards, values), values: chosen.match.namedValues(at: index))
    }

    private mutating func use(_ index: Int) {
        if !stubs[index].isUsed, !stubs[index].isRecorded { onFirstUse?(stubs[index].entry) }
        if !stubs[index].isUsed { unreported.used.append(index + 1) }
        stubs[index].isUsed = true
    }

    /// Binds a placeholder to a live value that the test knows.
    mutating func bind(_ placeholder: String, to value: String) {
        ranking.bindings.rebind(placeholder, to: Array(value.utf8))
    }

    /// Returns the next stub of a value that a test made, and marks it as used; `nil` if there is none.
    ///
    /// Returns errors one after the other until there is a value. With `isOfRun`, returns only values of this run.
    mutating func takeValue(named name: String, isOfRun: Bool) -> Stub? {
        func fails(_ index: Int) -> Bool { stubs[index].entry.stub.response.failure != nil }
        func isOfCurrentRun(_ index: Int) -> Bool { stubs[index].requestNumber >= firstOfRun }
        // If this run could not make a value, it tries again.
        let named = stubs.indices.filter { stubs[$0].entry.stub.valueName == name }
            .filter { fails($0) ? !isOfCurrentRun($0) : true }
        let next = named.firstIndex { !isUsed($0) } ?? max(0, named.count - 1)
        for index in named.dropFirst(next) {
            use(index)
            if fails(index) { break }
        }
        return named.dropFirst(next).first { isOfRun ? stubs[$0].isOfRun || isOfCurrentRun($0) : true }
            .map { stubs[$0].entry.stub }
    }

    /// Returns a stub with the live values in its response: the values of the request, and the values that are known
    /// from other requests.
    private mutating func echoing(_ stub: Stub, _ index: Int, _ wildcards: [Wildcard], _ captured: [[UInt8]]) -> Stub {
        var stub = stub
        let bindings = ranking.bindings
        if wildcards.isEmpty, bindings.values.isEmpty, bindings.volatileValues.isEmpty { return stub }
        let gives = stubs[index].givesPlaceholders.orSet { PlaceholderSubstitution.isNeeded(by: stub.response) }
        guard gives else { return stub }
        var own: [String: [UInt8]] = [:]
        for (wildcard, value) in zip(wildcards, captured) where wildcard.kind != .unnamed {
            if PlaceholderBindings.isValue(value) { own[wildcard.placeholder] = value }
        }
        let live = PlaceholderSubstitution { own[$0] ?? bindings.values[$0] ?? bindings.volatileValues[$0] }
        stub.response = live.response(stub.response)
        return stub
    }

    /// Returns the values of a recorded request that its response repeats.
    private mutating func givenBack(by index: Int, _ rules: PlaybackRules) -> EchoedRequestValues {
        let entry = stubs[index].entry
        return stubs[index].givenBack.orSet {
            let keyPaths = rules.matchers.ignored.spelled.keyPaths
            return EchoedRequestValues(of: entry.stub, ignoring: keyPaths, fields: rules.volatileHeaderFields)
        }
    }

    /// Returns the stub that answers next in the order of playback.
    private mutating func next(
        of matches: [MatchIndex.Match],
        for request: StubRequest,
        by rules: PlaybackRules
    ) -> StubRanking.Candidate? {
        let identified = Array(zip(matches, ranking.identifyingWildcards(matches)))
        let ranking = ranking
        func best(isUsed: (Int) -> Bool) -> [StubRanking.Candidate] { ranking.best(of: identified, isUsed: isUsed) }
        switch rules.order.kind {
        // The first one always answers, so none counts as used.
        case .firstMatch: return ranking.best(of: best { _ in false }).first
        case .stateful where request.isReadOnly: return nextUnchanged(ranking.candidates(identified))
        case .sequenceThenLast, .stateful: return next(of: best(isUsed: isUsed), repeats: true)
        // A recorded cancelled request does not prevent a new request to the server.
        case .onceFromFile where matches.allSatisfy(\.group.form.isLate): return nil
        case .sequence, .onceFromFile:
            // The index of a different order may contain the recordings of this run.
            let limit = rules.order.kind == .onceFromFile ? earlierCount : stubs.count
            if let next = self.next(of: best(isUsed: isUsed), repeats: false), next.position < limit { return next }
            // The best stubs are used up. A known value does not get a stub that was recorded for a different value.
            let others = ranking.candidates(identified).filter { $0.position < limit }
            let known = others.filter(\.isKnown)
            return self.next(of: (known.isEmpty ? others : known).filter { !isUsed($0.position) }, repeats: false)
        }
    }

    /// Returns the first of the best stubs that is not used, or the last of them again if it `repeats`.
    private func next(of candidates: [StubRanking.Candidate], repeats: Bool) -> StubRanking.Candidate? {
        let best = ranking.best(of: candidates)
        return best.first { !stubs[$0.position].isUsed } ?? (repeats ? best.last : nil)
    }

    /// Returns the next stub for a request that only reads: it was recorded between the last requested change and the next change.
    private mutating func nextUnchanged(_ candidates: [StubRanking.Candidate]) -> StubRanking.Candidate? {
        guard let first = candidates.map(\.position).min() else { return nil }
        let allChanges = changes ?? findChanges()
        changes = allChanges
        let ofHost = allChanges[matchIndex[first].url.host] ?? []
        // A change that this run has recorded counts as requested.
        let nextChange = ofHost.first { !isUsed($0) && !stubs[$0].isRecorded } ?? .max
        let lastChange = ofHost.last { $0 < nextChange } ?? -1
        let allowed = candidates.filter { $0.position < nextChange }
        // Nothing was recorded before the next change.
        if allowed.isEmpty { return next(of: candidates, repeats: true) }
        return next(of: allowed.filter { $0.position >= lastChange }, repeats: true) ?? ranking.best(of: allowed).last
    }
}
