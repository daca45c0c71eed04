/// The origin of a setting in force, in the words of reports.
struct SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    let description: String

    /// The setting was not changed.
    static let standard = Self(description: "default")

    /// A property of the network was set. A setter does not know its caller.
    static let code = Self(description: "set in code")

    /// `STUB_RECORD_MODE` is set.
    static let environment = Self(description: "set by STUB_RECORD_MODE")

    /// `CI` is set, and code asks for a recording mode.
    static func continuousIntegration(insteadOf mode: RecordMode) -> Self {
        Self(description: "because CI is set; code asks for \(mode.rawValue)")
    }

    /// A named caller made the setting: `.stubbed(matching:) at LoginTests.swift:12`.
    static func named(_ name: String) -> Self {
        Self(description: "set by \(name)")
    }
}

/// The origins of the settings that decide on a request.
struct SettingOrigins: Sendable, Hashable {
    var matchers = SettingOrigin.standard
    var order = SettingOrigin.standard
    var recordMode = SettingOrigin.standard
    /// The running test, as `swift test --filter` takes it; `nil` when it is not known.
    var testFilter: String?
}

extension EnvironmentSettings {
    /// Returns the origin of the mode in force.
    ///
    /// - Parameter origin: the origin of the requested mode.
    func originOfMode(requested: RecordMode, _ origin: SettingOrigin) -> SettingOrigin {
        if value(.recordMode) != nil { return .environment }
        return isContinuousIntegration && requested.isRecording ? .continuousIntegration(insteadOf: requested) : origin
    }
}
