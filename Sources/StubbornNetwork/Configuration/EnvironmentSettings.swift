import Foundation

/// The one reader of the environment: every variable that this library knows, and what it says.
struct EnvironmentSettings: Sendable {
    enum Variable: String, CaseIterable {
        case testing = "TESTING"
        case uiTesting = "THE_STUBBORN_NETWORK_UI_TESTING"
        case stubName = "STUB_NAME"
        case stubPath = "STUB_PATH"
        case recordMode = "STUB_RECORD_MODE"
        case report = "STUB_REPORT"
        case continuousIntegration = "CI"
    }

    let variables: [String: String]

    init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// A variable's value; one that is set to nothing counts as not set.
    func value(_ variable: Variable) -> String? {
        guard let value = variables[variable.rawValue], !value.isEmpty else { return nil }
        return value
    }

    /// Whether this process is under test.
    var isTesting: Bool { value(.testing) != nil || isUITesting }

    /// Whether this process is the app of a UI test.
    var isUITesting: Bool { value(.uiTesting) != nil }

    var isContinuousIntegration: Bool { value(.continuousIntegration) != nil }

    /// The record mode that the environment asks for; `nil` when it asks for none.
    func recordMode() throws(InvalidSetting) -> RecordMode? {
        guard let value = value(.recordMode) else { return nil }
        guard let mode = RecordMode(rawValue: value) else { throw .unknownRecordMode(value) }
        return mode
    }

    /// The mode in force where code asks for `requested`: the environment's wins, and on continuous integration nothing
    /// is recorded unless the environment says so.
    func modeInForce(requested: RecordMode) throws(InvalidSetting) -> RecordMode {
        if let mode = try recordMode() { return mode }
        return isContinuousIntegration && requested.isRecording ? .playback : requested
    }

    /// Where the environment wants stubs to be kept; `nil` when it names neither a name nor a directory.
    ///
    /// Throws where the environment also asks to record: the recording would be lost with the process.
    func location() throws(InvalidSetting) -> StubFileLocation? {
        switch (value(.stubName), value(.stubPath)) {
        case (nil, nil):
            if let mode = try recordMode(), mode.isRecording { throw .nowhereToRecord(mode) }
            return nil
        case (nil, _): throw .missingVariable(.stubName, beside: .stubPath)
        case (_, nil): throw .missingVariable(.stubPath, beside: .stubName)
        case (let name?, let path?):
            guard let location = StubFileLocation(name: name, path: path) else { throw .unusableName(name) }
            return location
        }
    }
}

/// A setting that makes no sense. The text for it is made where errors are made.
enum InvalidSetting: Error, Hashable {
    case unknownRecordMode(String)
    case missingVariable(EnvironmentSettings.Variable, beside: EnvironmentSettings.Variable)
    case unusableName(String)
    case nowhereToRecord(RecordMode)
}

extension ProcessInfo {
    /// A Boolean value that indicates whether this process is under test: `TESTING` or `THE_STUBBORN_NETWORK_UI_TESTING`
    /// is set to a value that is not empty.
    ///
    ///     let session = ProcessInfo.processInfo.isTesting ? StubbornNetwork.standard.session : URLSession.shared
    public var isTesting: Bool { EnvironmentSettings(environment).isTesting }

    /// A Boolean value that indicates whether this process is under test; the same as `isTesting`.
    public var testing: Bool { isTesting }

    /// A Boolean value that indicates whether this process is the app of a UI test: `THE_STUBBORN_NETWORK_UI_TESTING` is
    /// set to a value that is not empty.
    public var isUITesting: Bool { EnvironmentSettings(environment).isUITesting }
}
