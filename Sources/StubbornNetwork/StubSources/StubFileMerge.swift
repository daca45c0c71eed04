import Foundation

/// The journal that a recording is in, and its number there.
struct RecordingID: Hashable {
    let journal: Int
    let number: Int
}

/// A stub of a stub file that was made from its base and its journals.
struct MergedStub: Sendable {
    var entry: StubFileEntry
    /// The index of the stub of the base that has this position.
    var baseIndex: Int?
    /// The recording; `nil` for an unchanged stub of the base.
    var recording: RecordingID?
    /// The run that last requested this stub.
    var run: String?
    fileprivate var key: UInt64?
    /// The identities of the stub of the base, or those of the recordings that were added.
    fileprivate var identities: [UInt64]
}

/// A stub file as a function of its base and its journals.
///
/// The base is the file at the time when the generation began. Runs are merged in the order in which they began, and the
/// recordings of a run in the order in which their requests started:
/// - A replacing recording takes the position of the first stub that has the same request (`RecordingPairs`) and that
///   the run of the recording has not requested. If both stubs have the same normal form, the old one is kept.
/// - An adding recording does the same with stubs that a different run added after the network had loaded its stubs.
/// - Any other recording gets the position after the previous one of its run. The first one of a run is at the front if
///   the run replaces stubs, and at the end otherwise.
/// - An error does not replace a response, and leaves its position to a retry unless all later answers have one. Errors are merged only if a server has
///   answered in the run, or if there are no other stubs and the run replaces stubs. Otherwise, every later run would
///   play back a short outage.
/// - If a run replaces all stubs, is the only run, and ends successfully as a whole, it removes the stubs of the base
///   that it has not requested. In an edited file, they are kept.
struct StubFileMerge: Sendable {
    private(set) var stubs: [MergedStub] = []
    /// The indices of the stubs of the base that the end of the run removes, because the run has not requested them.
    private(set) var unrequested: [Int] = []
    /// The stubs that were removed for this reason.
    private(set) var removed: [StubFileEntry] = []
    /// The errors that were not merged.
    private(set) var discarded: [RecordingID] = []

    /// The indices of the stubs in the order of the file, while they are merged.
    private var order: [Int]

    init(base: [StubFileEntry], journals: [JournalContent]) {
        stubs = base.enumerated().map { MergedStub(entry: $1, baseIndex: $0, identities: [$1.identity]) }
        order = Array(stubs.indices)
        let runs = Self.runs(of: journals)
        for run in runs { merge(run) }
        stubs = order.map { stubs[$0] }
        // Stubs that are unchanged since the base have its encoding. A process that only brings the file up to date has none.
        if let encoding = runs.last(where: { !$0.items.isEmpty })?.items.last?.rules.bodyEncoding {
            for index in stubs.indices { stubs[index].entry = stubs[index].entry.encodingBodies(as: encoding) }
        }
        guard runs.count == 1, discarded.isEmpty, runs[0].hasAskedForAll(of: base) else { return }
        unrequested = stubs.indices.filter { stubs[$0].run == nil }
        guard journals.contains(where: \.endsRun) else { return }
        removed = unrequested.map { stubs[$0].entry }
        for index in unrequested.reversed() { stubs.remove(at: index) }
        unrequested = []
    }

    var entries: [StubFileEntry] { stubs.map(\.entry) }

    /// Returns the numbers of the errors in a journal that were not merged.
    func discarded(of journal: Int) -> Set<Int> { Set(discarded.filter { $0.journal == journal }.map(\.number)) }

    // MARK: Runs

    /// The journals of one run, and its recordings in the order in which their requests started.
    private struct Run {
        struct Item {
            let journal: JournalContent
            let recording: StoredRecording

            var id: RecordingID { RecordingID(journal: journal.number, number: recording.number) }
            /// The start of the request, and a second value that orders requests with the same start.
            var start: (Int, Int, Int) { (recording.line.started, journal.number, recording.number) }
            /// The rules by which the recording was made.
            var rules: MergeRules { recording.rulesIndex < 0 ? MergeRules() : journal.rules[recording.rulesIndex] }
            /// The name of the set of keys that the stubs of the base have for this recording: each journal, and each change of its
            /// rules, has its own set.
            var nameOfKeys: String { "\(journal.number) \(recording.rulesIndex) \(recording.replaces)" }

            /// Returns a Boolean value that indicates whether the recording may replace a stub of another run.
            func mayReplace(_ stub: MergedStub) -> Bool {
                recording.replaces ? true : journal.loaded?.isDisjoint(with: stub.identities) ?? false
            }
        }

