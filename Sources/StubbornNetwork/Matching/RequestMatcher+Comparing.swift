import Foundation

extension RequestMatcherOptions {
    /// The matchers that are not in code.
    var namedMatchers: [RequestMatcher] { matchers.filter { !$0.isCustom } }

    /// A Boolean value that indicates whether requests with different paths differ.
    var comparesWholePaths: Bool { ignored.pathParameters.isEmpty ? matchers.contains { $0.compares(.path) } : false }

    /// Returns a Boolean value that indicates whether a matcher compares a part of requests, or may, because it is custom.
    func mayCompare(_ part: ComparedRequest.Part) -> Bool { matchers.contains { $0.isCustom || $0.compares(part) } }

    /// Returns a Boolean value that indicates whether all matchers accept a request.
    ///
    /// Custom matchers are called last. Where the recorded request has wildcards, any value is accepted.
    func hold(live: ParsedRequest, recorded: ParsedRequest, _ forms: PlaceholderForms? = nil) -> Bool {
        (namedMatchers + matchers.filter(\.isCustom)).allSatisfy { $0.holds(live: live, recorded: recorded, forms) }
    }

    /// Returns a number that is equal for requests that the matchers treat as equal.
    ///
    /// It is the same in every process, so that a journal can contain it. Matchers in code are left out. If there are
    /// no other matchers, method, host and path decide.
    func key(of request: StubRequest) -> UInt64 {
        // No matcher treats a value of a test as a request.
        if request.valueName != nil {
            return ComparedRequest([.init(.method, "\(request.method) \(request.url.absoluteString)")]).checksum
        }
        let isInCode = !matchers.isEmpty && namedMatchers.isEmpty
        let matchers = isInCode ? Self.lenient.matchers : namedMatchers
        return ComparedRequest(ParsedRequest(request), by: matchers).checksum
    }

    /// Returns the differences between a live request and a recorded one, beginning with those of standard matchers.
    func differences(
        recorded: ParsedRequest,
        requested: ParsedRequest,
        _ forms: PlaceholderForms? = nil
    ) -> [RequestDifference] {
        var parts: Set<String> = []
        let named = namedMatchers.flatMap { $0.differences(recorded: recorded, requested: requested, forms) }
            .filter { parts.insert($0.part).inserted }
        let customs = matchers.filter(\.isCustom)
        return named + customs.flatMap { $0.differences(recorded: recorded, requested: requested, nil) }
    }

    /// Returns these options, changed so that they ignore the differences; `nil` when one of them cannot be ignored.
    func ignoring(_ differences: [RequestDifference]) -> RequestMatcherOptions? {
        guard !differences.isEmpty, differences.allSatisfy({ $0.subject != .other }) else { return nil }
        let matchers = differences.reduce(matchers) { matchers, difference in
            matchers.flatMap { $0.replacements(toIgnore: difference.subject) }
        }
        return RequestMatcherOptions(matchers)
    }
}

extension RequestMatcher {
    var isCustom: Bool { custom != nil }

    /// Returns a Boolean value that indicates whether two requests are equal for this matcher.
    func holds(live: ParsedRequest, recorded: ParsedRequest, _ forms: PlaceholderForms? = nil) -> Bool {
        if let custom { return custom(live.request.urlRequest, recorded.request.urlRequest) }
        // Equal bytes are equal bodies whatever the content types are, and an empty body equals a missing one.
        if compares(.bytes), (live.request.body ?? Data()) == (recorded.request.body ?? Data()) { return true }
        return ComparedRequest(recorded, by: [self]).matches(ComparedRequest(live, by: [self]), forms)
    }

    fileprivate func differences(
        recorded: ParsedRequest,
        requested: ParsedRequest,
        _ forms: PlaceholderForms?
    ) -> [RequestDifference] {
        guard !holds(live: requested, recorded: recorded) else { return [] }
        if isCustom { return [RequestDifference("custom matcher", .remark("refused"))] }
        let requests = [recorded.request, requested.request]
        func fields(of request: ParsedRequest) -> [ComparedRequest.Name: ComparedRequest.Field] {
            Dictionary(uniqueKeysWithValues: ComparedRequest(request, by: [self]).fields.map { ($0.name, $0) })
        }
        let (olds, news) = (fields(of: recorded), fields(of: requested))
        let kinds = [olds, news].map { Set($0.keys.map(\.part)).subtracting([.formField]) }
        if compares(.bytes), kinds[0] != kinds[1] { return [.ofBodies(requests)] }
        let differences = Set(olds.keys).union(news.keys).sorted().flatMap { name -> [RequestDifference] in
            let (old, new) = (olds[name], news[name])
            if let old, let new, old.matches(new, forms) { return [] }
            return RequestDifference.all(name, old, new, of: requests, forms)
        }
        return Array(differences.prefix(compares(.bytes) ? JSONDifference.maximumCount : .max))
    }
}

extension ComparedRequest {
    /// Reads the values that matchers compare, in one spelling; no values are read for matchers in code.
    init(_ request: ParsedRequest, by matchers: [RequestMatcher]) {
        fields = []
        for matcher in matchers {
            for part in matcher.parts { add(part, of: request, matcher) }
        }
    }

    private mutating func add(_ part: Part, of request: ParsedRequest, _ matcher: RequestMatcher) {
        let (url, ignored) = (request.url, matcher.spelledIgnored)
        switch part {
        // No matcher treats the request of a web socket as another one.
        case .method where url.scheme.hasPrefix("ws"): fields.append(.init(part, "\(request.request.method) WebSocket"))
        case .method: fields.append(.init(part, request.request.method))
        case .scheme: fields.append(.init(part, url.scheme))
        case .host: fields.append(.init(part, url.host))
        case .port: fields.append(.init(part, url.port))
        case .path: fields.append(.init(part, ignored.comparable(url.path)))
        case .query where url.query.isEmpty: break
        case .query:
            let items = url.query.filter { !ignored.queryItems.contains($0.name) }
            fields += Field.items(items.map(\.comparable), part)
        case .header:
            let headers =
                matcher.fieldNames.map { HeaderComparison.fields(of: request.request, named: $0) }
                ?? HeaderComparison.fields(of: request.request, except: ignored.headerFields)
            fields += headers.sorted { $0.key < $1.key }.map { .init(part, named: $0.key, $0.value) }
        case .bytes, .json, .form, .formField, .multipart: fields += request.body.removing(ignored).fields
        }
    }
}

/// A request with its parsed URL and, on demand, its parsed body, so that both are parsed once.
///
/// An object, because every pattern and every matcher gets it.
final class ParsedRequest: Sendable {
    let request: StubRequest
    let url: URLParts
    private let readBody: Lock<ComparedRequest?>?

    init(_ request: StubRequest) {
        self.request = request
        url = URLParts(request.url)
        readBody = request.body?.isEmpty == false ? Lock(nil) : nil
    }

    /// All that the standard matchers compare.
    var allValues: ComparedRequest { ComparedRequest(self, by: RequestMatcherOptions.standard.matchers) }

    /// The fields of the body, read as a form whatever its type is.
    var formFields: [QueryItem] { QueryItem.fields(ofForm: request.body) }

    /// The body as the values that matchers compare.
    var body: ComparedRequest {
        readBody?.withLock { $0.orSet { ComparedRequest(bodyOf: request) } } ?? ComparedRequest(bodyOf: request)
    }
}
