/// A network's settings, and the unchanging copy of them that requests go by.
///
/// A copy of the settings themselves counts references by the dozen, on which parallel requests would wait for each other.
final class SettingsStore: Sendable {
    /// What holds for a request.
    final class Current: Sendable {
        let settings: NetworkSettings
        /// The mode in force, whatever code asks for.
        let mode: RecordMode

        fileprivate init(_ settings: NetworkSettings, mode: RecordMode) {
            self.settings = settings
            self.mode = mode
        }
    }

    private struct State {
        var settings: NetworkSettings
        /// `nil` where the settings may have changed since.
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
