/// The origin of a setting in force, in the words of reports.
struct SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    let description: String
    static let standard = Self(description: "default")
    /// The origin of a setting that code has set through a property of the network.
    static let code = Self(description: "set in code")

    /// Returns the origin of a setting that a named caller made: `.stubbed(matching:) at LoginTests.swift:12`.
    static func named(_ name: String) -> Self { Self(description: "set by \(name)") }

    /// Returns the origin of a setting to which a settings file has added.
    func with(_ file: String) -> Self { Self(description: "\(description), with \(file)") }
}

/// The origins of the settings that decide on a request, and what is known of the test that makes them.
struct SettingOrigins: Sendable, Hashable {
    var matchers = SettingOrigin.standard
    var order = SettingOrigin.standard
    var recordMode = SettingOrigin.standard
    var redaction = SettingOrigin.standard
    var bodyEncoding = SettingOrigin.standard
    var code = SettingOrigin.code
    /// The running test, as `swift test --filter` takes it; `nil` when it is not known.
    var testFilter: String?
    var form = AdviceForm.network
    /// A Boolean value that indicates whether a recording run keeps the stubs that it did not ask for.
    var keepsUnrequestedStubs = false
}

/// The code that a report's lines are pasted into: with a constant `network`, `.stubbed` or `stubbedNetwork()`.
package enum AdviceForm: Sendable, Hashable {
    case network, trait, xcTest
}

extension EnvironmentSettings {
    /// Returns the origin of the mode in force, where code asks for a mode that has an origin of its own.
    func originOfMode(requested: RecordMode, _ origin: SettingOrigin) -> SettingOrigin {
        if value(.recordMode) != nil { return .named("STUB_RECORD_MODE") }
        guard isContinuousIntegration, requested.isRecording else { return origin }
        return SettingOrigin(description: "because CI is set; code asks for \(requested.rawValue)")
    }
}
