import Testing

@testable import StubbornNetwork

struct RecordModeTests {
    struct Row: CustomTestStringConvertible {
        var mode: RecordMode
        var declared = false
        var recorded = false
        var fileExisted = false
        var becomes: Disposition

        var testDescription: String {
            "\(mode.rawValue), declared: \(declared), recorded: \(recorded), file existed: \(fileExisted)"
        }
    }

    @Test(arguments: [
        Row(mode: .playback, becomes: .fail),
        Row(mode: .playback, fileExisted: true, becomes: .fail),
        Row(mode: .playback, recorded: true, fileExisted: true, becomes: .playRecorded),
        Row(mode: .playback, declared: true, becomes: .playDeclared),
        Row(mode: .playback, declared: true, recorded: true, fileExisted: true, becomes: .playDeclared),

        Row(mode: .recording, becomes: .record),
        Row(mode: .recording, recorded: true, fileExisted: true, becomes: .record),
        Row(mode: .recording, declared: true, becomes: .playDeclared),
        Row(mode: .recording, declared: true, recorded: true, fileExisted: true, becomes: .playDeclared),

        Row(mode: .recordingMissing, becomes: .record),
        Row(mode: .recordingMissing, fileExisted: true, becomes: .record),
        Row(mode: .recordingMissing, recorded: true, fileExisted: true, becomes: .playRecorded),
        Row(mode: .recordingMissing, declared: true, becomes: .playDeclared),

        Row(mode: .recordingOnce, becomes: .record),
        Row(mode: .recordingOnce, recorded: true, becomes: .record),
        Row(mode: .recordingOnce, fileExisted: true, becomes: .fail),
        Row(mode: .recordingOnce, recorded: true, fileExisted: true, becomes: .playRecorded),
        Row(mode: .recordingOnce, declared: true, becomes: .playDeclared),
        Row(mode: .recordingOnce, declared: true, fileExisted: true, becomes: .playDeclared),

        Row(mode: .live, becomes: .passThrough),
        Row(mode: .live, recorded: true, fileExisted: true, becomes: .passThrough),
        Row(mode: .live, declared: true, becomes: .passThrough),
        Row(mode: .live, declared: true, recorded: true, fileExisted: true, becomes: .passThrough),
    ])
    func `the mode and what was found decide what becomes of a request`(row: Row) {
        #expect(
            row.mode.disposition(isDeclared: row.declared, isRecorded: row.recorded, stubFileExisted: row.fileExisted)
                == row.becomes
        )
    }
}
