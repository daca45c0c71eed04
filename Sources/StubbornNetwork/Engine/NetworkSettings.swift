import Foundation

/// The settings of a network; a request uses those that hold when it starts.
struct NetworkSettings: Sendable {
    var recordMode: RecordMode = .playback
    var rules = PlaybackRules()
    var recordsTiming = false
    var playbackSpeed: PlaybackSpeed = .immediate
    var cancellationTimeout: DispatchTimeInterval = .seconds(2)
    var bodyEncoding: BodyEncoding = .base64
    var volatileHeaderFields: VolatileHeaderFields = .standard
    /// The key paths of JSON members in responses that differ each time.
    private(set) var volatileJSONKeys: [String] = []
    /// A Boolean value that indicates whether a fault is declared, because of which the network does not replace recordings.
    var hasFault = false
    var bodyDataProcessor: (any BodyDataProcessor)?
    /// Makes the request that the real server gets in `.verifying`.
    var verificationRequest: (@Sendable (URLRequest) -> URLRequest)?
    var onUnstubbedRequest: (@Sendable (UnstubbedRequestReport) -> Void)?
    /// A Boolean value that indicates whether a request that no stub answers gets an empty 200, as in an observing
    /// network.
    var answersUnstubbedRequests = false
    /// The settings of the stub directory.
    private(set) var directory = StubDirectorySettings()
    /// The values of the environment variables that the stub directory names.
    private var variables: [String?] = []
}

extension NetworkSettings {
    /// Creates the settings of a network, before code changes them.
    ///
    /// - Parameters:
    ///   - directory: the stub directory.
    ///   - environment: the process's variables.
    /// - Throws: `InvalidSetting` for an invalid settings file.
    init(of directory: URL, environment: [String: String] = [:]) throws(InvalidSetting) {
        self.directory = try StubDirectorySettings(for: directory) { Redaction.Rule(settingsName: $0) != nil }
        variables = self.directory[.redactedVariables].map { environment[$0] }
        bodyEncoding = self.directory.bodyEncoding ?? bodyEncoding
        rules.placeholders = self.directory[.placeholders]
        setMatchers(rules.matchers)
        setRedaction(rules.redaction)
        setVolatileHeaderFields(volatileHeaderFields)
        setVolatileJSONKeys([])
    }

    /// Sets the matchers that code names, without the parts that the stub directory ignores.
    mutating func setMatchers(_ options: RequestMatcherOptions) {
        rules.matchers = RequestMatcherOptions(
            options.matchers.map {
                $0.ignoring(
                    queryItems: directory[.ignoredQueryItems],
                    headers: directory[.ignoredHeaders],
                    jsonKeys: directory[.ignoredJSONKeys]
                )
            }
        )
    }

    /// Sets the redaction that code names, with the rules of the stub directory; `.none` stays as it is.
    mutating func setRedaction(_ redaction: Redaction) {
        rules.redaction = redaction
        guard !redaction.isNothing else { return }
        rules.redaction =
            redaction
            .including(
                headers: directory[.redactedHeaders],
                queryItems: directory[.redactedQueryItems],
                jsonKeys: directory[.redactedJSONKeys],
                formFields: directory[.redactedFormFields],
                values: variables
            )
            .excluding(directory[.excludedRules].compactMap { Redaction.Rule(settingsName: $0) })
    }

    /// Sets the volatile header fields that code names, with those of the stub directory.
    mutating func setVolatileHeaderFields(_ fields: VolatileHeaderFields) {
        volatileHeaderFields = VolatileHeaderFields(fields.names.union(directory[.volatileHeaders]))
    }

    /// Sets the volatile JSON members that code names, with those of the stub directory.
    mutating func setVolatileJSONKeys(_ keys: [String]) {
        volatileJSONKeys = keys + directory[.volatileJSONKeys].filter { !keys.contains($0) }
    }

    /// Returns the origins of settings, with the stub directory's file where it takes part in one.
    func origins(_ ofCode: SettingOrigins) -> SettingOrigins {
        guard let file = directory.file?.relativeDisplayPath else { return ofCode }
        var origins = ofCode
        func hasAny(_ lists: StubDirectorySettings.List...) -> Bool { lists.contains { !directory[$0].isEmpty } }
        if hasAny(.ignoredQueryItems, .ignoredHeaders, .ignoredJSONKeys) {
            origins.matchers += ", with \(file)"
        }
        if !rules.redaction.isNothing,
            hasAny(.redactedHeaders, .redactedQueryItems, .redactedJSONKeys, .redactedFormFields, .excludedRules)
        {
            origins.redaction += ", with \(file)"
        }
        if directory.bodyEncoding != nil, origins.bodyEncoding == SettingOrigins.standard {
            origins.bodyEncoding = "set by \(file)"
        }
        return origins
    }
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

        /// The rules by which recorded stubs answer.
        ///
        /// While a run records, each stub of the file stands for one request of the conversation.
        var rules: PlaybackRules {
            guard mode == .recordingMissing || mode == .recording else { return settings.rules }
            var rules = settings.rules
            rules.order = .onceFromFile
            rules.replacesFile = mode == .recording
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

    var current: Current {
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
