import Foundation

/// A recording run that has to be finished before the process exits.
protocol UnfinishedRecording: AnyObject, Sendable {
    /// The stub file that the run records into.
    var file: URL { get }

    /// The path of the run's journal; `nil` while there is none.
    var journalPath: String? { get }

    /// Brings the file up to date.
    func fold() throws(StubbornNetworkError)

    /// Ends the run.
    func finish() throws(StubbornNetworkError)
}

/// The recording runs of this process that are not finished.
///
/// The runs that are left when the process exits are finished then.
///
/// When the process is killed they are not finished: the file or the journal has all that was recorded, and the stubs
/// that the run did not ask for stay in the file.
enum RecordingsAtExit {
    private static let recordings = Lock<[ObjectIdentifier: any UnfinishedRecording]>([:])

    private static let registration: Void = {
        atexit {
            for recording in RecordingsAtExit.all {
                do throws(StubbornNetworkError) { try recording.finish() } catch { StandardError.write(error.message) }
            }
        }
    }()

    private static var all: [any UnfinishedRecording] { recordings.withLock { Array($0.values) } }

    static func add(_ recording: any UnfinishedRecording) {
        _ = registration
        recordings.withLock { $0[ObjectIdentifier(recording)] = recording }
    }

    static func remove(_ recording: any UnfinishedRecording) {
        _ = recordings.withLock { $0.removeValue(forKey: ObjectIdentifier(recording)) }
    }

    /// Brings a file up to date with what this process records into it, before it is read.
    static func fold(into file: URL) {
        for recording in all where recording.file.path == file.path {
            // The end of the recording tells what went wrong.
            try? recording.fold()
        }
    }

    /// The paths of this process's journals.
    static var journals: Set<String> { Set(all.compactMap(\.journalPath)) }
}
