import Foundation

/// A path whose segments may be placeholders: `/users/:id` answers for `/users/42`, with `id` standing for `42`.
///
/// Both paths are spelled as in `URLParts`. A placeholder takes exactly one segment, never an empty one.
struct PathTemplate: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case placeholder(String)
    }

    /// The path itself when it has no placeholders.
    let literal: String?

    /// As it was given, in the spelling of `URLParts`.
    let text: String

    private let segments: [Segment]

    init(_ path: String) {
        text = path
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix(":") && segment.utf8.count > 1
                ? Segment.placeholder(PercentEncoding.decoded(String(segment.dropFirst())))
                : Segment.literal(String(segment))
        }
        let hasPlaceholders = segments.contains { if case .placeholder = $0 { true } else { false } }
        literal = hasPlaceholders ? nil : path
        self.segments = hasPlaceholders ? segments : []
    }

    func match(_ path: String) -> PatternMatch? {
        if let literal { return literal == path ? PatternMatch() : nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == segments.count else { return nil }
        var match = PatternMatch()
        for (segment, part) in zip(segments, parts) {
            switch segment {
            case .literal(let text):
                guard part == text else { return nil }
            case .placeholder(let name):
                guard !part.isEmpty else { return nil }
                match.pathParameters[name] = PercentEncoding.decoded(String(part))
            }
        }
        return match
    }
}
