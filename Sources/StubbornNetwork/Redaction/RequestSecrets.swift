import Foundation

/// The secrets in a request, each with its place: live values, or the placeholders for them.
///
/// Signatures are none of them. They say nothing about who sends a request.
struct RequestSecrets: Sendable {
    struct Secret: Sendable {
        /// The part of the request and the name of the field, as reports have them: `request header Cookie, cookie`.
        let part: (kind: String, name: String)
        let field: SecretField
        let value: [UInt8]
    }

    private(set) var all: [Secret] = []

    /// Adds a secret, unless it is in the same field already.
    mutating func add(_ value: Bytes, _ field: SecretField, in part: (kind: String, name: String)) {
        guard field.follows || field.label == "user",
            !["signature", "sig", "hmac"].contains(where: field.label.hasSuffix),
            !all.contains(where: { $0.field.label == field.label && $0.value.elementsEqual(value) })
        else { return }
        all.append(Secret(part: part, field: field, value: Array(value)))
    }

    /// Returns the secrets of this request, each with the one that stands in its place in another request.
    ///
    /// Places are compared by the names of their fields, because JSON keys and query items may be in another order, and
    /// what has no name by its position.
    func pairs(with other: RequestSecrets) -> [(own: Secret, other: Secret)] {
        var pairs: [(own: Secret, other: Secret)] = []
        var (rest, otherRest) = (all, other.all)
        for label in Set(all.map(\.field.label)) {
            let (own, others) = (all.filter { $0.field.label == label }, other.all.filter { $0.field.label == label })
            guard own.count == others.count else { continue }
            pairs += zip(own, others).map { ($0, $1) }
            rest.removeAll { $0.field.label == label }
            otherRest.removeAll { $0.field.label == label }
        }
        return rest.count == otherRest.count ? pairs + zip(rest, otherRest).map { ($0, $1) } : pairs
    }

    /// Returns a Boolean value that indicates whether two requests have the same secrets.
    func isSame(as other: RequestSecrets) -> Bool { all.map(\.value) == other.all.map(\.value) }
}

/// The placeholders in stubs that live values stand for, in the order in which the values appeared.
struct PlaceholderBindings: Sendable {
    private var placeholders: [[UInt8]: [UInt8]] = [:]
    private var bound: Set<[UInt8]> = []

    /// Returns the indices of the requests that are as near as possible to a live one by their secrets.
    ///
    /// A live value that is a placeholder stands for that placeholder. One that is bound to a placeholder stands for that
    /// one alone, and any other for a placeholder that no value is bound to.
    func nearest(_ indices: [Int], to live: RequestSecrets, in recorded: [RequestSecrets]) -> [Int] {
        let ranks = indices.map { rank(recorded[$0], live) }
        let best = ranks.max { $0 < $1 }
        return zip(indices, ranks).filter { $0.1 == best ?? $0.1 }.map(\.0)
    }

    private func rank(_ recorded: RequestSecrets, _ live: RequestSecrets) -> (possible: Int, certain: Int) {
        var rank = (possible: -max(recorded.all.count, live.all.count), certain: 0)
        for (placeholder, value) in recorded.pairs(with: live) {
            if value.value == placeholder.value || placeholders[value.value] == placeholder.value {
                rank = (rank.possible + 1, rank.certain + 1)
            } else if placeholders[value.value] == nil, !bound.contains(placeholder.value),
                !value.value.withUnsafeBufferPointer(Placeholder.isIn)
            {
                rank.possible += 1
            }
        }
        return rank
    }

    /// Binds the live values of a request to the placeholders of the stub that answers it, if neither is bound.
    mutating func bind(_ live: RequestSecrets, to recorded: RequestSecrets) {
        guard !live.all.isEmpty else { return }
        for (placeholder, value) in recorded.pairs(with: live)
        where placeholders[value.value] == nil && bound.insert(placeholder.value).inserted {
            placeholders[value.value] = placeholder.value
        }
    }
}
