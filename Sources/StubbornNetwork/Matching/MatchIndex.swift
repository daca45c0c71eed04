import Foundation

/// Finds the recorded requests that equal a live one without looking at all of them.
///
/// Each request's URL and body are read once, when it is appended. A lookup takes a live request's key from a dictionary;
/// matchers in code are asked only for what the rest selects.
struct MatchIndex: Sendable {
    let options: RequestMatcherOptions

    private let parts: [ComparedPart]
    private let customs: [ComparedPart]
    private let keepsBodies: Bool
    private var requests: [ParsedRequest] = []
    private var positions: [MatchKey: [Int]] = [:]

    /// How many requests elsewhere than at a live request's host and path are looked at for `nearest(to:limit:)`.
    private static let strangersRegarded = 1_000

    init(options: RequestMatcherOptions, requests: [StubRequest] = []) {
        self.options = options
        let compared = options.matchers.map(\.compared)
        parts = compared.filter { !$0.isCustom }
        customs = compared.filter(\.isCustom)
        keepsBodies = parts.contains(where: \.isBody)
        reserveCapacity(requests.count)
        for request in requests { append(request) }
    }

    var count: Int { requests.count }

    /// Makes room for so many requests at once.
    mutating func reserveCapacity(_ count: Int) {
        guard requests.capacity < count else { return }
        requests.reserveCapacity(max(count, 2 * requests.capacity))
        positions.reserveCapacity(max(count, 2 * requests.capacity))
    }

    subscript(position: Int) -> ParsedRequest { requests[position] }

    mutating func append(_ request: StubRequest) {
        let position = requests.count
        let parsed = ParsedRequest(request, keepsBody: keepsBodies)
        let keys = MatchKey.keys(of: parsed, comparing: parts)
        positions[keys.said, default: []].append(position)
        if let bytes = keys.bytes { positions[bytes, default: []].append(position) }
        requests.append(parsed)
    }

    /// The positions of the recorded requests for which all matchers hold, ascending.
    func matches(_ request: StubRequest) -> [Int] {
        let live = ParsedRequest(request)
        let keys = MatchKey.keys(of: live, comparing: parts)
        var found = positions[keys.said] ?? []
        if let bytes = keys.bytes, let same = positions[bytes], same != found {
            found = Set(found).union(same).sorted()
        }
        guard !customs.isEmpty, !found.isEmpty else { return found }
        let liveRequest = request.urlRequest
        return found.filter { position in
            let recorded = requests[position].request.urlRequest
            return customs.allSatisfy { $0.customHolds(live: liveRequest, recorded: recorded) }
        }
    }

    /// The recorded requests that come closest to a live one, with what differs: those of its host and path before others,
    /// then the fewest differences first, another value before one that is missing, then the earliest.
    ///
    /// Every request of the same host and path is regarded, and of the others as many as is quickly done.
    func nearest(to request: StubRequest, limit: Int) -> [(position: Int, differences: [RequestDifference])] {
        guard limit > 0 else { return [] }
        let live = ParsedRequest(request, keepsBody: true)
        let here = requests.indices.filter {
            requests[$0].url.host == live.url.host && requests[$0].url.path == live.url.path
        }
        var nearest = ranked(here, live: live)
        if nearest.count < limit {
            let isHere = Set(here)
            let elsewhere = requests.indices.lazy.filter { !isHere.contains($0) }.prefix(Self.strangersRegarded)
            nearest += ranked(Array(elsewhere), live: live)
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
