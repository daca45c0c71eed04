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
    /// recorded stub has replaced. Bodies that are the same JSON are the same. The new stub takes its position, and its
    /// bytes where nothing has changed (`StubRevision`). An older stub with a whole response stays when the recording ended
    /// in an error, so that no recording is lost when a server is down for a moment.
    ///
    /// Stubs whose bodies are in another encoding than this run's are written again.
    func document() -> StubFileDocument {
        let base = base.map { $0.converted(to: rules.bodyEncoding) }
        guard replaces else { return StubFileDocument(entries: base + recorded + foreign) }
        lazy var later = LaterRequests(recorded.map(\.stub.request))
        var free = FreePositions(of: base.map { key(of: $0) })
        var merged: [StubFileEntry?] = dropsUnrequested ? base.map { _ in nil } : base
        var added: [StubFileEntry] = []
        for (number, entry) in recorded.enumerated() {
            guard let index = free.take(key(of: entry)) else {
                added.append(entry)
                continue
            }
            let revision = StubRevision(rules: rules) { later.carry($0, after: number) }
            merged[index] = revision.entry(entry, insteadOf: base[index])
        }
        return StubFileDocument(entries: merged.compactMap(\.self) + added + foreign)
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

    /// The names of header fields that the matchers ignore, and that may differ in requests.
    var ignoredHeaderFields: [String] = []

    /// The encoding of bodies in the file; `nil` to leave that of each stub.
    var bodyEncoding: BodyEncoding?

    /// The function that makes a request comparable: without what the matchers ignore, and without the numbers of redacted
    /// secrets.
    ///
    /// Two recordings number the same secrets differently when their requests overlap.
    var requestForm: @Sendable (StubRequest) -> StubRequest = { $0 }
    /// The function that removes the numbers of redacted secrets from a stub.
    var stubForm: @Sendable (Stub) -> Stub = { $0 }
}
