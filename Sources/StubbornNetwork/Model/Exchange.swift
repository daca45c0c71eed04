import Foundation

/// One request and what came of it, as kept in the network's request log.
public struct Exchange: Sendable, Identifiable {
    public enum Outcome: Sendable, Hashable {
        /// A declared or a recorded stub answered.
        case stubbed
        /// The real server is asked, or has answered, and the stub source keeps what it says.
        case recorded
        /// The real server is asked, or has answered, and nothing is kept.
        case passedThrough
        /// No stub answered; the request failed.
        case unstubbed
        /// The request failed for another reason: the server did not answer, the task was cancelled, or the stub file cannot
        /// be read or written.
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
