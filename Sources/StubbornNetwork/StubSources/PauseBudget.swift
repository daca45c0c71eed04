/// The bytes that a recording may still write to its stub file at pauses.
///
/// Each pause writes the whole file. With the budget all pauses of a recording write no more than `extraByteCount`, the file
/// once, and what is recorded once, however many pauses there are.
struct PauseBudget {
    /// The bytes that pauses may write in addition to the file and to what is recorded.
    static let extraByteCount = 1 << 20

    private var remainingByteCount: Int
    private var unwrittenByteCount = 0

    /// Creates the budget of a recording into a stub file, which has a number of bytes before it.
    init(fileByteCount: Int) {
        remainingByteCount = Self.extraByteCount + fileByteCount
    }

    /// Notes a recording.
    mutating func noteRecording(_ recording: StoredRecording) {
        let byteCount = recording.entry.entry.byteCount
        remainingByteCount += byteCount
        // A value alone is no reason to write the file: its run stores nothing if no server answers.
        if !recording.isValue { unwrittenByteCount += byteCount }
    }

    /// Notes that the stub file has all recordings, for which a number of bytes was written.
    mutating func noteUpdate(_ byteCount: Int) {
        remainingByteCount -= byteCount
        unwrittenByteCount = 0
    }

    /// Returns a Boolean value that indicates whether a pause may write a stub file that has a number of bytes now.
    func allowsUpdate(fileByteCount: Int) -> Bool {
        unwrittenByteCount > 0 && fileByteCount + unwrittenByteCount <= remainingByteCount
    }
}
