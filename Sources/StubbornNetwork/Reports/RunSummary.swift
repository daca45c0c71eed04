/// What a network has done, in numbers: `StubbornNetwork.summary`.
///
///     12 requests: 10 served, 1 recorded, 1 unstubbed. 3 stubs unused.
public struct RunSummary: Sendable, Hashable, CustomStringConvertible {
    /// Requests that a stub answered, recorded or declared.
    public let served: Int
    /// Requests that the real server answered and whose answer is kept.
    public let recorded: Int
    /// Requests that the real server answered and nothing is kept of.
    public let passedThrough: Int
    /// Requests that no stub answered.
    public let unstubbed: Int
    /// Requests that failed for another reason.
    public let failed: Int
    /// Requests that nothing has been decided about.
    public let running: Int
    /// Stubs that no request asked for, recorded or declared.
    public let unused: Int

    init(_ exchanges: [Exchange], unused: Int) {
        let counts = Dictionary(exchanges.map { ($0.outcome, 1) }, uniquingKeysWith: +)
        served = counts[.stubbed] ?? 0
        recorded = counts[.recorded] ?? 0
        passedThrough = counts[.passedThrough] ?? 0
        unstubbed = counts[.unstubbed] ?? 0
        failed = counts[.failed] ?? 0
        running = counts[nil] ?? 0
        self.unused = unused
    }

    /// On one line; what did not happen is left out.
    public var description: String {
        let parts = [
            (served, "served"), (recorded, "recorded"), (passedThrough, "passed through"), (unstubbed, "unstubbed"),
            (failed, "failed"), (running, "running"),
        ]
        let count = parts.reduce(0) { $0 + $1.0 }
        let done = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let requests = count == 0 ? "No requests." : "\(count) request\(count == 1 ? "" : "s"): \(done)."
        return unused == 0 ? requests : "\(requests) \(unused) stub\(unused == 1 ? "" : "s") unused."
    }
}
