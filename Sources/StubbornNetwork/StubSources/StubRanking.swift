/// The rank of a recorded stub among those that match a request; the lowest is the best.
///
/// The reasons are in their order: one that follows counts where all before it are equal. A cookie counts against a stub only
/// if it stands for another value: a test may have none because the recorded one has expired, or one of an earlier test.
struct StubRank: Comparable {
    /// A Boolean value that indicates whether the recorded request was cancelled.
    var isLate: Bool
    /// The number of holes that stand for other values.
    var contradictions: Int
    /// The number of header fields that differ.
    var differences: Int
    /// The number of holes, except those in cookies, that are not known to stand for the live value.
    var unknown: Int
    /// The number of cookies that are known to have the live value.
    var knownCookies: Int
    /// The number of holes in which the live value has another form than the recorded one.
    var looseness: Int

    static func < (left: Self, right: Self) -> Bool {
        if left.isLate != right.isLate { return right.isLate }
        return (left.contradictions, left.differences, left.unknown, right.knownCookies, left.looseness)
            < (right.contradictions, right.differences, right.unknown, left.knownCookies, right.looseness)
    }
}

/// The ranking of recorded stubs by what is known about live values.
///
/// A value that nothing is known about does not change the rank: a dummy key that all users have does not distinguish them. A
/// value counts if it is long and has a digit, or if two different values are known for its place.
struct StubRanking: Sendable {
    /// The recorded stubs of one variant that have the best rank.
    struct Pool {
        enum Extent {
            case all
            case families([Int])
            /// The families in which nothing is known about any of these holes.
            case unbound([Int])
        }

        let variant: Int
        let rank: StubRank
        let extent: Extent
    }

    /// The state of a variant, which grows while stubs answer.
    private struct Progress: Sendable {
        /// The number of families that `known` has.
        var familyCount = 0
        /// Up to two different values for each hole.
        var known: [Int: Set<[UInt8]>] = [:]
        /// The first family in which a hole may be unbound.
        var firstUnbound: [Int: Int] = [:]
        /// The number of members that are used, all from the first; the same for the families.
        var usedCount = 0
        var usedCounts: [Int: Int] = [:]
    }

    private var progress: [Int: Progress] = [:]
    private(set) var bindings = PlaceholderBindings()

    /// Forgets what belongs to an index, and keeps the bindings.
    mutating func reset() { progress = [:] }

    // MARK: Bindings

    /// Binds the placeholders of a stub that answers to the live values.
    mutating func bind(_ holes: [Hole], to values: [[UInt8]], in index: MatchIndex) {
        for (hole, value) in zip(holes, values) {
            switch hole.kind {
            case .unnamed: continue
            case .volatile: bindings.note(volatile: value, for: hole.placeholder)
            case .named:
                let isTakenOver = bindings.values[hole.placeholder] != nil
                guard bindings.bind(hole.placeholder, to: value) else { continue }
                if isTakenOver { reset() } else { note(value, for: hole.placeholder, in: index) }
            }
        }
    }

    /// Binds a placeholder to a value that the test knows.
    mutating func rebind(_ name: String, to value: [UInt8]) {
        bindings.rebind(name, to: value)
        reset()
    }

    private mutating func note(_ value: [UInt8], for name: String, in index: MatchIndex) {
        for number in index.variantsByName[name] ?? [] {
            guard var progress = progress[number] else { continue }
            for hole in index.variants[number].named {
                let families = index.variants[number].familiesByName[name] ?? []
                if families.contains(where: { index.variants[number].families[$0].name(of: hole) == name }) {
                    Self.add(value, to: &progress.known[hole, default: []])
                }
            }
            self.progress[number] = progress
        }
    }

    private static func add(_ value: [UInt8], to known: inout Set<[UInt8]>) {
        if known.count < 2 { known.insert(value) }
    }

