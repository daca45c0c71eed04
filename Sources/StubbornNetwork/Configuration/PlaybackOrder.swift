import Foundation

/// How often recorded stubs answer, where several match a request.
///
/// The recorded order is the order in the stub file. Where the whole request of a stub is the live one (the method, the
/// URL as it is written, what the body says and the header fields that the app sets), that stub is preferred to those that
/// match only by what the matchers compare: the order goes through the exact ones, and through the others where there is
/// none. So distinct requests get their own answers, in whatever order they come. Under `.sequence` the others follow
/// when the exact ones are used up.
public struct PlaybackOrder: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case sequenceThenLast
        case sequence
        case firstMatch
        case stateful
    }

    let kind: Kind

    /// Each request gets the next recorded response; when all are used up, the last one again. The default.
    public static let sequenceThenLast = Self(kind: .sequenceThenLast)

    /// Each request gets the next recorded response; when all are used up, a further request is unstubbed.
    public static let sequence = Self(kind: .sequence)

    /// Every request gets the first recorded response that matches.
    public static let firstMatch = Self(kind: .firstMatch)

    /// As `sequenceThenLast`, and what only reads sees no change before the request that makes it.
    ///
    /// A GET, HEAD or OPTIONS request is not answered by a stub recorded behind a POST, PUT, PATCH or DELETE to the same
    /// host that has not been replayed, as long as a stub before it can answer. Say this was recorded:
    ///
    ///     1  GET /items   []          4  POST /items  201
    ///     2  GET /items   []          5  GET /items   ["a"]
    ///     3  GET /items   []
    ///
    /// A test that asks four times before it posts gets 1, 2, 3 and 3 again; one that asks once and posts gets 1, 4, 5.
    /// Where nothing was recorded between two changes, the last answer before them is given again.
    public static let stateful = Self(kind: .stateful)
}

extension PlaybackOrder: CustomStringConvertible {
    /// The code that makes it: `.sequenceThenLast`.
    public var description: String { ".\(kind)" }
}

/// How fast a recorded stub comes, where its times were recorded (`recordsTiming`).
public struct PlaybackSpeed: Sendable, Hashable {
    /// What the recorded times are multiplied by; 0 for at once.
    let factor: Double

    /// At once, whatever the recorded times are. The default.
    public static let immediate = Self(factor: 0)

    /// As slow as the real server was.
    public static let recorded = Self(factor: 1)

    /// The recorded times, multiplied: `.scaled(by: 0.5)` is twice as fast as the real server.
    ///
    /// - Parameter factor: anything that is not a positive number means at once.
    public static func scaled(by factor: Double) -> Self {
        Self(factor: factor.isFinite && factor > 0 ? factor : 0)
    }
}
