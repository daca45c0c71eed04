/// The origins of the settings that decide on a request, in the words of reports, and what is known of the test that
/// makes them.
///
/// `set by .stubbed(matching:) at LoginTests.swift:12, with Tests/Stubs/.stubborn.json`
struct SettingOrigins: Sendable, Hashable {
    static let standard = "default"
    /// The origin of a setting that code makes through a property of the network.
    static let code = "set in code"

    var matchers = standard
    var order = standard
    var recordMode = standard
    var redaction = standard
    var bodyEncoding = standard
    /// The origin of what code sets now.
    var code = code
    /// The running test, as `swift test --filter` takes it; `nil` when it is not known.
    var testFilter: String?
    var form = AdviceForm.network
    /// A Boolean value that indicates whether a recording run keeps the stubs that it did not ask for.
    var keepsUnrequestedStubs = false
}

/// The place that a report's lines are pasted into: code with a constant `network`, a test with `.stubbed`, a test with `network` from
/// `stubbedNetwork()`, or a shell that runs the `stubborn` command.
package enum AdviceForm: Sendable, Hashable {
    case network, trait, xcTest, command
}

extension EnvironmentSettings {
    /// Returns the origin of the mode in force, where code asks for a mode that has an origin of its own.
    func originOfMode(requested: RecordMode, _ origin: String) -> String {
        if value(.recordMode) != nil { return "set by STUB_RECORD_MODE" }
        guard isContinuousIntegration, requested.isRecording else { return origin }
        return "because CI is set; code asks for \(requested.rawValue)"
    }
}