    /// Brings what is known about a variant up to date with requests that were added to it.
    private mutating func update(_ number: Int, _ variant: Variant) {
        // Nothing is known, and there are few stubs to look through.
        if variant.named.isEmpty, variant.members.count < 16 { return }
        var progress = progress[number] ?? Progress()
        guard progress.familyCount < variant.families.count else {
            self.progress[number] = progress
            return
        }
        for family in variant.families[progress.familyCount...] {
            for hole in variant.named {
                guard let value = family.name(of: hole).flatMap({ bindings.values[$0] }) else { continue }
                Self.add(value, to: &progress.known[hole, default: []])
            }
        }
        progress.familyCount = variant.families.count
        self.progress[number] = progress
    }

    // MARK: Ranks

    /// Returns the holes of each match in which the live value identifies the sender of the request.
    mutating func tellingHoles(_ matches: [MatchIndex.Match], _ index: MatchIndex) -> [[Int]] {
        for match in matches { update(match.variant, index.variants[match.variant]) }
        var known: [String: Set<[UInt8]>]?
        return matches.map { match in
            let variant = index.variants[match.variant]
            return variant.named.filter { hole in
                let value = match.captures.values[hole]
                if value.isEmpty { return false }
                if PlaceholderBindings.isDistinctive(value) { return true }
                let values = known ?? self.known(matches, index)
                known = values
                return (values[variant.places[hole]] ?? []).union([value]).count > 1
            }
        }
    }

    /// Returns the values that are known for the places of the matches.
    private func known(_ matches: [MatchIndex.Match], _ index: MatchIndex) -> [String: Set<[UInt8]>] {
        var result: [String: Set<[UInt8]>] = [:]
        for match in matches {
            for (hole, values) in progress[match.variant]?.known ?? [:] {
                result[index.variants[match.variant].places[hole], default: []].formUnion(values)
            }
        }
        return result
    }

    /// Returns the rank of a family.
    func rank(_ family: Variant.Family, _ match: MatchIndex.Match, telling: [Int], _ variant: Variant) -> StubRank {
        var (contradictions, known, knownCookies) = (0, 0, 0)
        for hole in telling {
            guard let name = family.name(of: hole) else { continue }
            switch bindings.isBound(name, to: match.captures.values[hole]) {
            case true? where hole < variant.firstCookie: known += 1
            case true?: knownCookies += 1
            case false?: contradictions += 1
            case nil: break
            }
        }
        return rank(match, variant, contradictions: contradictions, known: known, knownCookies: knownCookies)
    }

    private func rank(
        _ match: MatchIndex.Match,
        _ variant: Variant,
        contradictions: Int = 0,
        known: Int = 0,
        knownCookies: Int = 0
    ) -> StubRank {
        StubRank(
            isLate: variant.isLate,
            contradictions: contradictions,
            differences: match.differences,
            unknown: variant.firstCookie - known,
            knownCookies: knownCookies,
            looseness: match.captures.looseness
        )
    }

    /// Returns a Boolean value that indicates whether the holes of a family are known to stand for the live values.
    func isKnown(_ family: Variant.Family, _ match: MatchIndex.Match, telling: [Int]) -> Bool {
        telling.allSatisfy { hole in
            family.name(of: hole).map { bindings.isBound($0, to: match.captures.values[hole]) == true } ?? true
        }
    }

    /// Returns the best requests of a variant.
    ///
    /// Families are asked in this order, so that few of many are looked at:
    /// 1. Those that know a value of the request, unless something else in it contradicts them.
    /// 2. Those that nothing is known about: the sender may be theirs.
    /// 3. All. With a single telling hole, that hole contradicts each of them.
    mutating func pool(_ match: MatchIndex.Match, telling: [Int], _ index: MatchIndex) -> Pool {
        let variant = index.variants[match.variant]
        if telling.isEmpty { return pool(.all, match, variant) }
        let names = telling.reduce(into: Set<String>()) { $0.formUnion(bindings.names(of: match.captures.values[$1])) }
        let knowing = Set(names.flatMap { variant.familiesByName[$0] ?? [] }).sorted()
        if let best = best(of: knowing, match, telling, variant), best.rank.contradictions == 0 { return best }
        skipBoundFamilies(match.variant, telling, variant)
        let others = variant.families.dropFirst(firstUnbound(telling, match.variant))
        if others.contains(where: { isUnbound($0, telling) }) {
            return pool(.unbound(telling), match, variant)
        }
        if telling.count == 1 { return pool(.all, match, variant, contradictions: 1) }
        return best(of: Array(variant.families.indices), match, telling, variant) ?? pool(.all, match, variant)
    }

