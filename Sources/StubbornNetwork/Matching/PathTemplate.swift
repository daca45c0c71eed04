import Foundation

/// A path whose segments may be placeholders: `/users/:id` holds for `/users/42`, and `id` stands for `42`.
///
/// Paths are spelled as in `URLParts`. A placeholder stands for exactly one segment, which is not empty.
struct PathTemplate: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case placeholder(String)
    }

    /// The path itself when it has no placeholders.
    let literal: String?

    /// The template, in the spelling of `URLParts`.
    let text: String

    private let segments: [Segment]

    init(_ path: String) {
        text = path
        segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix(":") && segment.utf8.count > 1
                ? .placeholder(PercentEncoding.decoded(String(segment.dropFirst()))) : .literal(String(segment))
        }
        literal = segments.contains { if case .placeholder = $0 { true } else { false } } ? nil : path
    }

    /// Returns the values of the placeholders in a path; `nil` where the path does not match.
    func match(_ path: String) -> [String: String]? {
        if let literal { return literal == path ? [:] : nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, parts) {
            switch segment {
            case .literal(let text):
                guard part == text else { return nil }
            case .placeholder(let name):
                guard !part.isEmpty else { return nil }
                values[name] = PercentEncoding.decoded(String(part))
            }
        }
        return values
    }
}
