import Foundation

/// The rules by which a recording run changes a stub file: the stubs in it, their order, and which of them keep their bytes.
///
/// A plain value, so that the rules can be tested without recording. Merging takes linear time.
struct StubFileMerge {
    /// The stubs that were in the file when this run began.
    var base: [StubFileEntry] = []

    /// The stubs that other processes have added since.
    var foreign: [StubFileEntry] = []

    /// The stubs that this run recorded, in the order in which the requests started.
    var recorded: [StubFileEntry] = []

    /// A Boolean value that indicates whether recorded stubs replace those with the same request.
    ///
    /// Otherwise they follow the others.
    var replaces = false

    /// A Boolean value that indicates whether stubs that this run did not ask for are removed.
    ///
    /// They are removed only when recording again ends without errors.
    var dropsUnrequested = false

    var rules = MergeRules()

    /// Returns the base in its order, then the stubs that are new in this run, then those that others added.
    ///
    /// With `replaces`, each recorded stub replaces the first stub that has its method, URL and body, and that no other
    /// recorded stub has replaced. Bodies that are the same JSON are the same. The older stub keeps its position and its
    /// bytes when the two are equivalent. It does so too when it has a whole response and the recording ended in an error,
    /// so that no recording is lost when a server is down for a moment.
    func document() -> StubFileDocument {
        guard replaces else { return StubFileDocument(entries: base + recorded + foreign) }
        var free = FreePositions(of: base.map { key(of: $0) })
        var merged: [StubFileEntry?] = dropsUnrequested ? base.map { _ in nil } : base
        var added: [StubFileEntry] = []
        for entry in recorded {
            guard let index = free.take(key(of: entry)) else {
                added.append(entry)
                continue
            }
            merged[index] = keeps(base[index].stub, for: entry.stub) ? base[index] : entry
        }
        return StubFileDocument(entries: merged.compactMap(\.self) + added + foreign)
    }

    private func keeps(_ old: Stub, for new: Stub) -> Bool {
        let losesResponse =
            new.response.isBroken && old.response.failure == nil && old.response.head != nil
        let equivalence = StubEquivalence(volatile: rules.volatileHeaderFields)
        return losesResponse || equivalence.isEquivalent(old, new)
            || equivalence.isEquivalent(rules.stubForm(old), rules.stubForm(new))
    }

    private func key(of entry: StubFileEntry) -> RequestKey {
        RequestKey(rules.requestForm(entry.stub.request))
    }
}

/// The stubs of the base that no recorded stub has replaced.
private struct FreePositions {
    private var indices: [RequestKey: [Int]] = [:]

    init(of keys: [RequestKey]) {
        // In reverse, so that the first is the last of its list, which is quick to remove.
        for (index, key) in keys.enumerated().reversed() { indices[key, default: []].append(index) }
    }

    mutating func take(_ key: RequestKey) -> Int? { indices[key]?.popLast() }
}

/// The parts of a request by which a recorded stub replaces another: method, URL as written, and body.
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

/// The rules that decide whether a recording is the same as an earlier one.
struct MergeRules: Sendable {
    /// The header fields that may differ.
    var volatileHeaderFields: VolatileHeaderFields = .standard

    /// The function that removes the numbers of redacted secrets from a request.
    ///
    /// Two recordings number the same secrets differently when their requests overlap.
    var requestForm: @Sendable (StubRequest) -> StubRequest = { $0 }
    /// The function that removes the numbers of redacted secrets from a stub.
    var stubForm: @Sendable (Stub) -> Stub = { $0 }
}
