import Foundation

/// What a network does with a request.
///
/// | mode | a recorded stub answers | none answers | stub file |
/// |---|---|---|---|
/// | `playback` | play | fail, network untouched | read only |
/// | `recording` | real server | real server | replaced by what this run records |
/// | `recordingMissing` | play | real server, recorded | appended to |
/// | `recordingOnce` | play | as `recording` if the file did not exist, else as `playback` | created once |
/// | `live` | real server | real server | untouched |
///
/// A stub declared in code answers in every mode but `live`.
public enum RecordMode: String, Sendable, Hashable, CaseIterable {
    /// Answers from stubs alone; an unstubbed request fails and no packet leaves the process. The default, and what
    /// belongs in a committed test.
    case playback

    /// Asks the real server for everything and replaces the stub file by what this run records. For recording anew.
    ///
    /// Until the run has come to a clean end nothing of the old file is lost: a run that is killed, or in which the
    /// server did not answer, leaves the stubs that it did not replace.
    case recording

    /// Plays what is recorded and records the rest. For adding a request to a test, and for previews.
    ///
    /// A stub that was recorded a moment ago is a recorded stub: the second equal request of a run is played back.
    case recordingMissing = "recording-missing"

    /// Records when there is no stub file yet, and plays back from then on.
    case recordingOnce = "recording-once"

    /// Asks the real server, stores nothing and ignores all stubs. For trying a test against the real thing.
    case live

    /// Whether the mode may write the stub file.
    public var isRecording: Bool {
        switch self {
        case .recording, .recordingMissing, .recordingOnce: true
        case .playback, .live: false
        }
    }
}