        let name: String
        let journals: [JournalContent]
        let items: [Item]

        var recordings: [StoredRecording] { items.map(\.recording) }

        /// A Boolean value that indicates whether any exchange has more than an error: a response, or the client's
        /// cancellation.
        var hasAnswer: Bool {
            recordings.filter { !$0.isValue }.map(\.response).contains { $0.head != nil || $0.waitsToBeCancelled }
        }

        func hasAskedForAll(of base: [StubFileEntry]) -> Bool {
            let digest = base.digest
            guard hasAnswer, recordings.allSatisfy(\.replaces),
                journals.allSatisfy({ ($0.head?.base, $0.damageCount) == (digest, 0) })
            else { return false }
            return journals.filter { !$0.recordings.isEmpty }.allSatisfy(\.endsWell)
        }
    }

    private static func runs(of journals: [JournalContent]) -> [Run] {
        // A journal without a complete head belongs to a run of a single process.
        let runs = Dictionary(grouping: journals.sorted { $0.number < $1.number }) { $0.head?.run ?? " \($0.number)" }
        return runs.sorted { $0.value[0].number < $1.value[0].number }.map { name, journals in
            let items = journals.flatMap { journal in
                journal.recordings.values.map { Run.Item(journal: journal, recording: $0) }
            }
            return Run(name: name, journals: journals, items: items.sorted { $0.start < $1.start })
        }
    }

    private mutating func merge(_ run: Run) {
        guard isMerged(run) else {
            discarded += run.items.map(\.id)
            return
        }
        // The indices of the new stubs by the index of the stub before them; -1 at the front.
        var new: [Int: [Int]] = [:]
        var predecessor: Int?
        var pairs = pairs(of: run)
        var replacing: [(index: Int, number: Int)] = []
        for (number, item) in run.items.enumerated() {
            let recording = item.recording
            guard let found = stub(for: number, of: run, &pairs) else {
                let place = predecessor ?? (recording.replaces ? -1 : order.last ?? -1)
                new[place, default: []].append(stubs.count)
                predecessor = place
                pairs?.renewed.insert(number)
                var added = MergedStub(entry: recording.entry, identities: recording.identities)
                (added.recording, added.run, added.key) = (item.id, run.name, recording.key)
                stubs.append(added)
                continue
            }
            predecessor = found
            let old = stubs[found].entry
            // An error does not replace a response.
            if recording.response.endsWithError, old.stub.response.head != nil, old.stub.response.failure == nil {
                discarded.append(item.id)
                if !needsPosition(number, of: run, &pairs) { stubs[found].run = run.name }
                continue
            }
            (stubs[found].recording, stubs[found].run) = (item.id, run.name)
            guard old.identity != recording.entry.identity else { continue }
            replacing.append((found, number))
            pairs?.pair(number, with: found)
            if item.journal.isOfFailedTest { pairs?.renewed.insert(number) }
        }
        let renewed = pairs?.renewedWithTies()
        for (index, number) in replacing where renewed?.contains(number) != false {
            let recording = run.items[number].recording
            stubs[index].entry = recording.entry
            stubs[index].key = recording.key
        }
        order = (new[-1] ?? []) + order.flatMap { [$0] + (new[$0] ?? []) }
    }

    /// Returns a Boolean value that indicates whether the recordings of a run belong into the file.
    private func isMerged(_ run: Run) -> Bool {
        if run.hasAnswer || run.recordings.allSatisfy(\.isValue) { return true }
        return order.isEmpty ? run.recordings.allSatisfy(\.replaces) : false
    }

    /// Returns the normal forms of a run and of the stubs that it may replace; `nil` if it replaces none.
    private func pairs(of run: Run) -> RecordingPairs? {
        let items = Dictionary(run.items.map { ("\($0.journal.number) \($0.recording.replaces)", $0) }) { $1 }.values
        let old = order.filter { index in items.contains { $0.mayReplace(stubs[index]) } }
        guard !old.isEmpty, let rules = run.items.last?.rules else { return nil }
        return RecordingPairs(old.map { ($0, stubs[$0].entry.stub) }, run.recordings.map(\.stub), rules)
    }

    /// Returns the index of the stub that a recording replaces; `nil` if there is none.
    private func stub(for number: Int, of run: Run, _ pairs: inout RecordingPairs?) -> Int? {
        let item = run.items[number]
        let (recording, rules) = (item.recording, item.rules)
        return pairs?.stub(for: number, key: recording.key, in: item.nameOfKeys) { index in
            let entry = stubs[index].entry
            return stubs[index].key ?? rules.keys[entry.identity] ?? Self.standard.key(entry.stub.request)
        } where: {
            isFree($0, for: item, of: run)
        }
    }

