/// The rank of a recorded stub among those that match a request; the lowest is the best.
///
/// Each criterion counts only if all criteria before it are equal. A cookie counts against a stub only if it stands for
/// a different value, because a test may have no cookie, or a cookie of an earlier test.
struct StubRank: Comparable {
    /// A Boolean value that indicates whether the recorded request was cancelled.
    var isLate: Bool
    /// The number of wildcards that stand for different values.
    var contradictions = 0
    /// The number of header fields that differ.
    var differences: Int
    /// The number of wildcards, except those in cookies, that are not known to stand for the live value.
    var unknown: Int
    /// The number of cookies that are known to have the live value.
    var knownCookies = 0
    /// The number of wildcards in which the live value has a different form than the recorded one.
    var formMismatchCount: Int

    private var reasons: (Int, Int, Int, Int, Int, Int) {
        (isLate ? 1 : 0, contradictions, differences, unknown, -knownCookies, formMismatchCount)
    }

    static func < (left: Self, right: Self) -> Bool { left.reasons < right.reasons }
}

/// The ranking of recorded stubs by the known live values.
///
/// An unknown value does not change the rank: a dummy key that all users share does not distinguish them. A value
/// counts if it is long and has a digit, or if two different values are known for its place.
struct StubRanking: Sendable {
    /// A stub that may answer a request.
    struct Candidate {
        let position: Int
        let rank: StubRank
        let match: MatchIndex.Match
        /// A Boolean value that indicates whether all identifying values are known to belong to the stub.
        var isKnown = false
    }

    var bindings = PlaceholderBindings()

    // MARK: Bindings

    /// Binds the placeholders of a stub that answers to the live values.
    mutating func bind(_ wildcards: [Wildcard], to values: [[UInt8]]) {
        for (wildcard, value) in zip(wildcards, values) {
            switch wildcard.kind {
            case .unnamed: continue
            case .volatile: bindings.note(volatile: value, for: wildcard.placeholder)
            case .named: bindings.bind(wildcard.placeholder, to: value)
            }
        }
    }

    // MARK: Ranks

    /// Returns the wildcards of each match for which the live value identifies the sender of the request.
    func identifyingWildcards(_ matches: [MatchIndex.Match]) -> [[Int]] {
        matches.map { match in
            match.group.named.filter { wildcard in
                let value = match.captures.values[wildcard]
                if value.isEmpty || PlaceholderBindings.isDistinctive(value) { return !value.isEmpty }
                let place = match.group.places[wildcard]
                return bindings.names.contains { other, names in
                    other != value && names.contains { name in matches.contains { $0.group.has(name, at: place) } }
                }
            }
        }
    }

