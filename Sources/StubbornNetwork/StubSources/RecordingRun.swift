import Foundation

/// A recording as it is in a journal and in the stub file.
struct StoredRecording: Sendable {
    /// The stub in the file that stands for a recording: its own, or an older one that is equivalent.
    struct Place: Hashable, Sendable {
        var identity: UInt64
        /// A Boolean value that indicates whether the stub is new, rather than at the position of one that was there
        /// when the run began.
        var isAdded: Bool
    }

    private(set) var entry: StubFileEntry
    private(set) var identity: UInt64
    var requestNumber: Int
    /// A Boolean value that indicates whether the run replaces the earlier recordings, as in `Recording`.
    var replaces: Bool
    var keepsErrorsAlone: Bool
    /// The number of secrets that were removed, as in `Recording`.
    var secretCount = 0
    /// The stub that stands for this recording; `nil` while there is none.
    var place: Place?
    /// A Boolean value that indicates whether the recording was folded as it is now, and is never added to the file
    /// again.
    var isFolded = false
    /// A Boolean value that indicates whether an older response stands for this recording, which is an error.
    fileprivate var isDiscarded = false

    fileprivate var isBroken: Bool { entry.stub.response.isBroken }

    init(_ entry: StubFileEntry, requestNumber: Int, replaces: Bool, keepsErrorsAlone: Bool, secretCount: Int = 0) {
        self.entry = entry
        // Reading fails for a stub of a file that was written in place, and a recording is from no such file.
        identity = (try? entry.identity()) ?? 0
        self.requestNumber = requestNumber
        self.replaces = replaces
        self.keepsErrorsAlone = keepsErrorsAlone
        self.secretCount = secretCount
    }

    /// Replaces the stub by one with fewer secrets.
    mutating func change(to entry: StubFileEntry) {
        // An equivalent stub that stands for this one is as it was.
        if place?.identity == identity { isFolded = false }
        self.entry = entry
        identity = (try? entry.identity()) ?? 0
    }
}

/// A stub of the file, and its identity.
struct IdentifiedEntry: Sendable {
    let entry: StubFileEntry
    let identity: UInt64

    init(_ entry: StubFileEntry) throws(SystemError) {
        self.entry = entry
        identity = try entry.identity()
    }

    init(_ recording: StoredRecording) {
        entry = recording.entry
        identity = recording.identity
    }
}

/// The recordings of a run, and the rules by which they change a stub file.
///
/// A run recognises stubs of the file by their identities: those that stand for its recordings, and those that were there
/// when it began. All others are of other runs or of people, and stay. This is a plain value, which writes nothing.
struct RecordingRun: Sendable {
    /// The number of times that each identity was in the file when a run that replaces stubs began.
    var base: [UInt64: Int] = [:]
    /// The identities that stubs have got since then, and that the journal does not have yet.
    var converted: [UInt64: Int] = [:]
    /// The recordings, in the order of their request numbers.
    private(set) var recorded: [StoredRecording] = []
    var rules = MergeRules()
    /// The number of recordings when secrets were last removed from them, and the number of secrets then.
    private(set) var searched = (recordingCount: 0, secretCount: 0)

    /// Forgets the recordings, which are in the file, and which the next ones do not replace.
    mutating func end() {
        for place in recorded.compactMap(\.place) where !place.isAdded { base[place.identity]? -= 1 }
        recorded = []
        searched.recordingCount = 0
    }

    /// Adds a recording, in the order of the request numbers.
    mutating func add(_ new: StoredRecording) {
        var index = recorded.count
        while index > 0, recorded[index - 1].requestNumber > new.requestNumber { index -= 1 }
        recorded.insert(new, at: index)
    }

    mutating func remove(_ requestNumber: Int) {
        recorded.removeAll { $0.requestNumber == requestNumber }
    }

    /// Adopts the places from a copy of this run that was merged into the file.
    mutating func adoptPlaces(of merged: RecordingRun) {
        base = merged.base
        let known = Dictionary(merged.recorded.map { ($0.requestNumber, $0) }) { $1 }
        recorded = recorded.map { own in
            guard let other = known[own.requestNumber], other.identity == own.identity else { return own }
            return other
        }
    }

    /// Makes the run look in the file again for what it has put there, and for its other recordings if it `doubtsAll`, and
    /// add what it does not find.
    mutating func doubtPlaces(ofAll doubtsAll: Bool = false) {
        for index in recorded.indices {
            if doubtsAll, recorded[index].place == nil {
                recorded[index].place = .init(identity: recorded[index].identity, isAdded: false)
            }
            recorded[index].isFolded = false
        }
    }

