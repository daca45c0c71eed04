import Foundation

/// Recording runs that have not been finished when the process exits: they come to their clean end then.
///
/// A killed process does not get here. What it recorded is in the file all the same; only what it did not ask for stays.
enum RecordingsAtExit {
    private static let writers = Lock<[ObjectIdentifier: StubFileWriter]>([:])

    private static let registration: Void = {
        atexit {
            for writer in RecordingsAtExit.writers.withLock({ Array($0.values) }) {
                do throws(StubbornNetworkError) { try writer.finish() } catch { StandardError.write(error.message) }
            }
        }
    }()

    static func add(_ writer: StubFileWriter) {
        _ = registration
        writers.withLock { $0[ObjectIdentifier(writer)] = writer }
    }

    /// Brings a file up to date with what this process records into it, before it is read.
    static func fold(into file: URL) {
        for writer in writers.withLock({ Array($0.values) }) where writer.file.path == file.path {
            // What goes wrong is told by the recording's own end.
            try? writer.fold()
        }
    }

    /// The journals of this process, by their paths.
    static var journals: Set<String> {
        Set(writers.withLock { Array($0.values) }.compactMap(\.journalPath))
    }

    static func remove(_ writer: StubFileWriter) {
        _ = writers.withLock { $0.removeValue(forKey: ObjectIdentifier(writer)) }
    }
}
