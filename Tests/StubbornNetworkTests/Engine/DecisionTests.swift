import Foundation
import Testing

@testable import StubbornNetwork

/// The table of the record modes.
struct DecisionTests {
    /// What a row expects, without the values that a decision has.
    enum Action: Hashable { case playDeclared, playRecorded, record, passThrough, fail }

    struct Row: CustomTestStringConvertible {
        var mode: RecordMode
        var declared = false
        var passesThrough = false
        var recorded = false
        var fileExisted = false
        var action: Action
        /// The look-ups, in their order.
        ///
        /// A look-up uses a stub, so none is made without need.
        var lookUps: [String]

        var testDescription: String {
            "\(mode.rawValue), declared: \(declared), recorded: \(recorded), file existed: \(fileExisted)"
        }
    }

    static let rows: [Row] = [
        Row(mode: .verifying, recorded: true, action: .playRecorded, lookUps: ["declared", "recorded"]),
        Row(mode: .verifying, recorded: false, action: .fail, lookUps: ["declared", "recorded"]),
        Row(mode: .playback, action: .fail, lookUps: ["declared", "recorded"]),
        Row(mode: .playback, fileExisted: true, action: .fail, lookUps: ["declared", "recorded"]),
        Row(mode: .playback, recorded: true, action: .playRecorded, lookUps: ["declared", "recorded"]),
        Row(
            mode: .playback,
            recorded: true,
            fileExisted: true,
            action: .playRecorded,
            lookUps: ["declared", "recorded"]
        ),

        Row(mode: .recording, action: .record, lookUps: ["declared", "recorded"]),
        Row(mode: .recording, fileExisted: true, action: .record, lookUps: ["declared", "recorded"]),
        Row(mode: .recording, recorded: true, action: .record, lookUps: ["declared", "recorded"]),
        Row(mode: .recording, recorded: true, fileExisted: true, action: .record, lookUps: ["declared", "recorded"]),

        Row(mode: .recordingMissing, action: .record, lookUps: ["declared", "recorded"]),
        Row(mode: .recordingMissing, fileExisted: true, action: .record, lookUps: ["declared", "recorded"]),
        Row(mode: .recordingMissing, recorded: true, action: .playRecorded, lookUps: ["declared", "recorded"]),
        Row(
            mode: .recordingMissing,
            recorded: true,
            fileExisted: true,
            action: .playRecorded,
            lookUps: ["declared", "recorded"]
        ),

        Row(mode: .recordingOnce, action: .record, lookUps: ["declared", "file"]),
        Row(mode: .recordingOnce, fileExisted: true, action: .fail, lookUps: ["declared", "file", "recorded"]),
        Row(mode: .recordingOnce, recorded: true, action: .record, lookUps: ["declared", "file"]),
        Row(
            mode: .recordingOnce,
            recorded: true,
            fileExisted: true,
            action: .playRecorded,
            lookUps: ["declared", "file", "recorded"]
        ),
    ]

    private func check(_ row: Row) throws {
        var lookUps: [String] = []
        let request = StubRequest(url: try #require(URL(string: "http://api.test/a")))
        let recording = Recording(Stub(request: request, response: .status(200)), requestNumber: 0)
        let decision = try Decision(
            on: request,
            by: row.mode.rules,
            declared: {
                lookUps.append("declared")
                return row.passesThrough ? .passThrough : row.declared ? .response(.status(201)) : nil
            },
            stubFileExisted: {
                lookUps.append("file")
                return row.fileExisted
            },
            recorded: {
                lookUps.append("recorded")
                return row.recorded ? Stub(request: request, response: .status(202)) : nil
            },
            record: { .record(recording) },
            unstubbed: { .fail(URLError(.unknown)) }
        )
        let action: Action? =
            switch decision {
            case .play(let stub, isRecorded: false) where stub.response == .status(201): .playDeclared
            case .play(let stub, isRecorded: true) where stub.response == .status(202): .playRecorded
            case .play, .verify: nil
            case .record: .record
            case .passThrough: .passThrough
            case .fail: .fail
            }
        #expect(action == row.action)
        #expect(lookUps == row.lookUps)
    }

    @Test(arguments: rows)
    func `without a declared stub, the mode, the recorded stubs and the file decide`(
        row: Row
    ) throws {
        try check(row)
    }

    @Test(arguments: RecordMode.allCases.filter { $0 != .live }, [true, false])
    func `a declared stub answers before everything else`(mode: RecordMode, isRecorded: Bool) throws {
        for fileExisted in [true, false] {
            try check(
                Row(
                    mode: mode,
                    declared: true,
                    recorded: isRecorded,
                    fileExisted: fileExisted,
                    action: .playDeclared,
                    lookUps: ["declared"]
                )
            )
        }
    }

    @Test(arguments: RecordMode.allCases, [true, false])
    func `a pass-through rule sends a request to the server in every mode`(mode: RecordMode, isRecorded: Bool) throws {
        for fileExisted in [true, false] {
            try check(
                Row(
                    mode: mode,
                    passesThrough: true,
                    recorded: isRecorded,
                    fileExisted: fileExisted,
                    action: .passThrough,
                    lookUps: mode == .live ? [] : ["declared"]
                )
            )
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `the live mode passes every request through and uses no stub`(isDeclared: Bool, isRecorded: Bool) throws {
        for fileExisted in [true, false] {
            try check(
                Row(
                    mode: .live,
                    declared: isDeclared,
                    recorded: isRecorded,
                    fileExisted: fileExisted,
                    action: .passThrough,
                    lookUps: []
                )
            )
        }
    }
}
