import Foundation

/// Finds the recorded requests that equal a live one in a dictionary; custom matchers are asked only about those.
struct MatchIndex: Sendable {
    let options: RequestMatcherOptions
    private let matchers: [RequestMatcher]
    private let customs: [RequestMatcher]
    private var requests: [ParsedRequest] = []
    private var positions: [[RequestMatcher.Part]: [Int]] = [:]
    /// The largest number of requests to other hosts and paths that `nearest(to:limit:)` compares.
    private static let maximumOtherCount = 1_000

    init(options: RequestMatcherOptions, requests: [StubRequest] = []) {
        self.options = options
        matchers = options.matchers.filter { !$0.isCustom }
        customs = options.matchers.filter(\.isCustom)
        reserveCapacity(requests.count)
        for request in requests { append(request) }
    }

    var count: Int { requests.count }

    mutating func reserveCapacity(_ count: Int) {
        guard requests.capacity < count else { return }
        requests.reserveCapacity(max(count, 2 * requests.capacity))
        positions.reserveCapacity(max(count, 2 * requests.capacity))
    }

    subscript(position: Int) -> ParsedRequest { requests[position] }

    mutating func append(_ request: StubRequest) {
        let position = requests.count
        let parsed = ParsedRequest(request)
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
            return customs.allSatisfy { $0.customHolds(liveRequest, recorded) }
        }
    }

    /// Returns the keys of a request: the parts that the matchers compare, its body by meaning and by bytes.
    private func keys(of request: ParsedRequest) -> (byMeaning: [RequestMatcher.Part], byBytes: [RequestMatcher.Part]?)
    {
        let parts = matchers.compactMap { $0.part(of: request) }
        guard let data = request.request.body, !data.isEmpty else { return (parts, nil) }
        let byBytes = parts.map { if case .body = $0 { RequestMatcher.Part.body(.bytes(BodyBytes(data))) } else { $0 } }
        return (parts, byBytes == parts ? nil : byBytes)
    }

    /// Returns the recorded requests that differ least from a live one, those to the same host and path first.
    func nearest(to request: StubRequest, limit: Int) -> [(position: Int, differences: [RequestDifference])] {
        guard limit > 0 else { return [] }
        let live = ParsedRequest(request)
        let here = requests.indices.filter {
            requests[$0].url.host == live.url.host && requests[$0].url.path == live.url.path
        }
        let isHere = Set(here)
        let others = requests.indices.lazy.filter { !isHere.contains($0) }.prefix(Self.maximumOtherCount)
        let nearest = ranked(here, live: live) + (here.count < limit ? ranked(Array(others), live: live) : [])
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
