import Foundation

/// The settings of a network.
///
/// They may be changed at any time; a request uses those that hold when it starts.
struct NetworkSettings: Sendable {
    var recordMode: RecordMode = .playback
    var rules = PlaybackRules()
    var recordsTiming = false
    var playbackSpeed: PlaybackSpeed = .immediate
    var bodyEncoding: BodyEncoding = .base64
    var volatileHeaderFields: VolatileHeaderFields = .standard
    var bodyDataProcessor: (any BodyDataProcessor)?
    var onUnstubbedRequest: (@Sendable (UnstubbedRequestReport) -> Void)?
    /// A Boolean value that indicates whether a request that no stub answers gets an empty 200, as in an observing
    /// network.
    var answersUnstubbedRequests = false
}

/// A network's settings, and an immutable copy of them that requests share.
///
/// Copying the settings for each request would count dozens of references, which parallel requests would wait for.
final class SettingsStore: Sendable {
    /// The settings that hold for a request.
    final class Current: Sendable {
        let settings: NetworkSettings
        /// The mode in force, which may differ from the mode that code has set.
        let mode: RecordMode

        fileprivate init(_ settings: NetworkSettings, mode: RecordMode) {
            self.settings = settings
            self.mode = mode
        }
    }

    private struct State {
        var settings: NetworkSettings
        /// The shared copy; `nil` after a change.
        var current: Current?
    }

    private let state: Lock<State>
    private let environment: EnvironmentSettings

    init(_ settings: NetworkSettings, environment: EnvironmentSettings) {
        state = Lock(State(settings: settings))
        self.environment = environment
    }

    /// Reads or changes the settings.
    func withLock<Result>(_ body: (inout NetworkSettings) -> sending Result) -> sending Result {
        state.withLock { state in
            state.current = nil
            return body(&state.settings)
        }
    }

    var current: Current {
        state.withLock { state in
            if let current = state.current { return current }
            let requested = state.settings.recordMode
            let mode = (try? environment.modeInForce(requested: requested)) ?? requested
            let current = Current(state.settings, mode: mode)
            state.current = current
            return current
        }
    }
}
