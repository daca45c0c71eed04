import Foundation

/// A recorded request with wildcards, which stand for any value.
///
/// Two templates are equal if they differ only in the names of their placeholders.
struct RequestTemplate: Hashable, Sendable {
    /// A value with wildcards, which is at an offset in a field.
    struct Value: Hashable, Sendable {
        let field: Int
        let offset: Int
        let template: ValueTemplate
    }

    /// The offsets of the values that have wildcards, by the index of their field.
    typealias Mask = [Int: [Int]]

    /// The request without the values that have wildcards.
    let blank: ComparedRequest
    let values: [Value]
    let mask: Mask
    let wildcardCount: Int

    /// Creates the template of a request without wildcards.
    init(_ request: ComparedRequest) { (blank, values, mask, wildcardCount) = (request, [], [:], 0) }

    /// Creates the template of a recorded request, and adds its wildcards, in the order in which they are captured.
    ///
    /// `depth` is the number of values that contain the request.
    init(_ request: ComparedRequest, _ forms: PlaceholderForms, depth: Int = 0, wildcards: inout [Wildcard]) {
        var (values, mask): ([Value], Mask) = ([], [:])
        let count = wildcards.count
        for (index, field) in request.fields.enumerated() {
            for (offset, compiled) in field.templates(forms, depth: depth) {
                values.append(Value(field: index, offset: offset, template: compiled.template))
                wildcards += compiled.wildcards
                mask[index, default: []].append(offset)
            }
        }
        (self.values, self.mask, blank) = (values, mask, request.blanked(at: mask))
        wildcardCount = wildcards.count - count
    }

    /// Returns a Boolean value that indicates whether the values with wildcards match, and adds the live values.
    ///
    /// `live` is a request that equals this one without these values.
    func matchValues(of live: ComparedRequest, into captures: inout ValueTemplate.Captures) -> Bool {
        if values.isEmpty { return true }
        let before = captures
        // The values of repeated names that no template has matched yet.
        var rest = live.fields.map { $0.isRepeated ? Array($0.tokens) : [] }
        let isMatch = values.allSatisfy { value in
            switch live.fields[value.field].value {
            case .bytes(let parts): parts[value.offset].text.withBytes { value.template.match($0, into: &captures) }
            case .tokens(let tokens):
                live.fields[value.field].isRepeated
                    ? value.template.matchFirst(of: &rest[value.field], into: &captures)
                    : value.template.match(tokens[tokens.startIndex + value.offset], into: &captures)
            }
        }
        if !isMatch { captures = before }
        return isMatch
    }

    /// Returns a Boolean value that indicates whether a live request matches, and adds the live values of the wildcards.
    func match(_ live: ComparedRequest, into captures: inout ValueTemplate.Captures) -> Bool {
        live.blanked(at: mask) == blank && matchValues(of: live, into: &captures)
    }

    /// Returns a Boolean value that indicates whether a live request matches.
    func matches(_ live: ComparedRequest) -> Bool {
        var captures = ValueTemplate.Captures()
        return match(live, into: &captures)
    }
}

extension ComparedRequest {
    /// The request without any values: requests that may match each other have the same shape.
    var shape: Self { Self(fields.map { $0.blanked(at: nil) }) }

    /// Returns the request without the values at some offsets.
    func blanked(at mask: RequestTemplate.Mask) -> Self {
        var result = self
        for (index, offsets) in mask where fields.indices.contains(index) {
            result.fields[index] = fields[index].blanked(at: offsets)
        }
        return result
    }

    /// Returns a Boolean value that indicates whether a live request is equal, or differs only where this one has wildcards.
    func matches(_ live: Self, _ forms: PlaceholderForms?) -> Bool {
        if self == live { return true }
        guard let forms else { return false }
        var wildcards: [Wildcard] = []
        return RequestTemplate(self, forms, wildcards: &wildcards).matches(live)
    }
}

extension ComparedRequest.Field {
    /// Returns a Boolean value that indicates whether a live field is equal, or differs only where this one has wildcards.
    func matches(_ live: Self, _ forms: PlaceholderForms?) -> Bool {
        ComparedRequest([self]).matches(ComparedRequest([live]), forms)
    }

    /// A Boolean value that indicates whether the values are those of a repeated name, which are in any order.
    ///
    /// Items without `=` keep their order, because they are not texts.
    var isRepeated: Bool {
        tokens.count > 1 && [.query, .formField].contains(name.part) ? !texts.contains(nil) : false
    }

