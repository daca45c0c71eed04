import Foundation

/// An index that finds the recorded requests that equal a live one.
///
/// Custom matchers are called only for those.
///
/// Recorded requests that differ only in the names of their placeholders are one group. Groups are found in a
/// dictionary: by the places of their wildcards, and by everything outside these places. Therefore, the time does not
/// depend on the number of recorded requests. A request is added to its group when its path is first requested.
struct MatchIndex: Sendable {
    let options: RequestMatcherOptions
    private let matchers: [RequestMatcher]
    /// The parts of a path that the matchers leave out; `nil` if none compares paths.
    private let ignoredInPaths: IgnoredParts.Spelled?
    private let declared: [String]
    /// The requests, the strings that are wildcards in them, and whether they come after all others that match.
    private var items: [(request: ParsedRequest, forms: PlaceholderForms, isLate: Bool)] = []
    /// The positions of the requests that are in no group yet, by their paths; requests whose path has wildcards are under `nil`.
    private var waiting: [String?: [Int]] = [:]

    private struct Key: Hashable {
        let mask: RequestTemplate.Mask
        let blank: ComparedRequest
    }

    private var groups: [RequestGroup] = []
    private var groupNumbers: [RequestGroup.Form: Int] = [:]
    private var groupsByKey: [Key: [Int]] = [:]
    /// The places of wildcards, by the shapes of requests.
    private var masks: [ComparedRequest: Set<RequestTemplate.Mask>] = [:]

    /// The largest number of requests that `nearest(to:)` compares with a live one.
    private static let maximumComparedCount = 1_000

    /// Creates an index; `declared` lists the strings that the settings declare as placeholders.
    init(options: RequestMatcherOptions, declared: [String] = [], requests: [StubRequest] = []) {
        (self.options, self.declared) = (options, declared)
        matchers = options.namedMatchers
        ignoredInPaths = matchers.first { $0.compares(.path) }?.spelledIgnored
        for request in requests { append(request) }
    }

    var count: Int { items.count }

    subscript(position: Int) -> ParsedRequest { items[position].request }

    /// Adds a recorded request after the others.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isLate: A Boolean value that indicates whether the request comes after all others that match.
    mutating func append(_ request: StubRequest, isLate: Bool = false) {
        let position = items.count
        let parsed = ParsedRequest(request)
        let forms = PlaceholderForms(listed: request.placeholders, declared: declared)
        items.append((parsed, forms, isLate))
        // A value of a test answers no request.
        guard request.valueName == nil else { return }
        let path = comparedPath(of: parsed.url)
        let hasWildcards = !ComparedRequest.Field(.path, path).templates(forms).isEmpty
        waiting[hasWildcards ? nil : path, default: []].append(position)
    }

    /// Returns the path of a URL as the matchers compare it; empty if none does.
    private func comparedPath(of url: URLParts) -> String { ignoredInPaths?.comparable(url.path) ?? "" }

    /// Puts the requests that wait under a path into their groups.
    private mutating func group(_ path: String?) {
        for position in waiting.removeValue(forKey: path) ?? [] {
            let compared = ComparedRequest(self[position], by: matchers)
            var wildcards: [Wildcard] = []
            let template = RequestTemplate(compared, items[position].forms, wildcards: &wildcards)
            if !wildcards.isEmpty { masks[compared.shape, default: []].insert(template.mask) }
            add(position, template, wildcards)
            // Equal bytes are equal bodies, whatever their content types are.
            guard wildcards.isEmpty, let bytes = options.byBytes(compared, self[position].request) else { continue }
            add(position, RequestTemplate(bytes), [])
        }
    }

    private mutating func add(_ position: Int, _ request: RequestTemplate, _ wildcards: [Wildcard]) {
        let (recorded, forms, isLate) = items[position]
        var (wildcards, others): ([Wildcard], [Wildcard]) = (wildcards, [])
        var places = wildcards.indices.map { "\($0)" }
        let fields = HeaderTemplate(recorded.request, forms, wildcards: &wildcards, places: &places)
        let whole = comparesAll ? nil : RequestTemplate(recorded.allValues, forms, wildcards: &others)
        let form = RequestGroup.Form(request: request, fields: fields, whole: whole, isLate: isLate)
        let number = groupNumbers[form] ?? groups.count
        if number == groups.count {
            groupNumbers[form] = number
            groups.append(RequestGroup(form, places: places))
            groupsByKey[Key(mask: request.mask, blank: request.blank), default: []].append(number)
        }
        groups[number].append(recorded.request, at: position, wildcards)
    }

