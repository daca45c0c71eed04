/// Where a setting in force comes from, in the words of reports.
struct SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    let description: String

    /// Nobody has set it.
    static let standard = Self(description: "default")

    /// By a property of the network. A setter cannot know who calls it.
    static let code = Self(description: "set in code")

    /// `STUB_RECORD_MODE`.
    static let environment = Self(description: "set by STUB_RECORD_MODE")

    /// Code asks for a recording mode, and `CI` is set.
    static func continuousIntegration(insteadOf mode: RecordMode) -> Self {
        Self(description: "because CI is set; \(mode.rawValue) is asked for")
    }

    /// By something that has a name: `.stubbed(matching:) at LoginTests.swift:12`.
    static func named(_ name: String) -> Self {
        Self(description: "set by \(name)")
    }
}

/// Where the settings that decide on a request come from.
struct SettingOrigins: Sendable, Hashable {
    var matchers = SettingOrigin.standard
    var order = SettingOrigin.standard
    var recordMode = SettingOrigin.standard
    /// The running test, as `swift test --filter` takes it; `nil` where nobody has said.
    var testFilter: String?
}

extension EnvironmentSettings {
    /// Where the mode in force comes from, which code has set as `origin` says.
    func originOfMode(requested: RecordMode, _ origin: SettingOrigin) -> SettingOrigin {
        if value(.recordMode) != nil { return .environment }
        return isContinuousIntegration && requested.isRecording ? .continuousIntegration(insteadOf: requested) : origin
    }
}
