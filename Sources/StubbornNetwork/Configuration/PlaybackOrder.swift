import Foundation

/// The order in which recorded stubs answer when several of them match a request, and how often each answers.
///
/// Stubs answer in the order of the stub file. Exact stubs come first: their method, URL as written, body content and
/// header fields set by the app all equal those of the live request. Otherwise, a stub that only satisfies the matchers
/// answers; under `.sequence`, this includes requests for which all exact stubs are used up. Therefore, different
/// requests get their own responses in any order. If requests differ only in secrets, each gets the stubs of its own
/// secret (``Redaction/standard``).
public struct PlaybackOrder: Sendable, Hashable {
    enum Kind { case sequenceThenLast, sequence, firstMatch, stateful, onceFromFile }

    let kind: Kind

    /// The default: each request gets the next recorded response, and the last one is repeated when all are used up.
    public static let sequenceThenLast = Self(kind: .sequenceThenLast)
    /// Each request gets the next recorded response.
    ///
    /// When all are used up, further requests are unstubbed.
    public static let sequence = Self(kind: .sequence)
    /// Each stub that was in the file when the run began answers once.
    static let onceFromFile = Self(kind: .onceFromFile)
    /// Every request gets the first recorded response that matches.
    public static let firstMatch = Self(kind: .firstMatch)

    /// Like `sequenceThenLast`, but a request that only reads does not see a change before the request that made it.
    ///
    /// A change is a POST, PUT, PATCH or DELETE. A stub that was recorded after a change does not answer a GET, HEAD or
    /// OPTIONS request to the same host until the change has been played, if an earlier stub can answer. For example:
    ///
    ///     1  GET /items   []          4  POST /items  201
    ///     2  GET /items   []          5  GET /items   ["a"]
    ///     3  GET /items   []
    ///
    /// A test that reads four times before it posts gets 1, 2, 3 and 3 again. One that reads once and posts gets 1, 4, 5.
    /// When nothing was recorded between two changes, the last response before them is repeated.
    public static let stateful = Self(kind: .stateful)
}

extension PlaybackOrder: CustomStringConvertible {
    /// The Swift code of the order: `.sequenceThenLast`.
    public var description: String { ".\(kind)" }
}

/// The speed at which recorded stubs with recorded timing (`recordsTiming`) are played.
public struct PlaybackSpeed: Sendable, Hashable {
    let factor: Double

    /// The default: playback without delay, whatever the recorded times are.
    public static let immediate = Self(factor: 0)
    /// Playback at the speed of the real server.
    public static let recorded = Self(factor: 1)

    /// Returns a speed that multiplies the recorded times.
    ///
    /// For example, `.delays(scaledBy: 0.5)` is twice as fast as the real server. A factor that is not positive means no delay.
    public static func delays(scaledBy factor: Double) -> Self {
        Self(factor: factor.isFinite && factor > 0 ? factor : 0)
    }
}

/// The encoding in which recorded bodies are written into a stub file.
///
/// Both encodings can be read, whichever is set.
///
///     network.bodyEncoding = .readable
public enum BodyEncoding: String, Sendable, CaseIterable {
    /// The default: base64 under `data`, for any body, byte for byte.
    case base64

    /// Text that a reviewer can read: JSON under `json`, the fields of a form under `form`, other UTF-8 text as an array of
    /// lines under `text`, and any other body as base64 under `data`.
    ///
    /// Text is played back byte for byte. JSON is played back with the same order of keys and the same spelling of
    /// numbers, but without white space.
    case readable
}
