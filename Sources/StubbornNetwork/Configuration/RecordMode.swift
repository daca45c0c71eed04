import Foundation

/// The action that a network takes for a request.
///
/// A stub declared in code answers in every mode except `live`. A request that matches a `passThrough(_:)` rule goes to
/// the real server in every mode.
public enum RecordMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The default, and the mode for committed tests: answers from stubs only.
    ///
    /// An unstubbed request fails, and no packet leaves the process.
    case playback

    /// Sends every request to the real server, and replaces the stub file with the recordings of this run.
    ///
    /// Stubs of the old file are removed only when the run ends without errors. A run that is killed, or in which the server
    /// did not answer, keeps the stubs that it did not replace.
    case recording

    /// Plays back recorded stubs, and records all other requests.
    ///
    /// Use it to add a request to a test. Only stubs that were in the file when the run began answer, each once, in
    /// their order, regardless of the playback order. Every other request is recorded, even if it equals a request of
    /// the same run. A network in memory has no file and records every request.
    case recordingMissing = "recording-missing"

    /// Records when there is no stub file yet, and plays back otherwise.
    case recordingOnce = "recording-once"

    /// Sends every request to the real server, stores nothing and ignores all stubs.
    case live

    /// Sends every request to the real server as `.recording` does, writes nothing, and compares the responses with the
    /// stub file.
    ///
    /// The client gets the server's responses. `StubbornNetwork.verificationReport()` returns the differences.
    case verifying
}

/// The meaning of a record mode.
///
/// The engine consults it for each request.
struct ModeRules: Sendable {
    /// The effect of a recorded stub that matches a request.
    enum RecordedStubs: Sendable {
        /// It answers the request.
        case answer
        /// It counts as used, and the real server answers.
        case count
        /// It is not searched for.
        case ignore
    }

    /// A Boolean value that indicates whether the real server answers every request, regardless of stubs.
    var passesThrough = false
    var recordedStubs = RecordedStubs.answer
    /// A Boolean value that indicates whether a request that no stub answers goes to the real server, and is recorded; otherwise
    /// it fails.
    var isRecording = false
    /// The order of recorded stubs, instead of the order from code; `nil` to keep the order from code.
    var order: PlaybackOrder?
    /// A Boolean value that indicates whether the mode plays back if the stub file existed before the run.
    var playsBackExistingFile = false
    /// A Boolean value that indicates whether the recordings are added to those of earlier runs, rather than replace them.
    var addsToFile = false
    /// A Boolean value that indicates whether the real server is called even if a recorded stub matches.
    var comparesWithServer = false
    /// A Boolean value that indicates whether loading the stubs fails without a stub file.
    var requiresFile = false

    /// A Boolean value that indicates whether a request that no stub answers goes to the real server.
    var asksServer: Bool { isRecording || comparesWithServer }
}

extension RecordMode {
    /// The meaning of the mode.
    var rules: ModeRules {
        switch self {
        case .playback: ModeRules(requiresFile: true)
        case .recording: ModeRules(recordedStubs: .count, isRecording: true, order: .onceFromFile)
        case .recordingMissing: ModeRules(isRecording: true, order: .onceFromFile, addsToFile: true)
        case .recordingOnce: ModeRules(recordedStubs: .ignore, isRecording: true, playsBackExistingFile: true)
        case .live: ModeRules(passesThrough: true, recordedStubs: .ignore)
        case .verifying: ModeRules(recordedStubs: .count, comparesWithServer: true)
        }
    }

    /// A Boolean value that indicates whether the mode may write the stub file.
    package var isRecording: Bool { rules.isRecording }
}
