/// The rank of a recorded stub among those that match a request; the lowest is the best.
///
/// The reasons are in their order: one that follows counts where all before it are equal. A cookie counts against a stub only
/// if it stands for another value: a test may have none because the recorded one has expired, or one of an earlier test.
struct StubRank: Comparable {
    /// A Boolean value that indicates whether the recorded request was cancelled.
    var isLate: Bool
    /// The number of wildcards that stand for other values.
    var contradictions = 0
    /// The number of header fields that differ.
    var differences: Int
    /// The number of wildcards, except those in cookies, that are not known to stand for the live value.
    var unknown: Int
    /// The number of cookies that are known to have the live value.
    var knownCookies = 0
    /// The number of wildcards in which the live value has another form than the recorded one.
    var formMismatchCount: Int

    private var reasons: (Int, Int, Int, Int, Int, Int) {
        (isLate ? 1 : 0, contradictions, differences, unknown, -knownCookies, formMismatchCount)
    }

    static func < (left: Self, right: Self) -> Bool { left.reasons < right.reasons }
}

/// The ranking of recorded stubs by what is known about live values.
///
/// A value that nothing is known about does not change the rank: a dummy key that all users have does not distinguish them. A
/// value counts if it is long and has a digit, or if two different values are known for its place.
struct StubRanking: Sendable {
    /// A stub that may answer a request.
    struct Candidate {
        let position: Int
        let rank: StubRank
        let match: MatchIndex.Match
        /// A Boolean value that indicates whether all telling values are known to belong to the stub.
        var isKnown = false
    }

    /// Families of one rank, which are found one by one; `nil` for all of the group.
    private typealias Families = (rank: StubRank, indices: AnySequence<Int>?)

    /// The number of families in which a placeholder is bound, all from the first, by the group and its wildcard.
    private var boundCounts: [Int: [Int: Int]] = [:]
    /// The number of used members, all from the first, of each family of a group; that of the group under `nil`.
    private var usedCounts: [Int: [Int?: Int]] = [:]
    private(set) var bindings = PlaceholderBindings()

    /// Forgets what belongs to an index, and keeps the bindings.
    mutating func reset() { (boundCounts, usedCounts) = ([:], [:]) }

    // MARK: Bindings

    /// Binds the placeholders of a stub that answers to the live values.
    mutating func bind(_ wildcards: [Wildcard], to values: [[UInt8]]) {
        for (wildcard, value) in zip(wildcards, values) {
            switch wildcard.kind {
            case .unnamed: continue
            case .volatile: bindings.note(volatile: value, for: wildcard.placeholder)
            case .named:
                let isTakenOver = bindings.values[wildcard.placeholder] != nil
                if bindings.bind(wildcard.placeholder, to: value), isTakenOver { boundCounts = [:] }
            }
        }
    }

    /// Binds a placeholder to a value that the test knows.
    mutating func rebind(_ name: String, to value: [UInt8]) {
        bindings.rebind(name, to: value)
        boundCounts = [:]
    }

    // MARK: Ranks

    /// Returns the wildcards of each match for which the live value identifies the sender of the request.
    func tellingWildcards(_ matches: [MatchIndex.Match]) -> [[Int]] {
        matches.map { match in
            match.group.named.filter { wildcard in
                let value = match.captures.values[wildcard]
                if value.isEmpty || PlaceholderBindings.isDistinctive(value) { return !value.isEmpty }
                let place = match.group.places[wildcard]
                return bindings.names.contains { other, names in
                    other != value
                        && names.contains { name in matches.contains { $0.group.has(name, at: place) } }
                }
            }
        }
    }

    /// Returns the rank of a family; without one, the rank of those about which nothing is known.
    private func rank(
        _ family: RequestGroup.Family?,
        _ match: MatchIndex.Match,
        _ telling: [Int]
    ) -> StubRank {
        let group = match.group
        var rank = StubRank(
            isLate: group.form.isLate,
            differences: match.differences,
            unknown: group.firstCookie,
            formMismatchCount: match.captures.formMismatchCount
        )
        for wildcard in telling {
            guard let name = family?.wildcards[wildcard].name else { continue }
            switch bindings.isBound(name, to: match.captures.values[wildcard]) {
            case true? where wildcard < group.firstCookie: rank.unknown -= 1
            case true?: rank.knownCookies += 1
            case false?: rank.contradictions += 1
            case nil: break
            }
        }
        return rank
    }

    // MARK: Candidates

    /// Returns all stubs of a match.
    func candidates(_ match: MatchIndex.Match, _ telling: [Int]) -> [Candidate] {
        let accepted = match.accepted.map(Set.init)
        return match.group.families.flatMap { family in
            let rank = rank(family, match, telling)
            let isKnown = telling.allSatisfy { wildcard in
                let name = family.wildcards[wildcard].name
                return name.map { bindings.isBound($0, to: match.captures.values[wildcard]) == true } ?? true
            }
            return family.members.filter { accepted?.contains($0) != false }
                .map { Candidate(position: $0, rank: rank, match: match, isKnown: isKnown && !telling.isEmpty) }
        }
    }

    /// Returns the stub of a match that answers: the first of the best that is not used, or the last of them.
    mutating func best(of match: MatchIndex.Match, _ telling: [Int], isUsed: (Int) -> Bool) -> Candidate? {
        let (rank, families) = bestFamilies(match, telling)
        let position = families.map { next(of: $0, match.group, isUsed) } ?? next(nil, match.group, isUsed)
        return position.map { Candidate(position: $0, rank: rank, match: match) }
    }

