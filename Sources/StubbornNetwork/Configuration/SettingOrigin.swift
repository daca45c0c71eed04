/// The origin of a setting in force, in the words of reports.
struct SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    let description: String

    /// The origin of a setting that was not changed.
    static let standard = Self(description: "default")

    /// The origin of a setting that code has set through a property of the network.
    ///
    /// A setter does not know its caller, but for the closure of a trait.
    static let code = Self(description: "set in code")

    /// The origin of a mode that `STUB_RECORD_MODE` sets.
    static let environment = Self(description: "set by STUB_RECORD_MODE")

    /// Returns the origin of a mode that replaces a recording mode because `CI` is set.
    static func continuousIntegration(insteadOf mode: RecordMode) -> Self {
        Self(description: "because CI is set; code asks for \(mode.rawValue)")
    }

    /// Returns the origin of a setting that a named caller made: `.stubbed(matching:) at LoginTests.swift:12`.
    static func named(_ name: String) -> Self {
        Self(description: "set by \(name)")
    }

    /// Returns the origin of a setting to which a settings file has added.
    func with(_ file: String) -> Self {
        Self(description: "\(description), with \(file)")
    }
}

/// The origins of the settings that decide on a request.
struct SettingOrigins: Sendable, Hashable {
    var matchers = SettingOrigin.standard
    var order = SettingOrigin.standard
    var recordMode = SettingOrigin.standard
    var redaction = SettingOrigin.standard
    var bodyEncoding = SettingOrigin.standard
    /// The origin of a setting that code makes from now on.
    var code = SettingOrigin.code
    /// The running test, as `swift test --filter` takes it; `nil` when it is not known.
    var testFilter: String?
    var form = AdviceForm.network
    /// A Boolean value that indicates whether a recording run keeps the stubs that it did not ask for.
    var keepsUnrequestedStubs = false
}

/// The code that makes a network's settings, and that a report's lines are to be pasted into.
package enum AdviceForm: Sendable, Hashable {
    /// Code that has the network in a constant `network`.
    case network
    /// A test with the trait `.stubbed`.
    case trait
    /// A test that calls `stubbedNetwork()`.
    case xcTest
}

extension EnvironmentSettings {
    /// Returns the origin of the mode in force.
    ///
    /// - Parameters:
    ///   - requested: The mode that code asks for.
    ///   - origin: The origin of the requested mode.
    /// - Returns: The origin of the mode in force.
    func originOfMode(requested: RecordMode, _ origin: SettingOrigin) -> SettingOrigin {
        if value(.recordMode) != nil { return .environment }
        return isContinuousIntegration && requested.isRecording ? .continuousIntegration(insteadOf: requested) : origin
    }
}
