import Foundation

/// A path whose segments may be placeholders: `/users/:id` matches `/users/42`, and `id` stands for `42`.
///
/// Paths are spelled as in `URLParts`. A placeholder stands for exactly one segment, which is not empty.
struct PathTemplate: Sendable {
    let text: String
    /// The path itself when it has no placeholders.
    let literal: String?
    private let segments: [Substring]

    init(_ path: String) {
        text = path
        segments = Self.segments(of: path)
        literal = segments.contains(where: Self.isPlaceholder) ? nil : path
    }

    /// Creates a template from a path in code, with or without `/` in front.
    init(spelling path: String) {
        self.init(PercentEncoding.normalized(path.hasPrefix("/") ? path : "/\(path)", as: .path))
    }

    /// Creates the template of two paths that differ only in one segment that a client generates for each request;
    /// `nil` for any other paths.
    ///
    /// The segment must have eight characters or more, and digits, like a time or an identifier. `/users/1` and `/users/2` are
    /// two resources.
    init?(ofGenerated old: String, _ new: String) {
        let (olds, news) = (Self.segments(of: old), Self.segments(of: new))
        let differing = zip(olds, news).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
        guard olds.count == news.count, differing.count == 1, let index = differing.first,
            [olds[index], news[index]].allSatisfy({ $0.utf8.count >= 8 && $0.contains(where: \.isNumber) })
        else { return nil }
        var segments = news
        segments[index] = ":value"
        self.init(segments.joined(separator: "/"))
    }

    /// Returns the values of the placeholders in a path; `nil` if the path does not match.
    func match(_ path: String) -> [String: String]? {
        if let literal { return literal == path ? [:] : nil }
        let parts = Self.segments(of: path)
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

    static func segments(of path: String) -> [Substring] {
        path.utf8.split(separator: .slash, omittingEmptySubsequences: false).map(Substring.init)
    }

    private static func isPlaceholder(_ segment: Substring) -> Bool { segment.hasPrefix(":") && segment.utf8.count > 1 }
}
