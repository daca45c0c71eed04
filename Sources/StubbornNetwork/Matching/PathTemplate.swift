import Foundation

/// A path whose segments may be placeholders: `/users/:id` holds for `/users/42`, and `id` stands for `42`.
///
/// Paths are spelled as in `URLParts`. A placeholder stands for exactly one segment, which is not empty.
struct PathTemplate: Sendable {
    let text: String
    /// The path itself when it has no placeholders.
    let literal: String?
    private let segments: [Substring]

    init(_ path: String) {
        text = path
        segments = path.split(separator: "/", omittingEmptySubsequences: false)
        literal = segments.contains(where: Self.isPlaceholder) ? nil : path
    }

    /// Returns the values of the placeholders in a path; `nil` where the path does not match.
    func match(_ path: String) -> [String: String]? {
        if let literal { return literal == path ? [:] : nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, parts) {
            if Self.isPlaceholder(segment) {
                guard !part.isEmpty else { return nil }
                values[PercentEncoding.decoded(String(segment.dropFirst()))] = PercentEncoding.decoded(String(part))
            } else if part != segment {
                return nil
            }
        }
        return values
    }

    private static func isPlaceholder(_ segment: Substring) -> Bool { segment.hasPrefix(":") && segment.utf8.count > 1 }
}
