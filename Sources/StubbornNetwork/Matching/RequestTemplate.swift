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

    /// Creates the template of a request without wildcards.
    init(_ request: ComparedRequest) { (blank, values, mask) = (request, [], [:]) }

    /// Creates the template of a recorded request, and adds its wildcards, in the order in which they are captured.
    init(_ request: ComparedRequest, _ forms: PlaceholderForms, wildcards: inout [Wildcard]) {
        var (values, mask): ([Value], Mask) = ([], [:])
        for (index, field) in request.fields.enumerated() {
            for (offset, compiled) in field.templates(forms) {
                values.append(Value(field: index, offset: offset, template: compiled.template))
                wildcards += compiled.wildcards
                mask[index, default: []].append(offset)
            }
        }
        (self.values, self.mask, blank) = (values, mask, request.blanked(at: mask))
    }

    /// Returns the live values of the wildcards; `nil` if a value with wildcards does not match.
    ///
    /// `live` is a request that equals this one without these values, and `tokens` has the tokens of each of its fields.
    func match(
        _ live: ComparedRequest,
        _ tokens: @autoclosure () -> [ArraySlice<JSONValue.Token>]
    ) -> ValueTemplate.Captures? {
        var captures = ValueTemplate.Captures()
        if values.isEmpty { return captures }
        let tokens = tokens()
        let isMatch = values.allSatisfy { value in
            if case .bytes(let parts) = live.fields[value.field].value {
                return parts[value.offset].text.withBytes { value.template.match($0, into: &captures) }
            }
            let tokens = tokens[value.field]
            return value.template.match(tokens[tokens.startIndex + value.offset], into: &captures)
        }
        return isMatch ? captures : nil
    }

    /// Returns a Boolean value that indicates whether a live request matches.
    func matches(_ live: ComparedRequest) -> Bool {
        live.blanked(at: mask) == blank && match(live, live.fields.map(\.tokens)) != nil
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
}

extension ComparedRequest.Field {
    /// Returns a Boolean value that indicates whether a live field is equal, or differs only where this one has wildcards.
    func matches(_ live: Self, _ forms: PlaceholderForms?) -> Bool {
        var wildcards: [Wildcard] = []
        guard self != live, let forms else { return self == live }
        return RequestTemplate(ComparedRequest([self]), forms, wildcards: &wildcards).matches(ComparedRequest([live]))
    }

    /// Returns a Boolean value that indicates whether a value has wildcards.
    func hasWildcards(_ forms: PlaceholderForms) -> Bool { !templates(forms).isEmpty }

    /// Returns the templates of the values that have wildcards, with their offsets.
    fileprivate func templates(_ forms: PlaceholderForms) -> [(offset: Int, compiled: ValueTemplate.Compiled)] {
        if case .bytes(let parts) = value {
            return parts.enumerated().compactMap { offset, part in
                part.text.withBytes { ValueTemplate.text($0, forms, isValue: false) }.map { (offset, $0) }
            }
        }
        let isEncoded = [.query, .formField, .path].contains(name.part)
        return tokens.enumerated().compactMap { offset, token in
            let depth = name.part == .json ? 1 : 0
            let compiled = ValueTemplate.token(token, forms, isPercentEncoded: isEncoded, depth: depth)
            return compiled.map { (offset, $0) }
        }
    }

    /// Returns the field without the texts, numbers or parts at some offsets; without any for `nil`.
    fileprivate func blanked(at offsets: [Int]?) -> Self {
        var result = self
        switch value {
        case .text(let text?) where name.part == .path:
            let segments = PathTemplate.segments(of: text).enumerated()
            result.value = .text(segments.map { offsets?.contains($0) == false ? $1 : "" }.joined(separator: "/"))
        case .text: result.value = .text(nil)
        case .json(let value):
            result.value = .json(value.blanked(at: offsets ?? Array(0..<value.tokens.count)))
        case .bytes(let parts):
            let blank = ComparableBody.Part(content: BodyBytes(Data()))
            result.value = .bytes(parts.enumerated().map { offsets?.contains($0) == false ? $1 : blank })
        }
        return result
    }
}