    /// A Boolean value that indicates whether the matchers compare method, URL and body without leaving anything out.
    private var comparesAll: Bool {
        let whole = options.matchers.filter(\.ignored.isNothing)
        return [.method, .scheme, .bytes].allSatisfy { part in whole.contains { $0.compares(part) } }
    }

    // MARK: Matches

    /// A live request as the matchers compare it; an object, which the steps of a lookup share.
    final class Live: Sendable {
        let request: ParsedRequest
        let compared: ComparedRequest
        /// The request with the unparsed bytes of its body; `nil` if that makes no difference.
        let byBytes: ComparedRequest?

        init(_ request: StubRequest, by options: RequestMatcherOptions) {
            self.request = ParsedRequest(request)
            compared = ComparedRequest(self.request, by: options.matchers)
            byBytes = options.byBytes(compared, request)
        }
    }

    /// A group that matches a live request; an object, which the candidates of a lookup share.
    final class Match: Sendable {
        let group: RequestGroup
        /// The live values of the wildcards.
        let captures: ValueTemplate.Captures
        /// The number of header fields that differ, plus one if a part that the matchers ignore differs.
        let differences: Int
        /// The positions of the requests in the group that custom matchers accept; `nil` without custom matchers.
        let accepted: [Int]?

        init(_ group: RequestGroup, _ captures: ValueTemplate.Captures, differences: Int, accepted: [Int]?) {
            (self.group, self.captures, self.differences, self.accepted) = (group, captures, differences, accepted)
        }

        /// Returns the live values of the named placeholders in a recorded request of the group.
        func namedValues(at position: Int) -> [(placeholder: String, value: [UInt8])] {
            zip(group.family(of: position)?.wildcards ?? [], captures.values)
                .filter { $0.0.kind == .named && !$0.1.isEmpty }.map { ($0.0.placeholder, $0.1) }
        }
    }

    /// Returns the groups that may match a live request: they equal it outside of their wildcards.
    mutating func groups(for live: Live) -> [RequestGroup] {
        if !waiting.isEmpty { [nil, comparedPath(of: live.request.url)].forEach { group($0) } }
        var numbers = groupsByKey[Key(mask: [:], blank: live.compared)] ?? []
        for mask in masks.isEmpty ? [] : masks[live.compared.shape] ?? [] {
            numbers += groupsByKey[Key(mask: mask, blank: live.compared.blanked(at: mask))] ?? []
        }
        if let bytes = live.byBytes { numbers += groupsByKey[Key(mask: [:], blank: bytes)] ?? [] }
        return numbers.map { groups[$0] }
    }

    /// Returns the positions of the recorded requests that all matchers accept for a live one, in ascending order.
    func positions(_ request: StubRequest) -> [Int] {
        var copy = self
        let live = Live(request, by: options)
        let matches = options.matches(live, copy.groups(for: live))
        return Set(matches.flatMap { $0.accepted ?? $0.group.members }).sorted()
    }

    // MARK: Near misses

    /// Returns the recorded request that differs least from a live one, preferably to the same host and path.
    ///
    /// Differences in values that a client generates each time count last. Among those with the fewest differences, an
    /// unused one comes first, and then the one with the longest common beginning and end.
    ///
    /// - Parameters:
    ///   - request: The live request.
    ///   - shown: The live request without its secrets, as reports show it.
    ///   - samePath: The positions of the recorded requests to the live request's path, on any host.
    ///   - used: The positions of the stubs that have answered.
    /// - Returns: The position of the recorded request, its differences, and whether these are in parts that do not
    ///   distinguish stubs; `nil` if there are no recorded requests.
    func nearest(
        to request: StubRequest,
        shown: StubRequest,
        samePath: [Int],
        used: Set<Int>
    ) -> (position: Int, differences: [RequestDifference], areConstant: Bool)? {
        let live = ParsedRequest(request)
        let near = samePath.filter { self[$0].url.host == live.url.host }
        let found = comparable(near, to: request).map { position in
            let recorded = self[position]
            let differences = options.differences(recorded: recorded, requested: live, items[position].forms)
            let missing = differences.filter(\.isAboutPresence).count
            let common = recorded.request.commonByteCount(with: live.request)
            let others = differences.filter { $0.madeValues == nil }.count
            let reasons = [others, differences.count, missing, used.contains(position) ? 1 : 0, -common, position]
            return (position: position, differences: differences, reasons: reasons)
        }
        guard let best = found.min(by: { $0.reasons.lexicographicallyPrecedes($1.reasons) }) else { return nil }
        let (recorded, forms, _) = items[best.position]
        let safe = options.differences(recorded: recorded, requested: ParsedRequest(shown), forms)
        let differences = RequestDifference.shown(best.differences, as: safe)
        return (best.position, differences, areConstant(differences, at: best.position))
    }

