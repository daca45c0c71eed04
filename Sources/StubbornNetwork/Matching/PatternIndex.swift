/// Finds the declared stub that answers a request, the latest first, without asking every pattern.
///
/// Stubs declared for one request are found by its key, and patterns for one path by that path. All others are asked
/// every time.
struct PatternIndex: Sendable {
    private var patterns: [Int: RequestPattern] = [:]
    private var positionsByPath: [String: [Int]] = [:]
    private var positionsOfAnyPath: [Int] = []
    private var requests: MatchIndex
    private var positionsOfRequests: [Int] = []
    private var nextPosition = 0

    /// Creates an empty index.
    ///
    /// - Parameter options: The matchers that stubs declared for one request are found by.
    init(options: RequestMatcherOptions) {
        requests = MatchIndex(options: options)
    }

    var count: Int { patterns.count }

    /// Returns an index with the same patterns at the same positions, and other options.
    func matching(by options: RequestMatcherOptions) -> PatternIndex {
        var result = PatternIndex(options: options)
        for position in patterns.keys.sorted() {
            result.nextPosition = position
            if let pattern = patterns[position] { result.append(pattern) }
        }
        result.nextPosition = nextPosition
        return result
    }

    /// Adds a pattern, which is asked before the earlier ones.
    ///
    /// - Returns: The pattern's position, counted from 0 and never given to another pattern.
    @discardableResult
    mutating func append(_ pattern: RequestPattern) -> Int {
        let position = nextPosition
        nextPosition += 1
        patterns[position] = pattern
        if let request = pattern.declaredRequest {
            requests.append(request)
            positionsOfRequests.append(position)
        } else if let path = pattern.requiredPath {
            positionsByPath[path, default: []].append(position)
        } else {
            positionsOfAnyPath.append(position)
        }
        return position
    }

    /// Removes a pattern.
    ///
    /// Does nothing if there is none at the position.
    mutating func remove(_ position: Int) {
        // The request of a removed pattern stays in its index, and is skipped.
        guard let pattern = patterns.removeValue(forKey: position), pattern.declaredRequest == nil else { return }
        if let path = pattern.requiredPath {
            positionsByPath[path]?.removeAll { $0 == position }
        } else {
            positionsOfAnyPath.removeAll { $0 == position }
        }
    }

    subscript(position: Int) -> RequestPattern? { patterns[position] }

    /// Returns the latest pattern that holds for the request, and the values of its path placeholders.
    ///
    /// The closure `isAllowed` returns `true` when the pattern at a position may answer.
    func latest(
        answering request: StubRequest,
        where isAllowed: (Int) -> Bool = { _ in true }
    ) -> (position: Int, pathParameters: [String: String])? {
        guard !patterns.isEmpty else { return nil }
        let subject = PatternSubject(request: ParsedRequest(request), options: requests.options)
        let equal = requests.count == 0 ? [] : requests.matches(request).map { positionsOfRequests[$0] }
        let latestEqual = equal.last { patterns[$0] != nil && isAllowed($0) } ?? -1
        // Both lists ascend. The last of the two is asked first.
        var (ofPath, ofAnyPath) = (positionsByPath[subject.request.url.path, default: []][...], positionsOfAnyPath[...])
        while true {
            let position = max(ofPath.last ?? -1, ofAnyPath.last ?? -1)
            guard position > latestEqual else { break }
            if position == ofPath.last { ofPath.removeLast() } else { ofAnyPath.removeLast() }
            if isAllowed(position), let pathParameters = patterns[position]?.match(subject) {
                return (position, pathParameters)
            }
        }
        return latestEqual < 0 ? nil : (latestEqual, [:])
    }
}