    /// Returns the best families of a match.
    ///
    /// Families are asked in this order, so that few of many are looked at:
    /// 1. Those that know a value of the request, unless something else in it contradicts them.
    /// 2. Those that nothing is known about: the sender may be theirs.
    /// 3. All. With a single telling wildcard, that wildcard contradicts each of them.
    private mutating func bestFamilies(_ match: MatchIndex.Match, _ telling: [Int]) -> Families {
        var unknown = rank(nil, match, telling)
        if telling.isEmpty { return (unknown, nil) }
        let group = match.group
        func bestOf(_ families: [Int]) -> Families? {
            let ranks = families.map { rank(group.families[$0], match, telling) }
            return ranks.min().map { best in
                (best, AnySequence(zip(families, ranks).filter { $0.1 == best }.map(\.0)))
            }
        }
        let names = Set(telling.flatMap { bindings.names(of: match.captures.values[$0]) })
        let knowing = bestOf(Set(names.flatMap { group.familiesByName[$0] ?? [] }).sorted())
        if let knowing, knowing.rank.contradictions == 0 { return knowing }
        let start = telling.map { countBoundFamilies($0, group) }.max() ?? 0
        let unbound = group.families.indices.dropFirst(start).lazy.filter { [bindings] family in
            bindings.areUnbound(group.families[family].wildcards, telling)
        }
        if !unbound.isEmpty { return (unknown, AnySequence(unbound)) }
        if telling.count > 1, let best = bestOf(Array(group.families.indices)) { return best }
        unknown.contradictions = 1
        return (unknown, nil)
    }

    /// Returns the number of families in which a placeholder is bound, up to the first in which it is not.
    ///
    /// Names stay bound, so each family is counted once.
    private mutating func countBoundFamilies(_ wildcard: Int, _ group: RequestGroup) -> Int {
        var count = boundCounts[group.number]?[wildcard] ?? 0
        while count < group.families.count,
            let name = group.families[count].wildcards[wildcard].name, bindings.values[name] != nil
        {
            count += 1
        }
        boundCounts[group.number, default: [:]][wildcard] = count
        return count
    }

    /// Returns the first position in families that is not used, or the last of all.
    private mutating func next(
        of families: AnySequence<Int>,
        _ group: RequestGroup,
        _ isUsed: (Int) -> Bool
    ) -> Int? {
        var (unused, last): (Int?, Int?) = (nil, nil)
        for family in families {
            // Families are in the order of their first members.
            if let unused, unused < group.families[family].members[0] { break }
            guard let found = next(family, group, isUsed) else { continue }
            if isUsed(found) { last = max(last ?? found, found) } else { unused = min(unused ?? found, found) }
        }
        return unused ?? last
    }

    /// Returns the same of one family; of the whole group for `nil`.
    private mutating func next(_ family: Int?, _ group: RequestGroup, _ isUsed: (Int) -> Bool) -> Int? {
        let members = family.map { group.families[$0].members } ?? group.members
        var count = members.first.map(isUsed) == true ? usedCounts[group.number]?[family] ?? 0 : 0
        while count < members.count, isUsed(members[count]) { count += 1 }
        usedCounts[group.number, default: [:]][family] = count
        return count < members.count ? members[count] : members.last
    }
}

/// The live values that the placeholders in recorded stubs stand for.
///
/// A name keeps the first value that it is bound to. If that value belongs to several names, a new value may take one of them
/// over.
struct PlaceholderBindings: Sendable {
    private(set) var values: [String: [UInt8]] = [:]
    /// The placeholders that are bound to a value.
    private(set) var names: [[UInt8]: Set<String>] = [:]

    /// The latest values that differ each time, by their placeholders.
    private(set) var volatileValues: [String: [UInt8]] = [:]

    /// Returns the placeholders that stand for a value: those that are bound to it, and the one that it is.
    func names(of value: [UInt8]) -> Set<String> {
        (names[value] ?? []).union([String(decoding: value, as: UTF8.self)])
    }

    /// Returns a Boolean value that indicates whether a placeholder stands for a value; `nil` where that is not known.
    func isBound(_ name: String, to value: [UInt8]) -> Bool? {
        if name.utf8.elementsEqual(value) { return true }
        return values[name].map { $0 == value }
    }

    /// Returns a Boolean value that indicates whether none of the wildcards at some offsets has a known value.
    func areUnbound(_ wildcards: [Wildcard], _ offsets: [Int]) -> Bool {
        offsets.allSatisfy { wildcards[$0].name.flatMap { values[$0] } == nil }
    }

    /// Binds a placeholder to a value, if it has none and the value is neither empty nor a placeholder.
    ///
    /// - Returns: A Boolean value that indicates whether the placeholder was bound.
    mutating func bind(_ name: String, to value: [UInt8]) -> Bool {
        guard !value.isEmpty, mayBind(name, to: value), !value.withUnsafeBufferPointer(Placeholder.isIn),
            !name.utf8.elementsEqual(value)
        else { return false }
        rebind(name, to: value)
        return true
    }

    private func mayBind(_ name: String, to value: [UInt8]) -> Bool {
        guard let old = values[name] else { return true }
        return names[old, default: []].count > 1 && names[value, default: []].isEmpty
    }

    /// Binds a placeholder to a value, whatever it was bound to before.
    mutating func rebind(_ name: String, to value: [UInt8]) {
        if let old = values[name] { names[old]?.remove(name) }
        values[name] = value
        names[value, default: []].insert(name)
    }

    mutating func note(volatile value: [UInt8], for placeholder: String) {
        if !value.isEmpty { volatileValues[placeholder] = value }
    }

    /// Returns a Boolean value that indicates whether a value alone identifies the sender of a request: it is long, with
    /// digits.
    static func isDistinctive(_ value: [UInt8]) -> Bool { value.count >= 8 && value.contains(where: \.isDigit) }
}
