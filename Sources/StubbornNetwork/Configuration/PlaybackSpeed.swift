/// The speed at which recorded stubs with recorded timing (`recordsTiming`) are played.
public struct PlaybackSpeed: Sendable, Hashable {
    let factor: Double

    /// The default: playback without delay, whatever the recorded times are.
    public static let immediate = Self(factor: 0)
    /// Playback at the speed of the real server.
    public static let recorded = Self(factor: 1)

    /// Returns a speed that multiplies the recorded times.
    ///
    /// For example, `.scaled(by: 0.5)` is twice as fast as the real server. A factor that is not positive means no delay.
    public static func scaled(by factor: Double) -> Self {
        Self(factor: factor.isFinite && factor > 0 ? factor : 0)
    }
}
