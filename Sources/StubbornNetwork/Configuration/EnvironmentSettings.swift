import Foundation

/// The settings from environment variables.
///
/// Nothing else in this library reads variables.
package struct EnvironmentSettings: Sendable {
    package enum Variable: String, CaseIterable {
        case testing = "TESTING"
        case uiTesting = "THE_STUBBORN_NETWORK_UI_TESTING"
        case stubName = "STUB_NAME"
        case stubPath = "STUB_PATH"
        case recordMode = "STUB_RECORD_MODE"
        case run = "STUB_RUN"
        case report = "STUB_REPORT"
        case replacements = "STUB_REPLACEMENTS"
        case copies = "STUB_COPIES"
        case snapshots = "STUB_SNAPSHOTS"
        case sourceDate = "SOURCE_DATE_EPOCH"
        case continuousIntegration = "CI"
        case xcodeTestConfiguration = "XCTestConfigurationFilePath"
        case xcodeTestSession = "XCTestSessionIdentifier"
        case xcodePreview = "XCODE_RUNNING_FOR_PREVIEWS"
    }

    let variables: [String: String]

    package init(_ variables: [String: String]) { self.variables = variables }

    /// Returns a variable's value; `nil` for a variable that is empty or not set.
    package func value(_ variable: Variable) -> String? {
        variables[variable.rawValue].flatMap { $0.isEmpty ? nil : $0 }
    }

    var isTesting: Bool { value(.testing) != nil || value(.uiTesting) != nil }
    package var isContinuousIntegration: Bool { value(.continuousIntegration) != nil }

    /// The date of all recordings, from `SOURCE_DATE_EPOCH`, so that recording again gives the same bytes; `nil` if each recording
    /// has the date of its request.
    var sourceDate: Date? { value(.sourceDate).flatMap(Int.init).map { Date(timeIntervalSince1970: Double($0)) } }

    /// The test that started this process, in the form for `swift test --filter`; `nil` if `TESTING` does not contain
    /// one.
    var testFilter: String? { value(.testing).flatMap { $0.contains(".") ? $0 : nil } }

    /// A Boolean value that indicates whether stub files are recorded as copies, which nobody reviews.
    package var recordsCopies: Bool { value(.copies) != nil }

    /// A Boolean value that indicates whether Xcode or `xcodebuild` runs the tests of this process.
    package var isRunByXcode: Bool { value(.xcodeTestConfiguration) != nil || value(.xcodeTestSession) != nil }

    /// A Boolean value that indicates whether a build server may have set `CI` although the tests cannot see it:
    /// `xcodebuild` does not pass it on.
    var mayHideContinuousIntegration: Bool {
        isRunByXcode && value(.recordMode) == nil && !isContinuousIntegration
    }

    /// A Boolean value that indicates whether this process runs only some of the tests: `swift test --filter`, `--skip`, or
    /// the names of XCTest's classes and tests.
    package static let runsSomeTests = runsSomeTests(CommandLine.arguments)

    static func runsSomeTests(_ arguments: [String]) -> Bool {
        arguments.dropFirst().contains { argument in
            if ["--filter", "--skip", "-XCTest"].contains(argument) { return true }
            // `Module.Class,Module.Class/testName`, an argument of a test program on Linux.
            return argument.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(namesTests)
        }
    }

    /// Returns a Boolean value that indicates whether an argument is `Module.Class` or `Module.Class/testName`;
    /// `Package.xctest` and `/tmp/Package.Tests` are paths.
    private static func namesTests(_ text: Substring) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let names = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard names.count == 2, names[1].first?.isUppercase == true else { return false }
        return parts.count == 1 || parts[1].hasPrefix("test")
    }

    /// A Boolean value that indicates whether Xcode shows a SwiftUI preview with this process.
    var isPreview: Bool { value(.xcodePreview) != nil }

    /// Returns the record mode of `STUB_RECORD_MODE`; `nil` if the variable is not set.
    package func recordMode() throws(StubbornNetworkError) -> RecordMode? {
        guard let value = value(.recordMode) else { return nil }
        guard let mode = RecordMode(rawValue: value) else { throw .unknownRecordMode(value) }
        return mode
    }

    /// Returns the mode of `STUB_RECORD_MODE`, or else the requested mode, which does not record if `CI` is set.
    package func modeInForce(requested: Setting<RecordMode>) throws(StubbornNetworkError) -> Setting<RecordMode> {
        if let mode = try recordMode() { return Setting(wrappedValue: mode, origin: "set by STUB_RECORD_MODE") }
        let mode = requested.wrappedValue
        guard isContinuousIntegration, mode.isRecording else { return requested }
        return Setting(wrappedValue: .playback, origin: "because CI is set; code asks for \(mode.rawValue)")
    }

    /// Returns the paths of the files to play instead of stub files, by the paths of the stub files.
    ///
    /// `STUB_REPLACEMENTS` is the path of a file with this JSON object. It applies only if `STUB_RECORD_MODE` is
    /// `playback`, so that no part of a replacement is recorded.
    func replacements() throws(StubbornNetworkError) -> [String: String] {
        guard let path = value(.replacements), try recordMode() == .playback else { return [:] }
        guard let text = try? Data(contentsOf: URL(fileURLWithPath: path)),
            let replacements = try? JSONDecoder().decode([String: String].self, from: text)
        else { throw .unreadableReplacements(path) }
        return replacements
    }

    /// Returns the location of the copy of a stub file below the directory `STUB_COPIES`; the stub file itself if the
    /// variable is not set.
    func copy(of location: StubFileLocation) -> StubFileLocation {
        guard let directory = value(.copies) else { return location }
        return StubFileLocation(file: URL(fileURLWithPath: directory + location.file.path))
    }

    /// Returns the stub files of `STUB_NAME` and `STUB_PATH`, the network's own file first; none if neither is set and
    /// nothing will be recorded.
    func locations() throws(StubbornNetworkError) -> [StubFileLocation] {
        switch (value(.stubName), value(.stubPath)) {
        case (nil, nil):
            if let mode = try recordMode(), mode.isRecording { throw .nowhereToRecord(mode) }
            return []
        case (nil, _): throw .missingVariable(.stubName, beside: .stubPath)
        case (_, nil): throw .missingVariable(.stubPath, beside: .stubName)
        case (_?, let path?):
            return try (stubNames.isEmpty ? [""] : stubNames).map { name throws(StubbornNetworkError) in
                try StubFileLocation(name: name, path: path, origin: "STUB_NAME")
            }
        }
    }

    /// The names in `STUB_NAME`, separated by colons: the network's own stub file, and the files that it shares.
    var stubNames: [String] { value(.stubName)?.split(separator: ":").map(String.init) ?? [] }
}

/// A setting's value and its origin, as reports show it.
///
///     @Setting var order: PlaybackOrder = .sequence
///     $order.set(.firstMatch)
///     $order.origin        // set in code
@propertyWrapper package struct Setting<Value: Sendable>: Sendable {
    /// The value; changing it here keeps its origin.
    package var wrappedValue: Value
    /// The origin: `set by .stubbed(matching:) at LoginTests.swift:12, with Tests/Stubs/.stubborn.json`.
    package var origin = SettingOrigin.standard

    package init(wrappedValue: Value, origin: String = SettingOrigin.standard) {
        (self.wrappedValue, self.origin) = (wrappedValue, origin)
    }

    package var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    /// Sets the value from code.
    mutating func set(_ value: Value) { self = Self(wrappedValue: value, origin: SettingOrigin.ofCode) }
}

/// The origins of settings.
package enum SettingOrigin {
    package static let standard = "default"
    /// The origin of a setting that this task changes through a property of a network.
    @TaskLocal static var ofCode = "set in code"
}
