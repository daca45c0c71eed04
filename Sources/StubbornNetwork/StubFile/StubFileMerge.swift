import Foundation

/// What a recording run makes of a stub file: which stubs stand in it, in which order, and which keep their bytes.
///
/// A plain value, so that the rules can be tested without recording anything. It takes linear time.
struct StubFileMerge {
    /// The file as it was when this run began.
    var base: [StubFileEntry] = []

    /// What another process has added since.
    var foreign: [StubFileEntry] = []

    /// What this run recorded, in the order in which the requests started.
    var recorded: [StubFileEntry] = []

    /// Whether recorded stubs take the places of those with the same request (recording again), or stand behind them all.
    var replaces = false

    /// Whether stubs that this run never asked for are dropped: at the clean end of recording again, and not before.
    var dropsUnrequested = false

    var rules = MergeRules()

    /// The base in its order, then what is new in this run, then what others added.
    ///
    /// With `replaces`, each recorded stub takes the place of the first one left that has its method, URL and body (a body
    /// that is the same JSON is the same). The one that was there stays, byte for byte, when the two are equivalent, and
    /// also when it holds a whole response and the recording ended in an error: a server that is down for a moment does
    /// not cost a recording.
    func document() -> StubFileDocument {
        guard replaces else { return StubFileDocument(entries: base + recorded + foreign) }
        var places = Places(of: base.map { key(of: $0) })
        var merged: [StubFileEntry?] = dropsUnrequested ? base.map { _ in nil } : base
        var added: [StubFileEntry] = []
        for entry in recorded {
            guard let place = places.claim(key(of: entry)) else {
                added.append(entry)
                continue
            }
            merged[place] = keeps(base[place].stub, for: entry.stub) ? base[place] : entry
        }
        return StubFileDocument(entries: merged.compactMap(\.self) + added + foreign)
    }

    private func keeps(_ old: Stub, for new: Stub) -> Bool {
        let losesResponse =
            new.response.failure != nil && old.response.failure == nil && old.response.head != nil
        let equivalence = StubEquivalence(volatile: rules.volatileHeaderFields)
        return losesResponse || equivalence.isEquivalent(old, new)
            || equivalence.isEquivalent(rules.stubForm(old), rules.stubForm(new))
    }

    private func key(of entry: StubFileEntry) -> RequestKey {
        RequestKey(rules.requestForm(entry.stub.request))
    }
}

/// The places in the file that recorded stubs may still take.
private struct Places {
    private var indices: [RequestKey: [Int]] = [:]

    init(of keys: [RequestKey]) {
        // Last first, so that the first is the last of its list, and quick to take.
        for (index, key) in keys.enumerated().reversed() { indices[key, default: []].append(index) }
    }

    mutating func claim(_ key: RequestKey) -> Int? { indices[key]?.popLast() }
}

/// By what a recorded request finds its place: method, URL as written, and body.
private struct RequestKey: Hashable {
    private enum Body: Hashable { case json(JSONValue), bytes(Data) }

    private let method: String
    private let url: String
    private let body: Body

    init(_ request: StubRequest) {
        method = request.method
        url = request.url.absoluteString
        let bytes = request.body ?? Data()
        body = JSONValue(body: bytes).map(Body.json) ?? .bytes(bytes)
    }
}

/// By what a recording is the same as an earlier one.
struct MergeRules: Sendable {
    /// The header fields that may differ.
    var volatileHeaderFields: VolatileHeaderFields = .standard

    /// The request, and the stub, without what redaction numbers: two recordings number the same secrets differently where
    /// their requests overlap.
    var requestForm: @Sendable (StubRequest) -> StubRequest = { $0 }
    var stubForm: @Sendable (Stub) -> Stub = { $0 }
}
