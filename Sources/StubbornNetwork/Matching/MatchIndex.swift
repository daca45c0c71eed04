import Foundation

/// Finds the recorded requests that equal a live one, without looking at all of them.
///
/// Each request's URL and body are read once, when it is appended. A lookup takes a live request's key from a
/// dictionary. Custom matchers are asked only about the requests found in this way.
struct MatchIndex: Sendable {
    let options: RequestMatcherOptions

    private let matchers: [RequestMatcher]
    private let customs: [RequestMatcher]
    private let keepsBodies: Bool
    private var requests: [ParsedRequest] = []
    private var positions: [[RequestMatcher.Part]: [Int]] = [:]

    /// The largest number of requests to other hosts and paths that `nearest(to:limit:)` compares.
    private static let maximumOtherCount = 1_000

    init(options: RequestMatcherOptions, requests: [StubRequest] = []) {
        self.options = options
        matchers = options.matchers.filter { !$0.isCustom }
        customs = options.matchers.filter(\.isCustom)
        keepsBodies = matchers.contains(where: \.isBody)
        reserveCapacity(requests.count)
        for request in requests { append(request) }
    }

    var count: Int { requests.count }

    /// Makes room for a number of requests.
    mutating func reserveCapacity(_ count: Int) {
        guard requests.capacity < count else { return }
        requests.reserveCapacity(max(count, 2 * requests.capacity))
        positions.reserveCapacity(max(count, 2 * requests.capacity))
    }

    subscript(position: Int) -> ParsedRequest { requests[position] }

    mutating func append(_ request: StubRequest) {
        let position = requests.count
        let parsed = ParsedRequest(request, keepsBody: keepsBodies)
        let keys = keys(of: parsed)
        positions[keys.byMeaning, default: []].append(position)
        if let key = keys.byBytes { positions[key, default: []].append(position) }
        requests.append(parsed)
    }

    /// Returns the positions of the recorded requests for which all matchers hold, in ascending order.
    func matches(_ request: StubRequest) -> [Int] {
        let keys = keys(of: ParsedRequest(request))
        var found = positions[keys.byMeaning] ?? []
        if let key = keys.byBytes, let same = positions[key], same != found {
            found = Set(found).union(same).sorted()
        }
        guard !customs.isEmpty, !found.isEmpty else { return found }
        let liveRequest = request.urlRequest
        return found.filter { position in
            let recorded = requests[position].request.urlRequest
            return customs.allSatisfy { $0.customHolds(live: liveRequest, recorded: recorded) }
        }
    }

    /// Returns the keys that a request is stored and found under: the parts that the matchers compare.
    ///
    /// Two requests are equal for all matchers but the custom ones when they share a key.
    ///
    /// A body is found by its meaning, and by its bytes: the same bytes are equal even where only one of two requests
    /// has a content type that says what they mean.
    private func keys(of request: ParsedRequest) -> (byMeaning: [RequestMatcher.Part], byBytes: [RequestMatcher.Part]?)
    {
        var parts: [RequestMatcher.Part] = []
        parts.reserveCapacity(matchers.count)
        for matcher in matchers {
            if let part = matcher.part(of: request) { parts.append(part) }
        }
        guard let data = request.request.body, parts.contains(where: \.isParsedBody) else { return (parts, nil) }
        return (parts, parts.map { if case .body = $0 { .body(.bytes(BodyBytes(data))) } else { $0 } })
    }

    /// Returns the recorded requests that are nearest to a live one, and their differences.
    ///
    /// All requests to the same host and path come first, then a limited number of others. Both are sorted by the
    /// number of differences; another value comes before a missing one, and an earlier request before a later one.
    func nearest(to request: StubRequest, limit: Int) -> [(position: Int, differences: [RequestDifference])] {
        guard limit > 0 else { return [] }
        let live = ParsedRequest(request, keepsBody: true)
        let here = requests.indices.filter {
            requests[$0].url.host == live.url.host && requests[$0].url.path == live.url.path
        }
        var nearest = ranked(here, live: live)
        if nearest.count < limit {
            let isHere = Set(here)
            let others = requests.indices.lazy.filter { !isHere.contains($0) }.prefix(Self.maximumOtherCount)
            nearest += ranked(Array(others), live: live)
        }
        return Array(nearest.prefix(limit))
    }

    private func ranked(
        _ positions: [Int],
        live: ParsedRequest
    ) -> [(position: Int, differences: [RequestDifference])] {
        positions
            .map { (position: $0, differences: options.differences(recorded: requests[$0], requested: live)) }
            .map { (found: $0, missing: $0.differences.filter(\.isAboutPresence).count) }
            .sorted {
                ($0.found.differences.count, $0.missing, $0.found.position)
                    < ($1.found.differences.count, $1.missing, $1.found.position)
            }
            .map(\.found)
    }
}

extension RequestMatcher.Part {
    /// A Boolean value that indicates whether the part is a body that is compared by its meaning.
    fileprivate var isParsedBody: Bool {
        switch self {
        case .body(.json), .body(.form), .body(.multipart): true
        default: false
        }
    }
}