    /// Returns the positions to compare with a live request: those near it, or the first of all others; 1,000 at most,
    /// because each comparison parses both requests.
    private func comparable(_ near: [Int], to request: StubRequest) -> [Int] {
        let all = items.indices.lazy.filter { self[$0].request.valueName == nil }
        if near.isEmpty { return Array(all.prefix(Self.maximumComparedCount)) }
        let counts = near.map { (position: $0, common: self[$0].request.commonByteCount(with: request)) }
        return counts.sorted { $0.common > $1.common }.prefix(Self.maximumComparedCount).map(\.position)
    }

    /// Returns a Boolean value that indicates whether the parts that differ do not distinguish recorded requests: each
    /// has one value in all requests to the host, such as the client's version.
    private func areConstant(_ differences: [RequestDifference], at position: Int) -> Bool {
        let recorded = self[position]
        let ofHost = items.indices.lazy.filter { $0 != position && self[$0].url.host == recorded.url.host }
        let others = Array(ofHost.prefix(Self.maximumComparedCount)).map {
            options.differences(recorded: self[$0], requested: recorded, items[$0].forms)
        }
        func isConstant(_ difference: RequestDifference) -> Bool {
            if difference.subject == .origin { return true }
            let values = others.filter { !$0.contains { $0.hides(difference) } }
            guard !difference.isAboutPresence, !values.isEmpty else { return false }
            return !values.joined().contains { $0.part == difference.part }
        }
        return differences.allSatisfy(isConstant)
    }

    /// Returns a Boolean value that indicates whether a recorded request has a path; wildcards match anything.
    func hasPath(_ position: Int, _ path: String) -> Bool {
        let (request, forms, _) = items[position]
        return ComparedRequest.Field(.path, request.url.path).matches(.init(.path, path), forms)
    }
}

extension RequestMatcherOptions {
    /// Returns the groups that all matchers accept.
    ///
    /// Custom matchers are the user's code, which may use the network, so no lock may be held.
    func matches(_ live: MatchIndex.Live, _ groups: [RequestGroup]) -> [MatchIndex.Match] {
        lazy var fields = HeaderComparison.fieldsAndCookies(of: live.request.request)
        lazy var whole = live.request.allValues
        let customs = matchers.compactMap(\.custom)
        let urlRequest = customs.isEmpty ? nil : live.request.request.urlRequest
        return groups.compactMap { group in
            let form = group.form
            var captures = ValueTemplate.Captures()
            guard form.request.matchValues(of: live.compared, into: &captures) else { return nil }
            // With a single group, there is nothing to choose.
            let isOnly = groups.count == 1 && form.fields.isWithoutWildcards
            var differences = isOnly ? 0 : form.fields.differences(from: fields, into: &captures)
            if !isOnly, form.whole?.matches(whole) == false { differences += 1 }
            let accepted = urlRequest.map { live in
                zip(group.members, group.requests).filter { _, recorded in
                    let recorded = recorded.urlRequest
                    return customs.allSatisfy { $0(live, recorded) }
                }.map(\.0)
            }
            guard accepted?.isEmpty != true else { return nil }
            return .init(group, captures, differences: differences, accepted: accepted)
        }
    }

    /// Returns a request with the unparsed bytes of its body; `nil` if that makes no difference.
    fileprivate func byBytes(_ compared: ComparedRequest, _ request: StubRequest) -> ComparedRequest? {
        guard let data = request.body, !data.isEmpty, matchers.contains(where: { $0.compares(.bytes) }) else {
            return nil
        }
        let others = compared.fields.filter { !$0.name.part.isOfBody }
        let bytes = ComparedRequest(others + [.init(data)])
        return bytes == compared ? nil : bytes
    }
}

extension StubRequest {
    /// Returns the number of bytes at the beginning and the end of the URLs and the bodies that are equal.
    fileprivate func commonByteCount(with other: StubRequest) -> Int {
        let ofURL = url.absoluteString.utf8.commonCounts(with: other.url.absoluteString.utf8)
        let ofBody = (body ?? Data()).commonCounts(with: other.body ?? Data())
        return ofURL.start + ofURL.end + ofBody.start + ofBody.end
    }
}