    /// Removes secrets from recordings that were recognised only after them.
    ///
    /// - Returns: A Boolean value that indicates whether a recording was changed.
    mutating func redactAgain(like latest: Recording) -> Bool {
        let count = latest.redactor.knownSecretCount
        searched = (recorded.count, count)
        var hasChanged = false
        for index in recorded.indices where recorded[index].secretCount < count {
            recorded[index].secretCount = count
            let stub = recorded[index].entry.stub
            let redacted = latest.redactor.redact(stub)
            guard redacted != stub else { continue }
            recorded[index].change(to: StubFileEntry(rendering: redacted, bodyEncoding: latest.bodyEncoding))
            hasChanged = true
        }
        return hasChanged
    }

    /// A Boolean value that indicates whether recorded stubs replace those with the same request, or follow the others.
    var replaces: Bool { recorded.contains(where: \.replaces) }

    /// A Boolean value that indicates whether each recording is in the file as it is now.
    var isFolded: Bool { recorded.allSatisfy(\.isFolded) }

    /// A Boolean value that indicates whether a recording has changed since it was put into the file.
    var isOutdated: Bool { recorded.contains { $0.place != nil && !$0.isFolded } }

    /// A Boolean value that indicates whether an exchange was not ended by an error alone.
    private var hasAnswer: Bool {
        recorded.map(\.entry.stub.response).contains { $0.head != nil || $0.waitsToBeCancelled }
    }

    /// The request numbers of the errors that the last merge has not written: no server has responded, or the file has
    /// a response.
    var discarded: Set<Int> {
        Set(recorded.filter { $0.isBroken && ($0.place == nil || $0.isDiscarded) }.map(\.requestNumber))
    }

    /// A Boolean value that indicates whether a recording is an error.
    var hasErrors: Bool { recorded.contains(where: \.isBroken) }

    /// Brings the stubs of the file up to date with the recordings, and sets the places of these.
    ///
    /// In a run that replaces, each recorded stub takes the position of an older stub: the first one with its method, URL
    /// and body that no other recording has taken. It also takes the older stub's bytes if nothing has changed
    /// (`StubRevision`). The other recordings follow, in the order in which the requests started. Older stubs are written
    /// again if their bodies are in another encoding than this run's.
    ///
    /// A server that is down for a moment must not be what every later run plays back. Errors alone are written only if
    /// the file had no stubs and the run records on purpose.
    ///
    /// `isOwn` says that this process has recorded the run, and knows its rules. With `dropsUnrequested`, stubs that the run
    /// did not ask for are removed, unless another run has changed the file, or a request that had a response ended in an
    /// error.
    mutating func merge(into file: inout [IdentifiedEntry], isOwn: Bool = false, dropsUnrequested: Bool = false) {
        guard dropsUnrequested || !isFolded else { return }
        var positions = self.positions(in: file)
        let owned = Set(positions.compactMap(\.self))
        guard hasAnswer || (owned.count == file.count && recorded.allSatisfy(\.keepsErrorsAlone)) else { return }
        var rest = base
        let old = file.indices.filter { index in
            guard !owned.contains(index), let count = rest[file[index].identity], count > 0 else { return false }
            rest[file[index].identity] = count - 1
            return true
        }
        let hasForeign = owned.count + old.count < file.count
        convert(old, in: &file)
        // The stubs that no recording has replaced, from the last one on: the first is quick to remove then.
        var free: [RequestKey: [Int]] = [:]
        for position in old.reversed() where replaces {
            free[rules.key(of: file[position].entry), default: []].append(position)
        }
        let takesOld = replaces && (!old.isEmpty || recorded.contains { $0.place?.isAdded == false })
        let later = LaterRequests(takesOld ? recorded.map(\.entry.stub.request) : [])
        var added: [Int] = []
        for index in recorded.indices {
            let known = recorded[index]
            let own = IdentifiedEntry(known)
            let isKept = positions[index] != nil && known.place?.isAdded == false
            // A later request of this run may carry a value that was left as it was in an older stub.
            let isRevised = isOwn && isKept && positions[index].map { file[$0].identity } != own.identity
            guard !known.isFolded || isRevised else { continue }
            var place = StoredRecording.Place(identity: own.identity, isAdded: true)
            if let position = positions[index], !isKept {
                file[position] = own
            } else if let position = positions[index] ?? (replaces ? free[rules.key(of: own.entry)]?.popLast() : nil) {
                let revision = StubRevision(rules: rules) { later.carry($0, after: index) }
                file[position] =
                    (try? IdentifiedEntry(revision.entry(own.entry, insteadOf: file[position].entry))) ?? own
                place = .init(identity: file[position].identity, isAdded: false)
                positions[index] = position
                recorded[index].isDiscarded = known.isBroken && !file[position].entry.stub.response.isBroken
            } else {
                added.append(index)
            }
            recorded[index].place = place
            recorded[index].isFolded = true
        }
        let ownAdded = recorded.indices.filter { recorded[$0].place?.isAdded == true && positions[$0] != nil }
        let start = ownAdded.compactMap { positions[$0] }.min() ?? file.count
        var removed: Set<Int> = []
        var block: [IdentifiedEntry] = []
        if !added.isEmpty {
            removed = Set(ownAdded.compactMap { positions[$0] })
            block = (ownAdded + added).sorted().map { IdentifiedEntry(recorded[$0]) }
        }
        if dropsUnrequested, !hasForeign, endsCleanly(file, positions, old) { removed.formUnion(free.values.joined()) }
        let kept = file.enumerated().filter { !removed.contains($0.offset) }
        file = kept.prefix { $0.offset < start }.map(\.element) + block + kept.drop { $0.offset < start }.map(\.element)
        if replaces { sortEqualRequests(in: &file) }
    }

