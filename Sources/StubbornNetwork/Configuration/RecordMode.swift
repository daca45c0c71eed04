import Foundation

/// The action of a network for a request.
///
/// A stub declared in code answers in every mode except `live`. A request that `passThrough(_:)` names goes to the real
/// server in every mode.
public enum RecordMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The default, and the mode for committed tests: answers from stubs only.
    ///
    /// An unstubbed request fails, and no packet leaves the process.
    case playback

    /// Sends every request to the real server, and replaces the stub file with what this run records.
    ///
    /// Stubs of the old file are removed only when the run ends without errors. A run that is killed, or in which the server
    /// did not answer, keeps the stubs that it did not replace.
    case recording

    /// Plays what is recorded, and records the rest.
    ///
    /// Use it for adding a request to a test. Only stubs that were in the file when the run began answer, each once, in
    /// their order, whatever the playback order is. Every other request is recorded, also one that equals a request of the
    /// same run. A network in memory has no file and records every request.
    case recordingMissing = "recording-missing"

    /// Records when there is no stub file yet, and plays back otherwise.
    case recordingOnce = "recording-once"

    /// Sends every request to the real server, stores nothing and ignores all stubs.
    case live

    /// Plays back, and sends the same requests to the real server, to find out whether the recording is still right.
    ///
    /// The client gets the recorded responses. `StubbornNetwork.verificationReport()` returns the
    /// differences.
    case verifying
}
