import Foundation
import StubbornNetwork

extension EnvironmentSettings {
    /// Returns the mode in force for request snapshots: `.playback` compares, `.recording` writes the file again, and
    /// `.recordingOnce` writes it if there is none.
    ///
    /// If `CI` is set, the file is written only if `STUB_SNAPSHOTS` is set.
    func snapshotMode(requested: RecordMode) throws(StubbornNetworkError) -> RecordMode {
        switch value(.snapshots) {
        case RecordMode.recording.rawValue?: .recording
        case let value?: throw .unknownSnapshotMode(value)
        case nil: isContinuousIntegration ? .playback : requested
        }
    }
}

extension StubbornNetworkError {
    static func unknownSnapshotMode(_ value: String) -> Self {
        let message = """
            STUB_SNAPSHOTS is "\(value.prefix(80))", which is not a snapshot mode. Set it to recording, which writes \
            request snapshots again, or unset it.
            """
        return Self(.invalidSettings, message)
    }
}
