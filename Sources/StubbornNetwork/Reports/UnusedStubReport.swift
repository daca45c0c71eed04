/// A stub that no request asked for, and the unstubbed request that came closest to it.
///
///     No request asked for stub 3, GET https://api.example.com/users?page=1 (Stubs/UserList.json:42).
///     Closest is the unstubbed GET https://api.example.com/users?page=2:
///       url.query.page: recorded "1", requested "2"
///
/// Secrets are redacted, texts are bounded.
public struct UnusedStubReport: Sendable, CustomStringConvertible {
    /// `stub 3, GET https://api.example.com/users?page=1`, or `declared stub POST /login at LoginTests.swift:12`.
    public let stub: String

    /// Where a recorded stub stands: `Stubs/UserList.json:42`; `nil` in memory.
    public let position: String?

    /// The unstubbed request that came closest; `nil` where none came close.
    public let nearestRequest: String?

    /// What differs between the two, a line each.
    public let differences: [String]

    public var description: String {
        let position = position.map { " (\($0.shortenedPath))" } ?? ""
        var lines = ["No request asked for \(stub.cut(to: 512))\(position)."]
        if let nearestRequest {
            lines.append("Closest is the unstubbed \(nearestRequest.cut(to: 512)):")
            lines += differences.prefix(4).map { "  \($0)" }
            if differences.count > 4 { lines.append("  and \(differences.count - 4) more") }
        }
        return lines.joined(separator: "\n")
    }
}
