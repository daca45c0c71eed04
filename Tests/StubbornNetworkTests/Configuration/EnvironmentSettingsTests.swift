import Foundation
import Testing

@testable import StubbornNetwork

struct EnvironmentSettingsTests {
    @Test(arguments: [
        ([:], false),
        (["TESTING": "1"], true),
        (["TESTING": ""], false),
        (["TESTING": "anything"], true),
        (["THE_STUBBORN_NETWORK_UI_TESTING": "1"], true),
        (["THE_STUBBORN_NETWORK_UI_TESTING": ""], false),
    ])
    func `a process is under test when a variable is set`(variables: [String: String], testing: Bool) {
        #expect(EnvironmentSettings(variables).isTesting == testing)
    }

    /// The word of `STUB_RECORD_MODE` for a mode.
    private func word(_ mode: RecordMode) -> String {
        switch mode {
        case .playback: "playback"
        case .recording: "recording"
        case .recordingMissing: "recording-missing"
        case .recordingOnce: "recording-once"
        case .live: "live"
        case .verifying: "verifying"
        }
    }

    @Test(arguments: RecordMode.allCases)
    func `each record mode has its word, which wins over the mode in code, also where CI is set`(
        mode: RecordMode
    ) throws {
        let variables = ["STUB_RECORD_MODE": word(mode)]
        #expect(try EnvironmentSettings(variables).recordMode() == mode)
        for requested in RecordMode.allCases {
            #expect(try EnvironmentSettings(variables).mode(requested: requested) == mode)
            let onCI = variables.merging(["CI": "true"]) { $1 }
            #expect(try EnvironmentSettings(onCI).mode(requested: requested) == mode)
        }
        #expect(throws: StubbornNetworkError.self) {
            try EnvironmentSettings(["STUB_RECORD_MODE": word(mode).uppercased()]).recordMode()
        }
    }

    @Test(arguments: RecordMode.allCases)
    func `without a word, each mode in code is in force, and CI keeps those from recording that would`(
        mode: RecordMode
    ) throws {
        let isRecording: Bool =
            switch mode {
            case .recording, .recordingMissing, .recordingOnce: true
            case .playback, .live, .verifying: false
            }
        for empty in [[:], ["STUB_RECORD_MODE": ""], ["CI": ""]] {
            #expect(try EnvironmentSettings(empty).recordMode() == nil)
            #expect(try EnvironmentSettings(empty).mode(requested: mode) == mode)
        }
        let onCI = try EnvironmentSettings(["CI": "1"]).mode(requested: mode)
        #expect(onCI == (isRecording ? .playback : mode))
        let location = Result { try EnvironmentSettings(["STUB_RECORD_MODE": word(mode)]).locations() }
        if isRecording {
            expect(.nowhereToRecord(mode)) { try location.get() }
        } else {
            #expect(try location.get() == [])
        }
    }

    /// What a variable changes, by the name that the documentation gives it.
    private func effect(of variable: EnvironmentSettings.Variable, _ value: String) throws -> String {
        let settings: EnvironmentSettings
        switch variable {
        case .testing:
            settings = EnvironmentSettings(["TESTING": value])
            return "\(settings.isTesting)"
        case .uiTesting:
            settings = EnvironmentSettings(["THE_STUBBORN_NETWORK_UI_TESTING": value])
            return "\(settings.isTesting)"
        case .stubName:
            settings = EnvironmentSettings(["STUB_NAME": value, "STUB_PATH": "/tmp"])
            return (try? settings.locations())?.first?.file.path ?? "none"
        case .stubPath:
            settings = EnvironmentSettings(["STUB_NAME": "a", "STUB_PATH": value])
            return (try? settings.locations())?.first?.file.path ?? "none"
        case .recordMode:
            settings = EnvironmentSettings(["STUB_RECORD_MODE": value])
            return (try? settings.recordMode()).map { "\($0?.rawValue ?? "none")" } ?? "error"
        case .report: return EnvironmentSettings(["STUB_REPORT": value]).value(.report) ?? "none"
        case .run: return Run.named(by: EnvironmentSettings(["STUB_RUN": value])).isFounder ? "own" : "joined"
        case .xcodePreview:
            return "\(Run.named(by: EnvironmentSettings(["XCODE_RUNNING_FOR_PREVIEWS": value])).isOfOneNetwork)"
        case .snapshots: return EnvironmentSettings(["STUB_SNAPSHOTS": value]).value(.snapshots) ?? "none"
        case .replacements:
            settings = EnvironmentSettings(["STUB_RECORD_MODE": "playback", "STUB_REPLACEMENTS": value])
            return (try? settings.replacements().isEmpty).map { $0 ? "none" : "some" } ?? "error"
        case .copies:
            let location = StubFileLocation(file: URL(fileURLWithPath: "/tmp/a.json"))
            return EnvironmentSettings(["STUB_COPIES": value]).copy(of: location).file.path
        case .sourceDate:
            settings = EnvironmentSettings(["SOURCE_DATE_EPOCH": value == "recording" ? "90" : value])
            return settings.sourceDate.flatMap(UTCDate.text) ?? "none"
        case .continuousIntegration: return "\(EnvironmentSettings(["CI": value]).isContinuousIntegration)"
        case .xcodeTestConfiguration:
            return "\(EnvironmentSettings(["XCTestConfigurationFilePath": value]).isRunByXcode)"
        case .xcodeTestSession: return "\(EnvironmentSettings(["XCTestSessionIdentifier": value]).isRunByXcode)"
        }
    }

    @Test(arguments: EnvironmentSettings.Variable.allCases)
    func `each variable has its effect, and none where it is empty`(variable: EnvironmentSettings.Variable) throws {
        let (set, empty) =
            switch variable {
            case .testing: ("true", "false")
            case .uiTesting: ("true", "false")
            case .stubName: ("/tmp/recording.json", "none")
            case .stubPath: (FileManager.default.currentDirectoryPath + "/recording/a.json", "none")
            case .recordMode: ("recording", "none")
            case .report: ("recording", "none")
            case .snapshots: ("recording", "none")
            case .replacements: ("error", "none")
            case .copies: (FileManager.default.currentDirectoryPath + "/recording/tmp/a.json", "/tmp/a.json")
            case .run: ("joined", "own")
            case .sourceDate: ("1970-01-01T00:01:30Z", "none")
            case .continuousIntegration, .xcodeTestConfiguration, .xcodeTestSession, .xcodePreview: ("true", "false")
            }
        #expect(try effect(of: variable, "recording") == set)
        #expect(try effect(of: variable, "") == empty)
    }

    @Test(
        arguments: [
            ([], false), (["--parallel"], false), (["/tmp/x/Package.xctest"], false),
            (["--filter", "Login"], true), (["--skip", "Login"], true), (["-XCTest", "App.Login/testA"], true),
            (["AppTests.LoginTests/testLogin"], true), (["AppTests.LoginTests"], true),
            (["AppTests.LoginTests,AppTests.ListTests/test3"], true),
            (["AppTests.ListTests/test3,AppTests.LoginTests"], true),
            (["/tmp/AppTests.LoginTests"], false), (["Package.xctest"], false),
            (["--testing-library", "swift-testing"], false),
        ] as [([String], Bool)]
    )
    func `a process that runs some of the tests is told from its arguments`(arguments: [String], isPart: Bool) {
        #expect(EnvironmentSettings.runsSomeTests(["program"] + arguments) == isPart)
    }

    @Test(arguments: ["banana", "Recording", "recordingMissing", " live"])
    func `any other record mode is an error`(value: String) {
        expect(.unknownRecordMode(value)) {
            try EnvironmentSettings(["STUB_RECORD_MODE": value]).recordMode()
        }
    }

    @Test(
        arguments: [
            ([:], .recording, .recording),
            (["CI": "true"], .recording, .playback),
            (["CI": "true"], .recordingMissing, .playback),
            (["CI": "true"], .recordingOnce, .playback),
            (["CI": "true"], .live, .live),
            (["CI": "true"], .playback, .playback),
            (["CI": ""], .recording, .recording),
            (["CI": "true", "STUB_RECORD_MODE": "recording"], .playback, .recording),
            (["STUB_RECORD_MODE": "playback"], .recording, .playback),
            (["STUB_RECORD_MODE": "live"], .playback, .live),
        ] as [([String: String], RecordMode, RecordMode)]
    )
    func `the environment overrides the mode in code, and CI records only when asked to`(
        variables: [String: String],
        requested: RecordMode,
        inForce: RecordMode
    ) throws {
        #expect(try EnvironmentSettings(variables).mode(requested: requested) == inForce)
    }

    @Test func `a name without a path is an error, and a path without a name`() throws {
        #expect(try EnvironmentSettings([:]).locations() == [])
        expect(.missingVariable(.stubPath, beside: .stubName)) {
            try EnvironmentSettings(["STUB_NAME": "a"]).locations()
        }
        expect(.missingVariable(.stubName, beside: .stubPath)) {
            try EnvironmentSettings(["STUB_PATH": "/tmp"]).locations()
        }
        expect(.unusableName("-[]", origin: "STUB_NAME")) {
            try EnvironmentSettings(["STUB_NAME": "-[]", "STUB_PATH": "/tmp"]).locations()
        }
        expect(.nowhereToRecord(.recording)) {
            try EnvironmentSettings(["STUB_RECORD_MODE": "recording"]).locations()
        }
        let location = try EnvironmentSettings(["STUB_NAME": "-[A testB]", "STUB_PATH": "/tmp/s"]).locations().first
        #expect(location?.file.path == "/tmp/s/A_testB.json")
    }

    @Test func `each environment error names the variable and the fix`() {
        #expect(
            StubbornNetworkError.unknownRecordMode("banana").message
                == """
                STUB_RECORD_MODE is "banana", which is not a record mode. Every request fails until you set it to one of: \
                playback, recording, recording-missing, recording-once, live, verifying.
                """
        )
        #expect(
            StubbornNetworkError.nowhereToRecord(.recordingOnce).message
                == """
                STUB_RECORD_MODE is recording-once, and neither STUB_NAME nor STUB_PATH is set: the recording would be \
                lost when the process ends. Set both.
                """
        )
        #expect(
            StubbornNetworkError.missingVariable(.stubPath, beside: .stubName).message
                == """
                STUB_NAME is set and STUB_PATH is not. Set both to keep stubs in a file, or neither to keep them in \
                memory.
                """
        )
    }

    private func expect(_ error: StubbornNetworkError, _ body: () throws -> some Sendable) {
        #expect { _ = try body() } throws: { ($0 as? StubbornNetworkError)?.message == error.message }
    }
}

extension EnvironmentSettings {
    fileprivate func mode(requested: RecordMode) throws -> RecordMode {
        try modeInForce(requested: Setting(wrappedValue: requested)).wrappedValue
    }
}
