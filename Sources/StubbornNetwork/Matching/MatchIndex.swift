import Foundation

/// An index that finds the recorded requests that equal a live one.
///
/// Custom matchers are asked only about those.
///
/// Recorded requests that differ only in the names of their placeholders are one *form*. Forms are found in a dictionary: by
/// the places of their holes, and by everything that is not in these places. So the time does not depend on the number of
/// recorded requests. Requests of one form whose header fields differ are *variants* of it, which are ranked.
struct MatchIndex: Sendable {
    let options: RequestMatcherOptions
    private let matchers: [RequestMatcher]
    private let customs: [@Sendable (_ live: URLRequest, _ recorded: URLRequest) -> Bool]
    private let declared: [[UInt8]]
    private var requests: [ParsedRequest] = []
    private var forms: [PlaceholderForms] = []

    private struct Key: Hashable {
        let mask: RequestTemplate.Mask
        let parts: [RequestMatcher.Part]
    }

    /// A form, without the names of placeholders.
    private struct FormKey: Hashable {
        let parts: [RequestMatcher.Part]
        let values: [[RequestTemplate.Value]]
    }

    private struct Form {
        let template: RequestTemplate
        var variants: [Int] = []
    }

    private struct VariantKey: Hashable {
        let form: Int
        let fields: HeaderTemplate
        let whole: FormKey?
        let isLate: Bool
    }

    private var allForms: [Form] = []
    private var formNumbers: [FormKey: Int] = [:]
    private var formsByKey: [Key: [Int]] = [:]
    /// The places of holes, by the shapes of requests.
    private var masks: [[RequestMatcher.Part]: [RequestTemplate.Mask]] = [:]
    private var hasHoles = false
    private var variantNumbers: [VariantKey: Int] = [:]
    private(set) var variants: [Variant] = []
    /// The variants in which a placeholder has a name.
    private(set) var variantsByName: [String: Set<Int>] = [:]

    /// The largest number of requests to other hosts and paths that `nearest(to:limit:)` compares.
    private static let maximumOtherCount = 1_000

    /// Creates an index; `declared` has the texts that the settings declare as placeholders.
    init(options: RequestMatcherOptions, declared: [String] = [], requests: [StubRequest] = []) {
        self.options = options
        self.declared = declared.map { Array($0.utf8) }
        matchers = options.matchers.filter { !$0.isCustom }
        customs = options.matchers.compactMap(\.custom)
        for request in requests { append(request) }
    }

    var count: Int { requests.count }

    subscript(position: Int) -> ParsedRequest { requests[position] }

    /// Adds a recorded request after the others.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - volatile: The values in it that differ each time, by their names.
    ///   - isLate: A Boolean value that indicates whether the request comes after all others that match.
    mutating func append(_ request: StubRequest, volatile: [String] = [], isLate: Bool = false) {
        let position = requests.count
        let parsed = ParsedRequest(request)
        let forms = PlaceholderForms(
            listed: request.placeholders.map { $0.map { Array($0.utf8) } },
            declared: declared,
            volatile: volatile.map { Array($0.utf8) }
        )
        requests.append(parsed)
        self.forms.append(forms)
        // A value of a test answers no request.
        guard request.valueName == nil else { return }
        let parts = parts(of: parsed)
        let template = RequestTemplate(parts, forms)
        add(position, template, parts, forms, isLate: isLate)
        // The same bytes are equal, whatever their content types are.
        guard template.holes.isEmpty, let bytes = byBytes(parts, parsed) else { return }
        add(position, RequestTemplate(bytes, PlaceholderForms(listed: [])), bytes, forms, isLate: isLate)
    }

    private mutating func add(
        _ position: Int,
        _ template: RequestTemplate,
        _ parts: [RequestMatcher.Part],
        _ forms: PlaceholderForms,
        isLate: Bool
    ) {
        let form = form(template, parts)
        let fields = HeaderTemplate.compiled(requests[position].request, forms)
        let whole = comparesAll ? nil : RequestTemplate(standardParts(of: requests[position]), forms)
        let key = VariantKey(
            form: form,
            fields: fields.template,
            whole: whole.map { FormKey(parts: $0.blank, values: $0.values) },
            isLate: isLate
        )
        let holes = template.holes + fields.holes
        let names = Set(holes.filter { $0.kind == .named }.map(\.placeholder))
        let number = variantNumbers[key] ?? variants.count
        if number == variants.count {
            variantNumbers[key] = number
            allForms[form].variants.append(number)
            let places = template.holes.indices.map { "\($0)" } + fields.places
            variants.append(Variant(fields: fields.template, whole: whole, places: places, isLate: isLate))
        }
        variants[number].append(position, holes)
        for name in names { variantsByName[name, default: []].insert(number) }
    }

    private mutating func form(_ template: RequestTemplate, _ parts: [RequestMatcher.Part]) -> Int {
        let formKey = FormKey(parts: template.blank, values: template.values)
        if let known = formNumbers[formKey] { return known }
        let number = allForms.count
        allForms.append(Form(template: template))
        formNumbers[formKey] = number
        let mask = template.mask
        formsByKey[Key(mask: mask, parts: template.blank), default: []].append(number)
        if !template.holes.isEmpty {
            hasHoles = true
            let shape = parts.map(\.shape)
            if masks[shape]?.contains(mask) != true { masks[shape, default: []].append(mask) }
        }
        return number
    }

    /// A Boolean value that indicates whether the matchers compare method, URL and body without leaving anything out.
    private var comparesAll: Bool {
        let whole = options.matchers.filter(\.ignored.isNothing)
        return whole.contains(where: \.comparesMethod) && whole.contains(where: \.comparesURL)
            && whole.contains(where: \.comparesBody)
    }

    // MARK: Matches

