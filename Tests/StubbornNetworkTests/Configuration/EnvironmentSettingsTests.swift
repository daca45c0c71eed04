import Foundation
import Testing

@testable import StubbornNetwork

struct EnvironmentSettingsTests {
    @Test(arguments: [
        ([:], false, false),
        (["TESTING": "1"], true, false),
        (["TESTING": ""], false, false),
        (["TESTING": "anything"], true, false),
        (["THE_STUBBORN_NETWORK_UI_TESTING": "1"], true, true),
    ])
    func `a process is under test when a variable is set`(variables: [String: String], testing: Bool, ui: Bool) {
        let settings = EnvironmentSettings(variables)
        #expect(settings.isTesting == testing)
        #expect(settings.isUITesting == ui)
    }

    @Test(
        arguments: [
            ("playback", .playback), ("recording", .recording), ("recording-missing", .recordingMissing),
            ("recording-once", .recordingOnce), ("live", .live), ("", nil),
        ] as [(String, RecordMode?)]
    )
    func `the record mode is one of six words`(value: String, mode: RecordMode?) throws {
        #expect(try EnvironmentSettings(["STUB_RECORD_MODE": value]).recordMode() == mode)
    }

    @Test(arguments: ["banana", "Recording", "recordingMissing", " live"])
    func `any other record mode is an error`(value: String) {
        #expect(throws: InvalidSetting.unknownRecordMode(value)) {
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
        #expect(try EnvironmentSettings(variables).modeInForce(requested: requested) == inForce)
    }

    @Test(
        arguments: [
            ([:], .recordingOnce, .recordingOnce),
            ([:], .recording, .recording),
            (["STUB_SNAPSHOTS": ""], .recordingOnce, .recordingOnce),
            (["STUB_SNAPSHOTS": "recording"], .recordingOnce, .recording),
            (["CI": "true"], .recordingOnce, .playback),
            (["CI": "true"], .recording, .playback),
            (["CI": "true", "STUB_SNAPSHOTS": "recording"], .recordingOnce, .recording),
            (["STUB_RECORD_MODE": "live"], .recordingOnce, .recordingOnce),
        ] as [([String: String], RecordMode, RecordMode)]
    )
    func `snapshots are written anew by a variable, and on CI by it alone`(
        variables: [String: String],
        requested: RecordMode,
        inForce: RecordMode
    ) throws {
        #expect(try EnvironmentSettings(variables).snapshotMode(requested: requested) == inForce)
    }

    @Test(arguments: ["record", "Recording", "playback", "1"])
    func `any other snapshot mode is an error`(value: String) {
        #expect(throws: InvalidSetting.unknownSnapshotMode(value)) {
            try EnvironmentSettings(["STUB_SNAPSHOTS": value]).snapshotMode(requested: .recordingOnce)
        }
    }

    @Test func `a name without a path is an error, and a path without a name`() throws {
        #expect(try EnvironmentSettings([:]).location() == nil)
        #expect(throws: InvalidSetting.missingVariable(.stubPath, beside: .stubName)) {
            try EnvironmentSettings(["STUB_NAME": "a"]).location()
        }
        #expect(throws: InvalidSetting.missingVariable(.stubName, beside: .stubPath)) {
            try EnvironmentSettings(["STUB_PATH": "/tmp"]).location()
        }
        #expect(throws: InvalidSetting.unusableName("-[]")) {
            try EnvironmentSettings(["STUB_NAME": "-[]", "STUB_PATH": "/tmp"]).location()
        }
        #expect(throws: InvalidSetting.nowhereToRecord(.recording)) {
            try EnvironmentSettings(["STUB_RECORD_MODE": "recording"]).location()
        }
        let location = try EnvironmentSettings(["STUB_NAME": "-[A testB]", "STUB_PATH": "/tmp/s"]).location()
        #expect(location?.file.path == "/tmp/s/A_testB.json")
    }

    @Test func `each environment error names the variable and the fix`() {
        #expect(
            StubbornNetworkError(InvalidSetting.unknownRecordMode("banana")).message
                == """
                STUB_RECORD_MODE is "banana", which is not a record mode. Every request fails until it is one of: \
                playback, recording, recording-missing, recording-once, live, verifying.
                """
        )
        #expect(
            StubbornNetworkError(InvalidSetting.unknownSnapshotMode("record")).message
                == """
                STUB_SNAPSHOTS is "record", which is not a snapshot mode. Set it to recording, which writes request \
                snapshots anew, or do not set it.
                """
        )
        #expect(
            StubbornNetworkError(InvalidSetting.nowhereToRecord(.recordingOnce)).message
                == """
                STUB_RECORD_MODE is recording-once, and neither STUB_NAME nor STUB_PATH is set: the recording would be \
                lost when the process ends. Set both.
                """
        )
        #expect(
            StubbornNetworkError(InvalidSetting.missingVariable(.stubPath, beside: .stubName)).message
                == """
                STUB_NAME is set and STUB_PATH is not. Set both to keep stubs in a file, or neither to keep them in \
                memory.
                """
        )
    }
}
