import Foundation

/// The parts of a request that a list of matchers compares, as one key: requests with equal keys are equal for all
/// matchers but those in code.
struct MatchKey: Hashable, Sendable {
    private let values: [ComparedPart.Value]

    /// The keys of a request under which, and by which, it is found; two requests are equal when they share one.
    ///
    /// A body is found by what it says, and by its bytes: the same bytes are equal even where only one of two requests has
    /// a content type that tells what they say.
    static func keys(of request: ParsedRequest, comparing parts: [ComparedPart]) -> (said: MatchKey, bytes: MatchKey?) {
        var values: [ComparedPart.Value] = []
        values.reserveCapacity(parts.count)
        var readBodies: [Int] = []
        for part in parts {
            guard let value = part.value(of: request) else { continue }
            if case .body(let body) = value, body.isRead { readBodies.append(values.count) }
            values.append(value)
        }
        let said = MatchKey(values: values)
        guard !readBodies.isEmpty, let data = request.request.body else { return (said, nil) }
        for (index, part) in zip(values.indices, parts.filter { !$0.isCustom }) where part.isBody {
            values[index] = .body(.bytes(BodyBytes(data)))
        }
        return (said, MatchKey(values: values))
    }
}

extension ComparableBody {
    /// Whether it is compared as more than bytes.
    fileprivate var isRead: Bool {
        switch self {
        case .none, .bytes: false
        case .json, .form, .multipart: true
        }
    }
}