    /// Writes stubs whose bodies are in another encoding than this run's anew.
    private mutating func convert(_ old: [Int], in file: inout [IdentifiedEntry]) {
        guard let encoding = rules.bodyEncoding else { return }
        for index in old {
            guard let new = try? IdentifiedEntry(file[index].entry.converted(to: encoding)),
                new.identity != file[index].identity
            else { continue }
            file[index] = new
            base[new.identity, default: 0] += 1
            converted[new.identity, default: 0] += 1
        }
    }

    /// Returns the positions of the stubs that stand for the recordings.
    private func positions(in file: [IdentifiedEntry]) -> [Int?] {
        var known: [UInt64: [Int]] = [:]
        let wanted = Set(recorded.compactMap(\.place?.identity))
        for index in file.indices where wanted.contains(file[index].identity) {
            known[file[index].identity, default: []].append(index)
        }
        // From the end, because what a run adds follows an equal stub that was there.
        return recorded.reversed().map { $0.place.flatMap { known[$0.identity]?.popLast() } }.reversed()
    }

    /// Puts the stubs of equal requests into the order in which the requests started: they may have ended in another one.
    private mutating func sortEqualRequests(in file: inout [IdentifiedEntry]) {
        let positions = self.positions(in: file)
        let known = positions.compactMap(\.self)
        // The requests are in order already in most runs.
        guard zip(known, known.dropFirst()).contains(where: >) else { return }
        var equal: [RequestKey: [Int]] = [:]
        for index in recorded.indices where positions[index] != nil {
            equal[rules.key(of: recorded[index].entry), default: []].append(index)
        }
        for indices in equal.values where indices.count > 1 {
            let known = indices.compactMap { positions[$0] }
            guard known != known.sorted() else { continue }
            let entries = known.map { file[$0] }
            let isAdded = Dictionary(zip(known, indices.map { recorded[$0].place?.isAdded == true })) { $1 }
            for ((position, entry), index) in zip(zip(known.sorted(), entries), indices) {
                file[position] = entry
                recorded[index].place?.isAdded = isAdded[position] == true
            }
        }
    }

    /// Returns a Boolean value that indicates whether the run knows which stubs are no longer asked for.
    ///
    /// It knows if it recorded everything again, got a response, and no request that had a response in the old file ended
    /// in an error.
    private func endsCleanly(_ file: [IdentifiedEntry], _ positions: [Int?], _ old: [Int]) -> Bool {
        guard replaces, hasAnswer else { return false }
        let kept = zip(recorded, positions).compactMap { $0.place?.isAdded == false ? $1 : nil }
        let plain = { (request: StubRequest) in
            StubRequest(method: request.method, url: request.url, body: request.body)
        }
        let answered = Set(
            (old + kept).map { file[$0].entry.stub }.filter { $0.response.failure == nil }.map { plain($0.request) }
        )
        return !recorded.contains { $0.isBroken && answered.contains(plain($0.entry.stub.request)) }
    }
}