    /// Returns the rank of a family; without a family, the rank of unknown families.
    private func rank(_ family: RequestGroup.Family?, _ match: MatchIndex.Match, _ identifying: [Int]) -> StubRank {
        let group = match.group
        var rank = StubRank(
            isLate: group.form.isLate,
            differences: match.differences,
            unknown: group.firstCookie,
            formMismatchCount: match.captures.formMismatchCount
        )
        for wildcard in identifying {
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
    func candidates(_ match: MatchIndex.Match, _ identifying: [Int]) -> [Candidate] {
        let accepted = match.accepted.map(Set.init)
        return match.group.families.flatMap { family in
            let rank = rank(family, match, identifying)
            let isKnown = identifying.allSatisfy { wildcard in
                let name = family.wildcards[wildcard].name
                return name.map { bindings.isBound($0, to: match.captures.values[wildcard]) == true } ?? true
            }
            return family.members.filter { accepted?.contains($0) != false }
                .map { Candidate(position: $0, rank: rank, match: match, isKnown: isKnown && !identifying.isEmpty) }
        }
    }

    /// Returns all stubs of some matches with their identifying wildcards.
    func candidates(_ matches: [(MatchIndex.Match, [Int])]) -> [Candidate] { matches.flatMap { candidates($0, $1) } }

    /// Returns the best stub of each match, or all of them if custom matchers have chosen among the members of a group.
    func best(of matches: [(MatchIndex.Match, [Int])], isUsed: (Int) -> Bool) -> [Candidate] {
        if matches.contains(where: { $0.0.accepted != nil }) { return candidates(matches) }
        return matches.compactMap { best(of: $0, $1, isUsed: isUsed) }
    }

    /// Returns the best-ranked stubs, in their order.
    func best(of candidates: [Candidate]) -> [Candidate] {
        let best = candidates.map(\.rank).min()
        return candidates.filter { $0.rank == best }.sorted { $0.position < $1.position }
    }

    /// Returns the answering stub of a match: the first unused one of the best stubs, or else the last of them.
    ///
    /// The best are, in this order:
    /// 1. Those with a known value of the request, unless something else in it contradicts them.
    /// 2. Those with unknown values, because they may belong to the sender.
    /// 3. All, by their ranks.
    func best(of match: MatchIndex.Match, _ identifying: [Int], isUsed: (Int) -> Bool) -> Candidate? {
        func best(of families: [RequestGroup.Family]) -> Candidate? {
            let ranked = families.map { (members: $0.members, rank: rank($0, match, identifying)) }
            guard let rank = ranked.map(\.rank).min() else { return nil }
            let members = ranked.filter { $0.rank == rank }.flatMap(\.members).sorted()
            let position = members.first { !isUsed($0) } ?? members.last
            return position.map { Candidate(position: $0, rank: rank, match: match) }
        }
        let known = best(of: knownFamilies(match, identifying))
        if let known, known.rank.contradictions == 0 { return known }
        return unknown(match, identifying, isUsed) ?? best(of: match.group.families)
    }

    /// Returns the families of a match that have a known value of the request.
    private func knownFamilies(_ match: MatchIndex.Match, _ identifying: [Int]) -> [RequestGroup.Family] {
        let names = Set(identifying.flatMap { bindings.names(of: match.captures.values[$0]) })
        return Set(names.flatMap { match.group.familiesByName[$0] ?? [] }).map { match.group.families[$0] }
    }

    /// Returns the first unused stub with unknown values, or else the last one with such values.
    private func unknown(_ match: MatchIndex.Match, _ identifying: [Int], _ isUsed: (Int) -> Bool) -> Candidate? {
        let group = match.group
        func isUnknown(_ member: Int) -> Bool {
            guard let wildcards = group.family(of: member)?.wildcards else { return false }
            return identifying.allSatisfy { wildcards[$0].name.flatMap { bindings.values[$0] } == nil }
        }
        // Used stubs are skipped first, because nearly always their values are known.
        let position = group.members.first { !isUsed($0) && isUnknown($0) } ?? group.members.last(where: isUnknown)
        return position.map { Candidate(position: $0, rank: rank(nil, match, identifying), match: match) }
    }
}

/// The live values that the placeholders in recorded stubs stand for.
///
/// A name keeps the first value that it is bound to. If that value belongs to several names, a new value may take over
/// one of them.
struct PlaceholderBindings: Sendable {
    private(set) var values: [String: [UInt8]] = [:]
    /// The placeholders that are bound to a value.
    private(set) var names: [[UInt8]: Set<String>] = [:]

    /// The latest values that differ each time, by their placeholders.
    private(set) var volatileValues: [String: [UInt8]] = [:]

    /// Returns the placeholders that stand for a value: those that are bound to it, and the value itself if it is a
    /// placeholder.
    func names(of value: [UInt8]) -> Set<String> {
        (names[value] ?? []).union([String(decoding: value, as: UTF8.self)])
    }

    /// Returns a Boolean value that indicates whether a placeholder stands for a value; `nil` if that is not known.
    func isBound(_ name: String, to value: [UInt8]) -> Bool? {
        if name.utf8.elementsEqual(value) { return true }
        return values[name].map { $0 == value }
    }

    /// Binds a placeholder to a value, if it has none and the value is neither empty nor a placeholder.
    mutating func bind(_ name: String, to value: [UInt8]) {
        if Self.isValue(value), mayBind(name, to: value), !name.utf8.elementsEqual(value) { rebind(name, to: value) }
    }

    private func mayBind(_ name: String, to value: [UInt8]) -> Bool {
        guard let old = values[name] else { return true }
        return names[old, default: []].count > 1 && names[value, default: []].isEmpty
    }

    /// Binds a placeholder to a value, regardless of an earlier binding.
    mutating func rebind(_ name: String, to value: [UInt8]) {
        if let old = values[name] { names[old]?.remove(name) }
        values[name] = value
        names[value, default: []].insert(name)
    }

    mutating func note(volatile value: [UInt8], for placeholder: String) {
        if !value.isEmpty { volatileValues[placeholder] = value }
    }

    /// Returns a Boolean value that indicates whether this is a live value: neither empty nor a placeholder.
    static func isValue(_ value: [UInt8]) -> Bool {
        value.isEmpty ? false : !value.withUnsafeBufferPointer(Placeholder.isIn)
    }

    /// Returns a Boolean value that indicates whether a value by itself identifies the sender of a request, because it
    /// is long and has digits.
    static func isDistinctive(_ value: [UInt8]) -> Bool { value.count >= 8 && value.contains(where: { $0.isDigit }) }
}
