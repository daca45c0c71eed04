import Foundation

/// A recorded request with wildcards, which stand for any value.
///
/// Two templates are equal if they differ only in the names of their placeholders.
struct RequestTemplate: Hashable, Sendable {
    /// A value with wildcards, which is at offsets in a field.
    struct Value: Hashable, Sendable {
        let field: Int
        let offsets: [Int]
        let template: ValueTemplate
    }

    /// The offsets of the values that have wildcards, by the index of their field.
    typealias Mask = [Int: [Int]]

    /// The request without the values that have wildcards.
    let blank: ComparedRequest
    let values: [Value]
    let mask: Mask

    /// Creates the template of a request without wildcards.
    init(_ request: ComparedRequest) { (blank, values, mask) = (request, [], [:]) }

    /// Creates the template of a recorded request, and adds its wildcards, in the order in which they are captured.
    init(_ request: ComparedRequest, _ forms: PlaceholderForms, wildcards: inout [Wildcard]) {
        var (values, mask): ([Value], Mask) = ([], [:])
        for (index, field) in request.fields.enumerated() {
            for (offsets, compiled) in field.templates(forms) {
                values.append(Value(field: index, offsets: offsets, template: compiled.template))
                wildcards += compiled.wildcards
                mask[index, default: []] += offsets
            }
        }
        (self.values, self.mask, blank) = (values, mask, request.blanked(at: mask))
    }

    /// Returns the live values of the wildcards; `nil` if a value with wildcards does not match.
    ///
    /// `live` is a request that equals this one without these values.
    func match(_ live: ComparedRequest) -> ValueTemplate.Captures? {
        var captures = ValueTemplate.Captures()
        let isMatch = values.allSatisfy { value in
            live.fields[value.field].value.match(value.template, at: value.offsets, into: &captures)
        }
        return isMatch ? captures : nil
    }

    /// Returns a Boolean value that indicates whether a live request matches.
    func matches(_ live: ComparedRequest) -> Bool { live.blanked(at: mask) == blank && match(live) != nil }
}

extension ComparedRequest {
    /// The request without any values: requests that may match each other have the same shape.
    var shape: Self { Self(fields.map { Field(name: $0.name, value: $0.value.blanked(at: nil)) }) }

    /// Returns the request without the values at some offsets.
    func blanked(at mask: RequestTemplate.Mask) -> Self {
        var result = self
        for (index, offsets) in mask where fields.indices.contains(index) {
            result.fields[index].value = fields[index].value.blanked(at: offsets)
        }
        return result
    }
}

extension ComparedRequest.Field {
    /// Returns a Boolean value that indicates whether a live field is equal, or differs only where this one has wildcards.
    func matches(_ live: Self, _ forms: PlaceholderForms?) -> Bool {
        var wildcards: [Wildcard] = []
        guard self != live, let forms else { return self == live }
        return RequestTemplate(ComparedRequest([self]), forms, wildcards: &wildcards).matches(ComparedRequest([live]))
    }

    /// Returns the templates of the values that have wildcards, with the offsets of these values.
    fileprivate func templates(_ forms: PlaceholderForms) -> [(offsets: [Int], compiled: ValueTemplate.Compiled)] {
        switch value {
        case .bytes(let parts):
            return parts.enumerated().compactMap { offset, part in
                part.text.withBytes { ValueTemplate.text($0, forms, isValue: false) }.map { ([offset], $0) }
            }
        case .json(let value):
            let isItem = name.part == .query || name.part == .formField
            // The values of one name are in the order of the values, which wildcards do not have.
            if isItem, value.tokens.count > 1 {
                let compiled = ValueTemplate.values(value.tokens.dropFirst().dropLast(), forms)
                return compiled.map { [(Array(1..<value.tokens.count - 1), $0)] } ?? []
            }
            let isEncoded = isItem || name.part == .path
            return value.tokens.enumerated().compactMap { offset, token in
                let depth = name.part == .json ? 1 : 0
                let compiled = ValueTemplate.token(token, forms, isPercentEncoded: isEncoded, depth: depth)
                return compiled.map { ([offset], $0) }
            }
        }
    }
}

extension ComparedRequest.Value {
    /// Returns the value without the texts, numbers or parts at some offsets; without any for `nil`.
    fileprivate func blanked(at offsets: [Int]?) -> Self {
        switch self {
        case .json(let value):
            .json(value.blanked(at: offsets ?? value.tokens.indices.map { $0 - value.tokens.startIndex }))
        case .bytes(let parts):
            .bytes(
                parts.enumerated().map {
                    offsets?.contains($0) == false ? $1 : ComparableBody.Part(content: BodyBytes(Data()))
                }
            )
        }
    }

    fileprivate func match(
        _ template: ValueTemplate,
        at offsets: [Int],
        into captures: inout ValueTemplate.Captures
    ) -> Bool {
        switch self {
        case .json(let value):
            let tokens = offsets.map { value.tokens[value.tokens.startIndex + $0] }
            return tokens.count == 1
                ? template.match(tokens[0], into: &captures) : template.match(tokens, into: &captures)
        case .bytes(let parts): return parts[offsets[0]].text.withBytes { template.match($0, into: &captures) }
        }
    }
}
