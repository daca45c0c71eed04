import Foundation

/// One request and what came of it, as kept in the network's request log.
public struct Exchange: Sendable, Identifiable {
    public enum Outcome: Sendable, Hashable {
        /// A declared or a recorded stub answered.
        case stubbed
        /// The real server answered, and the stub source keeps what it said.
        case recorded
        /// The real server answered, and nothing was kept.
        case passedThrough
        /// No stub answered; the request failed.
        case unstubbed
        /// The request failed for another reason, such as a stub file that cannot be read.
        case failed
    }

    /// The place in the order in which the network's requests started, from 0.
    public let id: Int

    /// The request as the code under test made it.
    public let request: StubRequest

    /// What became of it; `nil` until that is decided.
    public internal(set) var outcome: Outcome?

    /// When the request started.
    public let start: Date

    /// The seconds until the exchange ended; `nil` while it runs.
    public internal(set) var duration: TimeInterval?
}