    /// A variant that matches a live request.
    struct Match: Sendable {
        let variant: Int
        /// The live values in the holes of the variant.
        let captures: ValueTemplate.Captures
        /// The number of header fields that differ, and one more if anything differs that the matchers ignore.
        let differences: Int
        /// The positions of the requests of the variant that custom matchers accept; `nil` without custom matchers.
        let accepted: [Int]?
    }

    /// Returns the variants for which all matchers hold.
    func matches(_ request: StubRequest) -> [Match] {
        let live = ParsedRequest(request)
        let parts = parts(of: live)
        var masks: [RequestTemplate.Mask] = [parts.map { _ in [] }]
        if hasHoles { masks += self.masks[parts.map(\.shape)] ?? [] }
        var keys = masks.map { mask in Key(mask: mask, parts: zip(parts, mask).map { $0.blanked(at: $1) }) }
        if let bytes = byBytes(parts, live) { keys.append(Key(mask: masks[0], parts: bytes)) }
        var result: [Match] = []
        var fields: HeaderTemplate.Live?
        var whole: [RequestMatcher.Part]?
        let urlRequest = customs.isEmpty ? nil : request.urlRequest
        for number in keys.flatMap({ formsByKey[$0] ?? [] }) {
            guard let captured = allForms[number].template.match(parts) else { continue }
            let liveFields = fields ?? HeaderTemplate.Live(request)
            fields = liveFields
            for variant in allForms[number].variants {
                var captures = captured
                var differences = variants[variant].fields.differences(from: liveFields, into: &captures)
                if let template = variants[variant].whole {
                    let live = whole ?? standardParts(of: live)
                    whole = live
                    let isSame = zip(live, template.mask).map { $0.blanked(at: $1) } == template.blank
                    if !isSame || template.match(live) == nil { differences += 1 }
                }
                let accepted = urlRequest.map { live in
                    variants[variant].members.filter { position in
                        let recorded = requests[position].request.urlRequest
                        return customs.allSatisfy { $0(live, recorded) }
                    }
                }
                if accepted?.isEmpty == true { continue }
                result.append(
                    Match(variant: variant, captures: captures, differences: differences, accepted: accepted)
                )
            }
        }
        return result
    }

    /// Returns the positions of the recorded requests for which all matchers hold, in ascending order.
    func positions(of matches: [Match]) -> [Int] {
        Set(matches.flatMap { $0.accepted ?? variants[$0.variant].members }).sorted()
    }

    private func parts(of request: ParsedRequest) -> [RequestMatcher.Part] {
        matchers.compactMap { $0.part(of: request) }
    }

    private func standardParts(of request: ParsedRequest) -> [RequestMatcher.Part] {
        RequestMatcherOptions.standard.matchers.compactMap { $0.part(of: request) }
    }

    /// Returns the parts with the body's bytes as they are; `nil` where that changes nothing.
    private func byBytes(_ parts: [RequestMatcher.Part], _ request: ParsedRequest) -> [RequestMatcher.Part]? {
        guard let data = request.request.body, !data.isEmpty else { return nil }
        let byBytes = parts.map { if case .body = $0 { RequestMatcher.Part.body(.bytes(BodyBytes(data))) } else { $0 } }
        return byBytes == parts ? nil : byBytes
    }

    // MARK: Near misses

    /// Returns the recorded requests that differ least from a live one, those to the same host and path first.
    ///
    /// `shown` is the live request without its secrets, as reports show it.
    func nearest(
        to request: StubRequest,
        shown: StubRequest? = nil,
        limit: Int
    ) -> [(position: Int, differences: [RequestDifference])] {
        guard limit > 0 else { return [] }
        let live = ParsedRequest(request)
        let near = requests.indices.filter { hasSameResource($0, live) }
        let known = Set(near)
        let others = requests.indices.lazy.filter { !known.contains($0) && requests[$0].request.valueName == nil }
            .prefix(Self.maximumOtherCount)
        let shown = shown.map { ParsedRequest($0) } ?? live
        let nearest =
            ranked(near, live, shown) + (near.count < limit ? ranked(Array(others), live, shown) : [])
        return Array(nearest.prefix(limit))
    }

    /// Returns a Boolean value that indicates whether a recorded request has the host and the path of a live one; holes match
    /// anything.
    func hasSameResource(_ position: Int, _ live: ParsedRequest) -> Bool {
        let recorded = requests[position]
        return recorded.url.host == live.url.host && hasPath(position, live.url.path)
    }

    /// Returns a Boolean value that indicates whether a recorded request has a path; holes match anything.
    func hasPath(_ position: Int, _ path: String) -> Bool {
        let recorded = requests[position].url.path
        if recorded == path { return true }
        let template = RequestTemplate([.path(recorded)], forms[position])
        guard !template.holes.isEmpty else { return false }
        let live = RequestMatcher.Part.path(path)
        return live.blanked(at: template.mask[0]) == template.blank[0] && template.match([live]) != nil
    }

    /// Returns the differences between a recorded request and a live one; reports show `shown` instead of the live one.
    func differences(_ position: Int, _ live: ParsedRequest, shown: ParsedRequest) -> [RequestDifference] {
        options.differences(recorded: requests[position], forms[position], requested: live, shown: shown)
    }

    private func ranked(
        _ positions: [Int],
        _ live: ParsedRequest,
        _ shown: ParsedRequest
    ) -> [(position: Int, differences: [RequestDifference])] {
        positions
            .map { (position: $0, differences: differences($0, live, shown: shown)) }
            .map { (found: $0, missing: $0.differences.filter(\.isAboutPresence).count) }
            .sorted {
                ($0.found.differences.count, $0.missing, $0.found.position)
                    < ($1.found.differences.count, $1.missing, $1.found.position)
            }
            .map(\.found)
    }
}
