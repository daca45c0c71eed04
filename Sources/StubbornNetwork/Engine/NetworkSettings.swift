import Foundation

/// The settings of a network.
///
/// A request uses the settings that apply when it starts.
package struct NetworkSettings: Sendable {
    @Setting var recordMode: RecordMode = .playback
    package var rules = PlaybackRules()
    var recordsTiming = false
    package var playbackSpeed: PlaybackSpeed = .immediate
    package var cancellationTimeout: DispatchTimeInterval = .seconds(2)
    var bodyEncoding: BodyEncoding = .base64 { didSet { rules.generation += 1 } }
    package var volatileHeaderFields: VolatileHeaderFields = .standard
    /// The key paths of JSON members in responses that differ each time.
    package private(set) var volatileJSONKeyPaths: [String] = [] { didSet { rules.generation += 1 } }
    /// A Boolean value that indicates whether a fault is declared.
    ///
    /// Such a network does not replace recordings.
    var hasFault = false
    var bodyDataProcessor: (any BodyDataProcessor)?
    /// The clock that dates recordings.
    var clock: @Sendable () -> Date = { Date() }
    /// The filter of recordings from code.
    var recordingFilter: (@Sendable (RecordedExchange) -> RecordedExchange?)?
    var onUnstubbedRequest: (@Sendable (UnstubbedRequestReport) -> Void)?
    /// Fails the network's test with a message.
    var onFailureOfTest: (@Sendable (String) -> Void)?
    /// The handler of the network's test, which is called before the handler from code.
    var onUnstubbedRequestOfTest: (@Sendable (UnstubbedRequestReport) -> Void)?
    /// A Boolean value that indicates whether a request that no stub answers gets an empty 200, as in an observing
    /// network.
    var answersUnstubbedRequests = false
    /// The settings of the stub directory.
    package private(set) var directory = StubDirectorySettings()
    /// The values of the environment variables that the stub directory lists.
    private var variables: [String?] = []
}

extension NetworkSettings {
    /// Creates the settings of a network, before code changes them.
    ///
    /// - Parameters:
    ///   - directory: the stub directory.
    ///   - environment: the process's variables.
    /// - Throws: an error that says what is wrong with the settings file.
    package init(of directory: URL, environment: [String: String] = [:]) throws(StubbornNetworkError) {
        self.directory = try StubDirectorySettings(for: directory) { Redaction.Rule(settingsName: $0) != nil }
        variables = self.directory[.redactedVariables].map { environment[$0] }
        bodyEncoding = self.directory.bodyEncoding ?? bodyEncoding
        rules.placeholders = self.directory[.placeholders]
        setMatchers(rules.matchers, origin: SettingOrigin.standard)
        setRedaction(rules.redaction, origin: SettingOrigin.standard)
        setVolatileHeaderFields(volatileHeaderFields)
        setVolatileJSONKeyPaths([])
    }

    /// Sets the matchers from code, without the parts that the stub directory ignores.
    mutating func setMatchers(_ options: RequestMatcherOptions, origin: String = SettingOrigin.ofCode) {
        let ignored = IgnoredParts(
            queryItems: directory[.ignoredQueryItems],
            pathParameters: directory[.ignoredPathParameters],
            headerFields: directory[.ignoredHeaders],
            jsonKeyPaths: directory[.ignoredJSONKeys],
            bodyFields: directory[.ignoredFields]
        )
        rules.matchers = RequestMatcherOptions(options.matchers.map { $0.ignoring(ignored) })
        rules.$matchers.origin = ignored.isNothing ? origin : "\(origin), with \(fileName)"
    }

    /// Sets the redaction from code, with the rules of the stub directory; `.none` is unchanged.
    mutating func setRedaction(_ redaction: Redaction, origin: String = SettingOrigin.ofCode) {
        rules.redaction = redaction
        rules.$redaction.origin = origin
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
        let lists = StubDirectorySettings.List.allCases.filter { $0.rawValue.hasPrefix("redaction.") }
        if lists.contains(where: { !directory[$0].isEmpty }) { rules.$redaction.origin += ", with \(fileName)" }
    }

    /// Sets the volatile header fields from code, with the fields of the stub directory.
    mutating func setVolatileHeaderFields(_ fields: VolatileHeaderFields) {
        volatileHeaderFields = VolatileHeaderFields(fields.names.union(directory[.volatileHeaders]))
        rules.givenBackHeaderFields = volatileHeaderFields.including(directory[.ignoredHeaders])
    }

    /// Sets the volatile JSON members from code, with the members of the stub directory.
    mutating func setVolatileJSONKeyPaths(_ keys: [String]) {
        volatileJSONKeyPaths = keys + directory[.volatileJSONKeys].filter { !keys.contains($0) }
    }

    /// The rules by which two recordings of one exchange are compared.
    package var mergeRules: MergeRules {
        let matchers = rules.matchers
        var merge = MergeRules(
            volatileHeaderFields: rules.volatileHeaderFields,
            ignored: matchers.ignored,
            volatileJSONKeyPaths: volatileJSONKeyPaths,
            comparesHeaderFields: matchers.mayCompare(.header),
            bodyEncoding: bodyEncoding,
            generation: rules.generation
        )
        if !matchers.isStandard { merge.otherKey = { matchers.key(of: $0.nameless) } }
        return merge
    }

    /// The filter of recordings that code sets, with the rules of the stub directory.
    var filter: RecordingFilter {
        RecordingFilter(
            excludedHosts: Set(directory[.excludedHosts].map { $0.lowercased() }),
            excludedStatusCodes: Set(directory[.excludedStatusCodes]),
            change: recordingFilter
        )
    }

    /// The path of the stub directory's settings file, for reports.
    private var fileName: String { directory.file?.relativeDisplayPath ?? "" }
}

/// A network's settings, and an immutable copy of them that requests share.
///
/// Copying the settings for each request would change dozens of reference counts, and parallel requests would wait for
/// each other.
package final class SettingsStore: Sendable {
    /// The settings that apply to a request.
    package final class Current: Sendable {
        package let settings: NetworkSettings
        /// The mode in force, which may differ from the mode that code has set.
        let modeInForce: Setting<RecordMode>
        var mode: RecordMode { modeInForce.wrappedValue }

        fileprivate init(_ settings: NetworkSettings, _ environment: EnvironmentSettings) {
            self.settings = settings
            var inForce = (try? environment.modeInForce(requested: settings.$recordMode)) ?? settings.$recordMode
            if inForce.wrappedValue == .recording, settings.hasFault {
                inForce.wrappedValue = .playback
                inForce.origin += "; a network with a fault does not replace recordings"
            }
            modeInForce = inForce
        }

        /// The rules by which recorded stubs answer.
        ///
        /// While a run records, each stub of the file stands for one request of the conversation.
        package var rules: PlaybackRules {
            var rules = settings.rules
            rules.order = mode.rules.order ?? rules.order
            return rules
        }
    }

    /// The settings, and the shared copy; `nil` after a change.
    private let state: Lock<(settings: NetworkSettings, current: Current?)>
    private let environment: EnvironmentSettings

    init(_ settings: NetworkSettings, environment: EnvironmentSettings) {
        state = Lock((settings, nil))
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
            let current = Current(state.settings, environment)
            state.current = current
            return current
        }
    }
}