    private func pool(
        _ extent: Pool.Extent,
        _ match: MatchIndex.Match,
        _ variant: Variant,
        contradictions: Int = 0
    ) -> Pool {
        let rank = rank(match, variant, contradictions: contradictions)
        return Pool(variant: match.variant, rank: rank, extent: extent)
    }

    private func best(of families: [Int], _ match: MatchIndex.Match, _ telling: [Int], _ variant: Variant) -> Pool? {
        let ranks = families.map { rank(variant.families[$0], match, telling: telling, variant) }
        guard let best = ranks.min() else { return nil }
        let same = zip(families, ranks).filter { $0.1 == best }.map(\.0)
        return Pool(variant: match.variant, rank: best, extent: .families(same))
    }

    /// Moves `firstUnbound` of each hole behind the families in which the hole is bound.
    ///
    /// Names stay bound, so each family is skipped once.
    private mutating func skipBoundFamilies(_ number: Int, _ holes: [Int], _ variant: Variant) {
        for hole in holes {
            var first = progress[number]?.firstUnbound[hole] ?? 0
            while first < variant.families.count, isBound(variant.families[first], hole) { first += 1 }
            progress[number]?.firstUnbound[hole] = first
        }
    }

    private func isBound(_ family: Variant.Family, _ hole: Int) -> Bool {
        family.name(of: hole).map { bindings.values[$0] != nil } ?? false
    }

    private func isUnbound(_ family: Variant.Family, _ telling: [Int]) -> Bool {
        telling.allSatisfy { !isBound(family, $0) }
    }

    // MARK: Members

    /// Returns the first position in a pool that is not used.
    mutating func firstUnused(_ pool: Pool, _ index: MatchIndex, _ isUsed: (Int) -> Bool) -> Int? {
        let variant = index.variants[pool.variant]
        switch pool.extent {
        case .all:
            var count = progress[pool.variant]?.usedCount ?? 0
            while count < variant.members.count, isUsed(variant.members[count]) { count += 1 }
            progress[pool.variant]?.usedCount = count
            return count < variant.members.count ? variant.members[count] : nil
        case .families(let families):
            return families.compactMap { firstUnused($0, pool.variant, variant, isUsed) }.min()
        case .unbound(let holes):
            var best: Int?
            for number in firstUnbound(holes, pool.variant)..<variant.families.count {
                if let best, best < variant.families[number].members[0] { break }
                guard isUnbound(variant.families[number], holes),
                    let found = firstUnused(number, pool.variant, variant, isUsed)
                else { continue }
                best = min(best ?? found, found)
            }
            return best
        }
    }

    private mutating func firstUnused(
        _ family: Int,
        _ number: Int,
        _ variant: Variant,
        _ isUsed: (Int) -> Bool
    ) -> Int? {
        let members = variant.families[family].members
        var count = progress[number]?.usedCounts[family] ?? 0
        while count < members.count, isUsed(members[count]) { count += 1 }
        progress[number]?.usedCounts[family] = count
        return count < members.count ? members[count] : nil
    }

    private func firstUnbound(_ holes: [Int], _ number: Int) -> Int {
        holes.map { progress[number]?.firstUnbound[$0] ?? 0 }.max() ?? 0
    }

    /// Returns the first position in a pool, or the last one.
    func end(of pool: Pool, isFirst: Bool, _ index: MatchIndex) -> Int? {
        let variant = index.variants[pool.variant]
        func end(_ members: [Int]) -> Int? { isFirst ? members.first : members.last }
        let ends: [Int]
        switch pool.extent {
        case .all: return end(variant.members)
        case .families(let families): ends = families.compactMap { end(variant.families[$0].members) }
        case .unbound(let holes):
            ends = variant.families.dropFirst(firstUnbound(holes, pool.variant)).filter { isUnbound($0, holes) }
                .compactMap { end($0.members) }
        }
        return isFirst ? ends.min() : ends.max()
    }
}
