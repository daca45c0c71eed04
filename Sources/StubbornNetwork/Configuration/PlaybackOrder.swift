import Foundation

/// How often recorded stubs answer, where several match a request.
public struct PlaybackOrder: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case sequenceThenLast
        case sequence
        case firstMatch
    }

    let kind: Kind

    /// Each request gets the next recorded response; when all are used up, the last one again. The default.
    public static let sequenceThenLast = Self(kind: .sequenceThenLast)

    /// Each request gets the next recorded response; when all are used up, a further request is unstubbed.
    public static let sequence = Self(kind: .sequence)

    /// Every request gets the first recorded response that matches.
    public static let firstMatch = Self(kind: .firstMatch)
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