    /// Returns the templates of the values that have wildcards, with their offsets.
    ///
    /// If a value of a repeated name has wildcards, the templates of all its values are returned: those without wildcards first,
    /// and those with the longest literals before the others. The values are sorted, and a placeholder is elsewhere than the value
    /// that it replaced.
    func templates(_ forms: PlaceholderForms, depth: Int = 0) -> [(offset: Int, compiled: ValueTemplate.Compiled)] {
        if case .bytes(let parts) = value {
            return parts.enumerated().compactMap { offset, part in
                part.text.withBytes { ValueTemplate.text($0, forms, isValue: false, depth: depth) }.map { (offset, $0) }
            }
        }
        let isEncoded = [.query, .formField, .path].contains(name.part)
        let found: [(offset: Int, compiled: ValueTemplate.Compiled)] = tokens.enumerated().compactMap { offset, token in
            let depth = name.part == .json ? depth + 1 : depth
            let compiled = ValueTemplate.token(token, forms, isPercentEncoded: isEncoded, depth: depth)
            return compiled.map { (offset: offset, compiled: $0) }
        }
        guard isRepeated, !found.isEmpty else { return found }
        let offsets = Set(found.map { $0.offset })
        let literals: [ValueTemplate.Compiled] = texts.enumerated().filter { !offsets.contains($0.offset) }.map {
            (template: ValueTemplate(parts: [.literal(Array(($0.element ?? "").utf8))]), wildcards: [])
        }
        let others = found.map { $0.compiled }.sorted { $0.template.literalByteCount > $1.template.literalByteCount }
        return (literals + others).enumerated().map { (offset: $0.offset, compiled: $0.element) }
    }

    /// Returns the field without the texts, numbers or parts at some offsets; without any for `nil`.
    fileprivate func blanked(at offsets: [Int]?) -> Self {
        switch value {
        case .tokens(let tokens):
            let offsets = offsets ?? Array(0..<tokens.count)
            return Self(name: name, value: .tokens(JSONValue(tokens).blanked(at: offsets).tokens))
        case .bytes(let parts):
            let blank = BodyPart(content: Data())
            let blanked = parts.enumerated().map { offsets?.contains($0) == false ? $1 : blank }
            return Self(name: name, value: .bytes(blanked))
        }
    }
}

/// Recorded requests that differ only in the names of their placeholders.
struct RequestGroup: Sendable {
    /// The template that the requests have in common.
    struct Form: Hashable, Sendable {
        let request: RequestTemplate
        let fields: HeaderTemplate
        /// The template of method, URL and body, if the matchers leave out some of it.
        let whole: RequestTemplate?
        /// A Boolean value that indicates whether the requests come after all others that match.
        let isLate: Bool
    }

    /// The requests of a group that have the same placeholders.
    struct Family: Sendable {
        let wildcards: [Wildcard]
        /// The positions of the requests, in ascending order.
        fileprivate(set) var members: [Int] = []
    }

    let form: Form
    /// The names of the wildcards' places, which are the same in all groups that match a request.
    let places: [String]
    /// The number of wildcards before those in cookies, which come last.
    let firstCookie: Int

    /// The positions of the requests, in ascending order.
    private(set) var members: [Int] = []
    /// The requests, in that order.
    private(set) var requests: [StubRequest] = []
    /// The families, in the order of their first members.
    private(set) var families: [Family] = []
    /// The families in which a placeholder has a name.
    private(set) var familiesByName: [String: [Int]] = [:]
    /// The offsets of the wildcards that have a name in any member.
    private(set) var named: [Int] = []
    private var familyNumbers: [[Wildcard]: Int] = [:]
    private var familiesByMember: [Int: Int] = [:]

    init(_ form: Form, places: [String]) {
        (self.form, self.places) = (form, places)
        firstCookie = places.firstIndex { $0.hasPrefix(HeaderComparison.cookie) } ?? places.count
    }

    /// Returns the family of a position in the group.
    func family(of position: Int) -> Family? { familiesByMember[position].map { families[$0] } }

    /// Returns a Boolean value that indicates whether a placeholder has a name at a place.
    func has(_ name: String, at place: String) -> Bool {
        familiesByName[name]?.contains { family in
            zip(places, families[family].wildcards).contains { $0 == place && $1.name == name }
        } == true
    }

    /// Adds a request with its wildcards.
    mutating func append(_ request: StubRequest, at position: Int, _ wildcards: [Wildcard]) {
        members.append(position)
        requests.append(request)
        let number = familyNumbers[wildcards] ?? families.count
        if number == families.count {
            familyNumbers[wildcards] = number
            families.append(Family(wildcards: wildcards))
            for name in Set(wildcards.compactMap(\.name)) { familiesByName[name, default: []].append(number) }
            named = Set(named).union(wildcards.indices.filter { wildcards[$0].name != nil }).sorted()
        }
        familiesByMember[position] = number
        families[number].members.append(position)
    }
}