    /// Returns a Boolean value that indicates whether a later answer to the same request needs the position of an error: there are
    /// no more free stubs than such answers.
    private func needsPosition(_ number: Int, of run: Run, _ pairs: inout RecordingPairs?) -> Bool {
        let item = run.items[number]
        let later = run.items[(number + 1)...].map(\.recording).filter {
            $0.key == item.recording.key && !$0.response.endsWithError
        }
        return pairs?.freeCount(for: number, in: item.nameOfKeys, where: { isFree($0, for: item, of: run) }) ?? 0
            <= later.count
    }

    private func isFree(_ index: Int, for item: Run.Item, of run: Run) -> Bool {
        stubs[index].run == run.name ? false : item.mayReplace(stubs[index])
    }

    /// The rules for a stub of the base for which a journal has no key.
    private static let standard = MergeRules()
}

/// A stub file that somebody else edited during a generation.
///
/// The base is computed again from it, once.
///
/// Stubs that the generation added are removed first, so that the merge does not add them twice.
enum StubFileEdit {
    /// Returns the base from which a merge makes the edited file, with all recordings.
    ///
    /// - A stub that the last merge has added stands for the stub of the base at its position, or for none.
    /// - A stub that equals any version of a recording stands for that recording.
    /// - Any other stub is the person's, and is kept.
    static func base(
        of file: [StubFileEntry],
        madeFrom base: [StubFileEntry],
        _ journals: [JournalContent]
    ) -> [StubFileEntry] {
        let found = stubs(StubFileMerge(base: base, journals: written(journals, base)).stubs, in: file)
        let merged = StubFileMerge(base: base, journals: journals).stubs
        let versions = versions(of: journals, in: merged)
        let baseIndices = merged.reduce(into: [RecordingID: Int]()) { indices, stub in
            if let recording = stub.recording { indices[recording] = stub.baseIndex }
        }
        var taken = Set(found.compactMap { $0?.baseIndex })
        var recorded = Set(found.compactMap { $0?.recording })
        var result: [StubFileEntry] = []
        for (entry, stub) in zip(file, found) {
            if let stub {
                if let index = stub.baseIndex { result.append(base[index]) }
            } else if let recording = versions[entry.identity] ?? versions[entry.valueIdentity] {
                guard recorded.insert(recording).inserted, let index = baseIndices[recording] else { continue }
                if taken.insert(index).inserted { result.append(base[index]) }
            } else {
                result.append(entry)
            }
        }
        return result
    }

    /// Returns the journals in their state at the last write of the file.
    private static func written(_ journals: [JournalContent], _ base: [StubFileEntry]) -> [JournalContent] {
        let digest = base.digest
        let notes = journals.flatMap(\.notes).filter { $0.base == digest }
        func total(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }
        guard let last = notes.max(by: { total($0.read) < total($1.read) }) else { return [] }
        return journals.compactMap { journal in last.read[String(journal.number)].map(journal.cut) }
    }

    /// Returns the stub of each entry of a file; `nil` for an entry that is not one of the stubs.
    ///
    /// Unchanged stubs come first, with their own bases. In the others, a program may have changed the order of keys.
    private static func stubs(_ stubs: [MergedStub], in file: [StubFileEntry]) -> [MergedStub?] {
        var found = [MergedStub?](repeating: nil, count: file.count)
        var free = Set(stubs.indices)
        for identity in [\StubFileEntry.identity, \.valueIdentity] where found.contains(where: { $0 == nil }) {
            // Of several equal stubs, the first one is used first.
            var indices = Dictionary(grouping: free.sorted(by: >)) { stubs[$0].entry[keyPath: identity] }
            for position in file.indices where found[position] == nil {
                guard let index = indices[file[position][keyPath: identity]]?.popLast() else { continue }
                free.remove(index)
                found[position] = stubs[index]
            }
        }
        return found
    }

    /// Returns the recordings by the identities of all their versions, including superseded ones.
    private static func versions(of journals: [JournalContent], in merged: [MergedStub]) -> [UInt64: RecordingID] {
        var versions: [UInt64: RecordingID] = [:]
        for journal in journals {
            for recording in journal.recordings.values {
                let id = RecordingID(journal: journal.number, number: recording.number)
                for identity in recording.identities + [recording.entry.valueIdentity] { versions[identity] = id }
            }
        }
        // The bytes of a revised stub differ from those of the recording.
        for stub in merged where stub.recording != nil { versions[stub.entry.identity] = stub.recording }
        return versions
    }
}
