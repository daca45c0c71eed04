/// A network's settings, and an immutable copy of them that requests share.
///
/// Copying the settings for each request would count dozens of references, which parallel requests would wait for.
package final class SettingsStore: Sendable {
    /// The settings that apply to a request.
    package final class Current: Sendable {
        package let settings: NetworkSettings
        /// The mode in force, which may differ from the mode that code has set.
        let mode: RecordMode

        fileprivate init(_ settings: NetworkSettings, mode: RecordMode) {
            self.settings = settings
            self.mode = mode
        }

        /// The rules by which recorded stubs answer.
        ///
        /// While a run records, each stub of the file stands for one request of the conversation.
        package var rules: PlaybackRules {
            guard let order = mode.rules.order else { return settings.rules }
            var rules = settings.rules
            rules.order = order
            return rules
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

    package var current: Current {
        state.withLock { state in
            if let current = state.current { return current }
            let requested = state.settings.recordMode
            var mode = (try? environment.modeInForce(requested: requested)) ?? requested
            if mode == .recording, state.settings.hasFault { mode = .playback }
            let current = Current(state.settings, mode: mode)
            state.current = current
            return current
        }
    }
}
