/// The number of requests that a network received, grouped by outcome: `StubbornNetwork.summary`.
///
///     12 requests: 10 stubbed, 1 recorded, 1 unstubbed. 3 stubs unused.
public struct RunSummary: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The number of requests that a stub answered, recorded or declared.
    public internal(set) var stubbed = 0
    /// The number of requests that the real server answered and that were recorded.
    public internal(set) var recorded = 0
    /// The number of requests that the real server answered and that were not recorded.
    public internal(set) var passedThrough = 0
    /// The number of requests that no stub answered.
    public internal(set) var unstubbed = 0
    /// The number of requests that failed for a different reason.
    public internal(set) var failed = 0
    /// The number of requests without an outcome yet.
    public internal(set) var running = 0
    /// The number of stubs that no request used, recorded or declared.
    public internal(set) var unused = 0

    package init() {}

    /// Counts requests by their outcomes; `nil` for a request without an outcome yet.
    init(_ outcomes: [Exchange.Outcome?], unused: Int) {
        for outcome in outcomes {
            switch outcome {
            case .stubbed: stubbed += 1
            case .recorded: recorded += 1
            case .passedThrough: passedThrough += 1
            case .unstubbed: unstubbed += 1
            case .failed: failed += 1
            case nil: running += 1
            }
        }
        self.unused = unused
    }

    /// Returns the sums of two summaries.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        for path in [\Self.stubbed, \.recorded, \.passedThrough, \.unstubbed, \.failed, \.running, \.unused] {
            sum[keyPath: path] += right[keyPath: path]
        }
        return sum
    }

    /// The numbers on one line, without those that are zero.
    public var description: String {
        let parts = [
            (stubbed, "stubbed"), (recorded, "recorded"), (passedThrough, "passed through"), (unstubbed, "unstubbed"),
            (failed, "failed"), (running, "running"),
        ]
        let count = parts.reduce(0) { $0 + $1.0 }
        let done = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let requests = count == 0 ? "No requests." : "\(count.counting("request")): \(done)."
        return unused == 0 ? requests : "\(requests) \(unused.counting("stub")) unused."
    }
}

/// A stub that no request used.
///
///     No request used stub 3, GET https://api.example.com/users?page=1 (Stubs/UserList.json:42).
///     To remove it:  STUB_RECORD_MODE=recording swift test --filter UserTests.list
///
/// If it was meant for a request that no stub answers, the report on that request shows it as the closest stub. Secrets
/// are redacted, and long strings are truncated.
package struct UnusedStubReport: Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the stub is declared in code; a recorded one is not.
    package let isDeclared: Bool
    /// The stub, its file and line, and the ways to remove it; none for a stub recorded in memory.
    package let description: String

    /// Creates the report on a stub; `removal` lists the ways to remove it; `nil` means with an editor.
    init(
        _ stub: String,
        at location: String?,
        _ redactor: Redactor,
        isDeclared: Bool = false,
        removal: [UnstubbedRequestReport.Fix]? = nil
    ) {
        self.isDeclared = isDeclared
        let location = location?.shortenedPath
        let first = "No request used \(redactor.redact(text: stub).cut(to: 512))\(location.map { " (\($0))" } ?? "")."
        let fixes = location.map { removal ?? [.init(purpose: "To remove it", code: "delete it at \($0)")] } ?? []
        description = ([first] + fixes.lines).joined(separator: "\n")
    }
}
