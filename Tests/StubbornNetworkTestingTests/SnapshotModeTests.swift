import StubbornNetwork
import Testing

@testable import StubbornNetworkTesting

struct SnapshotModeTests {
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
    func `snapshots are written again by a variable, and on CI only by it`(
        variables: [String: String],
        requested: RecordMode,
        inForce: RecordMode
    ) throws {
        #expect(try EnvironmentSettings(variables).snapshotMode(requested: requested) == inForce)
    }

    @Test(arguments: ["record", "Recording", "playback", "1"])
    func `any other snapshot mode is an error, which names the variable and the fix`(value: String) {
        let error = #expect(throws: StubbornNetworkError.self) {
            try EnvironmentSettings(["STUB_SNAPSHOTS": value]).snapshotMode(requested: .recordingOnce)
        }
        #expect(error?.code == .invalidSettings)
        #expect(
            error?.message
                == """
                STUB_SNAPSHOTS is "\(value)", which is not a snapshot mode. Set it to recording, which writes request \
                snapshots again, or unset it.
                """
        )
    }
}
