/// Finds the declared stub that answers a request, the latest first, without asking every pattern.
///
/// Stubs declared for one very request are found by its key, patterns that hold for one path alone by that path; the rest
/// is asked every time.
struct PatternIndex: Sendable {
    private var patterns: [Int: RequestPattern] = [:]
    private var positionsByPath: [String: [Int]] = [:]
    private var positionsOfAnyPath: [Int] = []
    private var requests: MatchIndex
    private var positionsOfRequests: [Int] = []
    private var nextPosition = 0

    /// - Parameter options: what stubs declared for one very request are matched by.
    init(options: RequestMatcherOptions) {
        requests = MatchIndex(options: options)
    }

    var count: Int { patterns.count }

    /// The same patterns at the same positions, with other options in force.
    func matching(by options: RequestMatcherOptions) -> PatternIndex {
        var result = PatternIndex(options: options)
        for position in patterns.keys.sorted() {
            result.nextPosition = position
            if let pattern = patterns[position] { result.append(pattern) }
        }
        result.nextPosition = nextPosition
        return result
    }

    /// Adds a pattern, which wins over those before it. Gives its position, counted from 0 and never given again.
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

    /// Takes a pattern out; a position that is not, or no longer, there changes nothing.
    mutating func remove(_ position: Int) {
        guard let pattern = patterns.removeValue(forKey: position) else { return }
        // What is left of a declared request in its index is passed over from now on.
        guard pattern.declaredRequest == nil else { return }
        if let path = pattern.requiredPath {
            positionsByPath[path]?.removeAll { $0 == position }
        } else {
            positionsOfAnyPath.removeAll { $0 == position }
        }
    }

    subscript(position: Int) -> RequestPattern? { patterns[position] }

    /// The latest pattern that holds for the request, of those that the closure admits.
    func latest(
        answering request: StubRequest,
        where isAdmitted: (Int) -> Bool = { _ in true }
    ) -> (position: Int, match: PatternMatch)? {
        guard !patterns.isEmpty else { return nil }
        let subject = PatternSubject(request: ParsedRequest(request), options: requests.options)
        var asked = Merged(
            positionsByPath[subject.request.url.path] ?? [],
            positionsOfAnyPath
        )
        let same = requests.count == 0 ? nil : requests.matches(request).last { isThere($0, isAdmitted) }
        let latestSame = same.map { positionsOfRequests[$0] } ?? -1
        while let position = asked.popLast(), position > latestSame {
            guard isAdmitted(position), let match = patterns[position]?.match(subject) else { continue }
            return (position, match)
        }
        return latestSame < 0 ? nil : (latestSame, PatternMatch())
    }

    private func isThere(_ index: Int, _ isAdmitted: (Int) -> Bool) -> Bool {
        let position = positionsOfRequests[index]
        return patterns[position] != nil && isAdmitted(position)
    }

    /// Two ascending lists, taken from the end as if they were one.
    private struct Merged {
        private let first: [Int]
        private let second: [Int]
        private var firstCount: Int
        private var secondCount: Int

        init(_ first: [Int], _ second: [Int]) {
            self.first = first
            self.second = second
            firstCount = first.count
            secondCount = second.count
        }

        mutating func popLast() -> Int? {
            let lastOfFirst = firstCount > 0 ? first[firstCount - 1] : -1
            let lastOfSecond = secondCount > 0 ? second[secondCount - 1] : -1
            guard max(lastOfFirst, lastOfSecond) >= 0 else { return nil }
            if lastOfFirst > lastOfSecond { firstCount -= 1 } else { secondCount -= 1 }
            return max(lastOfFirst, lastOfSecond)
        }
    }
}
